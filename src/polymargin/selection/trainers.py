"""A machine on the rows of a fold, trained for one C after another.

What an estimator does in every fit is done once: rows, labels and parameters are
checked and prepared, and kernel values are looked up in a matrix. A fit begins with the
dual variables of the one before. Of a model there is what a search asks for: its
confidence in the classes of the rows held out.
"""

from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from ..access.gram import Gram
from ..access.rows import Rows
from ..driver.epochs import run_epochs
from ..driver.kernel.solvers import kernel_driver
from ..driver.linear.solvers import linear_driver, solver_of
from ..driver.loop import Reporter, Stopping
from ..driver.protocol import Driver
from ..estimators.kernel_svm import KernelSVM
from ..estimators.linear_svm import LinearSVM
from ..estimators.maxent import MaxEnt
from ..estimators.reporting import tell_end
from ..machine.block_algebra import feasible_duals
from ..machine.problem import Problem, check_weights_fit, state_problem
from ..prediction.coupling import votes
from .fold_kernel import FoldKernel, points_of
from .path import next_solver

_KEPT = 2**28  # bytes of rows that are kept from one fit to the next


# Parameters that trainers follow, or that have no say in predictions. Others have to be
# as they are by default.
_FOLLOWED = {
    *("machine", "C", "loss", "class_weight", "costs", "fit_intercept"),
    *("intercept_scaling", "kernel", "gamma", "degree", "coef0", "cache_size"),
    *("tol", "violation_tol", "max_iter", "max_time", "solver", "order", "shrinking"),
    *("cooling", "restricted", "restricted_tol", "restricted_sweeps", "random_state"),
    *("warm_start", "n_jobs", "probability", "cv", "rank"),
}


def trains_alone(machine: Any) -> bool:
    """Whether a machine can be trained without its estimator: nobody watches its fits,
    and it is asked for nothing that only the estimator does.
    """
    kind = type(machine)
    if kind not in (LinearSVM, MaxEnt, KernelSVM):
        return False
    if getattr(machine, "_skl_callbacks", None):
        return False
    return all(
        getattr(machine, name) == default
        for name, default in _defaults(kind).items()
        if name not in _FOLLOWED
    )


@cache
def _defaults(kind: type) -> dict[str, Any]:
    parameters = signature(kind).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


class Trainer:
    """What linear machines and kernels have in common.

    Parameters
    ----------
    machine : estimator
        Not trained, with parameters that were checked. It is not changed but for
        attributes that warnings show.
    y : ndarray
    weights : ndarray
        Of the rows, checked.
    seed : int
    """

    def __init__(self, machine: Any, y: np.ndarray, weights: np.ndarray, seed: int):
        self.machine = machine
        labels = machine._find_classes(y)
        self.problem = state_problem(
            machine._with_costs(machine._machine()),
            labels,
            machine.classes_,
            1.0,
            weights,
            machine.class_weight,
        )
        self.options = machine._driver_options(seed)
        self._last: tuple[Problem, tuple] | None = None
        self._near: Any = None  # the solution of Newton steps, if there was one

    def train(
        self, C: float, seconds: float = np.inf, reporter: Reporter | None = None
    ) -> None:
        """Train with another C, in so many seconds at most; who is told of epochs may
        end it sooner.
        """
        machine, weights = self.machine, C * self.problem.loss_weights
        check_weights_fit(weights, self._dtype, C)
        problem = replace(self.problem, loss_weights=weights)
        driver = self._driver(problem, C)
        if self._last is not None:
            driver.set_duals(*self._start(driver, problem))
            if self._near is not None and hasattr(driver, "start_near"):
                driver.start_near(self._near)
        own = np.inf if machine.max_time is None else machine.max_time
        stopping = Stopping(
            machine.tol, machine._violation_tol(), machine.max_iter, min(own, seconds)
        )
        run = run_epochs(driver, stopping, reporter=reporter)
        if run.status == "interrupted":
            raise KeyboardInterrupt
        self._keep(driver, problem)
        machine.C = C
        machine._set_outcome(run)
        tell_end(machine, run.tried, stacklevel=2)

    def _start(self, driver: Driver, problem: Problem) -> tuple:
        """Return the dual blocks of the last fit, made feasible."""
        last, blocks = self._last
        duals = feasible_duals(
            problem.machine,
            last.blocks(*blocks),
            last.loss_weights,
            problem.loss_weights,
            self._moves_bounds(driver),
        )
        return (
            duals.indptr.astype(np.int64),
            duals.indices.astype(np.int32),
            duals.data,
        )

    def _moves_bounds(self, driver: Driver) -> bool:
        """Whether dual variables at their bounds move with these."""
        return not getattr(driver, "starts_with_weights", False)

    def _keep(self, driver: Any, problem: Problem) -> None:
        """Take from the driver what predictions and the next fit need."""
        self._last = problem, driver.duals()
        self._near = driver.solution() if hasattr(driver, "solution") else None

    def confidence(self) -> np.ndarray:
        """Return what `decision_function` says of the rows held out."""
        scores = self._scores()
        if len(self.machine.classes_) > 2:
            by_pairs = self.problem.machine.formulation.by_pairs
            return votes(scores) if by_pairs else scores
        return scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]

    def labels_of(self, confidence: np.ndarray) -> np.ndarray:
        """Return the labels that are predicted with a confidence."""
        if confidence.ndim == 1:
            return self.machine.classes_[(confidence > 0).astype(int)]
        return self.machine.classes_[confidence.argmax(axis=1)]


