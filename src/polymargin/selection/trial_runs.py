"""How candidates are tried, fold by fold, until one is left or the time is over.

Rows that were held out are evidence. While there are few of them, only what is clearly
worse than the best is dropped. As soon as there are enough, of few rows when all have
been held out, the grid goes on where the best is at its edge, and finer steps are tried
around the best; then all but a few are dropped. Where rows are many, few of them are
trained on first; with more, larger C and narrower kernels join. Where rows are few,
they are divided into folds again, in another way: which are held out together decides
as much as the candidate.
"""

import warnings
from collections.abc import Callable
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.utils import _safe_indexing, check_array

from ..base.threads import on_threads
from .candidate_fits import CandidateFits
from .candidates import Candidate, beyond, finer, narrower, other_machines
from .trials import Trial, ranked, still_hopeful

_FEW_ROWS = (1000, 4000)  # to train on, before all rows of a fold are
_MANY = 4000  # rows: with fewer, all are held out before candidates are dropped
_ENOUGH = 300  # rows held out that tell candidates apart, of many
_REPEATED = 1000  # rows, below which all are held out more than once
_MOST_REPEATS = 3
_SURE = 5000  # rows held out after which nobody looks further
_LEFT = (8, 5, 4, 3)  # most candidates when there are enough, a fold later, ...
_MOST_GROWTH = 3  # steps beyond the edge of the grid
_FINER = 2  # looks around the best
_LEAST_SECONDS = 0.1  # of a fit when the budget is spent


