"""What `OnlineSVM` does between its parameters and its drivers."""

from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..access.kernels import make_kernel
from ..access.precomputed import Positions
from ..base.annotations import Rows
from ..base.one_thread import blas_on_one_thread
from ..base.threads import thread_count
from ..driver.convergence import train_to_optimum
from ..driver.loop import Reporter, Stopping
from ..driver.online.driver import OnlineDriver
from ..driver.online.stream import HISTORY_FIELDS, learn_chunks
from ..driver.options import KernelOptions, OnlineOptions
from ..machine.problem import Problem
from ..machine.registry import Machine, find_machine
from .classifier import MarginClassifier
from .reporting import tell_end

_MEGABYTE = 1e6
_MOST_ROUNDS = 100_000  # of working sets, to the optimum
# What is known of an optimum, until more is learned.
_OF_CONVERGENCE = ("objective_", "dual_gap_", "violation_", "n_iter_")


class OnlineTraining(MarginClassifier):
    """Learns from chunks by an `OnlineDriver`, which is the model."""

    def _machine(self) -> Machine:
        """Return the machine that is to be learned."""
        return find_machine(self.machine, self.loss)

    def _violation_tol(self) -> None:
        """Say that the duality gap decides."""

    def _online_options(self) -> OnlineOptions:
        """Return what the parameters tell a driver."""
        return OnlineOptions(
            self.selection,
            self.schedule,
            _check_steps(self.steps),
            self.hits,
            self.violation_tol,
            self.budget,
            self.cost,
            self.revisit,
            _MEGABYTE * self.cache_size,
        )

    def _begin(self, X: Rows, random: np.random.RandomState) -> Any:
        """Forget everything, and return the rows as the kernel knows them."""
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, X)
        points = kernel.points(X)
        self._forget_convergence()
        self._driver = OnlineDriver(
            self._machine(),
            kernel,
            points,
            len(self.classes_),
            self._online_options(),
            random.randint(2**31),
            thread_count(self.n_jobs),
        )
        self.gamma_ = kernel.gamma_
        self._history: dict[str, list[float]] | None = (
            {name: [] for name in HISTORY_FIELDS} if self.history else None
        )
        return points

    def _change_classes(self, classes: np.ndarray) -> None:
        places = np.searchsorted(classes, self.classes_)
        places[~np.isin(self.classes_, classes)] = -1
        self._driver = self._driver.with_classes(places, len(classes))
        self.classes_ = classes

    def _forget_convergence(self) -> None:
        for name in _OF_CONVERGENCE:
            self.__dict__.pop(name, None)

    def _learn(
        self,
        points: Any,
        problem: Problem,
        chunks: Any,
        may_come_again: bool = False,
        reporter: Reporter | None = None,
    ) -> None:
        """Learn from chunks; the status is set whatever happens."""
        self.status_ = "interrupted"
        self._forget_convergence()
        with blas_on_one_thread():
            status = learn_chunks(
                self._driver,
                points,
                problem,
                chunks,
                may_come_again=may_come_again,
                max_time=self.max_time,
                reporter=reporter,
                history=self._history,
            )
        self.status_ = status
        if status == "interrupted":
            raise KeyboardInterrupt

    def _converge_on_rows(self, points: Any, problem: Problem, began: float) -> None:
        """Train on all rows to the tolerance, from what was learned of them."""
        n = len(points)
        start = _spread(self._driver.coefficients(), self._driver.patterns()[3], n)
        self._converge(points, problem, np.arange(n), start, began, stacklevel=8)

    def _converge_on_patterns(self) -> None:
        """Train on the support patterns to the tolerance."""
        driver, began = self._driver, perf_counter()
        points, labels, loss_weights, examples = driver.patterns()
        if isinstance(points, Positions) and points.matrix is None:
            raise ValueError(
                "finish needs the kernel matrix of the training, and a model that was "
                "loaded from a file does not have it; finish before you save."
            )
        problem = Problem(driver.machine, labels, len(self.classes_), loss_weights)
        start = driver.coefficients()
        self._converge(points, problem, examples, start, began, stacklevel=5)

    def _converge(
        self,
        points: Any,
        problem: Any,
        examples: Any,
        coefficients: Any,
        began: float,
        stacklevel: int,
    ) -> None:
        """Let a driver with a kernel go on, and set what is known after it.

        A warning is for the code `stacklevel` calls above.
        """
        left = self.max_time and self.max_time - (perf_counter() - began)
        with blas_on_one_thread():
            run = train_to_optimum(
                self._driver,
                points,
                problem,
                examples,
                coefficients,
                Stopping(self.tol, None, _MOST_ROUNDS, left),
                KernelOptions(
                    cache_bytes=_MEGABYTE * self.cache_size,
                    threads=thread_count(self.n_jobs),
                ),
            )
        self.status_ = "max_rounds" if run.status == "max_iter" else run.status
        self.objective_ = run.certificate.primal
        self.dual_gap_ = run.certificate.gap
        self.violation_ = run.certificate.violation
        self.n_iter_ = run.iterations
        if run.status == "interrupted":
            raise KeyboardInterrupt
        tell_end(self, run.tried, stacklevel=stacklevel)

    def _fitted_parts(self) -> dict[str, Any]:
        """Return the attributes of a usable model as it is now."""
        return {"_driver": self._driver.snapshot(), "_history": None}


def _spread(rows: sp.csr_array, places: np.ndarray, n: int) -> sp.csr_array:
    """Return `n` rows, of which those at `places` are given and others are zero."""
    entries = rows.tocoo()
    at = places[entries.row], entries.col
    return sp.csr_array((entries.data, at), shape=(n, rows.shape[1]))


def _check_steps(steps: Any) -> tuple[float, float]:
    values = np.asarray(steps, dtype=object).ravel().tolist()
    numbers = all(isinstance(value, Real) for value in values)
    if len(values) != 2 or not numbers or not all(0 <= v < np.inf for v in values):
        raise ValueError(
            f"steps={steps!r} must be two numbers, not negative: steps of processOld "
            f"and of processOptimize for every example, e.g. (2, 40)."
        )
    return float(values[0]), float(values[1])
