"""The one-slack cutting plane method for Crammer-Singer, for comparison.

Joachims, Finley and Yu (2009); as a bundle method, Teo et al. (2010). The sum of the
losses ``R(W) = sum_i C_i max_m (e^m + s_m - s_y)`` is a maximum of linear functions.
Any choice of weights ``u_im >= 0, sum_m u_im <= C_i`` for the wrong classes of the
examples bounds it from below by a plane,

    R(W) >= sum_im u_im (1 + s_m - s_y) = b + <G, W>,

because a maximum is at least any convex combination. An epoch adds the plane that
touches R at the current W (C_i at the most violated class of every example) and then
minimises ``1/2 |W|^2 + max_t (b_t + <G_t, W>)``, whose dual is a small problem over
the weights ``a`` of the planes: ``W = -sum_t a_t G_t``.
"""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ...access.rows import Rows
from ...machine.problem import Problem
from ..options import LinearOptions
from ..protocol import EpochReport
from .simplex_qp import minimise_over_simplex

# A plane whose weight was zero for so many epochs is dropped.
IDLE_EPOCHS = 50


def products(X, W, constant):
    """X W, with the constant feature last if there is one."""
    if not constant:
        return X @ W
    return X @ W[:-1] + constant * W[-1]


def transposed_products(X, B, constant):
    """X^T B, with the constant feature last if there is one."""
    if not constant:
        return X.T @ B
    return np.vstack([X.T @ B, constant * B.sum(axis=0)])


@dataclass
class Plane:
    """A lower bound of the loss: the pairs of row and class with their weights u.

    Attributes
    ----------
    pairs : ndarray of int
        Positions ``row * k + class``, each once.
    values : ndarray of float
        u.
    offset : float
        b, the sum of u: every pair has margin one.
    idle : int
        Epochs in a row in which its own weight was zero.
    """

    pairs: np.ndarray
    values: np.ndarray
    offset: float = field(init=False)
    idle: int = 0

    def __post_init__(self):
        self.offset = self.values.sum()

    def add_to(self, duals, share: float = 1.0) -> None:
        """Add `share` of the weights to u, an array of shape (n, k)."""
        duals.reshape(-1)[self.pairs] += share * self.values


@dataclass(frozen=True)
class Iterate:
    """A point of the method, complete: what is kept if a signal comes.

    Attributes
    ----------
    duals : ndarray of shape (n, k)
        u, the combination of the planes'.
    weights : ndarray of shape (features, k)
        W, made from u.
    margins : ndarray of shape (n, k)
        1 + s_m - s_y, and 0 at the label.
    primal, dual, violation : float
    """

    duals: np.ndarray
    weights: np.ndarray
    margins: np.ndarray
    primal: float
    dual: float
    violation: float


