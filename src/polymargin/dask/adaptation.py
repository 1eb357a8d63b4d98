"""What a run learns on its way: sigma, momentum, and how much work a round does.

Everything here follows from what has been counted, and nothing from a clock, so that
the same partitions and the same seed give the same model.
"""

from dataclasses import dataclass
from math import exp, log, sqrt

# Of a round, as counted: seconds it costs whatever it does, for each byte that travels,
# and for each product of a value of a row with a weight. They need not be right, only
# of the right order. More than one epoch a round saves hardly any rounds.
SECONDS_PER_ROUND = 0.05
SECONDS_PER_BYTE = 1e-8
SECONDS_PER_PRODUCT = 5e-10
LEAST_SHARE = 0.05
# A single partition has nobody to wait for.
EPOCHS_ALONE = 10.0

# Sigma is looked at so often, and changed if residuals differ by more than the factor
# BALANCED, by a factor of at most LARGEST_STEP.
BALANCE_EVERY = 5
BALANCED = 1.5
LARGEST_STEP = 3.0
# Momentum goes on as long as the residual shrinks by this in a round.
SHRINKS = 0.999


@dataclass(frozen=True)
class Residuals:
    """What a round tells of the distance from the optimum, as squared norms.

    Attributes
    ----------
    multipliers : float
        Of all changes of lambda_k.
    consensus : float
        Of the change of Z, counted for every partition that has the feature.
    apart : float
        Of the distances of the partitions' own models from Z, divided by sigma.
    model, own : float
        Of Z, counted as above, and of all W_k; `own` is zero if not measured.
    """

    multipliers: float
    consensus: float
    apart: float
    model: float
    own: float


@dataclass(frozen=True)
class Pace:
    """The two numbers that decide how fast a run is.

    Sigma, the inverse of the penalty of the method of multipliers, is how far
    partitions may go from each other in a round. It is right when the distances of
    their models from Z and the changes of Z, each relative to what it is a part of,
    are alike (Wohlberg 2017). Momentum is that of Nesterov, begun anew when the
    residual grows (Goldstein, O'Donoghue, Setzer and Baraniuk 2014, algorithm 8).

    Attributes
    ----------
    sigma, largest : float
        `largest`, the number of partitions, is where adding their changes is safe.
    momentum : float
        Of the next round.
    weight : float
        From which momentum follows; 1 after a new beginning.
    residual : float
        To be undercut.
    trend : float or None
        Moving mean of the logarithm of the two residuals' ratio.
    rounds : int
    """

    sigma: float
    largest: float
    momentum: float = 0.0
    weight: float = 1.0
    residual: float = float("inf")
    trend: float | None = None
    rounds: int = 0

    @property
    def measures_own(self) -> bool:
        """Whether the next round is one after which sigma may change."""
        return (self.rounds + 1) % BALANCE_EVERY == 0

    def after(self, found: Residuals) -> "Pace":
        """Return the pace of the next round."""
        sigma = self.sigma
        residual = sigma * found.multipliers + found.consensus / sigma
        factor, trend = self._balance(found)
        if residual < SHRINKS * self.residual:
            weight = (1 + sqrt(1 + 4 * self.weight**2)) / 2
            momentum, bound = (self.weight - 1) / weight, residual
        else:
            weight, momentum, bound = 1.0, 0.0, residual / SHRINKS
        bound *= max(factor, 1 / factor)  # by which a residual with another sigma grows
        return Pace(
            sigma * factor,
            self.largest,
            momentum,
            weight,
            bound,
            trend,
            self.rounds + 1,
        )

    def _balance(self, found: Residuals) -> tuple[float, float | None]:
        """Return a factor for sigma, and the trend."""
        if not found.apart * found.consensus > 0:
            return 1.0, self.trend
        ratio = log(found.apart / found.consensus) / 2 + 2 * log(self.sigma)
        trend = ratio if self.trend is None else (ratio + self.trend) / 2
        if not found.own * found.model > 0:
            return 1.0, trend
        scales = log(found.own / found.model) / 2
        unbalanced = trend + scales
        if abs(unbalanced) <= log(BALANCED):
            return 1.0, trend
        factor = min(max(exp(-unbalanced / 2), 1 / LARGEST_STEP), LARGEST_STEP)
        return min(factor, self.largest / self.sigma), -scales


def first_sigma(parts: int, mean_square: float) -> float:
    """Return the sigma to begin with.

    The square root of the number of partitions suits partitions whose rows have little
    in common and whose dual variables are within reach of each other. The scale on
    which these move, C_i, and that of W, 1 / |x_i|, differ by the mean of C_i |x_i|^2.

    Parameters
    ----------
    parts : int
        Partitions that have rows.
    mean_square : float
        Mean of C_i |x_i|^2.
    """
    if parts < 2:
        return 1.0
    return min(float(parts), sqrt(parts) / max(mean_square, 1e-300))


def share_of_epoch(products: int, bytes_sent: int) -> float:
    """Return the share of an epoch that costs about as much as its traffic.

    Parameters
    ----------
    products : int
        Non-zeros of the largest partition times columns of W.
    bytes_sent : int
        In the last round, to and from a partition.
    """
    traffic = SECONDS_PER_ROUND + SECONDS_PER_BYTE * bytes_sent
    share = traffic / max(SECONDS_PER_PRODUCT * products, 1e-9)
    return max(LEAST_SHARE, min(1.0, share))
