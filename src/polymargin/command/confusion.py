"""How often which label was taken for which: accuracy, precision, recall."""

from dataclasses import dataclass

import numpy as np

from .labels import label_texts, positions

_WIDEST = 20  # classes of a table that is shown in full


@dataclass(frozen=True)
class Confusion:
    """How often each label was predicted for each other one.

    Attributes
    ----------
    names : list of str
        Those of the model, then others that the data has.
    counts : ndarray of shape (n_labels, n_labels)
        By true label, then by predicted label.
    """

    names: list[str]
    counts: np.ndarray

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.counts) / self.counts.sum())

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the labels that occur."""
        return float(np.nanmean(self.recall))

    @property
    def recall(self) -> np.ndarray:
        return _shares(self.counts, axis=1)

    @property
    def precision(self) -> np.ndarray:
        return _shares(self.counts, axis=0)

    def as_dict(self) -> dict:
        """Return everything, for JSON."""
        by_label = zip(
            self.names,
            self.precision.tolist(),
            self.recall.tolist(),
            self.counts.sum(axis=1).tolist(),
            strict=True,
        )
        return {
            "rows": int(self.counts.sum()),
            "accuracy": self.accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "classes": [
                {"label": name, "precision": p, "recall": r, "rows": n}
                for name, p, r, n in by_label
            ],
            "confusion": self.counts,
        }

    def __str__(self) -> str:
        rows = int(self.counts.sum())
        right = int(np.trace(self.counts))
        head = [
            f"accuracy           {100 * self.accuracy:.2f} % ({right}/{rows})",
            f"balanced accuracy  {100 * self.balanced_accuracy:.2f} %",
        ]
        shown = self._table() if len(self.names) <= _WIDEST else self._most_frequent()
        return "\n".join([*head, "", *self._by_label(), "", *shown])

    def _by_label(self) -> list[str]:
        width = max(map(len, [*self.names, "label"]))
        lines = [f"{'label':<{width}}  precision   recall     rows"]
        totals = self.counts.sum(axis=1)
        for name, p, r, n in zip(
            self.names, self.precision, self.recall, totals, strict=True
        ):
            lines.append(f"{name:<{width}}  {_percent(p)}  {_percent(r)}  {n:7d}")
        return lines

    def _table(self) -> list[str]:
        width = max(map(len, [*self.names, str(self.counts.max())]))
        lines = ["rows: true label, columns: predicted label", ""]
        lines.append(" ".join(f"{name:>{width}}" for name in ["", *self.names]))
        for name, row in zip(self.names, self.counts.tolist(), strict=True):
            cells = [name, *(str(count) if count else "." for count in row)]
            lines.append(" ".join(f"{cell:>{width}}" for cell in cells))
        return lines

    def _most_frequent(self, most: int = 10) -> list[str]:
        wrong = self.counts - np.diag(np.diag(self.counts))
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        lines = ["most frequent confusions"]
        for true, predicted in zip(*np.unravel_index(order, wrong.shape), strict=True):
            if wrong[true, predicted]:
                names = f"{self.names[true]} taken for {self.names[predicted]}"
                lines.append(f"{wrong[true, predicted]:7d}  {names}")
        return lines


def confusion_of(predicted, labels, classes) -> Confusion:
    """Count.

    Parameters
    ----------
    predicted, labels : ndarray of shape (n_samples,)
    classes : ndarray
        Those of the model.

    Returns
    -------
    confusion : Confusion
    """
    names = label_texts(classes)
    first, second = positions(labels, names), positions(predicted, names)
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (first, second), 1)
    return Confusion(names, counts)


def _shares(counts: np.ndarray, axis: int) -> np.ndarray:
    """Of the diagonal; NaN where there is nothing."""
    totals = counts.sum(axis=axis).astype(float)
    totals[totals == 0] = np.nan
    return np.diag(counts) / totals


def _percent(share: float) -> str:
    return "       -" if np.isnan(share) else f"{100 * share:6.2f} %"
