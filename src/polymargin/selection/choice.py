"""Which machine suits a table: a few are compared by cross-validation.

All candidates are tried on the first fold, on few of its rows if there are many; those
that are hopeless are dropped, and so are most of the others from fold to fold, as long
as one of each family, linear and kernel, is left. What is dropped depends on accuracies
alone. The clock only says when to stop.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, sqrt
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from ..access.csr import check_compressed
from ..base.threads import on_threads, thread_count
from .candidates import (
    MOST_ROWS,
    Candidate,
    beyond,
    kernel_candidates,
    kernels_pay,
    linear_candidates,
    with_others,
)

_FIRST_ROWS = 1000  # to train on, before all rows of a fold are
_LEFT = (8, 5, 4, 3)  # most candidates after the first trial, the first fold, ...
_MOST_GROWTH = 3  # steps beyond the edge of the grid
_TOL = 1e-2  # of trials
_HOPELESS = 2.0  # standard errors below the best
_LEAST_SECONDS = 0.1  # of a fit when the budget is spent


@dataclass
class Trial:
    """A candidate, and what it has predicted so far.

    Attributes
    ----------
    candidate : Candidate
    predicted : dict of int to ndarray
        By fold, for the rows held out; -1 is the fold of few rows.
    right : dict of int to ndarray of bool
        Whether these are the labels.
    seconds : float
        Of training and prediction.
    """

    candidate: Candidate
    predicted: dict[int, np.ndarray] = field(default_factory=dict)
    right: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0

    def hits(self, folds) -> np.ndarray:
        """Whether rows of these folds are predicted right."""
        return np.concatenate([self.right[fold] for fold in folds])

    @property
    def folds(self) -> list[int]:
        """Those it was tried on; the one of few rows only if there is no other."""
        return sorted(fold for fold in self.right if fold >= 0) or list(self.right)

    @property
    def accuracy(self) -> float:
        """Share of held-out rows that were predicted right; 0 if there are none."""
        return float(self.hits(self.folds).mean()) if self.right else 0.0

    @property
    def scores(self) -> np.ndarray:
        """Accuracy on each fold."""
        return np.array([self.right[fold].mean() for fold in self.folds])


@dataclass(frozen=True)
class Choice:
    """What `choose` has found.

    Attributes
    ----------
    best : Trial
        That of the machine to take.
    trials : list of Trial
        All, the ones that were tried on most folds and did best first.
    baseline : float
        Share of the most frequent class.
    reason : str
        Why this one is taken, in words.
    rows, labels : ndarray
        Held-out rows that the best was measured on, and their labels.
    complete : bool
        Whether the search ended by itself, and not by its budget.
    seconds : float
        Of the search.
    """

    best: Trial
    trials: list[Trial]
    baseline: float
    reason: str
    rows: np.ndarray
    labels: np.ndarray
    complete: bool
    seconds: float

    @property
    def predicted(self) -> np.ndarray:
        """What the best has predicted for `rows`."""
        return np.concatenate([self.best.predicted[f] for f in self.best.folds])


def choose(
    X,
    y,
    transformer=None,
    *,
    budget: float = 30.0,
    cv: int = 5,
    random_state: int | None = None,
    n_jobs: int | None = None,
    watch: Callable[[float, Trial], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    callback=None,
    **parameters,
) -> Choice:
    """Compare a few machines by cross-validation, and take one.

    Parameters
    ----------
    X : data frame, array-like or CSR matrix of shape (n_samples, n_columns)

    y : array-like of shape (n_samples,)

    transformer : transformer or None, default=None
        Makes features of X; it is fitted within the folds. None: X is features.

    budget : float, default=30.0
        Seconds after which no trial begins. Which machine is taken does not depend on
        the clock if the search ends sooner.

    cv : int, default=5
        Folds; fewer if no class has so many rows.

    random_state : int or None, default=None
        Of folds and machines.

    n_jobs : int or None, default=None
        Threads; what is found does not depend on them.

    watch : callable or None, default=None
        Called after each trial with the share of the work that is done, and the trial.

    stopped : callable
        Says whether to stop now, with what is known.

    callback : callback of scikit-learn or None, default=None
        Of every fit.

    **parameters
        Of all estimators, such as class_weight.

    Returns
    -------
    choice : Choice

    Notes
    -----
    The most accurate candidate is taken, unless it has a kernel and a linear machine is
    within one standard error of the difference: then that one, which is simpler. Of
    more than 20,000 rows, so many are compared by, drawn at random.
    """
    X, y = check_compressed(X), np.asarray(y)
    search = _Search(
        budget, random_state, thread_count(n_jobs), watch, stopped, callback
    )
    keep = search.sample(len(y), MOST_ROWS)
    kernels_allowed = len(keep) == len(y)
    if not kernels_allowed:
        X, y = _safe_indexing(X, keep), y[keep]
    search.split(X, y, transformer, cv)
    candidates = linear_candidates(parameters)
    first = search.features(0)
    if kernels_allowed and kernels_pay(first[0]):
        candidates += kernel_candidates(first[0], parameters)
    trials = [Trial(candidate) for candidate in candidates]
    left = search.run(trials)
    best, reason = _take(left)
    rows = np.concatenate([search.held_out(fold) for fold in best.folds])
    return Choice(
        best=best,
        trials=sorted(search.trials, key=lambda one: (-len(one.folds), -one.accuracy)),
        baseline=float(np.unique(y, return_counts=True)[1].max() / len(y)),
        reason=reason,
        rows=keep[rows],
        labels=y[rows],
        complete=not search.spent(),
        seconds=perf_counter() - search.start,
    )


class _Search:
    """Folds with their features, the clock, and how to try candidates."""

    def __init__(self, budget, random_state, threads, watch, stopped, callback):
        self.start, self.budget = perf_counter(), budget
        self.random_state, self.threads = random_state, threads
        self.watch, self.stopped, self.callback = watch, stopped, callback
        self.trials: list[Trial] = []
        self.done = self.planned = 0.0
        self._features: dict[int, tuple] = {}

    def sample(self, n: int, most: int) -> np.ndarray:
        """Return the numbers of at most so many rows, in order."""
        if n <= most:
            return np.arange(n)
        rng = np.random.default_rng(self.random_state)
        return np.sort(rng.choice(n, most, replace=False))

    def split(self, X, y, transformer, cv: int) -> None:
        self.X, self.y, self.transformer = X, y, transformer
        largest = int(np.unique(y, return_counts=True)[1].max())
        folds = StratifiedKFold(
            min(cv, largest), shuffle=True, random_state=self.random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes of few rows
            self.splits = list(folds.split(np.zeros(len(y)), y))

    def spent(self) -> bool:
        return self.stopped() or perf_counter() - self.start > self.budget

    def held_out(self, fold: int) -> np.ndarray:
        return self.splits[max(fold, 0)][1]

    def features(self, fold: int) -> tuple:
        """Return features of the rows to train on and of those held out."""
        if fold not in self._features:
            train, test = self.splits[fold]
            parts = [_safe_indexing(self.X, rows) for rows in (train, test)]
            if self.transformer is not None:
                transformer = clone(self.transformer)
                parts[0] = transformer.fit_transform(parts[0], self.y[train])
                parts[1] = transformer.transform(parts[1])
            self._features = {fold: tuple(parts)}  # of one fold at a time
        return self._features[fold]

    def run(self, trials: list[Trial]) -> list[Trial]:
        """Try candidates fold by fold; return those that are left."""
        self.trials = list(trials)
        folds = list(range(len(self.splits)))
        few = len(self.splits[0][0]) > 1.5 * _FIRST_ROWS
        order = [-1, *folds] if few else folds
        left = trials
        for place, fold in enumerate(order):
            self.planned = self.done + self._cost(len(left), order[place:])
            self._try_all(left, fold)
            tried = [trial for trial in left if fold in trial.right]
            if self.spent() or len(tried) < len(left):
                return tried or [trial for trial in left if trial.right]
            seen = [-1] if fold == -1 else [f for f in order[: place + 1] if f >= 0]
            left = _still_hopeful(left, seen, _LEFT[min(place, len(_LEFT) - 1)])
            if place == 0:
                left = self._join(left, fold)
            if len(left) == 1 and fold >= 0:
                break
        return left

    def _join(self, left: list[Trial], fold: int) -> list[Trial]:
        """Go on where the kernel machine has done best at the edge of what was tried,
        and let the other kernel machines join where it has done well.
        """
        for _ in range(_MOST_GROWTH):
            best = _ranked(left, [fold])[0].candidate
            if best.family != "kernel":
                break
            new = beyond(best, [trial.candidate for trial in self.trials])
            if not new:
                break
            left = self._add(left, new, fold)
        candidates = with_others([trial.candidate for trial in left])
        return self._add(left, candidates[len(left) :], fold)

    def _add(self, left, candidates: list[Candidate], fold: int) -> list[Trial]:
        joined = [Trial(candidate) for candidate in candidates]
        self._try_all(joined, fold)
        self.trials += joined
        left = left + [trial for trial in joined if trial.right]
        return _still_hopeful(left, [fold], _LEFT[0])

    def _cost(self, count: int, folds: list[int]) -> float:
        """How much is to be done at most, in trials on a whole fold."""
        whole = len(self.splits[0][0])
        total = 0.0
        for place, fold in enumerate(folds):
            rows = _FIRST_ROWS if fold == -1 else whole
            total += min(count, _LEFT[0] if place else count) * rows / whole
            count = min(count, _LEFT[min(place, len(_LEFT) - 1)])
        return total

    def _try_all(self, trials: list[Trial], fold: int) -> None:
        features = self.features(max(fold, 0))
        on_threads(lambda one: self._try(one, fold, *features), trials, self.threads)

    def _try(self, trial: Trial, fold: int, X, X_test) -> None:
        began = perf_counter()
        left = self.start + self.budget - began
        if any(one.right for one in self.trials) and self.spent():
            return
        train, test = self.splits[max(fold, 0)]
        y = self.y[train]
        if fold == -1:
            rows = self.sample(len(y), _FIRST_ROWS)
            X, y = X[rows], y[rows]
        model = trial.candidate.estimator(
            tol=_TOL,
            n_jobs=1,
            random_state=self.random_state,
            max_time=max(left, _LEAST_SECONDS) if left < inf else None,
        )
        if self.callback is not None:
            model.set_callbacks(self.callback)
        if (y == y[0]).all():
            predicted = np.full(len(test), y[0])
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                predicted = model.fit(X, y).predict(X_test)
        trial.predicted[fold] = predicted
        trial.right[fold] = predicted == self.y[test]
        trial.seconds += perf_counter() - began
        self.done += len(y) / len(train)
        if self.watch is not None:
            share = min(self.done / self.planned, 1.0)
            spent = (perf_counter() - self.start) / self.budget
            self.watch(min(max(share, spent), 1.0), trial)


def _ranked(trials: list[Trial], folds) -> list[Trial]:
    """Most accurate first; of equals, the one that comes first."""
    return sorted(trials, key=lambda one: -one.hits(folds).mean())


def _still_hopeful(trials: list[Trial], folds, most: int) -> list[Trial]:
    """Drop what is clearly worse than the best, and all but so many."""
    order = _ranked(trials, folds)
    best = order[0].hits(folds)
    hopeful = [one for one in order if not _is_worse(one.hits(folds), best, _HOPELESS)]
    kept = hopeful[:most]
    families = {one.candidate.family for one in kept}
    kept += [
        next(one for one in hopeful if one.candidate.family == family)
        for family in sorted({one.candidate.family for one in hopeful} - families)
    ]
    return [one for one in trials if one in kept]


def _is_worse(hits: np.ndarray, best: np.ndarray, errors: float) -> bool:
    """Whether the difference is above so many standard errors of it."""
    difference = best.astype(float) - hits
    return difference.mean() > errors * difference.std() / sqrt(len(difference))


def _take(trials: list[Trial]) -> tuple[Trial, str]:
    """Return the one to take, and why."""
    most = max(len(one.folds) for one in trials)
    trials = [one for one in trials if len(one.folds) == most]
    folds = trials[0].folds
    order = _ranked(trials, folds)
    best = order[0]
    linear = [one for one in order if one.candidate.family == "linear"]
    if best.candidate.family == "linear" or not linear:
        return best, "the most accurate"
    simple = linear[0]
    if _is_worse(simple.hits(folds), best.hits(folds), 1.0):
        return best, "the most accurate"
    return simple, (
        f"linear, and within one standard error of the most accurate, {best.candidate}"
    )
