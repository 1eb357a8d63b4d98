"""How a model does on data: accuracy, precision, recall, and what is confused."""

from dataclasses import dataclass

import numpy as np

from .calibration import Calibration
from .set_evaluation import set_evaluation
from .text_table import table

_NORMAL = 1.959963984540054  # deviations that have 95 % of a normal distribution
_HEADS = (8, 4, 2)  # characters of a label above a column, where there is no room


@dataclass(frozen=True)
class Evaluation:
    """What predictions are worth.

    Attributes
    ----------
    labels : list
        Those of the model, and those that only the data have.
    confusion : ndarray of shape (n_labels, n_labels)
        How many rows of a label (down) were taken for another (across).
    top : int
        How many confusions are told.
    calibration : Calibration or None
        What probabilities are worth, if there are any.
    """

    labels: list
    confusion: np.ndarray
    top: int = 10
    calibration: Calibration | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there were."""
        return int(self.confusion.sum())

    @property
    def accuracy(self) -> float:
        """Share of rows that were predicted right."""
        return float(np.trace(self.confusion) / self.n_rows)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the accuracy is with 95 % confidence, by Wilson's formula."""
        share, n, z = self.accuracy, self.n_rows, _NORMAL
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
        half = float(z * half / (1 + z * z / n))
        return middle - half, middle + half

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the labels that the data has."""
        recalls = [recall for recall in self.recall if recall is not None]
        return sum(recalls) / len(recalls)

    @property
    def baseline(self) -> float:
        """What predicting the most frequent label of the data would reach."""
        return float(self.confusion.sum(axis=1).max() / self.n_rows)

    @property
    def precision(self) -> list[float | None]:
        """Of what was predicted as a label, the share that is; None if nothing was."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))

    @property
    def recall(self) -> list[float | None]:
        """Of what is of a label, the share that was predicted so; None if none is."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def confusions(self) -> list[tuple]:
        """The most frequent mistakes: true label, predicted label, how often."""
        wrong = self.confusion - np.diag(self.confusion.diagonal())
        order = np.argsort(-wrong, axis=None, kind="stable")[: self.top]
        pairs = zip(*np.unravel_index(order, wrong.shape), strict=True)
        return [
            (self.labels[true], self.labels[taken], int(wrong[true, taken]))
            for true, taken in pairs
            if wrong[true, taken]
        ]

    def to_dict(self) -> dict:
        """Return all of it as JSON can hold it."""
        return {
            "n_rows": self.n_rows,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "balanced_accuracy": self.balanced_accuracy,
            "baseline": self.baseline,
            "labels": self.labels,
            "precision": self.precision,
            "recall": self.recall,
            "confusion": self.confusion.tolist(),
            "confusions": [list(confusion) for confusion in self.confusions],
            "calibration": self.calibration and self.calibration.to_dict(),
        }

    def lines(self, most: int, width: int = 100) -> list[str]:
        """Return it as text, with tables of at most so many labels and characters."""
        right = int(np.trace(self.confusion))
        low, high = self.interval
        lines = [
            f"accuracy {self.accuracy:.2%} ({right:,} of {self.n_rows:,} rows), with "
            f"95 % confidence {low:.1%} to {high:.1%}",
            f"balanced accuracy {self.balanced_accuracy:.2%}",
            f"baseline {self.baseline:.2%}, by the most frequent label for every row",
        ]
        shown = range(min(most, len(self.labels)))
        counts = self.confusion.sum(axis=1)
        lines += ["", "label, rows, precision and recall"]
        lines += table(
            [
                (
                    str(self.labels[m]),
                    f"{counts[m]:,}",
                    _percent(self.precision[m]),
                    _percent(self.recall[m]),
                )
                for m in shown
            ],
            len(self.labels) - len(shown),
        )
        matrix = self._matrix_lines(most, width)
        if matrix:
            lines += ["", "true label down, predicted label across", *matrix]
        elif self.confusions:
            lines += ["", "most frequent mistakes"]
            lines += table(
                [
                    (str(true), f"taken for {taken}", f"{count:,}")
                    for true, taken, count in self.confusions
                ]
            )
        if self.calibration is not None:
            lines += ["", *self.calibration.lines()]
        return lines

    def _matrix_lines(self, most: int, width: int) -> list[str]:
        """Return the table of confusions, its head cut to fit; nothing if it cannot."""
        if len(self.labels) > most:
            return []
        rows = [
            (str(label), *(f"{count:,}" if count else "." for count in row))
            for label, row in zip(self.labels, self.confusion.tolist(), strict=True)
        ]
        for longest in (width, *_HEADS):
            head = "", *(str(label)[:longest] for label in self.labels)
            lines = table([head, *rows])
            if max(map(len, lines)) <= width:
                return lines
        return []


def evaluate(model, X, y, top: int = 10, label_names=None):
    """Return what the predictions of a model are worth.

    Parameters
    ----------
    model : estimator
    X : array-like or CSR matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or indicator matrix
        May have labels that the model does not know: their rows are all wrong.
    top : int
    label_names : ndarray or None
        What the columns of an indicator matrix stand for, first those of the model.

    Returns
    -------
    evaluation : Evaluation or SetEvaluation
    """
    if label_names is not None:
        return set_evaluation(model.predict(X), y, label_names)
    predicted, confidence = predict_with_confidence(model, X)
    return evaluation_of(predicted, y, model.classes_, top, confidence)


def predict_with_confidence(model, X) -> tuple[np.ndarray, np.ndarray | None]:
    """Return labels, and their probabilities if the model has any."""
    predicted = model.predict(X)
    if not hasattr(model, "predict_proba") or predicted.ndim == 2:
        return predicted, None
    probabilities = model.predict_proba(X)
    at = np.searchsorted(model.classes_, predicted)
    return predicted, probabilities[np.arange(len(at)), at]


def evaluation_of(predicted, y, classes, top: int = 10, confidence=None) -> Evaluation:
    """Return what predictions are worth.

    Parameters
    ----------
    predicted, y : ndarray of shape (n_samples,)
    classes : ndarray
        Those of the model.
    top : int
    confidence : ndarray of shape (n_samples,) or None
        Probabilities of what was predicted, if there are any.

    Returns
    -------
    evaluation : Evaluation
    """
    y = np.asarray(y)
    if y.shape != predicted.shape or len(y) == 0:
        raise ValueError(
            f"y has the shape {y.shape} and X has {len(predicted)} rows; give a label "
            f"for every row, and one row at least."
        )
    known, given = classes.tolist(), set(y.tolist())
    if _kinds(known).isdisjoint(_kinds(given)):
        raise ValueError(
            f"y has labels such as {y.tolist()[0]!r} and the model {known[0]!r}; give "
            f"text for text and numbers for numbers."
        )
    unknown = sorted(given - set(known), key=lambda one: (isinstance(one, str), one))
    labels = known + unknown
    positions = {label: position for position, label in enumerate(labels)}
    at = [[positions[label] for label in side.tolist()] for side in (y, predicted)]
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(confusion, tuple(at), 1)
    calibration = None
    if confidence is not None:
        calibration = Calibration(np.asarray(confidence), predicted == y)
    return Evaluation(labels, confusion, top, calibration)


def _kinds(labels) -> set[str]:
    return {"text" if isinstance(label, str) else "numbers" for label in labels}


def _shares(parts, wholes) -> list[float | None]:
    return [
        part / whole if whole else None
        for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True)
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
