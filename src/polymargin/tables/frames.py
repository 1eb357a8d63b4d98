"""Columns of data frames of any library, and of arrays."""

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np


def is_frame(X) -> bool:
    """Whether this is a data frame: of pandas, polars, pyarrow or their like."""
    return isinstance(
        nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame
    )


def columns_of(X, names=None) -> Iterator[tuple[Any, Any]]:
    """Go through the columns of a frame by name, or of an array by position.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_columns)
    names : sequence of str or None
        Of the columns of an array.
    """
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        names = list(frame.columns)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"X has more than one column {twice!r}; give each a name of its own."
            )
        for name in names:
            if not isinstance(name, str | int):
                raise ValueError(
                    f"X has a column called {name!r}; give columns names that are "
                    f"strings."
                )
            yield name, frame.get_column(name)
        return
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(
            f"X has the shape {X.shape}; give a data frame, or an array with a row for "
            f"every label."
        )
    for position in range(X.shape[1]):
        yield position if names is None else names[position], X[:, position]
