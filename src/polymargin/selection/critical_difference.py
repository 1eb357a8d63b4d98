"""How far average ranks must be apart to differ, and who is not (Nemenyi's test)."""

import numpy as np
from scipy import stats


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Return how far two average ranks must be apart to differ (Nemenyi's test).

    Parameters
    ----------
    n_methods, n_datasets : int

    alpha : float
        Chance of any false alarm.

    Returns
    -------
    difference : float

    Examples
    --------
    >>> round(critical_difference(4, 15), 2)
    1.21
    """
    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def groups_without_difference(ranks, difference: float) -> list[list[int]]:
    """Return the largest groups of methods whose ranks are within `difference`.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)

    difference : float
        What `critical_difference` returns.

    Returns
    -------
    groups : list of lists of int
        Methods in the order of their ranks; a group has at least two of them.

    Examples
    --------
    >>> groups_without_difference([1.5, 2.0, 3.9, 2.6], 1.2)
    [[0, 1, 3]]
    """
    ranks = np.asarray(ranks, dtype=float)
    order = np.argsort(ranks, kind="stable")
    groups: list[list[int]] = []
    last = -1  # position of the last method of the previous group
    for start, method in enumerate(order):
        near = ranks[order] <= ranks[method] + difference
        end = int(np.flatnonzero(near).max())
        if end > max(last, start):
            groups.append([int(other) for other in order[start : end + 1]])
            last = end
    return groups
