"""The blocks of the primal system, a pair of classes each: sums of w_i x_i x_i^T.

E^T J E of an example is zero but for the classes of its free variables and, with
relative margins, its label. What is not zero is listed, sorted by pairs of classes, and
the rows of a pair make one matrix product.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ....machine.projection import Blocks, Curvature

# Entries of rows that are gathered at a time (8 MB).
GATHERED = 1 << 20


class Pairs(NamedTuple):
    """Entries of all E^T J E, uncentred, with first <= second; ordered by key.

    Attributes
    ----------
    key : ndarray of int
        ``first * k + second``.
    rows : ndarray of int
    weights : ndarray
    k : int
    """

    key: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    k: int


def class_pairs(blocks: Blocks, curvature: Curvature) -> Pairs:
    """Return what is not zero of all E^T J E.

    With J = diag(q) - gamma r r^T and absolute margins, ``q - gamma r^2`` at (m, m) and
    ``-gamma Y_m r_m Y_e r_e`` at (m, e); with relative margins the same without signs,
    ``gamma r_m R - q_m`` at (m, y) and ``sum q - gamma R^2`` at (y, y), R = sum r. Of
    Crammer-Singer blocks at their bound, the label's entries cancel.
    """
    k = blocks.shape[1]
    rows, classes, q, r, gamma = curvature
    coupled = gamma[rows]
    parts = [(classes * k + classes, rows, q - coupled * r * r)]
    if blocks.relative:
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        counts = np.diff(starts, append=len(rows))
        R, Q = np.add.reduceat(r, starts), np.add.reduceat(q, starts)
        label = blocks.labels[rows]
        low, high = np.minimum(classes, label), np.maximum(classes, label)
        own = label[starts] * (k + 1)
        of_label = Q - coupled[starts] * R * R
        of_both = coupled * r * np.repeat(R, counts) - q
        parts += [(low * k + high, rows, of_both), (own, rows[starts], of_label)]
    chosen = coupled > 0
    if chosen.any() and not blocks.separate:
        b = r if blocks.relative else blocks.signs[rows, classes] * r
        parts += _other_pairs(rows[chosen], classes[chosen], b[chosen], gamma, k)
    key, rows, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    kept = np.abs(weights) > 1e-13 * np.abs(weights).max(initial=0)
    key, rows, weights = key[kept], rows[kept], weights[kept]
    # Sixteen bits are sorted in time that grows with their number alone.
    order = np.argsort(key.astype(np.uint16 if k < 256 else np.int64), kind="stable")
    return Pairs(key[order], rows[order], weights[order], k)


def _other_pairs(rows, classes, b, gamma, k):
    """Yield the entries of -gamma b b^T beside the diagonal."""
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    counts = np.diff(starts, append=len(rows))
    for count in np.unique(counts):  # rows with as many entries have as many pairs
        place = starts[counts == count][:, None]
        one, other = np.triu_indices(count, 1)
        one, other = (place + one).ravel(), (place + other).ravel()
        weights = -gamma[rows[one]] * b[one] * b[other]
        yield classes[one] * k + classes[other], rows[one], weights


def class_grams(X, pairs: Pairs) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield (first, second, sum of w x x^T) of every pair that has entries."""
    ends = np.flatnonzero(np.diff(pairs.key, append=-1)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    width = max(1, GATHERED // X.shape[1])
    begin = 0
    while begin < len(ends):
        # As many pairs as fit, at least one.
        end = max(begin + 1, np.searchsorted(ends, starts[begin] + width, "right"))
        chosen = slice(starts[begin], ends[end - 1])
        if sp.issparse(X):
            rows = X[pairs.rows[chosen]]
            scaled = sp.csr_array(rows.multiply(pairs.weights[chosen, None]))
        else:
            rows = X.take(pairs.rows[chosen], axis=0)
            scaled = rows * pairs.weights[chosen, None]
        for pair in range(begin, end):
            of_pair = slice(starts[pair] - chosen.start, ends[pair] - chosen.start)
            gram = scaled[of_pair].T @ rows[of_pair]
            gram = gram.toarray() if sp.issparse(gram) else gram
            yield *divmod(int(pairs.key[starts[pair]]), pairs.k), gram
        begin = end
