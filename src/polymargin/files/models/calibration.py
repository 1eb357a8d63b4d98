"""Whether probabilities mean what they say: of rows with 90 %, are 90 % right?"""

from dataclasses import dataclass

import numpy as np

from .text_table import table

_BINS = 10


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities of what was predicted, beside whether it was right.

    Attributes
    ----------
    confidence : ndarray of shape (n_samples,)
        The probability of the predicted label.
    right : ndarray of bool of shape (n_samples,)
    """

    confidence: np.ndarray
    right: np.ndarray

    @property
    def bins(self) -> list[dict]:
        """Tenths of the probability that have rows: "from", "to", "rows", the mean
        "probability", and the share that is "right".
        """
        at = np.minimum((_BINS * self.confidence).astype(int), _BINS - 1)
        return [
            {
                "from": one / _BINS,
                "to": (one + 1) / _BINS,
                "rows": int((at == one).sum()),
                "probability": float(self.confidence[at == one].mean()),
                "right": float(self.right[at == one].mean()),
            }
            for one in np.unique(at).tolist()
        ]

    @property
    def error(self) -> float:
        """The mean difference between both, over rows by their tenth: the expected
        calibration error.
        """
        parts = (
            one["rows"] * abs(one["probability"] - one["right"]) for one in self.bins
        )
        return sum(parts) / len(self.right)

    def to_dict(self) -> dict:
        """Return all of it as JSON can hold it."""
        return {
            "probability": float(self.confidence.mean()),
            "right": float(self.right.mean()),
            "error": self.error,
            "bins": self.bins,
        }

    def lines(self) -> list[str]:
        """Return it as text."""
        rows = [("probability", "rows", "mean", "right")]
        rows += [
            (
                f"{one['from']:.0%} to {one['to']:.0%}",
                f"{one['rows']:,}",
                f"{one['probability']:.1%}",
                f"{one['right']:.1%}",
            )
            for one in self.bins
        ]
        return [
            f"calibration: a probability of {self.confidence.mean():.1%} in the mean, "
            f"and {self.right.mean():.1%} are right; by tenths they differ by "
            f"{self.error:.1%}",
            *table(rows),
        ]
