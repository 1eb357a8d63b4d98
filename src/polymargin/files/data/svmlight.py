"""svmlight text into a CSR matrix, parsed by the core."""

import numpy as np
import scipy.sparse as sp

from ... import _reading
from .data import Data
from .label_rule import as_strings, simplest_labels, told_apart
from .label_sets import COMMA, sets_of_words
from .parse_errors import parse_error_message, without_byte_order_mark

_FIRST_INDEX = {
    "auto": _reading.FirstIndex.unknown,
    True: _reading.FirstIndex.zero,
    False: _reading.FirstIndex.one,
}
_START = 1 << 10  # bytes, to see whether there are pairs at all
# What the core expects at the beginning of a row that has more labels than one, or none
# where others have some.
_ONE_LABEL = ("one label", "index:value", "a label, as in the first row")
_PARSE = {
    np.dtype(np.float32): _reading.parse_svmlight_float32,
    np.dtype(np.float64): _reading.parse_svmlight_float64,
}


def read_svmlight(
    text: memoryview,
    name: str,
    *,
    label=None,
    n_features: int | None = None,
    dtype=None,
    zero_based: bool | str = "auto",
    threads: int = 1,
    written: bool = False,
    several_labels: bool | str = False,
    label_names: np.ndarray | None = None,
    lines_before: int | None = None,
) -> Data | None:
    """Read svmlight text.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    label, n_features, dtype, zero_based
        As in `load_data`.
    threads : int
    written : bool
        Whether labels stay as they are written.
    several_labels : bool or "auto"
        Whether rows may have any number of labels. "auto": if some row has several.
    label_names : ndarray or None
        Those of a model, with several labels a row.
    lines_before : int or None
        Of a text of which this is a part; a part may have no rows.

    Returns
    -------
    data : Data or None
        None if a part has no rows.
    """
    if label is not None and label is not False:
        raise ValueError(
            f"label={label!r}, but {name} is svmlight text, whose labels come first in "
            f"every line; leave it out, or give False to ignore them."
        )
    text = without_byte_order_mark(text, name)
    parse = _PARSE[np.dtype(dtype or np.float64)]
    several = several_labels is True
    parsed = parse(text, _FIRST_INDEX[zero_based], threads, several)
    if several_labels == "auto" and parsed.get("expected") in _ONE_LABEL:
        again = parse(text, _FIRST_INDEX[zero_based], threads, True)
        if parsed["expected"] == _ONE_LABEL[0] or _some_have_several(text, again):
            several, parsed = True, again
    if "expected" in parsed:
        parsed["line"] += lines_before or 0
        message = parse_error_message(name, parsed)
        if parsed["line"] == 1 and b":" not in bytes(text[:_START]):
            remedy = "put a comma, tab, semicolon or bar between columns"
            message = f"{message[:-1]}; if it is a table, {remedy}."
        raise ValueError(message)
    n_rows, found = len(parsed["indptr"]) - 1, parsed["n_features"]
    if n_rows == 0 and lines_before is not None:
        return None
    if n_rows == 0:
        raise ValueError(f"{name} has no rows; give data that has some.")
    if n_features is not None and n_features < found:
        raise ValueError(
            f"n_features={n_features}, but {name} has features up to number {found}; "
            f"give at least that, or None."
        )
    arrays = parsed["data"], parsed["indices"], parsed["indptr"]
    X = sp.csr_matrix(arrays, shape=(n_rows, n_features or max(found, 1)), copy=False)
    X.has_canonical_format = True  # indices ascend in every row
    zero_based = parsed["first_index"] == 0
    if several and label is not False:
        words = as_strings(_reading.tokens(text, parsed["label_offsets"]))
        y, label_names = sets_of_words(words, name, label_names)
        return Data(X, y, zero_based=zero_based, label_names=label_names)
    y = None if label is False else _labels(text, parsed, written)
    return Data(X, y, zero_based=zero_based)


def _some_have_several(text: memoryview, parsed: dict) -> bool:
    """Whether a comma is among the labels of a text, if it is right."""
    if "expected" in parsed:
        return False
    words = as_strings(_reading.tokens(text, parsed["label_offsets"])).tolist()
    return any(COMMA in word and ":" not in word for word in words)


def _labels(text: memoryview, parsed: dict, written: bool) -> np.ndarray | None:
    numbers = parsed["labels"]
    if numbers is None:
        return None
    if not written and parsed["labels_are_numbers"] and told_apart(numbers):
        return simplest_labels(numbers)  # the same as of the words, and sooner
    words = as_strings(_reading.tokens(text, parsed["label_offsets"]))
    return words if written else simplest_labels(words)
