"""How much features speak for a class, or for one class against another."""

import numpy as np
import scipy.sparse as sp

from ..machine.block_algebra import class_pairs


def weights_of_class(model, m: int) -> np.ndarray:
    """Return the weights of a class; of one-vs-one, their mean over its pairs."""
    k = len(model.classes_)
    if k == 2:
        return _combine(model, [0], [1.0 if m == 1 else -1.0])[0]
    if not model._machine().formulation.by_pairs:
        return _combine(model, [m], [1.0])[0]
    first, second = class_pairs(model.coef_.shape[0])
    chosen = np.flatnonzero((first == m) | (second == m))
    signs = np.where(second[chosen] == m, 1.0, -1.0) / (k - 1)
    return _combine(model, chosen, signs)[0]


def weights_between(model, m: int, other: int) -> tuple[np.ndarray, float]:
    """Return weights and intercept whose score is how far class m is before another.

    Of one-vs-one that is the machine of the two.
    """
    if len(model.classes_) == 2:
        return _combine(model, [0], [1.0 if m == 1 else -1.0])
    if not model._machine().formulation.by_pairs:
        return _combine(model, [m, other], [1.0, -1.0])
    first, second = class_pairs(model.coef_.shape[0])
    pair = np.flatnonzero((first == min(m, other)) & (second == max(m, other)))
    return _combine(model, pair, [1.0 if m > other else -1.0])


def _combine(model, rows, signs) -> tuple[np.ndarray, float]:
    coef, signs = model.coef_[rows], np.asarray(signs)
    coef = coef.toarray() if sp.issparse(coef) else coef
    return signs @ coef, float(signs @ model.intercept_[rows])


def largest(weights: np.ndarray, top: int) -> np.ndarray:
    """Return where the weights of largest size are that are not zero, in order."""
    top = min(top, len(weights))
    found = np.argpartition(-np.abs(weights), top - 1)[:top]
    found = found[np.argsort(-np.abs(weights[found]), kind="stable")]
    return found[weights[found] != 0]
