"""Intercepts that are not penalised, for every linear machine.

Any driver trains with an intercept that is the weight of a constant feature s, and so
penalised: by ``|b|^2 / (2 s^2)``. It begins with s as long as the rows are. What that
has to do with the problem without the penalty, a certificate of the latter says: the
losses and the norm of the weights without intercepts are its primal, and the variables,
moved a little until the coefficients of every class sum to zero (see
`certify.balanced_duals`), are feasible in its dual. The gap that the penalty leaves
falls like one over s^4; while that is too much, s grows, from the same variables.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ...access.rows import Rows
from ...certify.balanced_duals import balance, parts_of
from ...certify.certificate import relative_gap
from ...machine.problem import Problem
from ..options import LinearOptions
from ..protocol import EpochReport, LinearDriver

INNER = 0.5  # of the tolerance, for the penalised problem
GROWTH = 4.0  # of s
LONGEST = 1e6  # s over the length of rows
NEAR = 0.5  # gap of the penalised problem, from which on variables are balanced
CHUNK = 4096  # rows in double precision at a time


class FreeInterceptDriver:
    """Trains with intercepts that are not penalised; a driver (see `protocol`).

    W has a last row of intercepts: the weights of a constant feature of one.

    Parameters
    ----------
    rows : Rows
        Their constant feature is not asked for.
    problem : Problem
    options : LinearOptions
    make : callable
        ``make(rows, problem, options)``: the driver of the penalised problem.
    """

    def __init__(
        self,
        rows: Rows,
        problem: Problem,
        options: LinearOptions,
        make: Callable[[Rows, Problem, LinearOptions], LinearDriver],
    ):
        self.rows, self.problem, self._make = rows, problem, make
        self.tol = options.tol
        self._options = replace(options, tol=INNER * options.tol)
        square = float(np.mean(rows.squared_norms(), dtype=np.float64))
        self._length = np.sqrt(square) if square > 0 else 1.0
        self.scale = self._length
        self._driver = self._new_driver()
        # Variables of zero are feasible, and have a dual objective of zero.
        self._best = 0.0
        self._duals = sp.csr_array((len(problem.labels), problem.n_columns))
        self._intercepts = None  # as they were certified, if nothing moved since
        self._penalty_is_next = False
        self._steps_before = 0  # Newton steps, with larger penalties

    def _new_driver(self) -> LinearDriver:
        single = self.problem.machine.formulation.by_pairs
        single |= self.problem.n_columns == 1
        rows = Rows(self.rows.matrix, self.scale, single)
        return self._make(rows, self.problem, self._options)

    @property
    def starts_with_weights(self) -> bool:
        return getattr(self._driver, "starts_with_weights", False)

    @property
    def interrupted(self) -> bool:
        return self._driver.interrupted

    @property
    def solver(self) -> str:
        """What was done last."""
        named = "dual" if self._options.solver == "auto" else self._options.solver
        return getattr(self._driver, "solver", named)

    @property
    def newton_steps(self) -> int:
        return self._steps_before + getattr(self._driver, "newton_steps", 0)

    def epoch(self, seconds: float) -> EpochReport:
        """Run an epoch of the penalised problem, if need be with a smaller penalty."""
        if self._penalty_is_next:
            self._reduce_penalty()
        self._intercepts = None
        report = self._driver.epoch(seconds)
        moves = report.moves
        if not (moves or report.stopped):
            self.certify()
            moves = int(self._penalty_is_next)  # then there is something to do
        return EpochReport(
            report.visits,
            moves,
            report.violation,
            report.dual,
            report.primal_estimate,
            report.stopped,
        )

    def rebuild(self) -> None:
        """Remove accumulated rounding."""
        self._driver.rebuild()

    def certify(self) -> tuple[float, float, float] | None:
        """Objectives of the model without a penalty of the intercepts, and violation.

        The model keeps the better intercepts of two: those that were trained, and those
        that balance the variables.
        """
        penalised = self._driver.certify()
        if penalised is None:
            return None
        W = self._driver.weights().astype(np.float64)
        W, intercepts = W[:-1], self._rounded(W[-1] * self.scale)
        penalised_gap = relative_gap(*penalised[:2])
        near = penalised_gap <= NEAR
        losses, self._intercepts, duals = self._balance(
            self._products(W), intercepts, near
        )
        primal = np.vdot(W, W) / 2 + losses
        if duals is not None:
            dual = self._dual(duals)
            if dual > self._best:
                self._best, self._duals = dual, duals
        gap = relative_gap(primal, self._best)
        done = penalised_gap <= self._options.tol
        room = self.scale < LONGEST * self._length
        self._penalty_is_next = gap > self.tol and done and room
        return float(primal), float(self._best), penalised[2]

    def _rounded(self, intercepts):
        return intercepts.astype(self.rows.dtype).astype(np.float64)

    def _balance(self, scores, intercepts, near: bool):
        """Return the losses, the intercepts with them, and variables; None if there are
        none, or these are not `near` enough to be worth the time.
        """
        losses, chosen, all_found = 0.0, intercepts.copy(), near
        all_duals = self.problem.blocks(*self._driver.duals()).toarray()
        duals = np.zeros(all_duals.shape)
        for rows, columns, blocks in parts_of(self.problem):
            if not len(rows):
                continue
            s, at = scores[rows, columns], intercepts[columns]
            u = blocks.feasible(all_duals[rows, columns].astype(np.float64))
            sigma = np.sqrt(np.mean(blocks.loss_weights)) / self._length
            trained = blocks.losses(blocks.violations(s + at))
            found = balance(blocks, s, u, sigma, at) if all_found else None
            if found is None:
                all_found = False
            else:
                duals[rows, columns] = found.duals
                others = self._rounded(found.intercepts)
                with_others = blocks.losses(blocks.violations(s + others))
                if with_others < trained:
                    trained, chosen[columns] = with_others, others
            losses += trained
        return losses, chosen, sp.csr_array(duals) if all_found else None

    def _dual(self, duals: sp.csr_array) -> float:
        """The dual objective of variables that are feasible."""
        problem, terms = self.problem, 0.0
        for rows, columns, blocks in parts_of(problem):
            if len(rows):
                terms += blocks.dual_terms(duals[rows][:, columns].toarray())
        b = problem.coefficients(duals.indptr, duals.indices, duals.data)
        W = np.zeros((self.rows.shape[1], problem.n_columns))
        for chunk in self._chunks():
            W += np.asarray(self._wide(chunk).T @ b[chunk].toarray())
        return terms - np.vdot(W, W) / 2

    def _products(self, W) -> np.ndarray:
        scores = np.empty((self.rows.shape[0], W.shape[1]))
        for chunk in self._chunks():
            scores[chunk] = self._wide(chunk) @ W
        return scores

    def _chunks(self):
        n = self.rows.shape[0]
        return (slice(begin, begin + CHUNK) for begin in range(0, n, CHUNK))

    def _wide(self, chunk: slice):
        """Rows in double precision."""
        return self.rows.matrix[chunk].astype(np.float64, copy=False)

    def _reduce_penalty(self) -> None:
        """Go on from the same variables with a longer constant feature."""
        blocks = self._driver.duals()
        self._steps_before = self.newton_steps
        self._penalty_is_next = False
        self.scale *= GROWTH
        self._driver = self._new_driver()
        self._driver.set_duals(*blocks)

    def duals(self):
        """The best dual blocks as (indptr, classes, values)."""
        found = self._duals
        return (
            found.indptr.astype(np.int64),
            found.indices.astype(np.int32),
            found.data.astype(self.rows.dtype),
        )

    def set_duals(self, indptr, classes, values) -> None:
        """Start from dual blocks."""
        self._driver.set_duals(indptr, classes, values)

    def weights(self) -> np.ndarray:
        """W, in the number format of the rows."""
        return self._with_intercepts(self._driver.weights())

    def release_weights(self) -> np.ndarray:
        """W; the driver is of no use afterwards."""
        return self._with_intercepts(self._driver.release_weights())

    def _with_intercepts(self, W) -> np.ndarray:
        W = np.array(W)
        W[-1] = W[-1] * self.scale if self._intercepts is None else self._intercepts
        return W
