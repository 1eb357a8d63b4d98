"""What the estimators of the sequential dual method share: from data to a driver, and
from a finished run to fitted attributes.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from .driver import Run
from .machine import Machine, block_shape, weights_by_class

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
# What would help when a fit ends before its tolerance, by status.
_REMEDIES = {
    "max_iter": "raise max_iter (now {max_iter}), scale the features, or lower C",
    "max_time": "raise max_time (now {max_time} s)",
    "precision": "pass float64 data: float32 cannot resolve this tolerance",
}
_DOUBLE_PRECISION = "scale the features or lower C: no number format resolves more"


@dataclass(frozen=True)
class Problem:
    """What a driver is to solve, apart from the rows.

    Attributes
    ----------
    machine : Machine
    labels : ndarray of int
        Position of each row's class in its block.
    n_columns : int
        Classes of a block.
    caps : ndarray of float
        C_i of each row.
    """

    machine: Machine
    labels: np.ndarray
    n_columns: int
    caps: np.ndarray


class SequentialTraining:
    """Mixin for an estimator with the parameters of `LinearSVM`."""

    def _validate(self, X, y, reset=True):
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            reset=reset,
        )
        check_classification_targets(y)
        return X, y

    def _problem(self, machine: Machine, X, labels, sample_weight) -> Problem:
        """State the problem: C_i = C * sample_weight_i * class_weight of the label."""
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        by_class = np.ones(len(self.classes_))
        if isinstance(self.class_weight, dict):
            by_class = weights_by_class(self.class_weight, self.classes_)
        elif self.class_weight is not None:
            by_class = compute_class_weight(
                self.class_weight,
                classes=self.classes_,
                y=self.classes_[labels],
                sample_weight=weights,
            )
        caps = self.C * weights * by_class[labels]
        n_columns, labels = block_shape(machine.name, labels, len(self.classes_))
        return Problem(machine, labels, n_columns, caps)

    def _start_from_previous(self, driver, problem: Problem) -> None:
        """Hand the dual variables of the last fit to a driver, if they fit."""
        last = getattr(self, "_fitted", None)
        if (
            last is None
            or last.machine != problem.machine
            or last.n_columns != problem.n_columns
            or not np.array_equal(last.labels, problem.labels)
        ):
            return
        duals = problem.machine.duals(self.dual_coef_, problem.labels)
        duals = problem.machine.fit_duals(duals, last.caps, problem.caps)
        driver.set_duals(
            duals.indptr.astype(np.int64), duals.indices.astype(np.int32), duals.data
        )

    def _model(self, weights) -> dict:
        """The attributes that make the estimator usable, from W."""
        features = weights.shape[0] - self.fit_intercept
        intercept = np.zeros(weights.shape[1], dtype=weights.dtype)
        if self.fit_intercept:
            intercept = weights[-1] * weights.dtype.type(self.intercept_scaling)
        coef = weights[:features].T
        if weights.shape[1] == 2:
            coef, intercept = np.diff(coef, axis=0), np.diff(intercept)
        return {"coef_": coef, "intercept_": intercept}

    def _weights(self, dtype):
        """W from the attributes: the inverse of `_model`."""
        coef, intercept = self.coef_, self.intercept_ / self.intercept_scaling
        if len(self.classes_) == 2 and self.machine != "ovr":
            coef = np.vstack([-coef / 2, coef / 2])
            intercept = np.concatenate([-intercept / 2, intercept / 2])
        rows = [coef.T, intercept[None, :]] if self.fit_intercept else [coef.T]
        return np.ascontiguousarray(np.vstack(rows), dtype=dtype)

    def _keep(self, run: Run, driver, problem: Problem) -> None:
        """Set the fitted attributes."""
        indptr, classes, values = driver.duals()
        shape = (len(problem.labels), problem.n_columns)
        duals = sp.csr_array((values, classes, indptr), shape=shape)
        self.dual_coef_ = problem.machine.coefficients(duals, problem.labels)
        self.support_ = np.flatnonzero(np.diff(self.dual_coef_.indptr))
        self._fitted = problem
        self.n_iter_ = run.epochs
        self.objective_ = run.certificate.primal
        self.dual_objective_ = run.certificate.dual
        self.dual_gap_ = run.certificate.gap
        self.violation_ = run.certificate.violation
        self.status_ = run.status
        self.history_ = run.history and {
            name: np.asarray(values) for name, values in run.history.items()
        }
        self.__dict__.update(self._model(driver.release_weights()))

    def _forget_rows(self) -> None:
        """Drop what a fit knew of its rows: it does not hold after another chunk."""
        for name in _OF_THE_ROWS:
            self.__dict__.pop(name, None)

    def _warn_unless_converged(self):
        if self.status_ not in _REMEDIES:
            return
        remedy = _REMEDIES[self.status_].format(**self.get_params())
        if self.status_ == "precision" and self.coef_.dtype == np.float64:
            remedy = _DOUBLE_PRECISION
        if self.restricted in ("bisection", "fixed_point"):
            remedy = f"lower restricted_tol (now {self.restricted_tol:g}) or {remedy}"
        reached = f"a relative duality gap of {self.dual_gap_:.2g} (tol={self.tol:g})"
        if self.violation_tol is not None:
            reached = (
                f"a violation of {self.violation_:.2g} "
                f"(violation_tol={self.violation_tol:g})"
            )
        warnings.warn(
            f"LinearSVM stopped after {self.n_iter_} epochs at {reached}; to get "
            f"closer, {remedy}.",
            ConvergenceWarning,
            stacklevel=5,  # the caller of fit, outside its decorators
        )
