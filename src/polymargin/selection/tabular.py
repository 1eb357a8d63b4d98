"""A pipeline for tables: features from columns, and a machine."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..tables.table_columns import TableColumns
from .auto_machine import AutoMachine
from .path import find_estimator


def tabular(
    machine: Any = "auto",
    *,
    drop: Any = (),
    number: Any = (),
    category: Any = (),
    text: Any = (),
    date: Any = (),
    **parameters: Any,
) -> Pipeline:
    """Return a pipeline that learns from a table as it comes.

    The kind of a column decides which features it becomes. Numbers are centred and
    scaled; missing ones are imputed and flagged. Strings with few values become one-hot
    columns; values that training has not seen are all zero. Text becomes TF-IDF of
    words, or of characters where words are few. Dates and truth values become numbers.
    Constants and identifiers are left out.

    Parameters
    ----------
    machine : str or estimator, default="auto"
        "auto": `fit` compares machines by cross-validation. Otherwise a machine of
        `LinearSVM`, or of `KernelSVM` if `parameters` has a kernel; "maxent"; or any
        classifier.

    drop, number, category, text, date : sequence of str or int, default=()
        Columns whose kind you decide, by name, or by position if there are no names.

    **parameters
        Of the estimator. Of "auto": budget (seconds, 30), cv (folds, 5), class_weight,
        random_state and n_jobs.

    Returns
    -------
    pipeline : Pipeline
        Two steps: "columns", a `TableColumns`, and "machine". It takes data frames of
        pandas, polars and pyarrow, and arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> import polymargin
    >>> table = pd.DataFrame(
    ...     {"color": ["red", "green"] * 18, "weight": [2, 3, None, 4] * 9}
    ... )
    >>> fruit = ["cherry", "lime", "cherry", "melon"] * 9
    >>> model = polymargin.tabular("ovr").fit(table, fruit)
    >>> model.predict(table[:2]).tolist()
    ['cherry', 'lime']
    >>> for column in model["columns"].columns_:
    ...     print(column.name, column.kind)
    color category
    weight number
    """
    if isinstance(machine, str) and machine == "auto":
        estimator = AutoMachine(**parameters)
    elif isinstance(machine, str):
        estimator = find_estimator(machine, parameters)
    else:
        estimator = clone(machine).set_params(**parameters)
    columns = TableColumns(
        drop=drop, number=number, category=category, text=text, date=date
    )
    return Pipeline([("columns", columns), ("machine", estimator)])
