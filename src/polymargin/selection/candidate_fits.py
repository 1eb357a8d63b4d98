"""Fits of candidates: without estimators, on kernel values that they share."""

import warnings
from math import inf
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..estimators.maxent import MaxEnt, probabilities_of_scores
from .candidates import Candidate
from .fold_kernel import ComputedKernel
from .many_rows import with_room
from .stopping import StopReporter, Watch
from .trainers import KernelTrainer, LinearTrainer, Trainer, trains_alone

_TOL = 1e-2
_KERNEL_BYTES = 4e8  # of kernel values that are kept


class CandidateFits:
    """Trains candidates on folds, and predicts what they hold out.

    Parameters
    ----------
    random_state : int or None

    Attributes
    ----------
    watch : Watch
        Ends fits that are under way.
    """

    def __init__(self, random_state: int | None):
        self.random_state = random_state
        self.seed = check_random_state(random_state).randint(2**31)
        self.watch = Watch()
        self._kernels: dict[tuple[int, float], ComputedKernel] = {}

    def predict(
        self, candidate: Candidate, fold: int, X, y, X_test, seconds: float
    ) -> tuple[bool, np.ndarray, np.ndarray | None]:
        """Train a candidate, and predict rows that were held out.

        Parameters
        ----------
        candidate : Candidate
        fold : int
            Rows of the same fold have the same kernel.
        X, y, X_test : array-like
        seconds : float
            Most of training.

        Returns
        -------
        cut_short : bool
            Whether that was too little.
        predicted : ndarray
        confidence : ndarray or None
            Probabilities of what is predicted, if the machine has any.
        """
        model = candidate.estimator(tol=_TOL, n_jobs=1, random_state=self.random_state)
        trainer = self._trainer(model, candidate.gamma, fold, X, y, X_test)
        sure = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if trainer is None:
                model.set_callbacks(self.watch)
                model.set_params(max_time=seconds if seconds < inf else None)
                model, X = with_room(model, X)
                predicted = model.fit(X, y).predict(X_test)
            else:
                trainer.train(candidate.C, seconds, StopReporter(self.watch.stop))
                scores = trainer.confidence()
                predicted = trainer.labels_of(scores)
                if isinstance(model, MaxEnt):
                    sure = probabilities_of_scores(scores).max(axis=1)
        return model.status_ in ("max_time", "callback"), predicted, sure

    def _trainer(
        self, model: Any, gamma: float | None, fold: int, X, y, X_test
    ) -> Trainer | None:
        """Return what trains a candidate; None if only its estimator can, or if there
        is no room for its kernel.
        """
        if not trains_alone(model):
            return None
        weights = np.ones(len(y))
        if gamma is None:
            return LinearTrainer(model, y, weights, self.seed, X, X_test)
        order = np.argsort(y, kind="stable")  # class after class
        kernel = self._kernel(model, gamma, fold, X[order], X_test)
        if kernel is None:
            return None
        return KernelTrainer(model, y[order], weights, self.seed, kernel)

    def _kernel(
        self, model: Any, gamma: float, fold: int, X, X_test
    ) -> ComputedKernel | None:
        """Return the kernel of a fold, which machines and values of C share."""
        known = self._kernels.get((fold, gamma))
        if known is not None:
            return known
        size = X.shape[0], X_test.shape[0], X.dtype.itemsize
        needed = ComputedKernel.bytes_for(*size)
        if needed > _KERNEL_BYTES:
            return None
        kernel = ComputedKernel(model, X, X_test, 1)
        most = int(_KERNEL_BYTES / needed)
        for oldest in list(self._kernels)[: max(len(self._kernels) + 1 - most, 0)]:
            self._kernels.pop(oldest, None)
        self._kernels[fold, gamma] = kernel
        return kernel
