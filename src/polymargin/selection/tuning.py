"""What a search for parameters has found: its points, the best of them, a model."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import rankdata


@dataclass(frozen=True)
class TuningPoint:
    """A point of the grid.

    Attributes
    ----------
    parameters : dict
        By the names that `set_params` of the estimator knows, as ``svc__C``.
    scores : ndarray of shape (n_folds,)
        On the rows that were held out.
    seconds : float
        For all folds, by the clock on the wall.
    fit_seconds, score_seconds : ndarray of shape (n_folds,)
        For each fold.
    """

    parameters: dict[str, Any]
    scores: np.ndarray
    seconds: float
    fit_seconds: np.ndarray | None = field(repr=False, default=None)
    score_seconds: np.ndarray | None = field(repr=False, default=None)

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean())

    def is_clearly_better(self, other: "TuningPoint") -> bool:
        """Whether it is better by more than the standard error of the difference."""
        difference = self.scores - other.scores
        error = 0.0
        if len(difference) > 1:
            error = difference.std(ddof=1) / np.sqrt(len(difference))
        return bool(difference.mean() > error)


def best_of(points: list[TuningPoint]) -> TuningPoint:
    """Return the highest mean; of equals, the smallest C, then the smallest gamma."""
    return max(points, key=lambda p: (p.mean, *(-v for v in p.parameters.values())))


@dataclass(frozen=True)
class Tuning:
    """What `tune` has found.

    Attributes
    ----------
    best : TuningPoint
        The highest mean score; of equals, the smallest C, then the smallest gamma.
    points : list of TuningPoint
        All that were tried, in the order of their parameters.
    model : estimator or None
        Trained on all rows with the best parameters.
    status : {"complete", "max_time"}
        Whether the search came to its end, or its time did.
    """

    best: TuningPoint
    points: list[TuningPoint]
    model: object = field(repr=False, default=None)
    status: str = "complete"

    def __str__(self) -> str:
        # What a pipeline puts before the name of a parameter is the same for all.
        names = [name.rpartition("__")[2] for name in self.best.parameters]
        lines = ["  ".join(f"{name:>10}" for name in [*names, "score", "spread"])]
        for point in self.points:
            numbers = [
                *point.parameters.values(),
                point.mean,
                float(point.scores.std()),
            ]
            mark = "  best" if point is self.best else ""
            lines.append("  ".join(f"{number:10.4g}" for number in numbers) + mark)
        return "\n".join(lines)

    def cv_results(self) -> dict[str, Any]:
        """Return the table of all points, with the names of scikit-learn's searches.

        Returns
        -------
        results : dict of arrays
            ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``,
            ``std_test_score``, ``rank_test_score``, and ``mean_`` and ``std_`` of
            ``fit_time`` and ``score_time``.
        """
        results: dict[str, Any] = {}
        for what in ("fit", "score"):
            seconds = np.array([getattr(p, f"{what}_seconds") for p in self.points])
            results[f"mean_{what}_time"] = seconds.mean(axis=1)
            results[f"std_{what}_time"] = seconds.std(axis=1)
        for name in self.best.parameters:
            values = [point.parameters[name] for point in self.points]
            results[f"param_{name}"] = np.ma.array(values)
        results["params"] = [dict(point.parameters) for point in self.points]
        scores = np.array([point.scores for point in self.points])
        for fold, of_fold in enumerate(scores.T):
            results[f"split{fold}_test_score"] = of_fold
        results["mean_test_score"] = scores.mean(axis=1)
        results["std_test_score"] = scores.std(axis=1)
        ranks = rankdata(-scores.mean(axis=1), method="min", nan_policy="omit")
        results["rank_test_score"] = ranks.astype(np.int32)
        return results

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores along C, or on the plane of C and gamma.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; those of a new figure if None.

        Returns
        -------
        ax : matplotlib Axes
        """
        from .tuning_plot import plot_tuning

        return plot_tuning(self, ax)
