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


def cost_table(costs, classes, others: bool = False) -> np.ndarray:
    """Return the costs as an array of shape (n_classes, n_classes).

    Parameters
    ----------
    costs : array-like, data frame, dict of dicts, "ordinal", "tree" or callable
        An array has a row for each label and a column for each prediction, in the order
        of `classes`; a data frame has the labels as index and columns, in any order;
        ``costs[y][m]`` of dicts is 1 where it is left out; "ordinal" is by how many
        places classes are apart; "tree" is `tree_distance`; a callable ``f(y, m)`` gets
        two labels.
    classes : array-like of shape (n_classes,)
    others : bool, default=False
        Whether dicts may have entries for other labels, such as classes to come.

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
        table = _by_dicts(costs, labels, others)
    elif hasattr(costs, "index") and hasattr(costs, "columns"):
        table = _by_frame(costs, labels)
    else:
        table = _by_array(costs, labels)
    _check(table, labels)
    return table


def mean_cost(y_true, y_pred, costs, classes=None, sample_weight=None) -> float:
    """Return the mean cost of predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    costs : array-like, data frame, dict of dicts, "ordinal", "tree" or callable
        As in `LinearSVM`.
    classes : array-like or None, default=None
        In the order of the table; None: all labels that occur, in ascending order. Name
        them if some do not occur and `costs` is "ordinal" or an array.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Examples
    --------
    >>> from polymargin import mean_cost
    >>> mean_cost([1, 2, 3, 3], [1, 3, 3, 1], "ordinal")
    0.75
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if y_true.shape != y_pred.shape or y_true.ndim != 1 or not len(y_true):
        raise ValueError(
            f"y_true has the shape {y_true.shape} and y_pred {y_pred.shape}; give one "
            f"label a row in each, of the same rows, at least one."
        )
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
    return np.array(
        [
            [0.0 if y == m else _number(function(y, m), y, m) for m in labels]
            for y in labels
        ]
    )


def _number(cost, y, m) -> float:
    """Return the cost of m in place of y as a number."""
    try:
        return float(cost)
    except (TypeError, ValueError):
        raise ValueError(
            f"the cost of {m!r} in place of {y!r} is {cost!r}; give a number."
        ) from None


def _by_dicts(costs: dict, labels: list, others: bool) -> np.ndarray:
    table = 1.0 - np.eye(len(labels))
    places = {label: place for place, label in enumerate(labels)}
    for y, row in costs.items():
        if not isinstance(row, dict):
            raise ValueError(
                f"costs[{y!r}] is {row!r}; give a dict of the costs of predictions for "
                f"each label, e.g. {{{labels[0]!r}: {{{labels[-1]!r}: 2.0}}}}."
            )
        for m, cost in row.items():
            unknown = [label for label in (y, m) if label not in places]
            if not unknown:
                table[places[y], places[m]] = _number(cost, y, m)
            elif not others:
                raise ValueError(
                    f"costs has an entry for {unknown[0]!r}, which is not one of the "
                    f"classes, such as {labels[0]!r}; remove it, or give a data frame "
                    f"or a function of two labels if rows of a class may be missing."
                )
    return table


def _by_frame(costs, labels: list) -> np.ndarray:
    """Of a data frame of pandas, by the names of its rows and columns."""
    rows, columns = costs.index.tolist(), costs.columns.tolist()
    counted = list(range(len(rows)))
    if rows == columns == counted and not set(labels) <= set(counted):
        return _by_array(costs, labels)  # no names were given
    for names, what in ((rows, "index"), (columns, "columns")):
        missing = [label for label in labels if names.count(label) != 1]
        if missing:
            raise ValueError(
                f"the {what} of costs must name each class once, and {missing[0]!r} is "
                f"there {names.count(missing[0])} times; name rows and columns by the "
                f"labels, or give an array."
            )
    table = costs.iloc[
        [rows.index(label) for label in labels],
        [columns.index(label) for label in labels],
    ]
    return _by_array(table, labels)


def _by_array(costs, labels: list) -> np.ndarray:
    k = len(labels)
    try:
        table = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"costs={costs!r} is not a table of numbers; give a row and a column for "
            f"each of the {k} classes."
        ) from None
    if table.shape != (k, k):
        raise ValueError(
            f"costs has the shape {table.shape}, but there are {k} classes; give a row "
            f"and a column for each, or, where some may be missing, a data frame with "
            f"the labels as index and columns, or a function of two labels."
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
