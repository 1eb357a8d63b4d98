"""Dual variables for intercepts that are not penalised, and the bound they prove.

Such an intercept adds a condition to the dual problem: for every class the coefficients
of the examples sum to zero, ``sum_i b_i = 0``. Variables u that nearly fulfil it are
moved to the nearest ones that do, up to rounding: with the scores s of some weights,

    maximise  sum_i v_i . h_i(s_i) - penalty(v_i) - |v_i - u_i|^2 / (2 sigma)
    over feasible v with sum_i b(v_i) = 0.

The multipliers of the condition are intercepts, one number a class: the dual of this
problem is to minimise the sum of the proximal steps (see `machine.projection`) over
them, a convex and once differentiable function, by Newton's method. For smooth losses
it is the sum of the losses itself, u+ its gradient, and no u is needed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..machine.block_algebra import class_pairs
from ..machine.problem import Problem
from ..machine.projection import Blocks, Curvature
from ..machine.registry import binary_machine

STEPS = 30  # of Newton's method, at most
HALVINGS = 40  # of a step
BALANCED = 1e-13  # sums of coefficients, of all variables together
NOISE = 1e-15  # in sums of losses
FLAT = 1e-10  # least curvature, of the largest there could be


class Part(NamedTuple):
    """Examples and columns that are a problem of their own.

    Attributes
    ----------
    rows : ndarray of int
        With a weight above zero.
    columns : slice
    blocks : Blocks
    """

    rows: np.ndarray
    columns: slice
    blocks: Blocks


def parts_of(problem: Problem) -> Iterator[Part]:
    """Yield the problems that a problem comes down to."""
    row, k = problem.machine.formulation, problem.n_columns
    weights = problem.loss_weights
    counted = weights > 0
    if not (row.by_pairs or row.separate):
        chosen = np.flatnonzero(counted)
        labels = problem.labels[chosen]
        blocks = Blocks(problem.machine, labels, weights[chosen], k)
        yield Part(chosen, slice(0, k), blocks)
        return
    machine = binary_machine(problem.machine.loss)
    pairs = zip(*class_pairs(k), strict=True) if row.by_pairs else [None] * k
    for column, pair in enumerate(pairs):
        if pair is not None:
            labels = np.where(problem.labels == pair[1], 0, -1)
            chosen = np.flatnonzero(counted & np.isin(problem.labels, pair))
        else:
            labels = problem.labels if k == 1 else problem.labels_of(column)
            chosen = np.flatnonzero(counted)
        blocks = Blocks(machine, labels[chosen], weights[chosen], 1)
        yield Part(chosen, slice(column, column + 1), blocks)


class Balanced(NamedTuple):
    """Variables whose coefficients sum to zero.

    Attributes
    ----------
    duals : ndarray
    intercepts : ndarray
        One a column.
    """

    duals: np.ndarray
    intercepts: np.ndarray


def balance(blocks: Blocks, scores, duals, sigma: float, intercepts) -> Balanced | None:
    """Return variables near others that have sums of zero; None if none were found.

    Parameters
    ----------
    blocks : Blocks
    scores : ndarray of shape (n_samples, n_columns)
        Without intercepts.
    duals : ndarray of the same shape
        Feasible, but for the sums.
    sigma : float
        How far they may go for larger violations h.
    intercepts : ndarray of shape (n_columns,)
        To begin with.
    """

    def proximal(at):
        h = blocks.violations(scores + at)
        if blocks.smooth:
            return blocks.loss_gradient(h), blocks.losses(h)
        u = blocks.project(duals, h, sigma)
        return u, blocks.distance(u, h, duals, sigma)

    u, value = proximal(intercepts)
    for _ in range(STEPS):
        sums = blocks.coefficients(u).sum(axis=0)
        if np.abs(sums).max() <= BALANCED * np.abs(u).sum():
            return Balanced(u, intercepts)
        step = _newton_step(blocks, u, sigma, sums)
        fall, length = float(sums @ step), 1.0
        for _ in range(HALVINGS):
            trial = intercepts + length * step
            u, found = proximal(trial)
            if found <= value - 1e-4 * length * fall + NOISE * abs(value):
                break
            length /= 2
        else:
            return None
        intercepts, value = trial, found
    return None


def _newton_step(blocks: Blocks, u, sigma: float, sums) -> np.ndarray:
    """Return the change of the intercepts along which the sums vanish."""
    if blocks.smooth:
        curvature, most = blocks.loss_curvature(u), 2 * blocks.loss_weights.sum()
    else:
        curvature, most = blocks.step_curvature(u, sigma), sigma * len(u)
    matrix = class_curvature(blocks, curvature)
    k = len(matrix)
    if blocks.relative or blocks.centred:  # no score changes with all of them
        matrix = matrix + np.trace(matrix) / k**2
    return np.linalg.solve(matrix + FLAT * most * np.eye(k), sums)


def class_curvature(blocks: Blocks, curvature: Curvature) -> np.ndarray:
    """Return sum_i E^T J_i E, with J = diag(q) - gamma r r^T."""
    n, k = blocks.shape
    at = curvature.rows, curvature.classes
    by_class = np.bincount(curvature.classes, curvature.q, k)
    if blocks.relative:
        labels = blocks.labels[curvature.rows]
        pairs = sp.csr_array((curvature.q, (labels, curvature.classes)), shape=(k, k))
        pairs = pairs.toarray()
        matrix = np.diag(by_class + pairs.sum(axis=1)) - pairs - pairs.T
    else:
        matrix = np.diag(by_class)
        if blocks.centred:
            matrix -= matrix.mean(axis=0)
            matrix -= matrix.mean(axis=1, keepdims=True)
    if curvature.gamma.any():
        r = np.zeros((n, k))
        r[at] = curvature.r
        b = blocks.coefficients(r)
        matrix -= (b * curvature.gamma[:, None]).T @ b
    return matrix