class CuttingPlane:
    """A driver (see `protocol`) whose model is the current W.

    Its certificate: the primal objective of W, and as a lower bound the value of the
    small problem. That is the dual objective of Crammer-Singer at u, a convex
    combination of feasible points, and so below the optimum by weak duality, however
    well or badly the small problem was solved. It is computed from W and u.

    Parameters
    ----------
    rows : Rows
        Worked on in double precision.
    problem : Problem
        Crammer-Singer with hinge loss.
    options : LinearOptions
        None of them matters.
    """

    interrupted = False  # signals arrive as exceptions here

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        self.dtype = rows.dtype
        self.X = rows.matrix.astype(np.float64)
        self.constant = rows.bias
        self.labels = problem.labels
        self.shape = (len(problem.labels), problem.n_columns)
        self.rows = np.arange(len(problem.labels))
        # W cannot act on rows without features: their loss is one, whatever W is.
        self.loss_weights = np.where(rows.empty, 0.0, problem.loss_weights)
        self.constant_loss = problem.loss_weights[rows.empty].sum()
        self.planes: list[Plane] = []
        self.gram = np.zeros((0, 0))
        self.shares = np.zeros(0)  # a; the rest to one is the share of R >= 0
        self.iterate = self._iterate_of(np.zeros(self.shape))

    def epoch(self, seconds: float) -> EpochReport:
        """Add one plane and solve the small problem; nothing if time runs out."""
        start = perf_counter()
        before = self.iterate
        plane = self._touching_plane()
        planes, gram = [*self.planes, plane], self._gram_with(plane)
        if perf_counter() - start > seconds:
            return self._report(moves=0, stopped=True)
        shares = self._solve(planes, gram)
        duals = np.zeros(self.shape)
        for share, old in zip(shares, planes, strict=True):
            if share > 0:
                old.add_to(duals, share)
        iterate = self._iterate_of(duals)
        self.planes, self.gram, self.shares = planes, gram, shares
        self.iterate = iterate
        self._drop_idle_planes()
        rounding = 1e-14 * abs(iterate.primal)
        return self._report(moves=int(iterate.dual > before.dual + rounding))

    def rebuild(self) -> None:
        """Do nothing: W is made anew in every epoch."""

    def certify(self) -> tuple[float, float, float]:
        return self.iterate.primal, self.iterate.dual, self.iterate.violation

    def weights(self) -> np.ndarray:
        return np.ascontiguousarray(self.iterate.weights, dtype=self.dtype)

    release_weights = weights

    def duals(self):
        duals = sp.csr_array(self.iterate.duals.astype(self.dtype))
        return duals.indptr, duals.indices, duals.data

    def set_duals(self, indptr, classes, values) -> None:
        """Start from one plane, with the given dual variables as its weights."""
        duals = sp.csr_array((values, classes, indptr), shape=self.shape).toarray()
        duals *= self.loss_weights[:, None] > 0
        self.iterate = self._iterate_of(duals)
        pairs = np.flatnonzero(duals)
        plane = Plane(pairs, duals.flat[pairs])
        self.planes, self.gram = [], np.zeros((0, 0))
        self.gram = self._gram_with(plane)
        self.planes, self.shares = [plane], np.ones(1)

    def _touching_plane(self) -> Plane:
        """The plane that equals R at the current W, and a subgradient of it."""
        margins = self.iterate.margins
        chosen = np.argmax(margins, axis=1)
        # Where no class is violated, the label is chosen, with a margin of zero.
        violated = np.flatnonzero(
            (margins[self.rows, chosen] > 0) & (self.loss_weights > 0)
        )
        pairs = violated * self.shape[1] + chosen[violated]
        return Plane(pairs, self.loss_weights[violated])

    def _gram_with(self, plane: Plane) -> np.ndarray:
        """The inner products <G_s, G_t> of all planes and a new one.

        <G_t, G> is the sum of u_im (s_m - s_y) over the pairs of plane t, with the
        scores that G gives as weights: no plane keeps its G.
        """
        duals = np.zeros(self.shape)
        plane.add_to(duals)
        scores = -products(self.X, self._weights_of(duals), self.constant)
        differences = (scores - scores[self.rows, self.labels][:, None]).ravel()
        column = [old.values @ differences[old.pairs] for old in [*self.planes, plane]]
        size = len(column)
        gram = np.empty((size, size))
        gram[:-1, :-1] = self.gram
        gram[-1] = gram[:, -1] = column
        return gram

    def _solve(self, planes, gram) -> np.ndarray:
        """Weights of the planes: a >= 0, sum a <= 1; what is missing is R >= 0's."""
        size = len(planes)
        H = np.zeros((size + 1, size + 1))
        H[:size, :size] = gram
        b = np.append([plane.offset for plane in planes], 0.0)
        start = np.append(self.shares, [0.0, max(1 - self.shares.sum(), 0.0)])
        return minimise_over_simplex(H, b, start / start.sum())[:size]

    def _weights_of(self, duals) -> np.ndarray:
        """W of dual variables u: the coefficients are -u_m, and sum u at the label."""
        coefficients = -duals
        coefficients[self.rows, self.labels] = duals.sum(axis=1)
        return transposed_products(self.X, coefficients, self.constant)

    def _iterate_of(self, duals) -> Iterate:
        weights = self._weights_of(duals)
        scores = products(self.X, weights, self.constant)
        margins = 1 + scores - scores[self.rows, self.labels][:, None]
        margins[self.rows, self.labels] = 0
        half_norm = np.vdot(weights, weights) / 2
        losses, sums = margins.max(axis=1), duals.sum(axis=1)
        primal = half_norm + self.loss_weights @ losses + self.constant_loss
        dual = sums.sum() + self.constant_loss - half_norm

        # 000, eq. (6): the largest margin less the least one in the support of u.
        least = np.min(margins, axis=1, where=duals > 0, initial=np.inf)
        inside = sums < self.loss_weights * (1 - 1e-12)
        least = np.where(inside, np.minimum(least, 0), least)
        violation = (losses - least)[self.loss_weights > 0].max(initial=0.0)
        return Iterate(duals, weights, margins, primal, dual, violation)

    def _drop_idle_planes(self) -> None:
        for share, plane in zip(self.shares, self.planes, strict=True):
            plane.idle = 0 if share > 0 else plane.idle + 1
        kept = [t for t, plane in enumerate(self.planes) if plane.idle < IDLE_EPOCHS]
        if len(kept) < len(self.planes):
            self.planes = [self.planes[t] for t in kept]
            self.gram = self.gram[np.ix_(kept, kept)]
            self.shares = self.shares[kept]

    def _report(self, moves: int, stopped: bool = False) -> EpochReport:
        now = self.iterate
        return EpochReport(
            len(self.rows), moves, now.violation, now.dual, now.primal, stopped
        )
