"""Which machine suits a table: a few are compared by cross-validation.

What is tried, dropped and taken depends on accuracies alone; the clock only says when
to stop. See `trial_runs` for the order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..access.csr import check_compressed
from ..base.annotations import Labels, Rows
from ..base.one_thread import blas_on_one_thread
from ..base.threads import thread_count
from .candidates import MOST_ROWS, kernel_candidates, kernels_pay, linear_candidates
from .trial_runs import TrialRuns
from .trials import Trial, take

# By so many standard errors a linear machine may be less accurate than a kernel.
_AS_GOOD = 0.25


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
        Held-out rows that the best was measured on, each once, and their labels.
    folds : list of int
        Those that held out these rows.
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
    folds: list[int]
    complete: bool
    seconds: float

    @property
    def predicted(self) -> np.ndarray:
        """What the best has predicted for `rows`."""
        return np.concatenate([self.best.predicted[fold] for fold in self.folds])

    @property
    def scores(self) -> np.ndarray:
        """The accuracy of the best on each of `folds`."""
        return np.array([self.best.right[fold].mean() for fold in self.folds])

    @property
    def confidence(self) -> np.ndarray | None:
        """The probabilities of that, if the machine has any."""
        found = self.best.confidence
        if not all(fold in found for fold in self.folds):
            return None
        return np.concatenate([found[fold] for fold in self.folds])


def choose(
    X: Rows,
    y: Labels,
    transformer: Any = None,
    *,
    budget: float = 30.0,
    cv: int = 5,
    random_state: int | None = None,
    n_jobs: int | None = None,
    watch: Callable[[float, Trial], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    **parameters: Any,
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

    **parameters
        Of all estimators, such as class_weight.

    Returns
    -------
    choice : Choice

    Notes
    -----
    The most accurate candidate is taken, unless it has a kernel and a linear machine is
    within a quarter of the standard error of the difference: then that one, which is
    simpler. Fewer than 1,000 rows are divided into folds more than once. Of more than
    20,000 rows, so many are compared by, drawn at random.
    """
    X, y = check_compressed(X), np.asarray(y)
    search = TrialRuns(budget, random_state, thread_count(n_jobs), watch, stopped)
    n = len(y)
    if n > 0 and np.unique(y, return_counts=True)[1].max() == 1:
        raise ValueError(
            f"y has another class in each of its {n:,} rows, so nothing can be held "
            f"out to compare machines by; give more rows, or name a machine."
        )
    keep = search.sample(n, MOST_ROWS)
    if len(keep) < n:
        X, y = _safe_indexing(X, keep), y[keep]
    search.split(X, y, transformer, cv)
    candidates = linear_candidates(parameters)
    first = search.features(0)[0]
    if kernels_pay(first):
        candidates += kernel_candidates(first, parameters)
    trials = [Trial(candidate) for candidate in candidates]
    with blas_on_one_thread():
        left = search.run(trials)
    best, reason = take(left, _AS_GOOD, max(map(search.times, left)))
    folds = [fold for fold in best.folds if fold < search.once]
    rows = np.concatenate([search.held_out(fold) for fold in folds])
    return Choice(
        best=best,
        trials=sorted(search.trials, key=_furthest_and_best),
        baseline=float(np.unique(y, return_counts=True)[1].max() / len(y)),
        reason=reason,
        rows=keep[rows],
        labels=y[rows],
        folds=folds,
        complete=not search.spent(),
        seconds=perf_counter() - search.start,
    )


def _furthest_and_best(trial: Trial) -> tuple[int, int, float]:
    """The key to sort trials by."""
    whole, few = trial.stage
    return -whole, -few, -trial.accuracy
