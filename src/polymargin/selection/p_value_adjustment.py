"""p-values of many comparisons, made larger because they are many.

Of the hypotheses "these two methods are equal", not any number can be true together: if
a equals b and b equals c, a equals c. Shaffer's and Bergmann and Hommel's adjustments
use that, and find more than Holm's and Nemenyi's, which do not (Garcia and Herrera,
2008).
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np

ADJUSTMENTS = ("nemenyi", "holm", "shaffer", "bergmann")
_MOST_PARTITIONED = 10  # machines whose partitions can be counted through: 115,975


def adjust(p, n_methods: int, adjustment: str) -> np.ndarray:
    """Adjust the p-values of all pairs of methods.

    Parameters
    ----------
    p : array-like of shape (n_methods * (n_methods - 1) / 2,)
        In the order of the pairs (0, 1), (0, 2), ..., (1, 2), ...

    n_methods : int

    adjustment : {"bergmann", "shaffer", "holm", "nemenyi"}

    Returns
    -------
    adjusted : ndarray of the same shape

    Examples
    --------
    >>> adjust([0.01, 0.02, 0.5], 3, "holm")
    array([0.03, 0.04, 0.5 ])
    """
    p = np.asarray(p, dtype=float)
    m = n_methods * (n_methods - 1) // 2
    if p.shape != (m,):
        raise ValueError(
            f"p has shape {p.shape}, but {n_methods} methods have {m} pairs; give one "
            f"number for each."
        )
    if adjustment == "nemenyi":
        return np.minimum(m * p, 1)
    if adjustment == "holm":
        return _step_down(p, m - np.arange(m))
    if adjustment == "shaffer":
        # How many hypotheses can be true when so many of them are false.
        possible = np.array(sorted(_true_counts(n_methods)))
        most = [possible[possible <= m - false].max() for false in range(m)]
        return _step_down(p, np.array(most))
    if adjustment == "bergmann":
        return _bergmann(p, n_methods)
    raise ValueError(
        f"adjustment={adjustment!r} is not known; choose one of "
        f"{', '.join(ADJUSTMENTS)}."
    )


def _step_down(p: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Multiply ascending p-values by factors, and never fall below the one before."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1)
    return adjusted


@cache
def _true_counts(n_methods: int) -> frozenset[int]:
    """How many of the hypotheses "these two are equal" can be true together."""
    if n_methods <= 1:
        return frozenset({0})
    return frozenset(
        size * (size - 1) // 2 + count
        for size in range(1, n_methods + 1)
        for count in _true_counts(n_methods - size)
    )


def _bergmann(p: np.ndarray, n_methods: int) -> np.ndarray:
    """The largest ``|I| min_I p`` over the sets I that can be all that is true.

    Such a set is a partition of the methods into groups of equals: it holds all pairs
    within groups.
    """
    if n_methods > _MOST_PARTITIONED:
        raise ValueError(
            f"adjustment='bergmann' is for at most {_MOST_PARTITIONED} methods, got "
            f"{n_methods}; choose 'shaffer'."
        )
    first, second = np.array(list(combinations(range(n_methods), 2))).T
    adjusted = np.zeros_like(p)
    for group_of in _partitions(n_methods):
        true = group_of[first] == group_of[second]
        if true.any():
            bound = true.sum() * p[true].min()
            adjusted[true] = np.maximum(adjusted[true], bound)
    return np.minimum(adjusted, 1)


def _partitions(n_methods: int) -> Iterator[np.ndarray]:
    """All ways to divide methods into groups, as the group of each method."""
    groups = np.zeros(n_methods, dtype=int)

    def divide(method: int, n_groups: int):
        if method == n_methods:
            yield groups
            return
        for group in range(n_groups + 1):
            groups[method] = group
            yield from divide(method + 1, max(n_groups, group + 1))

    yield from divide(0, 0)
