"""One function for all formats of files."""

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from ...base.threads import thread_count
from .data import Data, as_numbers
from .label_rule import simplest_labels
from .limits import check_features, unpacked_bytes
from .npz import read_npz
from .parquet import read_parquet
from .sources import name_of, read_bytes, suffix_of
from .svmlight import read_svmlight
from .table import looks_like_table, read_table
from .written_as_csv import AS_CSV, written_as_csv

FORMATS = ("svmlight", "csv", "tsv", "npz", "parquet", *AS_CSV)
_BY_SUFFIX = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
}
_SHEET = "a workbook", "save the sheet as CSV"
_IN_PANDAS = "read it in pandas, and save it with to_csv or to_parquet"
# What people have, and what to do with it.
_OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), _SHEET),
    **dict.fromkeys((".pkl", ".pickle"), ("a pickle", _IN_PANDAS)),
    **dict.fromkeys((".feather", ".arrow"), ("a file of Arrow", _IN_PANDAS)),
    **dict.fromkeys((".h5", ".hdf5"), ("HDF5", _IN_PANDAS)),
    **dict.fromkeys(
        (".dta", ".sav", ".sas7bdat"), ("of a statistics program", _IN_PANDAS)
    ),
    ".npy": ("an array without labels", "save it with numpy.savez(file, X=X, y=y)"),
}
_BY_MAGIC = {b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"PAR1": "parquet"}


def load_data(
    source: Any,
    *,
    format: str = "auto",
    label: str | int | bool | None = None,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | str = "auto",
    several_labels: bool | str = False,
    n_jobs: int | None = None,
    unpacked_limit: int | None = None,
) -> Data:
    """Read rows and labels from a file.

    Parameters
    ----------
    source : str, Path, bytes or binary stream
        What to read; "-" is standard input. Content that is compressed by gzip, bzip2,
        xz or Zstandard is unpacked, whatever the name is.
    format : {"auto", "svmlight", "csv", "tsv", "npz", "parquet", "json", "arff"}, \
            default="auto"
        By default the name tells (.svm, .svmlight, .libsvm, .csv, .tsv, .npz,
        .parquet, .json, .jsonl, .arff), and if it does not, the content.
    label : str, int, False or None, default=None
        The column of a table that holds the label, by name or by position from 0 (from
        the end if negative). By default the last one that is called label, class,
        target or y, and if there is none the last. False if there is no such column,
        or to ignore the labels of other formats: then `y` is None.
    n_features : int or None, default=None
        How many features there are: svmlight text does not say. An error if the file
        has more, or another number of columns if it is a table. More than 2,147,483,647
        must be asked for.
    dtype : float32, float64 or None, default=float64
        Of X. None takes what arrays have if it is one of the two, and else float64.
        Text is rounded correctly to float64 and from there to float32.
    zero_based : bool or "auto", default="auto"
        Whether the indices of svmlight text begin at 0. "auto" says no if there is no
        index 0.
    several_labels : bool or "auto", default=False
        Whether rows of svmlight text may have any number of labels, as in
        ``1,5,9 3:0.4``. `y` is then an indicator matrix, and `label_names` are what its
        columns stand for. "auto" says yes if some row has several.
    n_jobs : int or None, default=None
        Threads; -1 for all processors. The result does not depend on it.
    unpacked_limit : number, str or None, default=None
        Most bytes that compressed content may have when it is unpacked, such as 2e9 or
        "2GB"; half of the free memory if None.

    Returns
    -------
    data : Data
        X, y and feature_names.

    Notes
    -----
    Labels are int64 if all of them are whole numbers, else float64 if all are numbers,
    else the words as they are written; whole numbers that these cannot tell apart are
    words, too.

    Of a line of svmlight text, ``label index:value index:value ... # comment``, indices
    must ascend, as LIBSVM asks for; ``qid:`` is ignored; labels can be words; a file
    can leave out all labels. Every value must be finite.

    Examples
    --------
    >>> from polymargin import load_data
    >>> data = load_data(b"spam 1:0.5 3:1\\nham 2:2\\n")
    >>> data.X.toarray()
    array([[0.5, 0. , 1. ],
           [0. , 2. , 0. ]])
    >>> data.y.tolist()
    ['spam', 'ham']
    """
    return _load(
        source,
        False,
        format=format,
        label=label,
        n_features=n_features,
        dtype=dtype,
        zero_based=zero_based,
        several_labels=several_labels,
        n_jobs=n_jobs,
        unpacked_limit=unpacked_limit,
    )


