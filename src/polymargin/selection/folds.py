"""The folds of a search: their rows, prepared once, and the fits on them.

Transformers of a pipeline are fitted once a fold, on what is trained on and nothing
else. Kernel values are computed once for all fits with the same kernel, if there is
room. A fit begins with the dual variables of the one before on the same fold.
"""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _check_sample_weight, check_array

from ..access.csr import check_compressed
from ..access.kernel_registry import KERNELS
from ..access.kernels import make_kernel
from ..access.precomputed import check_precomputed
from ..access.shared_kernel import SharedKernel, kernel_matrix
from ..base.threads import for_each, on_cluster
from ..estimators.kernel_svm import KernelSVM
from .path import go_on
from .pipelines import fit_transformers, put_together, take_apart


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

    X: object
    train: np.ndarray | None
    X_test: object
    test: np.ndarray | None
    y: np.ndarray
    y_test: np.ndarray
    weights: np.ndarray
    pairwise: bool = False
    before: list | None = None


@dataclass(frozen=True)
class Outcome:
    """A machine that was trained on a fold, its score, and how long both took."""

    machine: Any
    score: float
    fit_seconds: float
    score_seconds: float


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
        if scoring in (None, "accuracy") and np.ndim(y) == 1:
            self.scorer = _accuracy
        self.pairwise = getattr(machine, "kernel", None) == "precomputed"
        X = check_compressed(X)
        if not any(before):
            X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            if self.pairwise:
                check_precomputed(X)
        X, y = indexable(X, np.asarray(y))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        classes = np.unique(y[weights > 0])
        if len(classes) < 2:
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
        X = _rows(self.folds[0].X, self.folds[0].train)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
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

    def share_kernel(self, machines: list) -> list[Fold]:
        """Let machines look up their kernels, if that pays and there is room.

        Returns
        -------
        folds : list of Fold
            To train these machines with.
        """
        first, kernels = machines[0], None
        if (
            isinstance(first, KernelSVM)
            and first.approximation is None
            and self.asks_predictions
            and not on_cluster()
        ):
            kernels = self._shared_kernels(first)
        if kernels is None:
            return self.folds
        folds = []
        for machine, fold, (kernel, places) in zip(
            machines, self.folds, kernels, strict=True
        ):
            train, test = np.arange(len(fold.y)), np.arange(len(fold.y), len(places))
            if fold.train is not None:
                train, test = places[fold.train], places[fold.test]
            order = np.argsort(train)  # in runs
            machine.kernel = kernel
            folds.append(
                Fold(
                    *(kernel.numbers(train[order]), None, kernel.numbers(test), None),
                    *(fold.y[order], fold.y_test, fold.weights[order]),
                )
            )
        return folds

    def _shared_kernels(self, machine) -> list[tuple[SharedKernel, np.ndarray]] | None:
        """Return a kernel for each fold, one for all if they have the same rows, with
        the places of rows in it.
        """
        first = self.folds[0]
        if self.pairwise:
            if first.train is None:
                return None
            return [(SharedKernel(first.X), np.arange(len(first.X)))] * len(self)
        if first.train is None:
            rows = [_stack(fold.X, fold.X_test) for fold in self.folds]
        else:
            # Rows that are held out together lie together.
            fold_of = np.zeros(first.X.shape[0], dtype=int)
            for number, fold in enumerate(self.folds):
                fold_of[fold.test] = number
            order = np.argsort(fold_of, kind="stable")
            rows = [first.X[order]]
        values = sum(float(X.shape[0]) ** 2 for X in rows)
        if values * rows[0].dtype.itemsize > 1e6 * machine.cache_size:
            return None
        kernels = []
        for X in rows:
            parameters = machine.gamma, machine.degree, machine.coef0
            kernel = make_kernel(machine.kernel, *parameters, X)
            matrix = kernel_matrix(kernel, X, self.threads)
            places = np.arange(len(matrix))
            if first.train is not None:
                places[order] = np.arange(len(matrix))
            kernels.append((SharedKernel(matrix, kernel.gamma_), places))
        return kernels if first.train is None else kernels * len(self)

    def fit(self, machines: list, folds: list[Fold], C: float, left) -> list[Outcome]:
        """Train machines with another C, each in ``left()`` seconds at most."""
        own = self.machine.get_params().get("max_time")
        most = float("inf") if own is None else own
        for machine in machines:
            go_on(machine, C)
        # Arrays are arguments of their own: the workers of a cluster have them.
        every = [
            (machine, self.scorer, self.estimator, most, left, *vars(fold).values())
            for machine, fold in zip(machines, folds, strict=True)
        ]
        return for_each(fit_and_score, every, self.threads)


def fit_and_score(machine, scorer, estimator, most, left, *of_fold) -> Outcome:
    """Train on the rows of a fold, and measure on those held out."""
    fold = Fold(*of_fold)
    seconds = min(most, left())
    if np.isfinite(seconds):
        machine.max_time = max(seconds, 1e-9)
    start = perf_counter()
    columns = fold.train if fold.pairwise else None
    # What was checked once is not checked again for every C.
    again = hasattr(machine, "classes_")
    with config_context(skip_parameter_validation=again, assume_finite=again):
        machine.fit(_rows(fold.X, fold.train, columns), fold.y, fold.weights)
    fitted = perf_counter()
    model = machine
    if fold.before is not None:
        model = put_together(estimator, fold.before, machine)
    score = scorer(model, _rows(fold.X_test, fold.test, columns), fold.y_test)
    return Outcome(machine, score, fitted - start, perf_counter() - fitted)


def _accuracy(model, X, y) -> float:
    """Return the accuracy as scikit-learn's scorer does, which looks at labels longer
    than a small machine is trained.
    """
    return float(np.mean(model.predict(X) == y))


def _transform(fold: Fold, before: list, raw: bool) -> Fold:
    """Return a fold with rows that have been through transformers.

    Those to be measured on stay as they came if they are to be `raw`.
    """
    X, X_test = _rows(fold.X, fold.train), _rows(fold.X_test, fold.test)
    before, X, transformed = fit_transformers(before, X, fold.y, X_test)
    X, transformed = (
        check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        for rows in (X, transformed)
    )
    done = replace(fold, X=X, train=None, X_test=transformed, test=None, pairwise=False)
    return replace(done, X_test=X_test, before=before) if raw else done


def _rows(X, chosen, columns=None):
    if chosen is None:
        return X
    rows = _safe_indexing(X, chosen)
    return rows if columns is None else rows[:, columns]


def _stack(first, second):
    both = first, second
    return sp.vstack(both, format="csr") if sp.issparse(first) else np.vstack(both)
