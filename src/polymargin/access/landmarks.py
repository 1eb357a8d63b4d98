"""Which points stand for all others in a low-rank approximation of a kernel.

The choice matters where there are few. Test accuracy of Crammer-Singer on Nystroem
features of the rbf kernel, with rows drawn at random and with means of rows by k-means,
and of one-vs-one with the exact kernel (scikit-learn's SVC); mean of three seeds, with
widths that are not those of the benchmarks:

    ========  ==========  ===========  ===========  ============  =====
    data      landmarks   rank 100     rank 300     rank 1000     exact
    ========  ==========  ===========  ===========  ============  =====
    satimage  rows        .880         .901         .902          .913
    satimage  means       .892         .903         .900
    usps      rows        .886         .922         .939          .939
    usps      means       .915         .941         .946
    letter    rows        .817         .926         .962          .977
    letter    means       .841         .935         .963
    ========  ==========  ===========  ===========  ============  =====

Other ways to pick rows were not better by more than what seeds differ: randomly
pivoted Cholesky (Chen, Epperly, Tropp and Webber, 2025), the seeding of k-means++ in
the space of the kernel, and ridge leverage scores. Five steps of k-means are nearly as
good as twenty, and 20 rows for each landmark as all.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from .kernel_points import Points

_STEPS = 5
ROWS_PER_LANDMARK = 20
_BLOCK = 1 << 20  # products at a time


def choose_rows(n_rows: int, rank: int, rng: np.random.Generator) -> np.ndarray:
    """Return `rank` different rows at random, ascending; all if there are no more."""
    if rank >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, size=rank, replace=False))


def choose_means(
    points: Points,
    rank: int,
    rng: np.random.Generator,
    poll: Callable = lambda: None,
) -> np.ndarray:
    """Return `rank` means of rows near each other, after a few steps of k-means.

    Parameters
    ----------
    points : Points
        Dense, and more than `rank`.
    rank : int
    rng : Generator
    poll : callable
        Called often; may raise to end it.

    Returns
    -------
    means : ndarray of shape (rank, n_features)
    """
    sample = choose_rows(len(points), ROWS_PER_LANDMARK * rank, rng)
    rows = points.rows[sample]
    means = rows[choose_rows(len(rows), rank, rng)]
    for _ in range(_STEPS):
        nearest = _nearest(rows, means, poll)
        counts = np.bincount(nearest, minlength=rank)
        members = sp.csr_array(
            (np.ones_like(rows, shape=len(rows)), (nearest, np.arange(len(rows)))),
            shape=(rank, len(rows)),
        )
        sums, taken = members @ rows, counts > 0  # the others stay where they are
        means[taken] = sums[taken] / counts[taken, None].astype(rows.dtype)
    return means


def _nearest(rows, means, poll: Callable) -> np.ndarray:
    """Return the position of the mean that is nearest to each row."""
    # |x - m|^2 / 2 but for |x|^2 / 2
    offsets = np.einsum("ij,ij->i", means, means) / 2
    nearest = np.empty(len(rows), dtype=np.intp)
    step = max(_BLOCK // len(means), 1)
    for start in range(0, len(rows), step):
        poll()
        closeness = rows[start : start + step] @ means.T
        closeness -= offsets
        nearest[start : start + step] = closeness.argmax(axis=1)
    return nearest