class TrialRuns:
    """Folds with their features, the clock, and how to try candidates.

    Parameters
    ----------
    budget, random_state, watch, stopped
        As in `choose`.
    threads : int
    """

    def __init__(
        self,
        budget: float,
        random_state,
        threads: int,
        watch: Callable | None,
        stopped: Callable[[], bool],
    ):
        self.start, self.budget = perf_counter(), budget
        self.random_state, self.threads = random_state, threads
        self.watch, self.stopped = watch, stopped
        self.fits = CandidateFits(random_state)
        self.trials: list[Trial] = []
        self.done = self.planned = self.told = 0.0
        self._features: dict[int, tuple] = {}

    def sample(self, n: int, most: int) -> np.ndarray:
        """Return the numbers of at most so many rows, in order."""
        if n <= most:
            return np.arange(n)
        rng = np.random.default_rng(self.random_state)
        return np.sort(rng.choice(n, most, replace=False))

    def split(self, X, y, transformer, cv: int) -> None:
        """Make folds of rows."""
        self.X, self.y, self.transformer = X, y, transformer
        largest = int(np.unique(y, return_counts=True)[1].max())
        self.once = min(cv, largest)  # so many folds hold out all rows
        folds = RepeatedStratifiedKFold(
            n_splits=self.once,
            n_repeats=int(np.clip(_REPEATED / len(y), 1, _MOST_REPEATS)),
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes of few rows
            self.splits = list(folds.split(np.zeros(len(y)), y))
        n = len(self.splits[0][0])
        # -1 and -2 are the first fold with few rows to train on.
        self.few = {
            -1 - at: rows for at, rows in enumerate(_FEW_ROWS) if n > 1.5 * rows
        }

    def times(self, trial: Trial) -> float:
        """Return how often a row was held out where a candidate was tried."""
        return max(len(trial.folds) / self.once, 1.0)

    def spent(self) -> bool:
        """Whether no trial may begin any more."""
        return self.stopped() or perf_counter() - self.start > self.budget

    def held_out(self, fold: int) -> np.ndarray:
        """Return the numbers of the rows that a fold is measured on."""
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
            if self.few:
                self._features.clear()  # of many rows, one fold at a time
            self._features[fold] = tuple(
                check_array(part, accept_sparse="csr", dtype=[np.float64, np.float32])
                for part in parts
            )
        return self._features[fold]

    def run(self, trials: list[Trial]) -> list[Trial]:
        """Try candidates fold by fold; return those that are left."""
        self.trials = list(trials)
        for machine in {
            one.candidate.machine: one.candidate for one in trials
        }.values():
            machine.estimator()._validate_params()
        order = [*self.few, *range(len(self.splits))]
        left, limits = trials, iter(_LEFT)
        many = len(self.y) >= _MANY
        most: int | None = None
        for place, fold in enumerate(order):
            self.planned = self.done + self._cost(len(left), order[place:])
            self._try_all(left, fold)
            tried = [trial for trial in left if fold in trial.right]
            if self.spent() or len(tried) < len(left):
                return tried or [trial for trial in left if trial.right]
            seen = [fold] if fold < 0 else [f for f in order[: place + 1] if f >= 0]
            evidence = sum(len(self.held_out(one)) for one in seen)
            grown = most is not None
            all_rows = (fold + 1) % self.once == 0
            if all_rows or (many and evidence >= _ENOUGH):
                most = next(limits, most)
            left = still_hopeful(left, seen, most, evidence / len(self.y))
            if most is not None and not grown:
                left = self._grow(left, seen, most)
            elif self.few and most is not None and fold <= 0:
                left = self._climb(left, seen, most)
            if fold >= 0 and evidence >= _SURE:
                break
        return left

    def _grow(self, left: list[Trial], folds: list[int], most: int) -> list[Trial]:
        """Go on where the best is at the edge of what was tried, then look closer; and
        try other machines with the best kernel.
        """
        for _ in range(_MOST_GROWTH):
            best = ranked(left, folds)[0].candidate
            new = beyond(best, [trial.candidate for trial in self.trials])
            if not new:
                break
            left = self._add(left, new, folds, most)
        for _ in range(_FINER):  # once more around a new best
            best = ranked(left, folds)[0].candidate
            left = self._add(left, finer(best), folds, most)
        kernels = [one for one in left if one.candidate.family == "kernel"]
        if kernels:
            best = ranked(kernels, folds)[0].candidate
            left = self._add(left, other_machines(best), folds, most)
        return left

    def _climb(self, left: list[Trial], folds: list[int], most: int) -> list[Trial]:
        """Go on where the best with more rows lies, while that pays."""
        best = None
        for _ in range(_MOST_GROWTH):
            last, best = best, ranked(left, folds)[0].candidate
            if best == last:
                break
            left = self._add(left, narrower(best), folds, most)
        return left

    def _add(
        self, left: list[Trial], candidates: list[Candidate], folds, most: int
    ) -> list[Trial]:
        known = [trial.candidate for trial in self.trials]
        joined = [
            Trial(candidate) for candidate in candidates if candidate not in known
        ]
        self.trials += joined
        self.planned += len(joined) * sum(map(self._share_of, folds))
        for fold in folds:
            self._try_all(joined, fold)
            joined = [trial for trial in joined if fold in trial.right]
        times = len(folds) / self.once
        return still_hopeful(left + joined, folds, most, times)

    def _share_of(self, fold: int) -> float:
        """What a trial costs, in trials on a whole fold."""
        return (self.few[fold] / len(self.splits[0][0])) ** 1.5 if fold < 0 else 1.0

    def _cost(self, count: int, folds: list[int]) -> float:
        """How much is to be done at most, in trials on a whole fold."""
        total, limits = 0.0, iter(_LEFT)
        for fold in folds:
            total += count * self._share_of(fold)
            if self.few:
                count = min(count, next(limits, count))
        return total

    def _try_all(self, trials: list[Trial], fold: int) -> None:
        """Try candidates on a fold, those that have done best first: they are known
        if the budget ends amid it.
        """
        features = self.features(max(fold, 0))
        order = sorted(trials, key=lambda one: -one.accuracy)
        on_threads(
            lambda one: self._try(one, fold, *features),
            order,
            self.threads,
            self.fits.watch.stop.set,
        )

    def _try(self, trial: Trial, fold: int, X, X_test) -> None:
        began = perf_counter()
        left = self.start + self.budget - began
        if any(one.right for one in self.trials) and self.spent():
            return
        train, test = self.splits[max(fold, 0)]
        y = self.y[train]
        if fold < 0:
            rows = self.sample(len(y), self.few[fold])
            X, y = X[rows], y[rows]
        seconds = max(left, _LEAST_SECONDS)
        if (y == y[0]).all():
            predicted = np.full(len(test), y[0])
        else:
            cut_short, predicted, confidence = self.fits.predict(
                trial.candidate, fold, X, y, X_test, seconds
            )
            if cut_short and any(one.right for one in self.trials):
                return
            if confidence is not None:
                trial.confidence[fold] = confidence
        trial.predicted[fold] = predicted
        trial.right[fold] = predicted == self.y[test]
        trial.seconds += perf_counter() - began
        self.done += self._share_of(fold)
        if self.watch is not None:
            spent = (perf_counter() - self.start) / self.budget
            # What joins makes the work more, but what was told is not taken back.
            self.told = min(max(self.told, self.done / self.planned, spent), 1.0)
            self.watch(self.told, trial)
