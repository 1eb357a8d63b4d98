"""What the estimators with kernels share: their input, and predictions."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ..access.csr import check_compressed
from ..access.kernel_registry import KERNELS, MOST_DEGREE
from ..access.precomputed import check_precomputed
from ..base.annotations import Array, Labels, Rows
from ..base.threads import thread_count


class KernelPrediction(ClassifierMixin):
    """Predicts with the scores of `_expansion`."""

    _kernel_constraints: dict[str, Any] = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [
            StrOptions({"scale", "auto"}),
            Interval(Real, 0, None, closed="left"),
        ],
        "degree": [Interval(Integral, 0, MOST_DEGREE, closed="both")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _validate(
        self, X: Rows, y: Labels, reset: bool = True, multi_output: bool = False
    ) -> Any:
        X, y = super()._validate(X, y, reset, multi_output)
        if self.kernel == "precomputed":
            check_precomputed(X)
        return X, y

    def _confidence(self, scores: np.ndarray) -> np.ndarray:
        """Turn the scores of more than two classes into confidences."""
        return scores

    def decision_function(self, X: Rows) -> Array:
        """Return the confidence in every class; `predict` takes the largest.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The kernel of new rows with those of the training, if it is precomputed.

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the confidence in the second.
        """
        check_is_fitted(self)
        X = check_compressed(X)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            reset=False,
        )
        threads = thread_count(self.n_jobs)
        if len(self.classes_) > 2:
            return self._expansion.scores(X, threads, self._confidence)
        scores = self._expansion.scores(X, threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Rows) -> Array:
        """Return the class with the highest confidence.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The kernel of new rows with those of the training, if it is precomputed.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]
