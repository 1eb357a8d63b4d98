"""Candidates, what they have predicted, and which are worth another fold."""

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from .candidates import Candidate

# Standard errors below the best. It is the best of many, and so by chance, too.
_HOPELESS = 3.0


@dataclass(eq=False)
class Trial:
    """A candidate, and what it has predicted so far.

    Attributes
    ----------
    candidate : Candidate
    predicted : dict of int to ndarray
        By fold, for the rows held out; those of few rows are -1, and -2 with more.
    confidence : dict of int to ndarray
        Probabilities of what was predicted, if the machine has any.
    right : dict of int to ndarray of bool
        Whether these are the labels.
    seconds : float
        Of training and prediction.
    """

    candidate: Candidate
    predicted: dict[int, np.ndarray] = field(default_factory=dict)
    confidence: dict[int, np.ndarray] = field(default_factory=dict)
    right: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0

    def hits(self, folds) -> np.ndarray:
        """Whether rows of these folds are predicted right."""
        return np.concatenate([self.right[fold] for fold in folds])

    @property
    def folds(self) -> list[int]:
        """Those it was tried on; one of few rows only if there is no other."""
        whole = sorted(fold for fold in self.right if fold >= 0)
        return whole or sorted(self.right)[:1]

    @property
    def stage(self) -> tuple[int, int]:
        """How far it came: so many whole folds, or as many of few rows."""
        whole = sum(fold >= 0 for fold in self.right)
        return whole, 0 if whole else len(self.right)

    @property
    def accuracy(self) -> float:
        """Share of held-out rows that were predicted right; 0 if there are none."""
        return float(self.hits(self.folds).mean()) if self.right else 0.0

    @property
    def scores(self) -> np.ndarray:
        """Accuracy on each fold."""
        return np.array([self.right[fold].mean() for fold in self.folds])


def ranked(trials: list[Trial], folds) -> list[Trial]:
    """Most accurate first; of equals, the one that comes first."""
    return sorted(trials, key=lambda one: -one.hits(folds).mean())


def still_hopeful(
    trials: list[Trial], folds, most: int | None, times: float = 1.0
) -> list[Trial]:
    """Drop what is clearly worse than the best, and all but so many.

    One of each family, linear and kernel, is left if it is hopeful.

    Parameters
    ----------
    trials : list of Trial
    folds : list of int
        What they are compared by.
    most : int or None
    times : float
        How often each row was held out.
    """
    order = ranked(trials, folds)
    best = order[0].hits(folds)
    hopeful = [
        one for one in order if not is_worse(one.hits(folds), best, _HOPELESS, times)
    ]
    kept = hopeful[:most]
    families = {one.candidate.family for one in kept}
    kept += [
        next(one for one in hopeful if one.candidate.family == family)
        for family in sorted({one.candidate.family for one in hopeful} - families)
    ]
    return [one for one in trials if one in kept]


def is_worse(
    hits: np.ndarray, best: np.ndarray, errors: float, times: float = 1.0
) -> bool:
    """Whether the difference is above so many standard errors of it.

    Rows that were held out several `times` are no more rows for that.
    """
    difference = best.astype(float) - hits
    rows = len(difference) / max(times, 1.0)
    return difference.mean() > errors * difference.std() / sqrt(rows)


def take(trials: list[Trial], errors: float, times: float = 1.0) -> tuple[Trial, str]:
    """Return the one to take, and why.

    The most accurate; a linear machine instead of a kernel if it is less accurate by
    at most so many standard errors of the difference.
    """
    furthest = max(one.stage for one in trials)
    trials = [one for one in trials if one.stage == furthest]
    folds = trials[0].folds
    order = ranked(trials, folds)
    best = order[0]
    linear = [one for one in order if one.candidate.family == "linear"]
    if best.candidate.family == "linear" or not linear:
        return best, "the most accurate"
    simple = linear[0]
    if is_worse(simple.hits(folds), best.hits(folds), errors, times):
        return best, "the most accurate"
    return simple, f"linear, and as accurate as {best.candidate}"
