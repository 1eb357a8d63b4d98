"""Numbers and dates that a frame or an array has as objects or as strings.

As ``pandas.read_csv`` leaves dates, and as an array of mixed columns has all of them.
"""

from collections.abc import Sequence
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np

from .frames import columns_of, is_frame
from .words import words_of
from .written_columns import (
    NUMBER,
    WORDS,
    as_kind,
    as_trained,
    type_of_cells,
    without_missing,
    wrong_cell,
)
from .written_dates import DATES

_FEW = 40  # different strings stay categories, even if they look like numbers
_NUMBERS = (int, float, Decimal, np.integer, np.floating)


def written_columns(
    X: Any, skip: Sequence[Any] = (), wanted: Sequence[Any] = ()
) -> list[tuple[Any, str]]:
    """Find the columns that are numbers or dates, but not of such a type.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_columns)
    skip : sequence of str or int
        Columns that stay as they are.
    wanted : sequence of str or int
        Columns that are to be numbers or dates, however few their values are.

    Returns
    -------
    found : list of (str or int, str)
        Names, or positions, and how the cells are written, as `type_of_cells` calls it.
        Strings need pyarrow, and are taken for numbers if there are many different ones
        without a zero before them: others are categories or codes.
    """
    found = []
    for name, column in columns_of(X):
        if name in skip or _has_type(column):
            continue
        kind = NUMBER
        if _numbers(column) is None:
            kind = _kind_of_words(column, few=name in wanted)
        if kind != WORDS:
            found.append((name, kind))
    return found


def with_types(X: Any, written: Sequence[tuple[Any, str]]) -> Any:
    """Return a table whose columns have the types that `written_columns` has found."""
    if not written:
        return X
    kinds = dict(written)
    if not is_frame(X):
        X = np.array(X, dtype=object)
        for place, kind in kinds.items():
            if place < X.shape[1]:
                X[:, place] = _typed(place, X[:, place], kind)
        return X
    frame = nw.from_native(X, eager_only=True)
    for name, column in columns_of(X):
        if name in kinds and not _has_type(column):
            frame = _replaced(frame, name, _typed(name, column, kinds[name]))
    return frame.to_native()


def _replaced(frame: Any, name: Any, values: np.ndarray) -> Any:
    native = frame.to_native()
    if hasattr(native, "iloc"):  # of pandas, whose rows have names, which may repeat
        native = native.copy(deep=False)
        native[name] = values
        return nw.from_native(native, eager_only=True)
    library = nw.get_native_namespace(frame)
    return frame.with_columns(nw.new_series(name, values, backend=library))


def _has_type(column: Any) -> bool:
    """Whether it has a type that says what it is."""
    if isinstance(column, np.ndarray):
        return column.dtype.kind not in "OUST"
    others = (nw.String, nw.Object, nw.Time, nw.Unknown, nw.Duration)
    return not isinstance(column.dtype, others)


def _numbers(column: Any) -> np.ndarray | None:
    """Return objects as numbers if all are that are known; durations as hours."""
    if not isinstance(column, np.ndarray) and isinstance(column.dtype, nw.Duration):
        return column.to_numpy() / np.timedelta64(1, "h")
    if not isinstance(column, np.ndarray) and isinstance(column.dtype, nw.String):
        return None
    values = column.tolist() if isinstance(column, np.ndarray) else column.to_list()
    is_known = words_of(column) != ""
    known = [value for value, there in zip(values, is_known, strict=True) if there]
    for value in known:
        if not isinstance(value, _NUMBERS) or isinstance(value, bool):
            return None
    found = np.full(len(values), np.nan)
    found[is_known] = np.array(known, dtype=np.float64)
    return found if known else None


def _cells(column: Any) -> Any:
    import pyarrow as pa

    words = words_of(column)
    return without_missing(pa.chunked_array([words.tolist()], pa.string()))


def _kind_of_words(column: Any, few: bool) -> str:
    if find_spec("pyarrow") is None:
        return WORDS
    cells = _cells(column)
    if few and as_kind(cells, NUMBER) is not None:
        return NUMBER  # as was asked for, although zeros may be before them
    _, kind = type_of_cells(cells)
    if kind in DATES or kind == WORDS or few:
        return kind
    return WORDS if len(cells.unique().drop_null()) <= _FEW else kind


def _typed(name: Any, column: Any, kind: str) -> np.ndarray:
    numbers = _numbers(column)
    if numbers is not None:
        return numbers
    cells = _cells(column)
    found = as_trained(cells, kind)
    if found is None:
        row, word = wrong_cell(cells, kind)
        what = f"date of the form {kind}" if kind in DATES else kind
        raise ValueError(
            f"column {name!r}, row {row + 1}: {word!r} is no {what}, as in training; "
            f"leave it empty if it is missing, or name the column as category or text."
        )
    if kind in DATES:
        return found.to_numpy().astype("datetime64[ms]")
    return found.to_numpy().astype(np.float64)
