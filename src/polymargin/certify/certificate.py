"""The certificate that comes with every model."""

from dataclasses import dataclass
from math import isfinite

_ROUNDING = 0.01  # far more than sums in single precision are off


@dataclass(frozen=True)
class Certificate:
    """Primal and dual objective of a model, and its largest violation.

    By weak duality no model has an objective below `dual`: this one is at most
    `primal - dual` above the best.
    """

    primal: float
    dual: float
    violation: float

    @property
    def gap(self) -> float:
        """Relative duality gap: the distance to the optimum over the objective.

        Where the dual is above the primal by more than rounding, something overflowed
        and nothing is proved.
        """
        if self.dual - self.primal > _ROUNDING * max(abs(self.primal), abs(self.dual)):
            return float("inf")
        return relative_gap(self.primal, self.dual)


def relative_gap(primal: float, dual: float) -> float:
    """Return ``(primal - dual) / primal``, and 0 where rounding makes it negative.

    Of numbers that are not finite nothing is proved: the gap is infinite.
    """
    if not (isfinite(primal) and isfinite(dual)):
        return float("inf")
    return max((primal - dual) / primal, 0.0) if primal > 0 else 0.0


# What is known of a model whose training was interrupted before it was certified.
UNCERTIFIED = Certificate(float("inf"), float("-inf"), float("inf"))
