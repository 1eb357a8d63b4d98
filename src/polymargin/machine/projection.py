"""Dual blocks of all examples at once: margins, coefficients, losses and projections.

A machine is known by its axes (see `polymargin.machine.registry`): a block has
variables ``u >= 0`` with targets ``t``, and a matrix ``E`` such that ``h = t - E s`` is
by how much the scores ``s`` of an example violate its margins, and ``b = E^T u`` its
coefficients. Arrays have a row for each example and a column for each class; where a
class has no variable, ``u`` is zero.

The proximal step of a block is

    u+ = argmax_v  v.h - penalty(v) - |v - u|^2 / (2 sigma)    over the feasible v,

a clip, a shrinkage or a projection. Its derivative with respect to sigma h is a
diagonal matrix with a rank-one term, J = diag(q) - gamma r r^T, and so is that of the
gradient of a smooth loss with respect to h; see `Curvature`.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, logsumexp, xlogy

from .registry import Machine

# Losses whose gradients have derivatives (almost) everywhere, if classes are summed.
SMOOTH = ("logistic", "log")


def is_smooth(loss: str, maximum: bool) -> bool:
    """Whether a loss has a gradient, with a derivative almost everywhere."""
    return loss in SMOOTH or (loss == "squared_hinge" and not maximum)


class Curvature(NamedTuple):
    """J = diag(q) - gamma r r^T of every block, where it is not zero.

    Attributes
    ----------
    rows, classes : ndarray of int
        Which variables have a q, ordered by rows.
    q, r : ndarray
        Of these variables.
    gamma : ndarray
        Of all examples.
    """

    rows: np.ndarray
    classes: np.ndarray
    q: np.ndarray
    r: np.ndarray
    gamma: np.ndarray


def places_of(labels) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the labels, which may be sets, as an index."""
    if sp.issparse(labels):
        return labels.nonzero()
    rows = np.flatnonzero(np.asarray(labels) >= 0)
    return rows, np.asarray(labels)[rows]


