"""Penalties of weights: their values, their conjugates, and what optimality asks.

A penalty is a sum over features f of ``lambda_f`` times the sum of the absolute values
of the feature's weights ("l1"), their Euclidean length ("group"), or half their squares
("l2"). Weights may have bounds, with zero between them, but for "group". ``lambda_f``
is one, and zero for intercepts that are not penalised.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Penalty:
    """What is added to the losses.

    Attributes
    ----------
    kind : {"l1", "group", "l2"}
    terms : ndarray of shape (3, n_features)
        lambda, the least and the largest weight of every feature; infinite without a
        bound.
    """

    kind: str
    terms: np.ndarray

    def of(self, features) -> "Penalty":
        """The penalty of some features."""
        return Penalty(self.kind, np.ascontiguousarray(self.terms[:, features]))

    def value(self, W) -> float:
        """The penalty of weights, which are in their bounds."""
        if self.kind == "l2":
            by_feature = np.einsum("fm,fm->f", W, W) / 2
        elif self.kind == "group":
            by_feature = _lengths(W)
        else:
            by_feature = np.abs(W).sum(axis=1)
        return float(self.terms[0] @ by_feature)

    def excess(self, G) -> np.ndarray:
        """By which factor slopes G are too steep for weights of zero, by feature.

        Where it is above one, slopes -G of losses draw a weight away from zero: without
        bounds, farther than any weight, so that the conjugate is infinite.
        """
        weight, low, high = self.terms
        if self.kind == "group":
            steepest = _lengths(G)
        else:
            up = np.where(high > 0, G.max(axis=1, initial=0), 0)
            steepest = np.maximum(up, np.where(low < 0, -G.min(axis=1, initial=0), 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = steepest / (weight if self.kind != "l2" else 0.0)
        return np.where(steepest > 0, ratio, 0.0)

    def shrinkage(self, G) -> float:
        """What slopes must be divided by, for the conjugate to be finite."""
        weight, low, high = self.terms
        if self.kind == "l2":
            return 1.0
        kept = weight > 0
        if self.kind == "group":
            return float(np.max(_lengths(G[kept]) / weight[kept], initial=1.0))
        up = np.where(np.isinf(high), G.max(axis=1, initial=0), 0)
        down = np.where(np.isinf(low), -G.min(axis=1, initial=0), 0)
        return float(np.max(np.maximum(up, down)[kept] / weight[kept], initial=1.0))

    def conjugate(self, G) -> float:
        """The largest ``G . W - penalty(W)`` over weights W in their bounds.

        Where lambda is zero the sums of G are zero as well, up to rounding: those
        terms are left out.
        """
        if self.kind == "group":
            return 0.0
        kept = self.terms[0] > 0
        G, (weight, low, high) = G[kept], self.terms[:, kept, None]
        if self.kind == "l2":
            W = np.clip(G / weight, low, high)
            return float(np.sum(G * W - weight / 2 * W * W))
        far = np.abs(np.where(G > 0, high, low))
        far[np.isinf(far)] = 0  # G is not beyond lambda there
        return float(np.sum(far * np.maximum(np.abs(G) - weight, 0)))

    def smooth(self, W) -> np.ndarray:
        """Which weights are where the penalty has derivatives, inside their bounds."""
        weight, low, high = (each[:, None] for each in self.terms)
        if self.kind == "group":
            return np.broadcast_to(
                (weight == 0) | W.any(axis=1, keepdims=True), W.shape
            )
        inside = (low < W) & (high > W)
        return inside & ((W != 0) | (weight == 0)) if self.kind == "l1" else inside

    def slopes(self, W) -> np.ndarray:
        """First derivatives, where there are any."""
        if self.kind == "l2":
            return self.terms[0][:, None] * W
        units = np.sign(W) if self.kind == "l1" else _units(W)
        return self.terms[0][:, None] * units

    def curvature(self, W) -> Callable[[np.ndarray], np.ndarray]:
        """Return the product of the second derivatives with a step."""
        weight = self.terms[0][:, None]
        if self.kind != "group":
            return lambda step: weight * step if self.kind == "l2" else 0.0
        units, lengths = _units(W), _lengths(W)[:, None]
        share = np.divide(
            weight, lengths, out=np.zeros_like(lengths), where=W.any(1, keepdims=True)
        )

        def product(step):
            along = np.einsum("fm,fm->f", units, step)[:, None]
            return share * (step - along * units)

        return product

    def nearest(self, W, step) -> np.ndarray:
        """The step, but to zero where signs would change, to bounds beyond them."""
        weight, low, high = (each[:, None] for each in self.terms)
        to = np.clip(W + step, low, high)
        if self.kind == "l1":
            to[(to * W < 0) & (weight > 0)] = 0.0
        elif self.kind == "group":
            turned = np.einsum("fm,fm->f", to, W)[:, None] <= 0
            to = np.where(turned & (weight > 0), 0.0, to)
        return to - W

    def violation(self, W, G) -> float:
        """By how much a slope is wrong, where the gradient of the losses is -G."""
        weight, low, high = (each[:, None] for each in self.terms)
        if self.kind == "group":
            wrong = np.abs(self.slopes(W) - G).max(axis=1)
            at_zero = np.maximum(_lengths(G) - self.terms[0], 0)
            return float(np.where(W.any(axis=1), wrong, at_zero).max())
        slope = self.slopes(W)
        margin = np.where((W == 0) & (self.kind == "l1"), weight, 0.0)
        up = np.where(high > W, G - slope - margin, 0)
        down = np.where(low < W, slope - margin - G, 0)
        return float(max(up.max(), down.max(), 0.0))


def _lengths(W) -> np.ndarray:
    return np.sqrt(np.einsum("fm,fm->f", W, W))


def _units(W) -> np.ndarray:
    """Directions of the weights of features; zero where they are zero."""
    return np.divide(W, _lengths(W)[:, None], out=np.zeros_like(W), where=W != 0)
