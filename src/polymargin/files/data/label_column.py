"""Which column of a table holds the label; names of columns that have none."""

import re
from collections.abc import Sequence
from numbers import Integral

USUAL_NAMES = ("label", "class", "target", "y")
# As pandas calls a column without a name, and the index of a frame in Parquet.
_NAMELESS = re.compile(r"(unnamed: \d+|__index_level_\d+__)?", re.IGNORECASE)


def with_names(names: Sequence[str] | None) -> list[str] | None:
    """Return names of columns; those without get one, by their position.

    Examples
    --------
    >>> with_names(["", "age", ""])
    ['Unnamed: 0', 'age', 'Unnamed: 2']
    """
    if names is None:
        return None
    return [name or f"Unnamed: {place}" for place, name in enumerate(names)]


def is_guessed(name: str | None) -> bool:
    """Whether nothing but its place says that a column has the labels."""
    return name is not None and name.strip().lower() not in USUAL_NAMES


def find_label(
    names: Sequence[str] | None, n_columns: int, label, table: str
) -> int | None:
    """Find the column of the label.

    Parameters
    ----------
    names : sequence of str or None
        Of the columns, if they have names.
    n_columns : int
    label : str, int, False or None
        As in `load_data`.
    table : str
        What to call the table in a message.

    Returns
    -------
    position : int or None
        None if there is no label.
    """
    if label is False:
        return None
    if label is None:
        usual = [
            at
            for at, name in enumerate(names or ())
            if name.strip().lower() in USUAL_NAMES
        ]
        named = [
            at for at, name in enumerate(names or ()) if not _NAMELESS.fullmatch(name)
        ]
        return (usual or named or [n_columns - 1])[-1]
    if isinstance(label, str):
        return _by_name(names, label, table)
    if not isinstance(label, Integral) or isinstance(label, bool):
        raise TypeError(
            f"label={label!r} names no column; give a name, a position, or False."
        )
    if not -n_columns <= label < n_columns:
        raise ValueError(
            f"label={label}, but {table} has {n_columns} columns, counted from 0; give "
            f"the position of one of them."
        )
    return int(label) % n_columns


def _by_name(names: Sequence[str] | None, label: str, table: str) -> int:
    if names is None:
        raise ValueError(
            f"label={label!r}, but {table} has no header; give the position of the "
            f"column, counted from 0."
        )
    if names.count(label) != 1:
        known = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        often = "no column" if label not in names else "several columns"
        raise ValueError(
            f"label={label!r}, but {table} has {often} of that name; its columns are "
            f"{known}."
        )
    return names.index(label)
