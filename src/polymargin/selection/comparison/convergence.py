"""A fit that is watched: function value and test accuracy against time.

As in figure 3 of Keerthi et al. (2008) and figure 1 of Blondel et al. (2014): the
relative difference of the dual objective from its best value, and the test accuracy,
after every epoch. The looks at the model are not counted as training time.
"""

from time import perf_counter

import numpy as np
from sklearn.base import BaseEstimator

TOL = 1e-5  # so close to its optimum does the run end, if there is time
CURVES = ("curve_seconds", "difference", "accuracy_seconds", "accuracy")
_TASKS = ("epoch", "chunk")
_LEAST_SECONDS, _TIMES_LONGER = 3.0, 20.0  # how long to look, looks included
_MOST_POINTS = 120
_GROWTH = 1.1  # of the epochs at which the model is examined
_KNOWN = 0.05  # the best value is known if the gap is at most this


class Clock:
    """A callback that notes when epochs begin and end, before others look at them."""

    def __init__(self):
        self.begun: list[float] = []
        self.ended: list[float] = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        if context.task_name in _TASKS:
            self.begun.append(perf_counter())

    def on_fit_task_end(self, estimator, context):
        if context.task_name in _TASKS:
            self.ended.append(perf_counter())

    def looks(self, epochs: int) -> np.ndarray:
        """Seconds spent between epochs, before each of them, added up."""
        ended, begun = self.ended[: epochs - 1], self.begun[1:epochs]
        return np.cumsum([0.0, *np.subtract(begun, ended)])


class Examiner:
    """A callback that takes the test accuracy after epochs.

    Parameters
    ----------
    X_test, y_test : rows and labels
    seconds : float
        It stops the fit after so long.
    growth : float
        After a look, the next is at an epoch so many times later: with 1, each.
    """

    def __init__(self, X_test, y_test, seconds=np.inf, growth: float = 1.0):
        self.X_test, self.y_test = X_test, y_test
        self.growth = growth
        self.end = perf_counter() + seconds
        self.epochs: list[int] = []
        self.accuracy: list[float] = []
        self.number = 0

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.task_name not in _TASKS:
            return False
        if not self.epochs or self.number >= self.growth * self.epochs[-1]:
            self.epochs.append(self.number)
            found = fitted_estimator.predict(self.X_test) == self.y_test
            self.accuracy.append(float(np.mean(found)))
        self.number += 1
        return perf_counter() > self.end


def follow(
    model: BaseEstimator, X, y, X_test, y_test, train_seconds: float
) -> dict[str, list[float]]:
    """Train and look at the model after every epoch.

    Parameters
    ----------
    model : estimator
        It is trained; one that has no history gives no curves.

    X, y, X_test, y_test : rows and labels

    train_seconds : float
        How long the training took when nobody looked.

    Returns
    -------
    curves : dict
        Lists "curve_seconds" and "difference", and "accuracy_seconds" and "accuracy";
        empty if the machine does not tell.
    """
    curves: dict[str, list[float]] = {name: [] for name in CURVES}
    if "history" not in model.get_params() or not hasattr(model, "set_callbacks"):
        return curves
    limit = max(_LEAST_SECONDS, _TIMES_LONGER * train_seconds)
    clock, examiner = Clock(), Examiner(X_test, y_test, limit, growth=_GROWTH)
    model.set_params(history=True, tol=TOL)
    model.set_callbacks(clock, examiner).fit(X, y)
    history = model.history_
    epochs = min(len(history["seconds"]), len(clock.ended))
    seconds = np.asarray(history["seconds"][:epochs]) - clock.looks(epochs)
    seen = [number for number in examiner.epochs if number < epochs]
    curves["accuracy_seconds"] = seconds[seen].tolist()
    curves["accuracy"] = examiner.accuracy[: len(seen)]
    gap = getattr(model, "dual_gap_", np.inf)
    if gap <= _KNOWN and epochs:
        dual = np.asarray(history["dual_objective"][:epochs])
        best = max(dual.max(), model.dual_objective_)
        difference = (best - dual) / abs(best) if best else np.zeros(epochs)
        # Below the gap of the last model nobody knows.
        keep = _thinned(np.flatnonzero(difference > gap))
        curves["curve_seconds"] = seconds[keep].tolist()
        curves["difference"] = difference[keep].tolist()
    return curves


def _thinned(points: np.ndarray) -> np.ndarray:
    """At most so many points, the first ones all."""
    if len(points) <= _MOST_POINTS:
        return points
    chosen = np.geomspace(1, len(points), _MOST_POINTS).astype(int) - 1
    return points[np.unique(chosen)]
