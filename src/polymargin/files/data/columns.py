"""Tables for models: by our own parser if all are numbers, else by pyarrow."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...base.threads import thread_count
from .data import Data, as_numbers
from .label_column import find_label, with_names
from .label_rule import simplest_labels
from .limits import unpacked_bytes
from .load import check_options, find_format, parse
from .mixed_table import check_titles, missing_column, read_mixed
from .parquet import parquet_names, parquet_table, read_parquet
from .sources import name_of, read_bytes
from .table import read_head, read_table, table_head
from .written_as_csv import AS_CSV, written_as_csv

TABLES = ("csv", "tsv", "parquet", *AS_CSV)
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_START = 1 << 16


@dataclass(frozen=True)
class Trained:
    """Columns that a model was trained with.

    Attributes
    ----------
    types : sequence of (str, str or None)
        Names of columns and what they were read as, see `read_mixed`; None: that is
        not known.
    label : str or None
        Name of the column of the labels, which other tables need not have; None: the
        column that the model does not know.
    mixed : bool
        Whether the model takes a pyarrow Table, and not an array.
    unused : sequence of str
        Columns that the model makes nothing of: they need not be there.
    """

    types: Sequence[tuple[str, str]]
    label: str | None
    mixed: bool
    unused: Sequence[str] = ()


def read_columns(
    content: memoryview,
    name: str,
    kind: str,
    *,
    label=None,
    trained: Trained | None = None,
    asked: Mapping[str, str] | None = None,
    written: bool = False,
    optional: bool = False,
    n_jobs: int | None = None,
    limit: int,
) -> Data:
    """Read a table, whatever its columns have.

    Parameters
    ----------
    content : memoryview of bytes
    name : str
        Of the source, for messages.
    kind : {"csv", "tsv", "parquet"}
    label
        As in `load_data`. If it is None, and the model knows its name, that column if
        there is one.
    trained : Trained or None
        Columns of a model: they are returned in its order, and others left out.
    asked, written, optional
        As in `read_mixed`.
    n_jobs : int or None
    limit : int
        Most bytes of what is unpacked.

    Returns
    -------
    data : Data
        X is an array if all columns are numbers and none is missing, else a pyarrow
        Table; as in training if there is a model.
    """
    delimiter = "\t" if kind == "tsv" else None
    if kind == "parquet":
        names = parquet_names(content, name)
    else:
        head = read_head(content, name, delimiter)
        names = with_names(head.names)
        if names is None and trained is not None and label is None:
            label = False if head.width == len(trained.types) else None
    if names is not None:
        check_titles(names, name)
        if trained is not None and label is None:
            label = _label_beside(names, trained, name)
    options = {"label": label, "written": written}
    data = None
    only_numbers = not asked and (trained is None or not trained.mixed)
    try:
        if only_numbers:
            if kind == "parquet":
                data = _array_of_parquet(content, name, limit, **options)
            else:
                of_text = delimiter, n_jobs, trained is not None
                data = _array_of_text(content, name, *of_text, **options)
    except ValueError as error:
        _need_pyarrow(error)
    options |= {"optional": optional}
    if trained is not None:
        options |= {"types": trained.types, "unused": trained.unused}
    if data is None and kind == "parquet":
        data = parquet_table(content, name, limit=limit, **options)
    elif data is None:
        data = read_mixed(content, name, delimiter, asked=asked, **options)
    elif trained is not None:
        data = _ordered(data, trained, name)
    if trained is None:
        return data
    _tell_others(names, trained, label, name)
    return _as_trained(data, trained.mixed)


def _label_beside(names: list[str], trained: Trained, name: str) -> str | bool:
    """Return the name of the column of the labels, False if there is none."""
    if trained.label is not None:
        return trained.label if trained.label in names else False
    known = {title for title, _ in trained.types}
    others = [title for title in names if title not in known]
    if not others:
        return False
    return others[find_label(others, len(others), None, name)]


def _need_pyarrow(why: ValueError) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            f"{str(why).rstrip('.')}; or install pyarrow, which reads tables of more "
            f"than numbers: pip install polymargin[files]."
        ) from why


def _tell_others(names, trained: Trained, label, name: str) -> None:
    known = {title for title, _ in trained.types} | {label, trained.label}
    others = [repr(title) for title in names or () if title not in known]
    if others:
        shown = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        warnings.warn(
            f"{name} has columns that the model does not know: {shown}.", stacklevel=2
        )


def _as_trained(data: Data, mixed: bool) -> Data:
    """Return an array, unless there was a pyarrow Table in training."""
    if data.types is not None and not mixed:
        columns = [column.to_numpy() for column in data.X.columns]
        return replace(data, X=np.column_stack(columns), types=None)
    return data


def _array_of_text(content, name, delimiter, n_jobs, codes, *, label, written) -> Data:
    threads = thread_count(n_jobs)
    options = {"label": label, "written": written, "threads": threads}
    data = read_table(content, name, delimiter, codes=codes, **options)
    head = table_head(content, name, delimiter, label=label)
    titles = with_names(head.names)
    if titles is None:
        return data
    label_name = None if head.label is None else titles.pop(head.label)
    return replace(data, feature_names=titles, label_name=label_name)


def _array_of_parquet(content, name, limit, *, label, written) -> Data:
    data = read_parquet(content, name, limit=limit, label=label)
    data = replace(
        as_numbers(data, name, np.float64), y=data.y, label_name=data.label_name
    )
    if data.y is not None and not written:
        data = replace(data, y=simplest_labels(data.y))
    return data


def _ordered(data: Data, trained: Trained, name: str) -> Data:
    """Return the columns of a model, in its order."""
    types = trained.types
    if data.feature_names is None:
        if data.X.shape[1] != len(types):
            raise ValueError(
                f"{name} has {data.X.shape[1]} columns beside the label, but the model "
                f"was trained with {len(types)}; give these, or a header that names "
                f"them."
            )
        return data
    names = [title for title, _ in types]
    X = np.full((len(data.X), len(names)), np.nan)
    for place, title in enumerate(names):
        if title in data.feature_names:
            X[:, place] = data.X[:, data.feature_names.index(title)]
        elif title not in trained.unused:
            raise ValueError(missing_column(title, data.feature_names, name))
    return replace(data, X=X, feature_names=names)


def load_columns(
    source,
    *,
    format: str = "auto",
    label=None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    n_jobs: int | None = None,
    unpacked_limit=None,
    encoding: str | None = None,
    trained: Trained | None = None,
    asked: Mapping[str, str] | None = None,
    written: bool = False,
    optional: bool = False,
    several_labels: bool | str = False,
) -> Data:
    """Read rows and labels from a file; of a table, columns of any kind.

    Parameters
    ----------
    source : str, Path or bytes
    format, label, n_features, zero_based, n_jobs, unpacked_limit, several_labels
        As in `load_data`.
    encoding : str or None
        Of the text of a table; UTF-8 if None.
    trained, asked, written, optional
        As in `read_columns`.

    Returns
    -------
    data : Data
    """
    check_options(format, n_features, np.float64, zero_based)
    limit = unpacked_bytes(unpacked_limit)
    content, name = read_bytes(source, limit), name_of(source)
    kind = find_format(content, source) if format == "auto" else format
    of_all = {"label": label, "written": written, "n_jobs": n_jobs, "limit": limit}
    if kind not in TABLES:
        of_rows = {"n_features": n_features, "zero_based": zero_based}
        of_rows["several_labels"] = several_labels
        return parse(content, name, kind, **of_all, **of_rows)
    if kind in AS_CSV:
        content, told = written_as_csv(content, name, kind)
        kind, asked = "csv", told | dict(asked or {})
    elif kind != "parquet":
        if encoding is None and bytes(content[:2]) in _MARKS:
            encoding = "utf-16"
        if encoding is not None:
            content = _in_utf8(content, encoding, name)
        content = _in_lines(content)
    data = read_columns(
        content,
        name,
        kind,
        trained=trained,
        asked=asked,
        optional=optional,
        **of_all,
    )
    return replace(data, is_table=True)


def _in_lines(content: memoryview) -> memoryview:
    """Return text with line feeds, if it has only returns, as of old Macs."""
    start = bytes(content[:_START])
    if b"\r" not in start or b"\n" in start or b"\n" in bytes(content):
        return content
    return memoryview(bytes(content).replace(b"\r", b"\n"))


def _in_utf8(content: memoryview, encoding: str, name: str) -> memoryview:
    try:
        return memoryview(bytes(content).decode(encoding).encode())
    except LookupError:
        raise ValueError(
            f"--encoding {encoding} is not known; give one such as cp1252 or utf-16."
        ) from None
    except UnicodeDecodeError as error:
        line = bytes(content[: error.start]).count(b"\n") + 1
        raise ValueError(
            f"{name}, line {line} is no text in {encoding}; give another --encoding."
        ) from None
