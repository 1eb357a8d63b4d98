"""Labels as words of a text, and which of them a format cannot hold."""

import csv
import io
import re
from collections.abc import Callable, Sequence

import numpy as np

_LONGEST = 255  # bytes of a label, as when reading
_NO_TOKEN = re.compile(r"[\s:,#\0]|^$|^[+-]?(nan|inf|infinity)$", re.IGNORECASE)
_NO_FIELD = re.compile(r"[\r\n\0]|^\s*$|^[+-]?(nan|inf|infinity)$", re.IGNORECASE)


def token_words(y: np.ndarray | None, n_rows: int) -> np.ndarray:
    """Labels for svmlight text.

    Returns
    -------
    words : ndarray of shape (n_rows, width)
        Bytes, filled up with zeros; no columns if there are no labels.
    """
    return _words(y, n_rows, "svmlight text", _NO_TOKEN, str)


def table_words(y: np.ndarray | None, n_rows: int, delimiter: str) -> np.ndarray:
    """Labels for a table, in quotes where they need them; see `token_words`."""

    def quote(word: str) -> str:
        special = delimiter in word or '"' in word or word != word.strip()
        return f'"{word.replace(chr(34), 2 * chr(34))}"' if special else word

    return _words(y, n_rows, "a table", _NO_FIELD, quote)


def table_header(names: Sequence[str], labelled: bool, delimiter: str) -> bytes:
    """The first line of a table."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow([*names, "label"] if labelled else names)
    if text.getvalue().count("\n") > 1:
        raise ValueError("feature_names has a name of several lines; rename it.")
    return text.getvalue().encode()


def _words(
    y: np.ndarray | None,
    n_rows: int,
    what: str,
    refused: re.Pattern,
    written: Callable[[str], str],
) -> np.ndarray:
    if y is None:
        return np.zeros((n_rows, 0), dtype=np.uint8)
    labels, codes = np.unique(y, return_inverse=True)
    words = []
    for label in labels.tolist():
        word = repr(label) if isinstance(label, float) else str(label)
        _check(word, what, refused, written)
        words.append(written(word))
    return bytes_of_words(words)[codes]


def check_token(word: str, what: str) -> None:
    """Raise ValueError if svmlight text cannot hold a label."""
    _check(word, what, _NO_TOKEN, str)


def _check(word: str, what: str, refused: re.Pattern, written: Callable) -> None:
    if refused.search(word) or len(written(word).encode()) > _LONGEST:
        raise ValueError(
            f"y has the label {word!r}, which {what} cannot hold; rename it, or "
            f"save as npz."
        )


def bytes_of_words(words: Sequence[str]) -> np.ndarray:
    """Return words as rows of bytes, filled up with zeros."""
    encoded = [word.encode() for word in words]
    width = max(map(len, encoded), default=1) or 1
    return np.array(encoded, dtype=f"S{width}").view(np.uint8).reshape(-1, width)
