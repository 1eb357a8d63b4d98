"""What it costs to take one class for another: tables, rules, and the mean of a test.

A table has a row for each label y and a column for each prediction m, in the order of
the classes; ``costs[y, m]`` is the margin that a machine asks between the two, as a
share of the margin of 1 that it asks without costs.
"""

from collections.abc import Callable

import numpy as np

from .formulation import COST_RULES


def tree_distance(first: str, second: str, separator: str = "/") -> int:
    """Return how many edges of a tree are between two labels that are paths.

    Parameters
    ----------
    first, second : str
        Such as "animal/bird/gull": from the root to the class.
    separator : str, default="/"

    Examples
    --------
    >>> from polymargin import tree_distance
    >>> tree_distance("animal/bird/gull", "animal/fish")
    3
    """
    steps, others = str(first).split(separator), str(second).split(separator)
    shared = 0
    for one, other in zip(steps, others, strict=False):
        if one != other:
            break
        shared += 1
    return len(steps) + len(others) - 2 * shared


def cost_table(costs, classes) -> np.ndarray:
    """Return the costs as an array of shape (n_classes, n_classes).

    Parameters
    ----------
    costs : array-like, dict of dicts, "ordinal", "tree" or callable
        An array has a row for each label and a column for each prediction, in the order
        of `classes`; ``costs[y][m]`` of dicts is 1 where it is left out; "ordinal" is
        by how many places classes are apart; "tree" is `tree_distance`; a callable
        ``f(y, m)`` gets two labels.
    classes : array-like of shape (n_classes,)

    Returns
    -------
    table : ndarray of float64
    """
    labels = np.asarray(classes).tolist()
    if isinstance(costs, str):
        table = _by_rule(costs, labels)
    elif callable(costs):
        table = _by_function(costs, labels)
    elif isinstance(costs, dict):
        table = _by_dicts(costs, labels)
    else:
        table = _by_array(costs, labels)
    _check(table, labels)
    return table


def mean_cost(y_true, y_pred, costs, classes=None, sample_weight=None) -> float:
    """Return the mean cost of predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    costs : array-like, dict of dicts, "ordinal", "tree" or callable
        As in `LinearSVM`.
    classes : array-like or None, default=None
        In the order of the table; None: all labels that occur, in ascending order.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Examples
    --------
    >>> from polymargin import mean_cost
    >>> mean_cost([1, 2, 3, 3], [1, 3, 3, 1], "ordinal")
    0.75
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if classes is None:
        classes = np.unique(np.concatenate([y_true, y_pred]))
    classes = np.asarray(classes)
    table, order = cost_table(costs, classes), np.argsort(classes)
    places = []
    for labels in (y_true, y_pred):
        at = np.searchsorted(classes, labels, sorter=order)
        place = order[np.minimum(at, len(classes) - 1)]
        if (classes[place] != labels).any():
            unknown = labels[classes[place] != labels].tolist()[0]
            raise ValueError(f"{unknown!r} is not one of the classes; add it to them.")
        places.append(place)
    return float(np.average(table[tuple(places)], weights=sample_weight))


def _by_rule(rule: str, labels: list) -> np.ndarray:
    if rule == "ordinal":
        places = np.arange(len(labels), dtype=float)
        return np.abs(places[:, None] - places)
    if rule == "tree":
        return _by_function(tree_distance, labels)
    raise ValueError(
        f"costs={rule!r} is not known; choose one of {', '.join(COST_RULES)}, or give "
        f"an array, a dict of dicts or a function of two labels."
    )


def _by_function(function: Callable, labels: list) -> np.ndarray:
    rows = [[0.0 if y == m else function(y, m) for m in labels] for y in labels]
    return np.array(rows, dtype=np.float64)


def _by_dicts(costs: dict, labels: list) -> np.ndarray:
    table = 1.0 - np.eye(len(labels))
    places = {label: place for place, label in enumerate(labels)}
    for y, row in costs.items():
        if not isinstance(row, dict):
            raise ValueError(
                f"costs[{y!r}] is {row!r}; give a dict of the costs of predictions, "
                f"e.g. {{{y!r}: {{{labels[-1]!r}: 2.0}}}}."
            )
        for m, cost in row.items():
            for label in (y, m):
                if label not in places:
                    raise ValueError(
                        f"costs has an entry for {label!r}, which is not one of the "
                        f"classes; remove it."
                    )
            table[places[y], places[m]] = cost
    return table


def _by_array(costs, labels: list) -> np.ndarray:
    table, k = np.array(costs, dtype=np.float64), len(labels)
    if table.shape != (k, k):
        raise ValueError(
            f"costs has the shape {table.shape}, but there are {k} classes; give a row "
            f"and a column for each, or a dict or function where some may be missing."
        )
    return table


def _check(table: np.ndarray, labels: list) -> None:
    wrong = ~((table >= 0) & (table < np.inf))
    if wrong.any():
        y, m = np.argwhere(wrong)[0]
        raise ValueError(
            f"the cost of {labels[m]!r} in place of {labels[y]!r} is "
            f"{table[y, m].item()!r}; costs must be finite and not negative."
        )
    own = np.flatnonzero(np.diag(table))
    if len(own):
        y = own[0]
        raise ValueError(
            f"the cost of {labels[y]!r} in place of itself is "
            f"{table[y, y].item()!r}; it must be 0."
        )
