"""Rows and labels into files: svmlight text, CSV, TSV, npz."""

import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._reading import format_svmlight, format_table
from ...base.annotations import FilePath, Labels, Rows
from ...base.finite import all_finite
from .label_sets import words_of_sets
from .label_writing import bytes_of_words, table_header, table_words, token_words
from .outputs import open_output
from .sources import suffix_of

FORMATS = ("svmlight", "csv", "tsv", "npz")
_ROWS = 4096  # that become text at once


def save_data(
    X: Rows,
    y: Labels,
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    feature_names: Any = None,
    zero_based: bool = False,
    label_names: Labels = None,
) -> None:
    """Write rows and labels to a file, which is never there in part.

    Every number is written with as many digits as it takes to read it back exactly.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        float32 is kept, everything else becomes float64.
    y : array-like of shape (n_samples,), indicator matrix or None
        A matrix, dense or sparse, has a column for each label: several labels a row,
        for svmlight text.
    path : str or Path
        Compressed if it ends in .gz, .bz2, .xz or .zst; "-" is standard output.
    format : {"auto", "svmlight", "csv", "tsv", "npz"}, default="auto"
        By default the name tells: .csv, .tsv, .npz, and svmlight text else.
    feature_names : sequence of str or None, default=None
        For the header of a table, x0, x1, ... by default; svmlight text has none.
    zero_based : bool, default=False
        Whether the indices of svmlight text begin at 0.
    label_names : array-like or None, default=None
        What the columns of an indicator matrix stand for; 0, 1, ... by default.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polymargin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     polymargin.save_data([[0.5, 0], [0, 2]], ["a", "b"], folder + "/small.svm")
    ...     print(Path(folder, "small.svm").read_text())
    a 1:0.5
    b 2:2
    <BLANKLINE>
    """
    kind = _find_format(path) if format == "auto" else format
    if kind not in FORMATS:
        raise ValueError(
            f"format={format!r} is not known; choose one of auto, {', '.join(FORMATS)}."
        )
    if y is not None and (sp.issparse(y) or np.ndim(y) == 2):
        if kind != "svmlight":
            raise ValueError(
                f"y has several labels a row, which {kind} does not hold; save as "
                f"svmlight."
            )
        y, words = None, _words_of_sets(X, y, label_names)
    else:
        words = None
    X, y, names = _checked(X, y, feature_names)
    with open_output(path) as file:
        if kind == "npz":
            _write_npz(file, X, y, names)
        elif kind == "svmlight":
            if words is None:
                words = token_words(y, X.shape[0])
            _write_svmlight(file, X, words, int(not zero_based))
        else:
            _write_table(file, X, y, names, "\t" if kind == "tsv" else ",")


def _find_format(path: FilePath) -> str:
    suffix = suffix_of(path)
    return suffix[1:] if suffix in (".csv", ".tsv", ".npz") else "svmlight"


def _checked(X: Rows, y: Labels, feature_names: Any) -> tuple[Any, ...]:
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.dtype != np.float32:
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; it takes two dimensions.")
    if not all_finite(X):
        raise ValueError("X has values that are not finite; fill them in before.")
    if y is not None:
        y = np.asarray(y)
        y = y.astype(str) if y.dtype.kind in "OT" else y
        if y.shape != X.shape[:1]:
            raise ValueError(
                f"y has shape {y.shape}, but X has {X.shape[0]} rows; give one label "
                f"for each."
            )
    names = None if feature_names is None else [str(name) for name in feature_names]
    if names is not None and len(names) != X.shape[1]:
        raise ValueError(
            f"feature_names has {len(names)} names, but X has {X.shape[1]} features; "
            f"give one for each."
        )
    return X, y, names


def _write_npz(file: Any, X: Rows, y: Labels, names: Any) -> None:
    if sp.issparse(X):
        arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays["shape"] = np.array(X.shape)
    else:
        arrays = {"X": X}
    if y is not None:
        arrays["y"] = y
    if names is not None:
        arrays["feature_names"] = np.array(names)
    np.savez_compressed(file, **arrays)


def _words_of_sets(X: Rows, y: Labels, label_names: Labels) -> np.ndarray:
    names = np.arange(y.shape[1]) if label_names is None else np.asarray(label_names)
    if y.shape != (np.shape(X)[0], len(names)):
        raise ValueError(
            f"y has shape {y.shape}, but X has {np.shape(X)[0]} rows and there are "
            f"{len(names)} label_names; give a row for each row, a column for each "
            f"name."
        )
    return bytes_of_words(words_of_sets(y, names).tolist())


def _write_svmlight(file: Any, X: Rows, words: np.ndarray, first_index: int) -> None:
    for start in range(0, X.shape[0], _ROWS):
        # The rows of a block only, so that dense ones are not all copied.
        block = sp.csr_matrix(X[start : start + _ROWS])
        block.sum_duplicates()
        labels = words[start : start + _ROWS]
        parts = block.data, block.indices, block.indptr, labels
        file.write(format_svmlight(*parts, 0, block.shape[0], first_index))


def _write_table(file: Any, X: Rows, y: Labels, names: Any, delimiter: str) -> None:
    words = table_words(y, X.shape[0], delimiter)
    names = names or [f"x{j}" for j in range(X.shape[1])]
    file.write(table_header(names, y is not None, delimiter))
    for start in range(0, X.shape[0], _ROWS):
        block = X[start : start + _ROWS]
        block = block.toarray() if sp.issparse(X) else np.ascontiguousarray(block)
        labels = words[start : start + _ROWS]
        file.write(format_table(block, labels, delimiter))
