"""The rule for labels: numbers if all of a file are numbers, else words as written.

Whole numbers are int64, others float64, but two words that are different whole numbers
never become one label: those that float64 cannot tell apart stay as they are written.
The rule is one for a whole file. Whoever reads a part of it keeps the labels as they
are written, and applies the rule at the end; whoever reads rows for a model takes the
labels in the terms of the model (`labels_like`).

========================= ====================================================
1, 2, 10                  int64
01, 2, 1e1                int64: 1, 2, 10
0.5, 1, 2                 float64
01, 2, unknown            words: "01" is not "1"
9007199254740993, 1       int64, exact
9007199254740993, 0.5     float64, rounded
18446744073709551615, 1   uint64
99999999999999999999, 1   words: more digits than whole numbers have here
========================= ====================================================
"""

import re
from collections.abc import Sequence

import numpy as np

from ...base.finite import all_finite

_EXACT = 2**53  # whole numbers below are exact in float64
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"([+-]?\d+)(?:\.0*)?", re.ASCII)
_LONGEST = 255  # digits; more are no whole number, and finite they are not either
_INT64, _UINT64 = np.iinfo(np.int64), np.iinfo(np.uint64)


def check_labels(y: np.ndarray, name: str) -> None:
    """Raise ValueError if these cannot be labels."""
    if y.dtype.kind not in "biufSUOT":
        raise ValueError(
            f"{name} has labels of type {y.dtype}; they must be numbers or text."
        )
    if y.dtype.kind == "f" and not all_finite(y):
        raise ValueError(
            f"{name} has labels that are missing or not finite; leave out their rows."
        )


def as_written(y: np.ndarray, name: str) -> np.ndarray:
    """Return labels of an array as they are: numbers, or text as strings."""
    check_labels(y, name)
    if y.dtype.kind == "S":
        try:
            return np.strings.decode(y, "utf-8")
        except UnicodeDecodeError:
            raise ValueError(
                f"{name} has labels that are not in UTF-8; write them as text."
            ) from None
    return y.astype(str) if y.dtype.kind in "OT" else y


def simplest_labels(y: np.ndarray) -> np.ndarray:
    """Apply the rule to all labels of a file.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        As they are written: strings, numbers or truth values.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        int64, float64 or strings; uint64 if it must be.
    """
    if y.dtype.kind in "UT":
        words, codes = np.unique(y, return_inverse=True)
        return _labels_of_words(words.tolist())[codes]
    if y.dtype.kind in "biu":
        fits = y.dtype != np.uint64 or np.all(y <= _INT64.max)
        return y.astype(np.int64) if fits else y
    y = y.astype(np.float64)
    if np.all((np.abs(y) <= _EXACT) & (y == np.rint(y))):
        return y.astype(np.int64)
    return y


def told_apart(numbers: np.ndarray) -> bool:
    """Whether words that were read as these numbers cannot have been others."""
    return bool(np.all(np.abs(numbers) < _EXACT))


def _labels_of_words(words: Sequence[str]) -> np.ndarray:
    """Return the label that each of all words of a file stands for."""
    as_they_are = np.array(words, dtype=str)
    if not all(_NUMBER.fullmatch(word) for word in words):
        return as_they_are
    wholes = [_whole_number(word) for word in words]
    if None not in wholes:
        least, most = min(wholes, default=0), max(wholes, default=0)
        if _INT64.min <= least and most <= _INT64.max:
            return np.array(wholes, dtype=np.int64)
        if least >= 0 and most <= _UINT64.max:
            return np.array(wholes, dtype=np.uint64)
        return as_they_are
    numbers = np.array(words).astype(np.float64)
    known = [whole for whole in wholes if whole is not None]
    merged = len(set(map(float, known))) < len(set(known))
    if merged or not all_finite(numbers):
        return as_they_are
    return simplest_labels(numbers)


def _whole_number(word: str) -> int | None:
    found = _WHOLE.fullmatch(word)
    return int(found[1]) if found and len(word) <= _LONGEST else None


def labels_like(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return labels in the terms of a model, whatever the rule would make of them.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        As they are written in a file.
    classes : ndarray
        Of the model: numbers or text.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        Text if `classes` are text. Else numbers; objects if there are words that are no
        numbers, which no class is then equal to.
    """
    words = y.dtype.kind in "UT"
    if classes.dtype.kind in "UOST":
        if words:
            return y
        different, codes = np.unique(y, return_inverse=True)
        return np.array([label_text(one) for one in different.tolist()])[codes]
    if not words:
        return simplest_labels(y)
    different, codes = np.unique(y, return_inverse=True)
    found = _labels_of_words(different.tolist())
    if found.dtype.kind in "UT":
        known = {label_text(one): one for one in classes.tolist()}
        found = np.empty(len(different), dtype=object)
        for at, word in enumerate(different.tolist()):
            (number,) = _labels_of_words([word]).tolist()
            found[at] = known.get(label_text(number), number)
    return found[codes]


def label_text(label) -> str:
    """Return a label as a word; whole numbers without a point.

    Examples
    --------
    >>> label_text(3.0), label_text(0.5), label_text("rose")
    ('3', '0.5', 'rose')
    """
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def label_texts(labels: np.ndarray) -> list[str]:
    """Return many labels as words."""
    return [label_text(label) for label in labels.tolist()]


def as_strings(words: np.ndarray) -> np.ndarray:
    """Turn rows of bytes in UTF-8, filled up with zeros, into strings."""
    return np.strings.decode(words.view(f"S{words.shape[1]}")[:, 0], "utf-8")
