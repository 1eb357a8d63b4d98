"""What the estimators share that train to a certificate: from data to a driver, and
from a finished run to fitted attributes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.callback import with_callbacks
from sklearn.utils._param_validation import Interval, StrOptions

from .classifier import MarginClassifier
from .driver import Run, Stopping, run_epochs
from .machine import Machine
from .problem import Problem
from .progress import EpochReporter, warn_unless_converged


class Training(MarginClassifier):
    """Base of these estimators: `fit`, and what it needs of those who have it."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "violation_tol": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "history": ["boolean"],
    }

    # What predictions need.
    _model_attributes: tuple[str, ...]

    def _machine(self) -> Machine:
        """The machine that the parameters name."""
        raise NotImplementedError

    def _state(self, machine: Machine, X, y, sample_weight):
        """Return X and y, checked, and the problem they state."""
        X, y = self._validate(X, y)
        labels = self._find_classes(y)
        return X, y, self._problem(machine, X, labels, sample_weight)

    def _prepare(self, X, problem: Problem) -> tuple[object, Callable]:
        """Return a driver and ``model(last)``, the attributes of a usable model.

        After the `last` call the driver is of no use.
        """
        raise NotImplementedError

    def _keep_coefficients(self, coefficients: sp.csr_array) -> None:
        """Set the attributes that show the coefficients of the rows."""
        raise NotImplementedError

    def _kept_coefficients(self) -> sp.csr_array:
        """Return the coefficients of the rows of the last fit."""
        raise NotImplementedError

    def _surroundings(self) -> AbstractContextManager:
        """Return the context in which to train."""
        return nullcontext()

    def _calibrate(self, X, y, sample_weight) -> None:
        """Do what is left to do with a model that has been trained."""

    def _violation_tol(self) -> float | None:
        return self.violation_tol

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Train the machine.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 and float64 are read in place and decide the number format of the
            training. Linear machines also take a `RowStore`, whose rows stay on disk.

        y : array-like of shape (n_samples,)
            Labels of at least two classes; None with a row store, which has them.

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
        X, y, problem = self._state(machine, X, y, sample_weight)
        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)
        with self._surroundings():
            driver, model = self._prepare(X, problem)
            if self.warm_start:
                self._start_from_previous(driver, problem)
            try:
                run = run_epochs(
                    driver,
                    Stopping(
                        self.tol, self._violation_tol(), self.max_iter, self.max_time
                    ),
                    history=self.history,
                    reporter=EpochReporter(
                        self, context, data, lambda: model(last=False)
                    ),
                )
                self._keep(run, driver, problem)
                self.__dict__.update(model(last=True))
            finally:
                getattr(driver, "close", nullcontext)()
        if run.status != "interrupted":
            self._calibrate(X, y, sample_weight)
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                name: getattr(self, name) for name in self._model_attributes
            },
            **data,
        )
        if run.status == "interrupted":
            raise KeyboardInterrupt
        warn_unless_converged(self)
        return self

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
        duals = problem.machine.duals(self._kept_coefficients(), problem.labels)
        duals = problem.machine.fit_duals(duals, last.caps, problem.caps)
        driver.set_duals(
            duals.indptr.astype(np.int64), duals.indices.astype(np.int32), duals.data
        )

    def _keep(self, run: Run, driver, problem: Problem) -> None:
        """Set the coefficients, and the attributes that say how the fit ended."""
        self._keep_coefficients(problem.coefficients(*driver.duals()))
        self._fitted = problem
        self._keep_run(run, driver)

    def _keep_run(self, run: Run, driver) -> None:
        """Set the attributes that say how the fit ended."""
        self.n_iter_ = getattr(driver, "iterations", run.epochs)
        self.objective_ = run.certificate.primal
        self.dual_objective_ = run.certificate.dual
        self.dual_gap_ = run.certificate.gap
        self.violation_ = run.certificate.violation
        self.status_ = run.status
        self.history_ = run.history and {
            name: np.asarray(values) for name, values in run.history.items()
        }