def load_written(source: Any, **options: Any) -> Data:
    """Read rows, and labels as they are written; options are those of `load_data`.

    For those who know more than the file does: that its labels belong to a model, or to
    those of another file (see `label_rule`).
    """
    return _load(source, True, **options)


def _load(
    source: Any,
    written: bool,
    format: str = "auto",
    label: str | int | None = None,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | str = "auto",
    several_labels: bool | str = False,
    label_names: Any = None,
    n_jobs: int | None = None,
    unpacked_limit: int | None = None,
) -> Data:
    check_options(format, n_features, dtype, zero_based)
    limit = unpacked_bytes(unpacked_limit)
    name, text = name_of(source), read_bytes(source, limit)
    kind = find_format(text, source) if format == "auto" else format
    return parse(
        text,
        name,
        kind,
        written=written,
        label=label,
        n_features=n_features,
        dtype=dtype,
        zero_based=zero_based,
        several_labels=several_labels,
        label_names=label_names,
        n_jobs=n_jobs,
        limit=limit,
    )


def parse(
    text: memoryview,
    name: str,
    kind: str,
    *,
    written: bool = False,
    label: str | int | None = None,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | str = "auto",
    several_labels: bool | str = False,
    label_names: Any = None,
    n_jobs: int | None = None,
    limit: int,
) -> Data:
    """Make data of the content of a file, of which the format is known."""
    of_text = {"dtype": dtype, "threads": thread_count(n_jobs), "written": written}
    if kind == "svmlight":
        data = read_svmlight(
            text,
            name,
            label=label,
            n_features=n_features,
            zero_based=zero_based,
            several_labels=several_labels,
            label_names=label_names,
            **of_text,
        )
        if data is None:  # only a part may have no rows
            raise AssertionError(f"{name} was read as a part of a text.")
        check_features(data, n_features, name)
        return data
    if several_labels is True:
        raise ValueError(
            f"several_labels=True, but {name} is {kind}; give svmlight text."
        )
    if kind in AS_CSV:
        text, _ = written_as_csv(text, name, kind)
        kind = "csv"
    if kind in ("csv", "tsv"):
        delimiter = "\t" if kind == "tsv" else None
        data = read_table(text, name, delimiter, label=label, **of_text)
    else:
        read = read_npz if kind == "npz" else read_parquet
        data = as_numbers(read(text, name, limit=limit, label=label), name, dtype)
        if data.y is not None and not written:
            data = replace(data, y=simplest_labels(data.y))
        check_features(data, n_features, name)
    if n_features is not None and data.X.shape[1] != n_features:
        raise ValueError(
            f"n_features={n_features}, but {name} has {data.X.shape[1]}; give that, or "
            f"None."
        )
    return data


def check_options(format: str, n_features: Any, dtype: Any, zero_based: Any) -> None:
    """Raise if an argument of `load_data` is none of those it takes."""
    if format not in ("auto", *FORMATS):
        raise ValueError(
            f"format={format!r} is not known; choose one of auto, {', '.join(FORMATS)}."
        )
    if n_features is not None and (
        not isinstance(n_features, Integral) or n_features < 1
    ):
        raise ValueError(f"n_features={n_features!r} must be a whole number above 0.")
    if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype!r} must be float32, float64 or None.")
    if not isinstance(zero_based, (bool, np.bool_)) and zero_based != "auto":
        raise ValueError(f"zero_based={zero_based!r} must be True, False or 'auto'.")


def find_format(text: memoryview, source: Any) -> str:
    """By name; if it says nothing, by the first bytes and the first line."""
    suffix = suffix_of(source)
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix in _OTHERS:
        what, remedy = _OTHERS[suffix]
        raise ValueError(
            f"{name_of(source)} is {what}, which is not read here; {remedy}."
        )
    start = bytes(text[:4])
    if start in _BY_MAGIC:
        return _BY_MAGIC[start]
    return "csv" if looks_like_table(text) else "svmlight"
