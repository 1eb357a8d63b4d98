"""What a run learns on its way: sigma, and how much work a round is worth.

Everything here follows from what has been counted, and nothing from a clock, so that
the same partitions and the same seed give the same model.
"""

from dataclasses import dataclass

# Of a round, as counted: seconds it costs whatever it does, for each byte that travels,
# and for each product of a value of a row with a weight. They need not be right, only
# of the right order: too many epochs waste work, too few waste rounds.
SECONDS_PER_ROUND = 0.05
SECONDS_PER_BYTE = 1e-8
SECONDS_PER_PRODUCT = 5e-10
MOST_EPOCHS = 10

# The next sigma is this much above what the last round would have needed.
CAUTION = 1.25


@dataclass
class Sigma:
    """The factor by which partitions overestimate the curvature of what they do.

    With as many as there are partitions, adding all changes never lowers the dual (Ma
    et al. 2015, lemma 4). Where partitions have little in common less will do: after a
    round |sum dW_k|^2 / sum |dW_k|^2 tells how much. If it was too little the dual says
    so, the round is taken back, and the next one is more cautious.

    Attributes
    ----------
    safe : float
        Number of partitions that have rows.
    value : float
    """

    safe: float
    value: float

    def accepts(self, dual: float, new_dual: float) -> bool:
        """Whether a round counts: the dual did not fall, or fell by rounding."""
        return self.value >= self.safe or new_dual >= dual

    def follow(self, together: float, alone: float) -> None:
        """Learn from |sum dW_k|^2 and sum |dW_k|^2 of a round that counts."""
        if alone > 0:
            self.value = min(max(CAUTION * together / alone, 1.0), self.safe)

    def retreat(self) -> None:
        """Learn from a round that was taken back."""
        self.value = min(2 * self.value, self.safe)


def epochs_for(products: int, bytes_sent: int) -> int:
    """Return the epochs after which a round has cost about twice its traffic.

    Parameters
    ----------
    products : int
        Non-zeros of the largest partition times columns of W.
    bytes_sent : int
        In the last round, to and from a partition.
    """
    traffic = SECONDS_PER_ROUND + SECONDS_PER_BYTE * bytes_sent
    epochs = traffic / max(SECONDS_PER_PRODUCT * products, 1e-9)
    return max(1, min(MOST_EPOCHS, round(epochs)))
