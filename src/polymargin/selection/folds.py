"""The folds of a search: their rows, prepared once.

Transformers of a pipeline are fitted once a fold, on what is trained on and nothing
else.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _check_sample_weight, check_array

from ..access.csr import check_compressed
from ..access.kernel_registry import KERNELS
from ..access.kernels import make_kernel
from ..access.precomputed import check_precomputed
from ..base.threads import for_each
from .pipelines import fit_transformers, take_apart


@dataclass(frozen=True)
class Fold:
    """What a machine is trained with, and measured on.

    Attributes
    ----------
    X, X_test : array-like
        Rows, of which `train` and `test` are chosen.
    train, test : ndarray of int or None
        None: all of them.
    y, y_test : ndarray
    weights : ndarray
    pairwise : bool
        Whether rows are kernels with all others, of which those of `train` are chosen.
    before : list or None
        Fitted transformers that rows to be measured on have not been through.
    """

    X: Any
    train: np.ndarray | None
    X_test: Any
    test: np.ndarray | None
    y: np.ndarray
    y_test: np.ndarray
    weights: np.ndarray
    pairwise: bool = False
    before: list | None = None

    def rows(self) -> Any:
        """Return the rows to train on."""
        return self._chosen(self.X, self.train)

    def rows_held_out(self) -> Any:
        """Return the rows to be measured on."""
        return self._chosen(self.X_test, self.test)

    def _chosen(self, X: Any, chosen: np.ndarray | None) -> Any:
        if chosen is None:
            return X
        rows = _safe_indexing(X, chosen)
        return rows[:, self.train] if self.pairwise else rows


class Folds:
    """All folds of a search.

    Parameters
    ----------
    estimator : estimator
        A machine, or a pipeline that ends with one.
    X, y, sample_weight : array-like
        As in `fit`.
    cv : int, splitter or iterable
    scoring : str, callable or None
    threads : int
    """

    def __init__(self, estimator, X, y, sample_weight, cv, scoring, threads: int):
        before, machine, self.prefix = take_apart(estimator)
        if "C" not in machine.get_params():
            raise ValueError(
                f"estimator={machine!r} has no parameter C to tune; give LinearSVM, "
                f"KernelSVM or MaxEnt, or a Pipeline that ends with one of them."
            )
        self.estimator, self.machine, self.threads = estimator, machine, threads
        self.scorer = check_scoring(estimator, scoring)
        # Other scorers may look at the rows, or at the parameters of the model.
        self.asks_predictions = scoring is None or hasattr(self.scorer, "_score_func")
        self.by_accuracy = scoring in (None, "accuracy") and np.ndim(y) == 1
        self.pairwise = getattr(machine, "kernel", None) == "precomputed"
        X = check_compressed(X)
        if self.pairwise or not any(before):
            X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            if self.pairwise:
                check_precomputed(X)
        X, y = indexable(X, sp.csr_array(y) if sp.issparse(y) else np.asarray(y))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        classes = np.unique(y[weights > 0]) if y.ndim == 1 else ()
        if y.ndim == 1 and len(classes) < 2:
            raise ValueError(
                f"A search needs rows of at least two classes that sample_weight does "
                f"not leave out, got one class only: {classes.tolist()}; give others."
            )
        folds = [
            Fold(X, train, X, test, y[train], y[test], weights[train], self.pairwise)
            for train, test in check_cv(cv, y, classifier=True).split(X, y)
        ]
        if any(before):
            raw = not self.asks_predictions
            folds = for_each(_transform, [(f, before, raw) for f in folds], threads)
        self.folds = folds

    def __len__(self) -> int:
        return len(self.folds)

    def __iter__(self):
        return iter(self.folds)

    def arrays(self) -> list:
        """Return what the workers of a cluster need for every fit."""
        found = [(f.X, f.X_test, f.y, f.y_test, f.weights) for f in self.folds]
        return list({id(array): array for each in found for array in each}.values())

    def has_gamma(self) -> bool:
        """Whether the machine has a kernel with gamma."""
        kernel = getattr(self.machine, "kernel", None)
        row = KERNELS.get(kernel) if isinstance(kernel, str) else None
        return row is not None and "gamma" in row.parameters

    def gamma(self) -> float:
        """Return the machine's gamma as a number, for the rows of the first fold."""
        X = check_array(
            self.folds[0].rows(), accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        return make_kernel("rbf", self.machine.gamma, 3, 0.0, X).gamma_

    def machines(self, gamma: float | None) -> list:
        """Return one machine for each fold, to be trained along C."""
        machine = clone(self.machine)
        wanted = {"warm_start": True, "n_jobs": 1}
        if gamma is not None:
            wanted["gamma"] = gamma
        known = machine.get_params()
        machine.set_params(**{name: wanted[name] for name in wanted if name in known})
        return [clone(machine) for _ in self.folds]


def _transform(fold: Fold, before: list, raw: bool) -> Fold:
    """Return a fold with rows that have been through transformers.

    Those to be measured on stay as they came if they are to be `raw`.
    """
    X, X_test = fold.rows(), fold.rows_held_out()
    before, X, transformed = fit_transformers(before, X, fold.y, X_test)
    X, transformed = (
        check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        for rows in (X, transformed)
    )
    done = replace(fold, X=X, train=None, X_test=transformed, test=None, pairwise=False)
    return replace(done, X_test=X_test, before=before) if raw else done
