"""What the estimators share that train to a certificate: from data to a driver, and
from a finished run to fitted attributes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..access.csr import check_compressed
from ..base.annotations import Labels, Rows, Weights
from ..base.finite import all_finite
from ..driver.epochs import Run, run_epochs
from ..driver.loop import Clock, Stopping
from ..driver.protocol import Driver
from ..machine.problem import Problem
from ..machine.registry import Machine
from .callback_support import fit_method
from .classifier import MarginClassifier
from .reporting import EpochReporter, tell_end
from .unchanged_on_error import unchanged_on_error


@cache
def _first_of(seed: int) -> int:
    """Return what a generator of this seed draws first: to make it takes a tenth of a
    small fit.
    """
    return check_random_state(seed).randint(2**31)


class Training(MarginClassifier):
    """Base of these estimators: `fit`, and what it needs of those who have it."""

    _parameter_constraints: dict[str, Any] = {
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

    def _state_problem(
        self, machine: Machine, X: Rows, y: Labels, sample_weight: Weights
    ) -> Any:
        """Return X and y, checked, and the problem they state."""
        return self._state_arrays(machine, X, y, sample_weight)

    def _make_driver(
        self, X: Rows, problem: Problem, clock: Clock
    ) -> tuple[Driver, Callable[..., Any]]:
        """Return a driver and ``model(last)``, the attributes of a usable model.

        After the `last` call the driver is of no use. What takes long asks the clock.
        """
        raise NotImplementedError

    def _set_coefficients_of_rows(self, coefficients: sp.csr_array) -> None:
        """Set the attributes that show the coefficients of the rows."""
        raise NotImplementedError

    def _coefficients_of_rows(self) -> sp.csr_array:
        """Return the coefficients of the rows of the last fit."""
        raise NotImplementedError

    def _training_context(self) -> AbstractContextManager[Any]:
        """Return the context in which to train."""
        return nullcontext()

    def _training_seconds(self, clock: Clock) -> float:
        """Return how much of the time that is left is for this machine itself."""
        return clock.left()

    def _fit_probabilities(
        self, X: Rows, y: Labels, sample_weight: Weights, clock: Clock
    ) -> None:
        """Fit what turns scores into probabilities, if there is such a thing."""

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return _first_of(int(self.random_state))
        return check_random_state(self.random_state).randint(2**31)

    def _violation_tol(self) -> float | None:
        return self.violation_tol

    @fit_method
    def fit(self, X: Rows, y: Labels = None, sample_weight: Weights = None) -> Self:
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
        with unchanged_on_error(self):
            run = self._fit(X, y, sample_weight)
        if run.status == "interrupted":
            raise KeyboardInterrupt
        tell_end(self, run.tried, X)
        return self

    def _fit(self, X: Rows, y: Labels, sample_weight: Weights) -> Run:
        """Train, set the fitted attributes, and return how it went."""
        clock = Clock(self.max_time)
        machine = self._machine()
        X, y, problem = self._state_problem(machine, X, y, sample_weight)
        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)
        with self._training_context():
            driver, model = self._make_driver(X, problem, clock)
            if self.warm_start:
                self._start_from_previous(driver, problem)
            try:
                run = run_epochs(
                    driver,
                    Stopping(
                        self.tol,
                        self._violation_tol(),
                        self.max_iter,
                        self._training_seconds(clock),
                    ),
                    history=self.history,
                    reporter=EpochReporter(
                        self, context, data, lambda: model(last=False)
                    ),
                )
                self._set_solution(driver, problem)
                self._set_outcome(run)
                self._set_model(model(last=True))
            finally:
                getattr(driver, "close", nullcontext)()
        if run.status != "interrupted":
            try:
                self._fit_probabilities(X, y, sample_weight, clock)
            except KeyboardInterrupt:  # the machine itself is there
                run = replace(run, status="interrupted")
                self.status_ = run.status
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                name: getattr(self, name) for name in self._model_attributes
            },
            **data,
        )
        return run

    def _start_from_previous(self, driver: Any, problem: Problem) -> None:
        """Hand the dual variables of the last fit to a driver, if they fit."""
        last = getattr(self, "_fitted", None)
        if last is None:
            return
        coefficients = self._coefficients_of_rows()
        check_compressed(coefficients, "dual_coef_")
        with_bounds = not getattr(driver, "starts_with_weights", False)
        duals = last.blocks_for(problem, coefficients, with_bounds)
        if duals is not None:
            if not all_finite(duals):
                raise ValueError(
                    "dual_coef_, to start from, has values that are not finite; fit "
                    "with warm_start=False."
                )
            self._start_driver(driver, duals)

    def _start_driver(self, driver: Driver, duals: sp.csr_array) -> None:
        """Hand over dual variables, made feasible, and what else is known."""
        indptr, indices = duals.indptr.astype(np.int64), duals.indices.astype(np.int32)
        driver.set_duals(indptr, indices, duals.data)

    def _set_solution(self, driver: Driver, problem: Problem) -> None:
        """Keep the dual variables, from which another fit can start."""
        blocks = driver.duals()
        if blocks is not None:
            coefficients = problem.coefficients(*blocks)
            # Sums of finite variables need not be.
            if not (all_finite(blocks[2]) and all_finite(coefficients)):
                raise ValueError(
                    "The dual variables are no longer finite; scale X, or choose a "
                    "smaller C."
                )
            self._set_coefficients_of_rows(coefficients)
            self._fitted = problem.solved_by(*blocks)

    def _set_model(self, attributes: dict[str, Any]) -> None:
        """Set what predictions need, all of it at once: other threads may predict."""
        self.__dict__.update(attributes)

    def _set_outcome(self, run: Run) -> None:
        """Set the attributes that say how the fit ended."""
        self.n_iter_ = run.iterations
        self.objective_ = run.certificate.primal
        self.dual_objective_ = run.certificate.dual
        self.dual_gap_ = run.certificate.gap
        self.violation_ = run.certificate.violation
        self.status_ = run.status
        history = run.history or {}
        columns = {name: np.asarray(values) for name, values in history.items()}
        self.history_ = columns or None
