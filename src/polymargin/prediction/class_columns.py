"""Weights of a linear model after classes have come, or gone."""

import numpy as np

from ..machine.block_algebra import class_pairs
from ..machine.formulation import Formulation


def columns_for_classes(
    row: Formulation, W: np.ndarray, places, n_classes: int, bias: float
) -> np.ndarray:
    """Return W for other classes.

    What has come has weights of zero; of problems that are separate, it has the score
    -1 everywhere, as a class of which there was no row.

    Parameters
    ----------
    row : Formulation
    W : ndarray of shape (features, columns)
        The constant feature last.
    places : sequence of int
        Where each class is among the others, in ascending order; -1 if it has gone.
    n_classes : int
        How many there are now.
    bias : float
        Value of the constant feature; zero if there is none.
    """
    places = np.asarray(places)
    if row.by_pairs:
        return _pairs(W, places, n_classes)
    if row.separate and len(places) == 2:
        W = np.hstack([-W, W])
    kept = places >= 0
    moved = np.zeros((len(W), n_classes), dtype=W.dtype)
    moved[:, places[kept]] = W[:, kept]
    if not row.separate:
        return moved - moved.mean(axis=1, keepdims=True)
    if bias:
        come = np.setdiff1d(np.arange(n_classes), places)
        moved[-1, come] = -1 / bias
    return (moved[:, [1]] - moved[:, [0]]) / 2 if n_classes == 2 else moved


def _pairs(W: np.ndarray, places: np.ndarray, n_classes: int) -> np.ndarray:
    column_of = np.zeros((n_classes, n_classes), dtype=int)
    first, second = np.triu_indices(n_classes, 1)
    column_of[first, second] = np.arange(len(first))
    moved = np.zeros((len(W), len(first)), dtype=W.dtype)
    for column, (a, b) in enumerate(zip(*class_pairs(W.shape[1]), strict=True)):
        if places[a] >= 0 and places[b] >= 0:
            moved[:, column_of[places[a], places[b]]] = W[:, column]
    return moved
