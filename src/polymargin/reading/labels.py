"""Labels as integers if they are whole, as floats if they are numbers, else strings."""

import numpy as np

EXACT = 2.0**53  # whole numbers up to here are exact in float64


def check_labels(y: np.ndarray, name: str) -> None:
    """Raise ValueError if these cannot be labels."""
    if y.dtype.kind not in "biufSUOT":
        raise ValueError(
            f"{name} has labels of type {y.dtype}; they must be numbers or text."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(
            f"{name} has labels that are missing or not finite; leave out their rows."
        )


def tidy_labels(y: np.ndarray) -> np.ndarray:
    """Give labels the simplest type that holds them all.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Numbers, truth values, or text.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        int64, float64 or strings; uint64 if it must be.
    """
    if y.dtype.kind in "OSUT":
        return _from_text(y.astype(str))
    if y.dtype.kind in "biu":
        fits = y.dtype != np.uint64 or np.all(y <= np.iinfo(np.int64).max)
        return y.astype(np.int64) if fits else y
    y = y.astype(np.float64)
    if np.all((np.abs(y) <= EXACT) & (y == np.rint(y))):
        return y.astype(np.int64)
    return y


def _from_text(y: np.ndarray) -> np.ndarray:
    """Numbers if every word is one: the words that occur are few."""
    words, codes = np.unique(y, return_inverse=True)
    try:
        numbers = words.astype(np.float64)
    except ValueError:
        return y
    return tidy_labels(numbers)[codes] if np.isfinite(numbers).all() else y


def as_strings(words: np.ndarray) -> np.ndarray:
    """Turn rows of bytes in UTF-8, filled up with zeros, into strings."""
    return np.strings.decode(words.view(f"S{words.shape[1]}")[:, 0], "utf-8")
