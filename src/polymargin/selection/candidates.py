"""The machines that are worth a trial on a table, from simple to involved."""

from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..access.kernels import make_kernel
from ..machine.registry import names_of
from .path import find_estimator

LINEAR_CS = (0.1, 1.0, 10.0)
KERNEL_CS = (1.0, 10.0, 100.0)
GAMMAS = (0.25, 1.0, 4.0)  # times that of "scale"
_STEP_C, _STEP_GAMMA = 10.0, 4.0  # beyond these
MOST_ROWS = 20_000  # to compare by
MOST_FEATURES = 1_000  # with more, a kernel tells no more than a linear machine


@dataclass(frozen=True)
class Candidate:
    """An estimator with its parameters, not trained.

    Attributes
    ----------
    machine : str
    C : float
    gamma : float or None
        Of a Gaussian kernel; a linear machine has none.
    given : dict
        Other parameters of the estimator.
    """

    machine: str
    C: float
    gamma: float | None = None
    given: dict = field(default_factory=dict, compare=False, repr=False)

    @property
    def family(self) -> str:
        """Either "linear" or "kernel"."""
        return "linear" if self.gamma is None else "kernel"

    @property
    def parameters(self) -> dict:
        """Parameters of the estimator that were chosen."""
        if self.gamma is None:
            return {"C": self.C}
        return {"C": self.C, "gamma": self.gamma}

    def estimator(self, **others: Any) -> Any:
        """Return a new estimator, with other parameters beside those chosen."""
        kernel = {} if self.gamma is None else {"kernel": "rbf"}
        parameters = self.parameters | kernel | self.given | others
        return find_estimator(self.machine, parameters)

    def __str__(self) -> str:
        full_name = self.estimator()._machine().formulation.full_name
        numbers = ", ".join(f"{name} = {v:.3g}" for name, v in self.parameters.items())
        kernel = "linear" if self.gamma is None else "rbf kernel"
        return f"{full_name}, {kernel}, {numbers}"


def linear_candidates(given: dict) -> list[Candidate]:
    """Return all linear machines that are tried, with a few values of C."""
    machines = names_of(lambda row: "linear" in row.tried)
    return [Candidate(name, C, None, given) for name in machines for C in LINEAR_CS]


def kernel_candidates(X, given: dict) -> list[Candidate]:
    """Return the kernel machine that is tried first, with a few values of C and gamma.

    It is the one made of binary problems, which is trained in a tenth of the time.
    """
    scale = make_kernel("rbf", "scale", 3, 0.0, X).gamma_
    by_pairs = names_of(lambda row: "kernel" in row.tried and row.by_pairs)
    return [
        Candidate(name, C, scale * times, given)
        for name in by_pairs
        for C in KERNEL_CS
        for times in GAMMAS
    ]


def other_machines(best: Candidate) -> list[Candidate]:
    """Return the other kernel machines, where one has found its best C and gamma.

    With a smaller C, too: losses of several classes at once are larger. And with none
    beyond the grid, where they take ten times as long.
    """
    if best.gamma is None:
        return []
    others = names_of(lambda row: "kernel" in row.tried)
    most = min(best.C, KERNEL_CS[-1])
    return [
        replace(best, machine=name, C=C)
        for name in others
        if name != best.machine
        for C in (most, most / sqrt(_STEP_C))
    ]


def beyond(best: Candidate, tried: list[Candidate]) -> list[Candidate]:
    """Return neighbours of a candidate that lie outside of all that were tried."""
    alike = [one for one in tried if one.family == best.family]
    wider_C = _outside(best.C, [one.C for one in alike], _STEP_C)
    found = [] if wider_C is None else [replace(best, C=wider_C)]
    if best.family == "linear":
        return found
    wider_gamma = _outside(best.gamma, [one.gamma for one in alike], _STEP_GAMMA)
    if wider_gamma is not None:
        found.append(replace(best, gamma=wider_gamma))
    if len(found) == 2:
        found.append(replace(best, C=wider_C, gamma=wider_gamma))
    return found


def _outside(value: float, tried: list[float], step: float) -> float | None:
    """Return the next value if this one is at an edge of those tried."""
    if value == min(tried):
        return value / step
    return value * step if value == max(tried) else None


def finer(best: Candidate) -> list[Candidate]:
    """Return neighbours of a candidate half a step away, between those of the grid."""
    half = sqrt(_STEP_C)
    found = [replace(best, C=best.C / half), replace(best, C=best.C * half)]
    if best.gamma is not None:
        half = sqrt(_STEP_GAMMA)
        found += [
            replace(best, gamma=best.gamma / half),
            replace(best, gamma=best.gamma * half),
        ]
    return found


def narrower(best: Candidate) -> list[Candidate]:
    """Return neighbours that more rows may ask for: a larger C, a narrower kernel."""
    C = best.C * sqrt(_STEP_C)
    if best.gamma is None:
        return [replace(best, C=C)]
    gamma = best.gamma * sqrt(_STEP_GAMMA)
    return [
        replace(best, gamma=gamma),
        replace(best, C=C),
        replace(best, C=C, gamma=gamma),
    ]


def kernels_pay(X) -> bool:
    """Whether kernel machines are tried on these rows."""
    filled = X.nnz if sp.issparse(X) else np.count_nonzero(X)
    return X.shape[1] <= MOST_FEATURES and filled > 0
