"""Is one machine better than another, or was it luck? Tests for tables of results.

Two machines on some data sets: Wilcoxon's signed-rank test. More machines: Friedman's
test says whether they differ at all, and all pairs are then compared by their average
ranks, with p-values adjusted for the number of comparisons (Demsar, 2006; Garcia and
Herrera, 2008)::

    scores = [[0.91, 0.90, 0.85], ...]    # data sets x machines, higher is better
    friedman(scores).p
    for pair in compare_all_pairs(scores, names=["cs", "ww", "ovr"]):
        print(pair)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

from .p_value_adjustment import adjust


@dataclass(frozen=True)
class Friedman:
    """Friedman's test, and Iman and Davenport's sharper form of it.

    Attributes
    ----------
    ranks : ndarray of shape (n_methods,)
        Average rank of each method; 1 is best.
    chi_squared, chi_squared_p : float
        Friedman's statistic and its p-value.
    f, p : float
        Iman and Davenport's statistic, with ``k - 1`` and ``(k - 1)(n - 1)`` degrees of
        freedom, and its p-value.
    """

    ranks: np.ndarray
    chi_squared: float
    chi_squared_p: float
    f: float
    p: float


@dataclass(frozen=True)
class Comparison:
    """Two methods compared.

    Attributes
    ----------
    first, second : str
    statistic : float
        z of the difference of ranks, or Wilcoxon's smaller sum of ranks. Positive z:
        the first is better.
    p : float
        Of this comparison alone.
    adjusted_p : float
        Of this comparison among all others: reject what is below the level.
    effect : float
        Matched-pairs rank-biserial correlation, from -1 (the second is always better)
        to 1.
    """

    first: str
    second: str
    statistic: float
    p: float
    adjusted_p: float
    effect: float

    def __str__(self) -> str:
        better = self.first if self.effect >= 0 else self.second
        return (
            f"{self.first} against {self.second}: p = {self.p:.3g}, adjusted "
            f"{self.adjusted_p:.3g}; {better} is ahead (effect {abs(self.effect):.2f})"
        )


def average_ranks(scores) -> np.ndarray:
    """Return the average rank of each column; the highest score has rank 1.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Higher is better; equal scores share their ranks.

    Returns
    -------
    ranks : ndarray of shape (n_methods,)

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.7], [0.6, 0.7, 0.5]])
    array([1.5, 1.5, 3. ])
    """
    return stats.rankdata(-_table(scores), axis=1).mean(axis=0)


def friedman(scores) -> Friedman:
    """Test whether methods differ at all.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Higher is better. At least two data sets and three methods.

    Returns
    -------
    result : Friedman

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.5], [0.6, 0.7, 0.5]]
    >>> result = friedman(scores)
    >>> result.ranks.tolist(), round(result.p, 3)
    ([1.25, 1.75, 3.0], 0.007)
    """
    scores = _table(scores, least_methods=3)
    n, k = scores.shape
    ranks = average_ranks(scores)
    chi_squared = 12 * n / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    most = n * (k - 1)  # reached if all data sets agree
    f = np.inf
    if chi_squared < most * (1 - 1e-12):
        f = (n - 1) * chi_squared / (most - chi_squared)
    return Friedman(
        ranks,
        float(chi_squared),
        float(stats.chi2.sf(chi_squared, k - 1)),
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def wilcoxon(first, second, names: Sequence[str] = ("first", "second")) -> Comparison:
    """Compare two methods on the same data sets by Wilcoxon's signed-rank test.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Higher is better. Pairs without difference are split between the two sides.

    names : sequence of two str

    Returns
    -------
    comparison : Comparison

    Examples
    --------
    >>> first, second = [0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.8, 0.6, 0.4, 0.5, 0.3, 0.0]
    >>> print(wilcoxon(first, second, names=["cs", "ovr"]))
    cs against ovr: p = 0.0312, adjusted 0.0312; cs is ahead (effect 1.00)
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"first and second have shapes {first.shape} and {second.shape}; give one "
            f"score of each method for every data set."
        )
    if np.array_equal(first, second):
        return Comparison(*names, 0.0, 1.0, 1.0, 0.0)
    result = stats.wilcoxon(first, second, zero_method="zsplit")
    p = float(result.pvalue)
    return Comparison(*names, float(result.statistic), p, p, _effect(first - second))


def compare_all_pairs(
    scores, names: Sequence[str] | None = None, adjustment: str = "bergmann"
) -> list[Comparison]:
    """Compare every method with every other by average ranks.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        Higher is better.

    names : sequence of str or None
        Of the methods; their numbers if None.

    adjustment : {"bergmann", "shaffer", "holm", "nemenyi"}
        How p-values are made larger because there are many. Each keeps the chance of
        any false alarm below the level; the first finds most, and is for at most ten
        methods.

    Returns
    -------
    comparisons : list of Comparison
        The smallest p-value first.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.5], [0.6, 0.7, 0.5]]
    >>> print(compare_all_pairs(scores, names=["cs", "ww", "ovr"])[0])
    cs against ovr: p = 0.0133, adjusted 0.04; cs is ahead (effect 1.00)
    """
    scores = _table(scores)
    n, k = scores.shape
    names = [str(column) for column in range(k)] if names is None else list(names)
    if len(names) != k:
        raise ValueError(
            f"names has {len(names)} entries for {k} methods; give one for each."
        )
    ranks = average_ranks(scores)
    pairs = list(combinations(range(k), 2))
    z = np.array([ranks[j] - ranks[i] for i, j in pairs]) / np.sqrt(
        k * (k + 1) / (6 * n)
    )
    p = 2 * stats.norm.sf(np.abs(z))
    adjusted = adjust(p, k, adjustment)
    comparisons = [
        Comparison(
            names[i],
            names[j],
            float(z[at]),
            float(p[at]),
            float(adjusted[at]),
            _effect(scores[:, i] - scores[:, j]),
        )
        for at, (i, j) in enumerate(pairs)
    ]
    return sorted(comparisons, key=lambda pair: pair.p)


def _table(scores, least_methods: int = 2) -> np.ndarray:
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 2 or scores.shape[0] < 2 or scores.shape[1] < least_methods:
        raise ValueError(
            f"scores has shape {scores.shape}; give one row for each of at least two "
            f"data sets and one column for each of at least {least_methods} methods."
        )
    wrong = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if len(wrong):
        raise ValueError(
            f"scores has values that are not finite, first in row {wrong[0]}; leave "
            f"such rows out."
        )
    return scores


def _effect(differences: np.ndarray) -> float:
    """How much of the sum of ranks of |difference| is on the first side."""
    ranks = stats.rankdata(np.abs(differences)) * (differences != 0)
    total = ranks.sum()
    return float((np.sign(differences) * ranks).sum() / total) if total else 0.0
