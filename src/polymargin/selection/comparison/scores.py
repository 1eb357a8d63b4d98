"""What machines are judged by: a row for each score."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import make_scorer

from ...machine.costs import mean_cost


@dataclass(frozen=True)
class Score:
    """A number that predictions get, as tables and tests need to know it.

    Attributes
    ----------
    key : str
        Its name in the results.
    title, caption : str
        Of its table.
    scale : float
        What it is multiplied by in tables.
    sign : int
        1 if more is better, -1 if less is.
    """

    key: str
    title: str
    caption: str
    scale: float
    sign: int

    def of(self, y_true, y_pred, n_classes: int) -> float:
        """Return the score of predictions."""
        if self.key == "accuracy":
            return float(np.mean(y_pred == y_true))
        return mean_cost(y_true, y_pred, "ordinal", np.arange(n_classes))

    def scorer(self, n_classes: int):
        """Return it as scikit-learn has it: more is better."""
        return make_scorer(
            self.of, greater_is_better=self.sign > 0, n_classes=n_classes
        )


SCORES = {
    score.key: score
    for score in (
        Score("accuracy", "Accuracy", "Test accuracy in percent", 100.0, 1),
        Score(
            "cost",
            "Mean cost",
            "Mean cost of a test row, by how many places its class is missed",
            1.0,
            -1,
        ),
    )
}


def find_score(name: str) -> Score:
    """Return the score of this name, or say which ones there are."""
    if name not in SCORES:
        raise ValueError(f"score={name!r} is not known; choose {' or '.join(SCORES)}.")
    return SCORES[name]