class Blocks:
    """The blocks of all examples.

    Parameters
    ----------
    machine : Machine
        Of which the axes and the loss are asked for. With one column, of separate
        problems.
    labels : ndarray of int or csr_array of bool
        Class of each example; -1 if it has none among the columns. Or sets of them, if
        classes are problems of their own.
    loss_weights : ndarray of float
        C_i > 0.
    n_columns : int
    """

    def __init__(self, machine: Machine, labels, loss_weights, n_columns: int):
        row = machine.formulation
        self.loss = machine.loss
        self.relative = row.margin == "relative"
        self.maximum = row.aggregation == "max"
        self.centred = row.sums_to_zero
        self.variables = row.variables
        self.label_target = row.label_target(n_columns)
        self.other_target = row.other_target(n_columns)
        self.costs = machine.costs
        if self.loss in SMOOTH:  # they count from a score of zero
            self.label_target = self.other_target = 0.0
        self.labels = labels
        self.loss_weights = np.asarray(loss_weights, dtype=np.float64)
        self.shape = len(self.loss_weights), n_columns
        self.own = places_of(labels)  # where the labels are

    @property
    def smooth(self) -> bool:
        """Whether the loss has a gradient, with a derivative almost everywhere."""
        return is_smooth(self.loss, self.maximum)

    @property
    def separate(self) -> bool:
        """Whether classes are problems of their own."""
        return not (self.relative or self.maximum or self.centred)

    @cached_property
    def signs(self) -> np.ndarray:
        """Y of absolute margins: 1 for the label, -1 for others."""
        signs = np.full(self.shape, -1.0)
        signs[self.own] = 1.0
        return signs

    @cached_property
    def missing(self):
        """Where classes have no variables, as an index; None if they all have one."""
        if self.variables == "all":
            return None
        if self.variables == "others":
            return self.own
        missing = np.ones(self.shape, dtype=bool)
        missing[self.own] = False
        return missing

    @cached_property
    def targets(self) -> np.ndarray:
        """The targets t; zero where there is no variable."""
        if self.costs is None:
            targets = np.full(self.shape, float(self.other_target))
        else:
            targets = self.other_target * self.costs[self.labels]
        targets[self.own] = self.label_target
        if self.missing is not None:
            targets[self.missing] = 0.0
        return targets

    def violations(self, scores: np.ndarray) -> np.ndarray:
        """h = t - E s; negative where there is no variable, but zero for "log"."""
        if self.relative and self.costs is None:
            h = scores - (scores[self.own] - self.other_target)[:, None]
        elif self.relative:
            h = self.targets - (scores[self.own][:, None] - scores)
        else:
            h = self.targets - self.signs * self._centre(scores)
        if self.missing is not None:
            h[self.missing] = 0.0 if self.loss == "log" else -1.0
        return h

    def changes(self, scores: np.ndarray) -> np.ndarray:
        """-E s: how violations change with the scores; zero without a variable."""
        if self.relative:
            return scores - scores[self.own][:, None]
        change = -self.signs * self._centre(scores)
        if self.missing is not None:
            change[self.missing] = 0.0
        return change

    def coefficients(self, u: np.ndarray) -> np.ndarray:
        """b = E^T u."""
        if self.relative:
            b = -u
            b[self.own] += u.sum(axis=1)
            return b
        return self._centre(self.signs * u)

    def _centre(self, values: np.ndarray) -> np.ndarray:
        """Less their means, where E has such rows: also what should sum to zero, and
        by rounding does not.
        """
        return values - values.mean(axis=1, keepdims=True) if self.centred else values

    def losses(self, h: np.ndarray) -> float:
        """Sum of C_i loss_i."""
        if self.loss == "log":
            return float(self.loss_weights @ logsumexp(h, axis=1))
        if self.loss == "logistic":
            return float(self.loss_weights @ np.logaddexp(0, h).sum(axis=1))
        slack = h.max(axis=1)[:, None] if self.maximum else h
        slack = np.maximum(slack, 0)
        if self.loss == "squared_hinge":
            slack *= slack
        return float(self.loss_weights @ slack.sum(axis=1))

    def losses_at_zero(self) -> float:
        """Sum of C_i loss_i where all scores are zero."""
        if not len(self.loss_weights):
            return 0.0
        return self.losses(self.violations(np.zeros(self.shape)))

    def dual_terms(self, u: np.ndarray) -> float:
        """The dual objective of the variables, without 1/2 |W|^2."""
        if self.loss in SMOOTH:
            p = u / self.loss_weights[:, None]
            rest = 1 - (p.sum(axis=1, keepdims=True) if self.loss == "log" else p)
            rest = np.maximum(rest, 0)
            entropy = xlogy(p, p).sum(axis=1) + xlogy(rest, rest).sum(axis=1)
            return -float(self.loss_weights @ entropy)
        value = float(np.vdot(self.targets, u))
        return value - self._penalty(u) if self.loss == "squared_hinge" else value

    def _penalty(self, u: np.ndarray) -> float:
        squares = u.sum(axis=1) ** 2 if self.maximum else np.einsum("im,im->i", u, u)
        return float(np.sum(squares / (4 * self.loss_weights)))

    def feasible(self, u: np.ndarray) -> np.ndarray:
        """Variables that are feasible up to rounding, as feasible ones."""
        u = np.maximum(u, 0)
        if self.missing is not None:
            u[self.missing] = 0
        if self.loss == "squared_hinge":
            return u
        loss_weights = self.loss_weights[:, None]
        if self.maximum or self.loss == "log":
            sums = u.sum(axis=1, keepdims=True)
            return u * np.minimum(loss_weights / np.maximum(sums, loss_weights), 1)
        return np.minimum(u, loss_weights)

    def loss_gradient(self, h: np.ndarray) -> np.ndarray:
        """The gradient of a smooth loss with respect to h: a feasible u."""
        loss_weights = self.loss_weights[:, None]
        if self.loss == "squared_hinge":
            return 2 * loss_weights * np.maximum(h, 0)
        if self.loss == "logistic":
            return loss_weights * expit(h)
        u = loss_weights * np.exp(h - logsumexp(h, axis=1, keepdims=True))
        u[self.own] = 0
        return u

    def loss_curvature(self, u: np.ndarray) -> Curvature:
        """The derivative of `loss_gradient`, where that is `u`."""
        rows, classes = np.nonzero(u)
        u, loss_weights = u[rows, classes], self.loss_weights[rows]
        gamma = np.zeros(len(self.loss_weights))
        if self.loss == "squared_hinge":
            q = 2 * loss_weights
        elif self.loss == "logistic":
            q = u * (1 - u / loss_weights)
        else:
            q, gamma = u, 1 / self.loss_weights
        return Curvature(rows, classes, q, u, gamma)

    def project(self, u: np.ndarray, h: np.ndarray, sigma: float) -> np.ndarray:
        """The proximal step u+ from u."""
        v = h * sigma
        v += u
        np.maximum(v, 0, out=v)
        loss_weights = self.loss_weights[:, None]
        if not self.maximum:
            if self.loss == "hinge":
                return np.minimum(v, loss_weights, out=v)
            v /= 1 + sigma / (2 * loss_weights)
            return v
        if self.loss == "hinge":
            rows = np.flatnonzero(v.sum(axis=1) > self.loss_weights)
            bound, softness = self.loss_weights[rows], np.zeros(len(rows))
        else:
            rows = np.flatnonzero(v.any(axis=1))
            bound, softness = np.zeros(len(rows)), 2 * self.loss_weights[rows] / sigma
        above = v[rows]
        above -= thresholds(above, bound, softness)[:, None]
        np.maximum(above, 0, out=above)
        if self.loss == "hinge":  # to the last bits, which a large sigma blurs
            # Where it blurs all of them, the whole bound is for the largest.
            lost = np.flatnonzero(above.sum(axis=1) == 0)
            above[lost, v[rows[lost]].argmax(axis=1)] = bound[lost]
            above *= (bound / above.sum(axis=1))[:, None]
        v[rows] = above
        return v

    def distance(self, u_new, h, u, sigma: float) -> float:
        """u+ . h - penalty(u+) - |u+ - u|^2 / (2 sigma), summed up."""
        step = u_new - u
        value = np.vdot(u_new, h) - np.vdot(step, step) / (2 * sigma)
        if self.loss == "squared_hinge":
            value -= self._penalty(u_new)
        return float(value)

    def violation(self, h: np.ndarray, u: np.ndarray) -> float:
        """Largest violation of the optimality conditions of an example.

        By how much a variable that could grow would gain, or one that could shrink; if
        the sum is bounded, by how much more one gains than another loses.
        """
        if self.loss in SMOOTH:
            return float(
                np.max(np.abs(self.loss_gradient(h) - u) / self.loss_weights[:, None])
            )
        loss_weights = self.loss_weights[:, None]
        used = u.sum(axis=1, keepdims=True) if self.maximum else u
        if self.loss == "squared_hinge":
            h, full = h - used / (2 * loss_weights), False
        else:
            full = used >= loss_weights * (1 - 1e-9)
        if self.maximum and self.loss == "hinge":
            gain = np.maximum(h.max(axis=1), 0)
            loss = np.where(u > 0, h, np.inf).min(axis=1)
            loss = np.where(np.ravel(full), loss, np.minimum(loss, 0))
            return float(np.max(gain - loss))
        gain = np.where(full, 0, np.maximum(h, 0))
        return float(max(gain.max(), np.max(np.where(u > 0, -h, 0))))

    def step_curvature(self, u_new: np.ndarray, sigma: float) -> Curvature:
        """sigma times the derivative of `project` at the point that led to `u_new`."""
        free = u_new > 0
        gamma = np.zeros(len(self.loss_weights))
        if not self.maximum:
            if self.loss == "hinge":
                free &= u_new < self.loss_weights[:, None]
            rows, classes = np.nonzero(free)
            q = np.full(len(rows), sigma)
            if self.loss == "squared_hinge":
                q /= 1 + sigma / (2 * self.loss_weights[rows])
            return Curvature(rows, classes, q, q, gamma)
        count = free.sum(axis=1)
        if self.loss == "hinge":
            # 1 1^T / |free| where the sum is at its bound; one free variable is none.
            tight = u_new.sum(axis=1) >= self.loss_weights * (1 - 1e-12)
            free &= ~(tight & (count == 1))[:, None]
            gamma[tight] = 1 / (sigma * count[tight])
        else:
            soft = sigma / (2 * self.loss_weights)
            gamma = soft / (1 + soft * count) / sigma
        rows, classes = np.nonzero(free)
        q = np.full(len(rows), sigma)
        return Curvature(rows, classes, q, q, gamma)


def thresholds(v, bound, softness) -> np.ndarray:
    """Return theta >= 0 with ``sum_m [v_m - theta]_+ = bound + softness theta``.

    Of every row of v >= 0, whose sum is at least the bound. Newton's method on a
    convex, piecewise linear function (Michelot's) comes from below and is exact after
    as many steps as variables leave; those below the largest less the bound are not
    begun with.
    """
    theta = np.zeros(len(v))
    hard = softness == 0
    theta[hard] = np.maximum(v[hard].max(axis=1) - bound[hard], 0) if hard.any() else 0
    left = np.arange(len(v))
    while len(left):
        rows = v[left]
        above = rows > theta[left, None]
        count = above.sum(axis=1)
        total = np.einsum("im,im->i", rows, above)
        new = (total - bound[left]) / np.maximum(count + softness[left], 1e-300)
        moved = new > theta[left] * (1 + 1e-15)
        left, new = left[moved], new[moved]
        theta[left] = new
    return theta
