"""Probabilities of an estimator whose scores have none, by a fitted temperature."""

from collections.abc import Callable
from numbers import Integral
from operator import length_hint

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..base.annotations import Array, CrossValidation, Estimator, Labels, Rows, Weights
from ..driver.loop import Clock
from ..prediction.calibration import fit_temperature, out_of_fold_scores, probabilities


def _has_probabilities(estimator: Estimator) -> bool:
    if estimator.probability:
        return True
    raise AttributeError(
        "probability=False leaves the model without probabilities; fit it with "
        "probability=True."
    )


class CalibratedProbabilities:
    """What `probability` and `cv` are for; sets `temperature_`."""

    # Of the estimator.
    probability: bool
    cv: CrossValidation
    classes_: Array
    decision_function: Callable[[Rows], Array]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of every class; with ``probability=True`` only.

        The softmax of the confidences times `temperature_`: the most probable class is
        the one that `predict` returns.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The kernel of new rows with those of the training, if it is precomputed.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "temperature_")
        return probabilities(self.decision_function(X), self.temperature_)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of `predict_proba`, which may be minus infinity.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The kernel of new rows with those of the training, if it is precomputed.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _training_seconds(self, clock: Clock) -> float:
        """All machines, this one and those of the folds, have the same time."""
        return (
            clock.left() / (1 + self._n_folds()) if self.probability else clock.left()
        )

    def _n_folds(self) -> int:
        """The number of folds, as far as `cv` tells it without rows."""
        if isinstance(self.cv, Integral):
            return int(self.cv)
        return getattr(self.cv, "n_splits", length_hint(self.cv, 5))

    def _fit_probabilities(
        self, X: Rows, y: Labels, sample_weight: Weights, clock: Clock
    ) -> None:
        if not self.probability:
            return
        self.temperature_ = 1.0  # if a signal leaves no time for another
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        machine = clone(self).set_params(verbose=0, history=False)
        machine.__dict__.pop("_skl_callbacks", None)  # they watch one fit
        scores = out_of_fold_scores(machine, X, y, sample_weight, self.cv, clock.left)
        labels = np.searchsorted(self.classes_, y)
        self.temperature_ = fit_temperature(scores, labels, sample_weight)
