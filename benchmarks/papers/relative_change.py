"""Maximum entropy as the thesis trains it (the thesis, algorithm 3), stopped by (5.1).

Rows are visited in one order, two variables at a time, and a run ends as soon as a
round changes the function by less than a tenth: |f^k - f^(k-1)| < 0.1 |f^(k-1)|. The
function is the primal one, (2.11); what it costs to evaluate it is not counted.
"""

import numpy as np

from ..harness.data import Dataset
from ..harness.objectives import Formulation
from .following import Method, accuracy, looks, weights_of

TOLERANCE = 0.1  # the thesis: "default value of epsilon is choosed as 0.1"
PRINTED = {"restricted": "pairs", "order": "cyclic"}
MOST_ROUNDS = 1000


def train(data: Dataset, C: float, features: str) -> dict[str, float]:
    """Seconds of the visits, rounds, last change and test accuracy."""
    method = Method("maxent", PRINTED | {"features": features}, loss="log")
    driver = method.driver(data.X, data.y, data.n_classes, C, 0)
    objective = Formulation("maxent").objective

    def value(weights: np.ndarray) -> float:
        losses = objective(data.X, data.y, weights) - 0.5 * float((weights**2).sum())
        return C * losses + 0.5 * float((weights**2).sum())

    last = value(np.zeros((data.n_classes, data.X.shape[1])))
    for number, look in enumerate(looks(driver, len(data.y), data.n_classes, 1.0), 1):
        weights = weights_of(driver).T.astype(np.float64)
        now = value(weights)
        change = abs(now - last) / abs(last)
        if change < TOLERANCE or number == MOST_ROUNDS:
            return {
                "seconds": look.seconds,
                "rounds": number,
                "change": change,
                "test": accuracy(driver, data),
            }
        last = now
    raise RuntimeError("rounds end only here")  # pragma: no cover
