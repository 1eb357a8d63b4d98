"""What the linear estimators share: weights, and training on the chunks of a stream."""

from numbers import Real
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from .problem import Problem
from .rowstore.estimation import by_blocks, state_stored, stored_driver, stored_score
from .rowstore.store import RowStore
from .solver import SOLVERS, choose_solver, dual_driver
from .training import Training

# What `fit` knows of the rows, and `partial_fit` cannot.
_OF_THE_ROWS = (
    "objective_",
    "dual_gap_",
    "violation_",
    "dual_coef_",
    "support_",
    "history_",
    "_fitted",
)


class NumberOfParameters(NamedTuple):
    """How many weights a model has, without intercepts, and on all features."""

    kept: int
    full: int


def _takes_chunks(estimator) -> bool:
    """Whether there is a `partial_fit`: some fits need all rows at once."""
    if estimator.solver not in ("auto", "dual"):
        raise AttributeError(
            f"partial_fit does not work with solver={estimator.solver!r}, which needs "
            f"all rows at once; choose solver='auto' or 'dual'."
        )
    if estimator.features == "reduced":
        raise AttributeError(
            "partial_fit does not work with features='reduced', which needs all rows "
            "to see which features occur with which class; choose features='full'."
        )
    return True


class LinearTraining(LinearClassifierMixin, SparseCoefMixin, Training):
    """Base of the estimators with the parameters of `LinearSVM`."""

    # What LinearSVM and MaxEnt have in common.
    _parameter_constraints: dict = {
        **Training._parameter_constraints,
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "features": [StrOptions({"full", "reduced"})],
        "order": [StrOptions({"acf", "permuted", "max_violation"})],
    }
    _model_attributes = ("coef_", "intercept_")

    def _state(self, machine, X, y, sample_weight):
        if not isinstance(X, RowStore):
            return super()._state(machine, X, y, sample_weight)
        return X, None, state_stored(self, machine, X, y, sample_weight)

    def _prepare(self, X, problem: Problem):
        if isinstance(X, RowStore):
            self.solver_ = "dual"
            driver = stored_driver(self, X, problem)
        else:
            self.solver_ = choose_solver(self.solver, problem, X, self.features)
            driver = SOLVERS[self.solver_].driver(self, X, problem)

        def model(last):
            return self._model(driver.release_weights() if last else driver.weights())

        return driver, model

    def _keep(self, run, driver, problem) -> None:
        if isinstance(problem, Problem):
            super()._keep(run, driver, problem)
        else:
            self._forget_rows()
            self._keep_run(run, driver)

    def _keep_coefficients(self, coefficients) -> None:
        self.dual_coef_ = coefficients
        self.support_ = np.flatnonzero(np.diff(coefficients.indptr))

    def _kept_coefficients(self):
        return self.dual_coef_

    def decision_function(self, X):
        """Return the confidence in every class.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the confidence in the second.
        """
        if isinstance(X, RowStore):
            return by_blocks(self, super().decision_function, X)
        return super().decision_function(X)

    def predict(self, X):
        """Return the predicted labels.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        if isinstance(X, RowStore):
            return by_blocks(self, super().predict, X)
        return super().predict(X)

    def score(self, X, y=None, sample_weight=None):
        """Return the share of rows that are predicted as they are labelled.

        Parameters
        ----------
        X : array-like, CSR matrix or RowStore of shape (n_samples, n_features)

        y : array-like of shape (n_samples,) or None
            None with a row store, which has labels, and perhaps weights.

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        accuracy : float
        """
        if isinstance(X, RowStore):
            return stored_score(self, X, y, sample_weight)
        return super().score(X, y, sample_weight)

    @available_if(_takes_chunks)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Train on one more chunk of a stream, in one pass.

        Every row of the chunk gets one exact dual step against the weights of all
        chunks before. Nothing of a chunk but its effect on the weights is kept, so
        there is no gap to certify; `dual_objective_` adds up over the chunks. After
        `fit`, it goes on from the fitted weights. Only with the dual solver and on
        full features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        y : array-like of shape (n_samples,)

        classes : array-like of shape (n_classes,) or None, default=None
            All labels that will ever come; required at the first call.

        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : estimator
        """
        machine = self._machine()
        first = not hasattr(self, "coef_")  # also after a first call that failed
        self._check_stream(classes, first)
        X, y = self._validate(X, y, reset=first)
        problem = self._problem(machine, X, self._known_labels(y), sample_weight)
        driver = dual_driver(self, X, problem, stream=True)
        if first:
            self.n_iter_ = 0
            self.dual_objective_ = 0.0
        else:
            driver.set_weights(self._weights(X.dtype))
        report = driver.epoch(float("inf"))
        interrupted = driver.interrupted
        self._forget_rows()
        self.__dict__.update(self._model(driver.release_weights()))
        self.n_iter_ += 1
        self.dual_objective_ += report["dual"]
        self.status_ = "partial"
        if interrupted:
            raise KeyboardInterrupt
        return self

    def _model(self, weights) -> dict:
        """The attributes that make the estimator usable, from W."""
        features = weights.shape[0] - self.fit_intercept
        intercept = np.zeros(weights.shape[1], dtype=weights.dtype)
        if self.fit_intercept:
            constant = weights[[-1]]
            constant = constant.toarray() if sp.issparse(constant) else constant
            intercept = constant[0] * weights.dtype.type(self.intercept_scaling)
        coef = weights[:features].T
        full = n_parameters = coef.shape[0] * coef.shape[1]
        if sp.issparse(coef):
            # Also the weights that happen to be zero are there.
            n_parameters = coef.nnz
            coef = sp.csr_matrix(coef)  # what `sparsify` makes of a dense one
        if weights.shape[1] == 2:
            coef, intercept = coef[[1]] - coef[[0]], np.diff(intercept)
        return {
            "coef_": coef,
            "intercept_": intercept,
            "n_parameters_": NumberOfParameters(n_parameters, full),
        }

    def _weights(self, dtype):
        """W from the attributes: the inverse of `_model`."""
        coef, intercept = self.coef_, self.intercept_ / self.intercept_scaling
        if sp.issparse(coef):  # after a fit on reduced features, or `sparsify`
            coef = coef.toarray()
        if len(self.classes_) == 2 and self._machine().columns_per_class:
            coef = np.vstack([-coef / 2, coef / 2])
            intercept = np.concatenate([-intercept / 2, intercept / 2])
        rows = [coef.T, intercept[None, :]] if self.fit_intercept else [coef.T]
        return np.ascontiguousarray(np.vstack(rows), dtype=dtype)

    def _forget_rows(self) -> None:
        """Drop what a fit knew of its rows: it does not hold after another chunk."""
        for name in _OF_THE_ROWS:
            self.__dict__.pop(name, None)
