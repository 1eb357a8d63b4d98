"""What a run learns on its way: sigma, and how much work a round is worth.

Everything here follows from what has been counted, and nothing from a clock, so that
the same partitions and the same seed give the same model.
"""

from dataclasses import dataclass
from math import sqrt

# Of a round, as counted: seconds it costs whatever it does, for each byte that travels,
# and for each product of a value of a row with a weight. They need not be right, only
# of the right order. On generated dense and sparse rows in 8 partitions, up to ten
# epochs a round saved hardly any rounds over one; a tenth of one took 1.7 to 5 times as
# many rounds and a sixth to a half of the visits.
SECONDS_PER_ROUND = 0.05
SECONDS_PER_BYTE = 1e-8
SECONDS_PER_PRODUCT = 5e-10
LEAST_SHARE = 0.05
# A single partition has nobody to wait for.
EPOCHS_ALONE = 10.0

# Sigma changes by at most this factor in a round, and by less and less as rounds go by,
# because the method converges with any sigma but not with any sequence of them: after
# so many rounds by the square root of it. It does not go below LEAST_SIGMA.
LARGEST_STEP = 1.5
SETTLING_ROUNDS = 50
LEAST_SIGMA = 0.01
# After so many rounds without a better dual, sigma is kept from being so small again,
# and the patience is doubled.
PATIENCE = 20


@dataclass
class Sigma:
    """The factor by which partitions overestimate the curvature of what they do.

    With as many as there are partitions, adding all changes never lowers the dual (Ma
    et al. 2015, lemma 4). With less, partitions go further from each other in a round,
    and the run may be many times faster, or slower. As the inverse of the penalty of
    the method of multipliers, sigma balances its two residuals, each relative to what
    it is a residual of (Wohlberg 2017): the distances of the partitions from the
    consensus Z, of which sigma dW_k is the larger part, and the change of Z.

    Attributes
    ----------
    safe : float
        Number of partitions that have rows: also the largest value.
    value : float
    least : float
        Grows towards `safe` when the dual shows no progress.
    best : float
        Largest dual objective so far.
    waited, patience : int
        Rounds since then, and how many it may take.
    rounds : int
        All rounds.
    """

    safe: float
    value: float
    least: float = LEAST_SIGMA
    best: float = float("-inf")
    waited: int = 0
    patience: int = PATIENCE
    rounds: int = 0

    def watch(self, dual: float) -> None:
        """Take note of the dual objective; be more careful if it does not rise."""
        self.waited += 1
        if dual > self.best:
            self.best, self.waited = dual, 0
        elif self.waited > self.patience:
            self.least = min(2 * max(self.value, self.least), self.safe)
            self.waited, self.patience = 0, 2 * self.patience

    def balance(self, weights, consensus_change, changes, own) -> None:
        """Learn from a round.

        Parameters
        ----------
        weights, consensus_change : float
            |W| and |Z' - Z|.
        changes, own : float
            Square roots of the sums of |dW_k|^2 and |W_k|^2.
        """
        if not changes * own * consensus_change > 0:
            return
        ideal = sqrt(self.safe * weights * consensus_change / (changes * own))
        step = LARGEST_STEP ** (SETTLING_ROUNDS / (SETTLING_ROUNDS + self.rounds))
        self.rounds += 1
        ideal = min(max(ideal, self.value / step), self.value * step)
        self.value = min(max(ideal, self.least), self.safe)


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
