"""Tables of more than numbers, as pyarrow reads them: words, dates, missing cells.

Every cell is read as text; then a column is made what its cells can be, or what it is
for a model if there is one.
"""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from ...tables.written_columns import (
    MISSING,
    NUMBER,
    WORDS,
    as_trained,
    is_kind,
    is_mixed,
    type_of_cells,
    without_missing,
    wrong_cell,
)
from ...tables.written_dates import DATES
from .data import Data
from .label_column import find_label, with_names
from .label_rule import simplest_labels
from .parse_errors import check_utf8, without_byte_order_mark
from .table import TableHead, read_head

# What stands for a missing label; "None" may be a class.
NO_LABEL = tuple(word for word in MISSING if word != "None")


def read_mixed(
    text: memoryview,
    name: str,
    delimiter: str | None,
    *,
    label=None,
    types: Sequence[tuple[str, str]] | None = None,
    unused: Sequence[str] = (),
    asked: Mapping[str, str] | None = None,
    written: bool = False,
    optional: bool = False,
) -> Data:
    """Read a table with columns of any kind.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    delimiter : str or None
        As in `read_table`.
    label : str, int, False or None
        As in `load_data`.
    types : sequence of (str, str) or None
        Names and types of the columns of a model: "number", "words" or the format of a
        date. They are returned in that order; others are left out. None: all columns,
        of whatever type they are.
    unused : sequence of str
        Columns of these that are not read, and need not be there: all is missing.
    asked : mapping of str to str or None
        What columns are read as, by name: "words" or "number", whatever they look like.
    written : bool
        Whether labels stay as they are written.
    optional : bool
        Whether labels may be missing: then there are none. If not, rows at the end
        without any cell that is filled in are left out.

    Returns
    -------
    data : Data
        X is a pyarrow Table.
    """
    import pyarrow as pa

    text = without_byte_order_mark(text, name)
    check_utf8(text, name)
    head = read_head(text, name, delimiter)
    names = with_names(head.names)
    titles = names or [str(position) for position in range(head.width)]
    check_titles(titles, name)
    at = find_label(names, head.width, label, name)
    table = _read_words(text, head, titles, name)
    if not optional:
        table = _without_empty_end(table, name)
    # Of the first row; what spans several lines moves those below.
    first_line = bytes(text[: head.end]).count(b"\n") + 1
    y = None
    if at is not None:
        y = _labels(table.column(at), titles[at], name, first_line, optional)
    if y is not None and not written:
        y = simplest_labels(y)
    wanted = {title: _as_text(kind) for title, kind in types or ()}
    found, found_types = {}, []
    for title in wanted or [t for place, t in enumerate(titles) if place != at]:
        if title in unused:
            found[title] = pa.nulls(len(table), pa.float64())
            found_types.append((title, NUMBER))
            continue
        if title not in titles:
            raise ValueError(_not_there(title, titles, head, name))
        column = table.column(titles.index(title))
        known = wanted.get(title, (asked or {}).get(title))
        where = title, name, first_line
        found[title], kind = _typed(column, known, head.delimiter, where)
        found_types.append((title, kind))
    if not found:
        raise ValueError(
            f"{name} has one column, the label {titles[0]!r}; give others to learn "
            f"from, with a comma, tab, semicolon or bar between columns."
        )
    return Data(
        pa.table(found),
        y,
        list(found),
        types=found_types,
        label_name=None if at is None or head.names is None else titles[at],
    )


def check_titles(titles: Sequence[str], name: str) -> None:
    """Raise if two columns have one name."""
    twice = [title for title in titles if titles.count(title) > 1]
    if twice:
        raise ValueError(
            f"{name} has {titles.count(twice[0])} columns called {twice[0]!r}; give "
            f"each a name of its own, in a line above the rows."
        )


def missing_column(title: str, titles: Sequence[str], name: str) -> str:
    """Say that a column of a model is not there."""
    known = ", ".join(map(repr, titles[:10])) + (", ..." if len(titles) > 10 else "")
    return (
        f"column {title!r} is missing in {name}, whose columns are {known}; the model "
        f"was trained with it."
    )


