"""The best C, and the best width of a kernel, by cross-validation.

Folds are weights: a row that is held out has weight zero, so all folds train on the
same array, on threads or by the workers of a cluster. Within a fold, C grows from one
machine to the next, which starts from the last.
"""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _check_sample_weight, check_array

from ..base.threads import for_each, on_all_workers, thread_count
from .path import check_grid, find_estimator

_LOG2_CS = 2.0 ** np.arange(-5, 4)  # the grid of 003
_MOST_GROWTH = 12  # points beyond an edge of the grid


@dataclass(frozen=True)
class TuningPoint:
    """A point of the grid.

    Attributes
    ----------
    parameters : dict
    scores : ndarray of shape (n_folds,)
        On the rows that were held out.
    seconds : float
        For all folds.
    """

    parameters: dict
    scores: np.ndarray
    seconds: float

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean())


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
    """

    best: TuningPoint
    points: list[TuningPoint]
    model: object = field(repr=False, default=None)

    def __str__(self) -> str:
        names = list(self.best.parameters)
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


def tune(
    X,
    y,
    machine="cs",
    *,
    Cs=None,
    gammas=None,
    cv=5,
    scoring=None,
    grow=True,
    patience=2,
    refit=True,
    sample_weight=None,
    n_jobs=None,
    verbose=0,
    watch=None,
    **parameters,
) -> Tuning:
    """Choose C, and gamma of a kernel, by cross-validation.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)

    y : array-like of shape (n_samples,)

    machine : str or estimator, default="cs"
        As in `path`.

    Cs : array-like of float or None, default=None
        The grid; powers of two from 2^-5 to 2^3 if None.

    gammas : array-like of float or None, default=None
        A second grid, for kernels that have gamma; that of the estimator if None.

    cv : int, splitter or iterable, default=5
        Folds as in scikit-learn.

    scoring : str, callable or None, default=None
        As in scikit-learn; accuracy if None.

    grow : bool, default=True
        Whether a grid goes on beyond its edge as long as the best point is there.

    patience : int or None, default=2
        C does not grow further when so many points in a row are worse than the best by
        more than the standard error of the difference. None: all points are tried.

    refit : bool, default=True
        Whether to train on all rows with the best parameters.

    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of rows in training.

    n_jobs : int or None, default=None
        Threads, in the sense of joblib. What is found does not depend on it. Where
        ``joblib.parallel_config(backend="dask")`` holds, folds are trained by the
        workers of the cluster instead, and the rows are sent to each of them once.

    verbose : int, default=0
        Print a line for every point.

    watch : callable or None, default=None
        Called with every `TuningPoint` as soon as it is known.

    **parameters
        Of the estimator.

    Returns
    -------
    tuning : Tuning

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import polymargin
    >>> X, y = load_iris(return_X_y=True)
    >>> tuning = polymargin.tune(X, y, "cs", random_state=0)
    >>> tuning.model.C == tuning.best.parameters["C"]
    True
    """
    estimator = find_estimator(machine, parameters)
    threads = thread_count(n_jobs)
    search = _Search(
        estimator, X, y, sample_weight, cv, scoring, threads, verbose, watch
    )
    Cs = np.unique(_LOG2_CS if Cs is None else check_grid("Cs", Cs))
    if gammas is not None:
        gammas = np.unique(check_grid("gammas", gammas))
    with on_all_workers(search.X, search.y, *search.weights):
        if gammas is None:
            search.walk(Cs, None, grow, patience)
        else:
            for gamma in gammas:
                search.walk(Cs, float(gamma), grow, patience)
            if grow:
                search.grow_gammas(Cs, gammas, patience)
    points = sorted(search.points, key=lambda point: tuple(point.parameters.values()))
    best = search.best()
    model = None
    if refit:
        model = clone(estimator).set_params(**best.parameters)
        model.fit(X, y, sample_weight)
    return Tuning(best, points, model)


class _Search:
    """The points tried so far, and how to try another."""

    def __init__(
        self, estimator, X, y, sample_weight, cv, scoring, threads, verbose, watch
    ):
        self.estimator = clone(estimator)
        self.X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        self.y = np.asarray(y)
        weights = _check_sample_weight(sample_weight, self.X, dtype=np.float64)
        self.scorer = check_scoring(estimator, scoring)
        self.threads, self.verbose, self.watch = threads, verbose, watch
        self.held_out = []
        self.weights = []
        for train, test in check_cv(cv, self.y, classifier=True).split(self.X, self.y):
            self.held_out.append(test)
            fold = np.zeros_like(weights)
            fold[train] = weights[train]
            self.weights.append(fold)
        self.points: list[TuningPoint] = []

    def best(self) -> TuningPoint:
        return max(
            self.points,
            key=lambda point: (point.mean, *(-v for v in point.parameters.values())),
        )

    def walk(self, Cs, gamma: float | None, grow: bool, patience: int | None) -> None:
        """Try all C with one kernel, upwards, and beyond the ends if it pays."""
        models = self._models(gamma)
        tried: list[TuningPoint] = []

        def go_on(C) -> None:
            tried.append(self._try(models, float(C), gamma))

        for C in Cs:
            go_on(C)
            if self._hopeless(tried, patience):
                break
        step = Cs[-1] / Cs[-2] if len(Cs) > 1 else 2.0
        while grow and _is_edge(tried, -1) and len(tried) < len(Cs) + _MOST_GROWTH:
            go_on(tried[-1].parameters["C"] * step)
        models = self._models(gamma)  # from nothing: these are cheap
        while grow and _is_edge(tried, 0) and len(tried) < len(Cs) + _MOST_GROWTH:
            go_on(tried[0].parameters["C"] / step)
            tried.insert(0, tried.pop())
        self.points += tried

    def grow_gammas(self, Cs, gammas, patience: int | None) -> None:
        step = gammas[-1] / gammas[-2] if len(gammas) > 1 else 2.0
        low, high = float(gammas[0]), float(gammas[-1])
        for _ in range(_MOST_GROWTH):
            gamma = self.best().parameters["gamma"]
            if gamma == high:
                high *= step
                self.walk(Cs, high, True, patience)
            elif gamma == low:
                low /= step
                self.walk(Cs, low, True, patience)
            else:
                return

    def _models(self, gamma: float | None) -> list:
        """One machine for each fold, to be trained again and again."""
        model = clone(self.estimator).set_params(warm_start=True, n_jobs=1)
        if gamma is not None:
            model.set_params(gamma=gamma)
        return [clone(model) for _ in self.held_out]

    def _try(self, models, C: float, gamma: float | None) -> TuningPoint:
        start = perf_counter()
        folds = [
            (model.set_params(C=C), self.X, self.y, weights, test, self.scorer)
            for model, weights, test in zip(
                models, self.weights, self.held_out, strict=True
            )
        ]
        models[:], scores = zip(
            *for_each(_fit_and_score, folds, self.threads), strict=True
        )
        parameters = {"C": C} if gamma is None else {"C": C, "gamma": gamma}
        point = TuningPoint(parameters, np.array(scores), perf_counter() - start)
        if self.verbose:
            values = "  ".join(f"{name} {v:9.4g}" for name, v in parameters.items())
            print(f"[tune] {values}  score {point.mean:.4f}  {point.seconds:.2f} s")
        if self.watch is not None:
            self.watch(point)
        return point

    @staticmethod
    def _hopeless(tried: list[TuningPoint], patience: int | None) -> bool:
        """Whether the last points are all clearly worse than the best."""
        if patience is None or len(tried) <= patience:
            return False
        best = max(tried, key=lambda point: point.mean)
        for point in tried[-patience:]:
            difference = best.scores - point.scores
            error = difference.std(ddof=1) / np.sqrt(max(len(difference), 1))
            if not difference.mean() > error:
                return False
        return True


def _fit_and_score(model, X, y, weights, test, scorer) -> tuple[object, float]:
    """Train on rows that have weight; return the model, and its score on others."""
    model.fit(X, y, weights)
    return model, scorer(model, X[test], y[test])


def _is_edge(tried: list[TuningPoint], end: int) -> bool:
    """Whether the best of points in ascending order is the one at an end."""
    best = max(tried, key=lambda point: (point.mean, -point.parameters["C"]))
    return tried[end] is best