class LinearTrainer(Trainer):
    """A linear machine.

    Parameters
    ----------
    machine, y, weights, seed
        As of `Trainer`.
    X, X_test : ndarray or CSR matrix
        Rows to train on, and to be measured on.
    """

    def __init__(self, machine: Any, y, weights, seed: int, X: Any, X_test: Any):
        super().__init__(machine, y, weights, seed)
        self._X, self._X_test, self._dtype = X, X_test, X.dtype
        self._rows: Rows | None = None

    def _driver(self, problem: Problem, C: float) -> Driver:
        single = problem.machine.formulation.by_pairs or problem.n_columns == 1
        rows = self._rows or Rows(self._X, self.options.bias, single)
        self._rows = rows if rows.nbytes <= _KEPT else None
        options = self.options
        if self._last is not None and options.solver == "auto":
            used = self.machine.solver_
            solver = next_solver(used, self._both_ways, C / self.machine.C)
            options = replace(options, solver=solver)
        self._chosen = options
        return linear_driver(rows, problem, options)

    def _keep(self, driver: Any, problem: Problem) -> None:
        super()._keep(driver, problem)
        self.machine.solver_ = solver_of(driver, self._chosen)
        self._both_ways = getattr(driver, "both_ways", None)
        self.machine.coef_ = self._weights = driver.release_weights()

    def _scores(self) -> np.ndarray:
        weights, bias = self._weights, self.options.bias
        if not bias:
            return self._X_test @ weights
        return self._X_test @ weights[:-1] + bias * weights[-1]


class KernelTrainer(Trainer):
    """A machine with a kernel.

    Parameters
    ----------
    machine, weights, seed
        As of `Trainer`.
    y : ndarray
        Labels of the rows in the order of the kernel.
    kernel : FoldKernel
    """

    def __init__(self, machine: Any, y, weights, seed: int, kernel: FoldKernel):
        super().__init__(machine, y, weights, seed)
        self._kernel, self._dtype = kernel, kernel.dtype

    def _driver(self, problem: Problem, C: float) -> Driver:
        return kernel_driver(
            Gram(*points_of(self._kernel.between())), problem, self.options
        )

    def _moves_bounds(self, driver: Driver) -> bool:
        """Only those of binary problems: others are trained sooner, by a tenth, if all
        variables stay where they are (`ww` on glass, vehicle and vowel).
        """
        return self.problem.machine.formulation.by_pairs

    def _keep(self, driver: Any, problem: Problem) -> None:
        super()._keep(driver, problem)
        self._coefficients = problem.coefficients(*self._last[1])
        self.machine.dual_coef_ = self._coefficients

    def _scores(self) -> np.ndarray:
        rows = self._kernel.held_out()
        support = np.flatnonzero(np.diff(self._coefficients.indptr))
        if len(support) < len(self._coefficients.indptr) // 2:
            return rows[:, support] @ self._coefficients[support].toarray()
        return rows @ self._coefficients.toarray()
