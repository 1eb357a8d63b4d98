"""Labels of a stream of rows: codes as they come, classes in order at the end."""

import numpy as np

from ..data.label_rule import simplest_labels

_KINDS = {"b": "truth values", "i": "numbers", "u": "numbers", "f": "numbers"}


class LabelCodes:
    """Gives every label a number when it first comes.

    Parameters
    ----------
    from_file : bool
        Whether labels are as they are written in a file that is read in parts: the rule
        for labels of files is applied when all are known.
    """

    def __init__(self, from_file: bool):
        self.from_file = from_file
        self._codes: dict = {}
        self._kinds: set[str] = set()
        self._rows = np.zeros(0, dtype=np.int64)
        self._weights = np.zeros(0)

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the codes of labels, and count them."""
        self._kinds.add(_KINDS.get(y.dtype.kind, "words"))
        if len(self._kinds) > 1:
            raise ValueError(
                f"labels are {' in some chunks and '.join(sorted(self._kinds))} in "
                f"others; give all of the same type."
            )
        labels, inverse = np.unique(y, return_inverse=True)
        codes = np.array(
            [
                self._codes.setdefault(label, len(self._codes))
                for label in labels.tolist()
            ],
            dtype=np.int32,
        )[inverse]
        count = len(self._codes)
        self._rows = _grown(self._rows, count) + np.bincount(codes, minlength=count)
        self._weights = _grown(self._weights, count) + np.bincount(
            codes, weights, minlength=count
        )
        return codes

    def classes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Classes in order, their rows and weights, and the place of every code."""
        labels = list(self._codes)
        if "words" in self._kinds:
            labels = [str(label) for label in labels]
        labels = np.array(labels)
        if self.from_file:
            labels = simplest_labels(labels)
        classes, places = np.unique(labels, return_inverse=True)
        if classes.dtype.kind in "iu" and classes.dtype != np.uint64:
            classes = classes.astype(np.int64)
        rows = np.bincount(places, self._rows, len(classes)).astype(np.int64)
        weights = np.bincount(places, self._weights, len(classes))
        return classes, rows, weights, places.astype(np.int32)


def _grown(counts: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([counts, np.zeros(size - len(counts), counts.dtype)])
