"""Votes for classes and their probabilities, from the scores of binary problems."""

from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, log_expit, log_softmax

from ..machine.block_algebra import class_pairs

_CHUNK = 1024  # rows whose systems are solved at a time


def votes(scores) -> np.ndarray:
    """Return how many pairs every class wins, and a fraction that decides ties.

    Ties go to the class with the larger sum of scores over its pairs, squeezed into an
    interval shorter than one vote.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_pairs)
        Positive where the second class of a pair wins.

    Returns
    -------
    votes : ndarray of shape (n_samples, n_classes)
    """
    against = _pairs_of_classes(scores.shape[1])
    wins = (2.0 * (scores > 0) - 1) @ against  # less what is lost
    sums = scores.astype(np.float64) @ against
    n_classes = against.shape[1]
    return (wins + n_classes - 1) / 2 + sums / (3 * (np.abs(sums) + 1))


@lru_cache(maxsize=16)
def _pairs_of_classes(n_pairs: int) -> sp.csr_array:
    """Return a row for each pair: -1 at its first class, 1 at its second."""
    classes = np.column_stack(class_pairs(n_pairs)).ravel()
    signs = np.tile([-1.0, 1.0], n_pairs)
    shape = n_pairs, classes.max() + 1
    return sp.csr_array((signs, classes, 2 * np.arange(n_pairs + 1)), shape=shape)


def couple(scores) -> np.ndarray:
    """Return probabilities of the classes (Wu, Lin and Weng, 2004, second approach).

    With ``r_ij`` the probability of class i against class j, they are the p that
    minimises ``sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2`` and sums to one: a linear
    system for every row.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_pairs)
        Log-odds of the second class of each pair.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
    """
    first, second = class_pairs(scores.shape[1])
    k = second.max() + 1
    result = np.empty((len(scores), k), dtype=scores.dtype)
    for start in range(0, len(scores), _CHUNK):
        chunk = scores[start : start + _CHUNK].astype(np.float64)
        r = np.zeros((len(chunk), k, k))  # r[:, i, j]: i against j
        r[:, second, first] = expit(chunk)
        r[:, first, second] = expit(-chunk)
        # The Lagrangian: Q p = -b and sum p = 1.
        system = np.ones((len(chunk), k + 1, k + 1))
        system[:, :k, :k] = -r.transpose(0, 2, 1) * r
        diagonal = np.arange(k)
        system[:, diagonal, diagonal] = (r**2).sum(axis=1)
        system[:, k, k] = 0
        right = np.zeros((len(chunk), k + 1, 1))
        right[:, k] = 1
        p = np.linalg.solve(system, right)[:, :k, 0]
        p = np.maximum(p, 0)  # rounding
        result[start : start + _CHUNK] = p / p.sum(axis=1, keepdims=True)
    return result


def coupled_probabilities(scores) -> np.ndarray:
    """Return coupled probabilities whose largest is that of the winner of the votes.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_pairs)
        Log-odds of the second class of each pair.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
    """
    return make_most_probable(couple(scores), votes(scores).argmax(axis=1))


def make_most_probable(probabilities, winners) -> np.ndarray:
    """Make the winners of the rows their most probable classes, in place.

    Where they are not, a winner and the most probable class exchange probabilities.
    """
    rows = np.arange(len(winners))
    best = probabilities.argmax(axis=1)
    highest = probabilities[rows, best]
    probabilities[rows, best] = probabilities[rows, winners]
    probabilities[rows, winners] = highest
    # Equal to another, which comes first: the smallest step ahead of it.
    tied = probabilities.argmax(axis=1) != winners
    ahead = np.nextafter(highest[tied], np.ones_like(highest[tied]))
    probabilities[rows[tied], winners[tied]] = ahead
    return probabilities


def log_probabilities(scores) -> np.ndarray:
    """Return logarithms of probabilities of the classes, each known against the rest.

    Sigmoids divided by their sum; as logarithms, so that what is very improbable in
    every class is still comparable.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
        Log-odds of each class, or of the second of two.

    Returns
    -------
    logarithms : ndarray of shape (n_samples, n_classes)
    """
    if scores.ndim == 1:
        return np.column_stack([log_expit(-scores), log_expit(scores)])
    return log_softmax(log_expit(scores), axis=1)
