"""How a model does on rows of several labels: exact sets, and F1 of the labels."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .text_table import table


@dataclass(frozen=True)
class SetEvaluation:
    """What predicted sets of labels are worth.

    Attributes
    ----------
    labels : list
        Those of the model, and those that only the data have.
    n_rows, exact : int
        Rows, and how many of them have all labels right.
    right, predicted, true : ndarray of shape (n_labels,)
        How often a label was predicted rightly, was predicted, and is there.
    """

    labels: list
    n_rows: int
    exact: int
    right: np.ndarray
    predicted: np.ndarray
    true: np.ndarray

    @property
    def accuracy(self) -> float:
        """Share of rows of which all labels are right."""
        return self.exact / self.n_rows

    @property
    def f1(self) -> np.ndarray:
        """Of every label: twice what is right, over what was predicted or is there."""
        both = self.predicted + self.true
        return np.divide(2 * self.right, both, out=np.zeros(len(both)), where=both > 0)

    @property
    def micro_f1(self) -> float:
        """F1 of all labels taken together."""
        both = int(self.predicted.sum() + self.true.sum())
        return float(2 * self.right.sum() / both) if both else 0.0

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the labels."""
        return float(self.f1.mean())

    def to_dict(self) -> dict:
        """Return all of it as JSON can hold it."""
        return {
            "n_rows": self.n_rows,
            "accuracy": self.accuracy,
            "micro_f1": self.micro_f1,
            "macro_f1": self.macro_f1,
            "labels": self.labels,
            "f1": self.f1.tolist(),
            "true": self.true.tolist(),
            "predicted": self.predicted.tolist(),
            "right": self.right.tolist(),
        }

    def lines(self, most: int, width: int = 100) -> list[str]:
        """Return it as text, with a table of at most so many labels."""
        shown = range(min(most, len(self.labels)))
        f1 = self.f1
        return [
            f"all labels right {self.accuracy:.2%} ({self.exact:,} of {self.n_rows:,} "
            f"rows)",
            f"micro F1 {self.micro_f1:.2%}, macro F1 {self.macro_f1:.2%}",
            "",
            "label, rows, predicted and F1",
            *table(
                [
                    (
                        str(self.labels[m]),
                        f"{self.true[m]:,}",
                        f"{self.predicted[m]:,}",
                        f"{f1[m]:.1%}",
                    )
                    for m in shown
                ],
                len(self.labels) - len(shown),
            ),
        ]


def set_evaluation(predicted, y, labels) -> SetEvaluation:
    """Return what predicted sets are worth.

    Parameters
    ----------
    predicted, y : indicator matrices, dense or sparse
        The labels of the model are the first columns of both; `y` may have more.
    labels : array-like
        What the columns of `y` stand for.
    """
    predicted, y = (sp.csr_array(each).astype(np.int64) for each in (predicted, y))
    predicted.resize(y.shape)
    both = predicted.multiply(y)
    wrong = (predicted - y).tocsr()
    wrong.eliminate_zeros()
    return SetEvaluation(
        np.asarray(labels).tolist(),
        y.shape[0],
        int(np.sum(np.diff(wrong.indptr) == 0)),
        *(np.asarray(each.sum(axis=0)).ravel() for each in (both, predicted, y)),
    )
