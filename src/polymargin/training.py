"""What the linear estimators share: from data to a driver, and from a finished run to
fitted attributes.
"""

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import (
    _check_partial_fit_first_call,
    check_classification_targets,
)
from sklearn.utils.validation import _check_sample_weight, validate_data

from .driver import Run, Stopping, run_epochs
from .machine import Machine
from .problem import Problem, state_problem
from .progress import EpochReporter, warn_unless_converged
from .solver import SOLVERS, choose_solver, dual_driver

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


class LinearTraining(
    CallbackSupportMixin, LinearClassifierMixin, SparseCoefMixin, BaseEstimator
):
    """Base of the estimators with the parameters of `LinearSVM`."""

    # What LinearSVM and MaxEnt have in common.
    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "violation_tol": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "features": [StrOptions({"full", "reduced"})],
        "order": [StrOptions({"acf", "permuted", "max_violation"})],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "history": ["boolean"],
    }

    def _machine(self) -> Machine:
        """The machine that the parameters name."""
        raise NotImplementedError

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the machine.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 and float64 are read in place and decide the number format of the
            training.

        y : array-like of shape (n_samples,)
            Labels of at least two classes.

        sample_weight : array-like of shape (n_samples,) or None, default=None
            Multiplies C for each row; an integer weight equals repetition.

        Returns
        -------
        self : estimator

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; the model trained so far is in the estimator.
        """
        machine = self._machine()
        X, y = self._validate(X, y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes in y, got one class "
                f"only: {self.classes_.tolist()[0]!r}."
            )
        problem = self._problem(machine, X, labels, sample_weight)
        self.solver_ = choose_solver(self.solver, problem, X, self.features)
        driver = SOLVERS[self.solver_].driver(self, X, problem)
        if self.warm_start:
            self._start_from_previous(driver, problem)

        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)
        run = run_epochs(
            driver,
            Stopping(self.tol, self.violation_tol, self.max_iter, self.max_time),
            history=self.history,
            reporter=EpochReporter(
                self, context, data, lambda: self._model(driver.weights())
            ),
        )
        self._keep(run, driver, problem)
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                "coef_": self.coef_,
                "intercept_": self.intercept_,
            },
            **data,
        )
        if run.status == "interrupted":
            raise KeyboardInterrupt
        warn_unless_converged(self)
        return self

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
        _check_partial_fit_first_call(self, classes)
        first = not hasattr(self, "coef_")  # also after a first call that failed
        if first and len(self.classes_) < 2:
            raise ValueError(
                f"classes must name at least two classes, got {list(self.classes_)!r}."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once; give partial_fit a "
                "dict of weights, e.g. computed on a sample."
            )
        X, y = self._validate(X, y, reset=first)
        labels = np.searchsorted(self.classes_, y)
        known = np.isin(y, self.classes_)
        if not known.all():
            raise ValueError(
                f"y contains the label {np.asarray(y)[~known][0]!r}, which is not in "
                f"the classes given at the first call of partial_fit."
            )
        problem = self._problem(machine, X, labels, sample_weight)
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
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        return state_problem(
            machine, labels, self.classes_, self.C, weights, self.class_weight
        )

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
