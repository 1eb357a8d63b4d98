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

    What each column is decides what is made of it: numbers have their missing values
    imputed and flagged, and are centred and scaled; few-valued strings are one-hot, and
    values unknown in training are all zero; text is TF-IDF of words, or of characters
    where words are few; dates and truth values become numbers; columns that are
    constant, or that only tell rows apart, are left out.

    Parameters
    ----------
    machine : str or estimator, default="auto"
        "auto": chosen by cross-validation when the pipeline is fitted, see
        `AutoMachine`. Else a machine of `LinearSVM`, or "maxent"; of `KernelSVM` if
        `parameters` has a kernel. Or any classifier.

    drop, number, category, text, date : sequence of str or int, default=()
        Columns that are decided, by name, or by position if there are no names.

    **parameters
        Of the estimator: of `AutoMachine` such as budget, cv, random_state, n_jobs.

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