def _read_words(text: memoryview, head: TableHead, titles: list[str], name: str):
    import pyarrow as pa
    from pyarrow import csv

    wrong = []

    def handle(row):
        wrong.append(row)
        return "error"

    body = text[head.end :]
    try:
        return csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            csv.ReadOptions(column_names=titles, use_threads=False),
            csv.ParseOptions(
                delimiter=head.delimiter,
                newlines_in_values=True,
                invalid_row_handler=handle,
            ),
            csv.ConvertOptions(
                column_types=dict.fromkeys(titles, pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        if not wrong:
            raise ValueError(f"{name} cannot be read as a table: {error}.") from error
        before = bytes(text[: head.end]).count(b"\n")
        found = wrong[0].actual_columns
        remedy = f"put what has a {head.delimiter!r} in it between quotes"
        if found < head.width:
            remedy = "fill in the row or leave it out"
        elif head.width == 1:
            remedy = "leave out what is above the names of the columns"
        raise ValueError(
            f"{name}, line {before + wrong[0].number}: expected {head.width} "
            f"column{'s' if head.width > 1 else ''}, found {found}; {remedy}."
        ) from None


def _not_there(title: str, titles: list[str], head: TableHead, name: str) -> str:
    """Say that a column of a model is not there, or that no column has a name."""
    if head.names is not None:
        return missing_column(title, titles, name)
    return (
        f"{name} has no line with the names of its columns, of which the model needs "
        f"{title!r}; put one above the rows."
    )


def _without_empty_end(table, name: str):
    """Leave out rows at the end with nothing in them, as programs of sheets write."""
    rows = len(table)
    while rows and not any(cell[rows - 1].as_py().strip() for cell in table.columns):
        rows -= 1
    if rows == 0:
        raise ValueError(f"{name} has only empty rows; fill them in.")
    return table.slice(0, rows)


def _labels(
    column, title: str, name: str, first_line: int, optional: bool
) -> np.ndarray | None:
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(column).to_numpy().astype(str)
    empty = np.flatnonzero(np.isin(words, NO_LABEL))
    if len(empty) and optional:
        if len(empty) < len(words):
            warnings.warn(
                f"{name}, line {first_line + empty[0]}: there is no label in column "
                f"{title!r}; the labels of other rows are not looked at.",
                stacklevel=2,
            )
        return None
    if len(empty) == len(words):
        raise ValueError(
            f"{name}: column {title!r}, which is to have the labels, is empty; name "
            f"another one with --label."
        )
    if len(empty):
        found = f", {str(words[empty[0]])!r} stands for none" * bool(words[empty[0]])
        raise ValueError(
            f"{name}, line {first_line + empty[0]}: there is no label in column "
            f"{title!r}{found}; fill it in, or leave out the row."
        )
    return words


def _as_text(kind: str | None) -> str | None:
    """Return how a column is written here that has a type in Parquet; None: any way."""
    if kind is None or is_kind(kind):
        return kind
    if str(kind).startswith(("int", "uint", "float", "double", "half", "decimal")):
        return NUMBER
    return None if str(kind).startswith(("timestamp", "date")) else WORDS


def _typed(column, known: str | None, delimiter: str, where) -> tuple:
    """Return a column as it was in training, or as what it is; and what that is."""
    column = without_missing(column)
    if known is not None:
        found, kind = as_trained(column, known, delimiter), known
        if found is None:
            raise _wrong(column, kind, *where)
        return found, kind
    found, kind = type_of_cells(column, delimiter)
    if kind == WORDS and is_mixed(column):
        raise _wrong(column, NUMBER, *where)
    return found, kind


def _wrong(column, kind: str, title: str, name: str, first_line: int) -> ValueError:
    """Return the error that tells of the first cell that is of another kind."""
    row, word = wrong_cell(column, kind)
    shown = word if len(word) <= 40 else word[:37] + "..."
    what = f"date of the form {kind}" if kind in DATES else kind
    return ValueError(
        f"{name}, line {first_line + row}, column {title!r}: {shown!r} is no {what}, "
        f"as the others are; leave the cell empty if it is missing, or train with "
        f"--category {title} or --drop {title}."
    )
