"""Nystroem features of partitions: one choice of landmarks, features where rows are.

Landmarks are chosen as on one machine, from a sample of the rows of all partitions that
depends on the seed and on how rows are divided, not on workers.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..kernel import make_kernel
from ..landmarks import ROWS_PER_LANDMARK, choose_rows
from ..moments import moments_of
from ..nystroem import NystroemFeatures
from ..threads import blas_on_one_thread, thread_count
from .partition import Block, Summary
from .tasks import Tasks


def choose_features(
    estimator, tasks: Tasks, blocks: list, summaries: Sequence[Summary], seed: int
) -> NystroemFeatures:
    """Return features for the rows of all blocks; `estimator` has the parameters."""
    most = ROWS_PER_LANDMARK * estimator.rank
    sample = gather_sample(tasks, blocks, summaries, most, seed)
    gamma = estimator.gamma
    if gamma == "scale" and estimator.kernel != "linear":
        gamma = 1 / (sample.shape[1] * _variance(tasks, blocks) or 1.0)
    parameters = estimator.kernel, gamma, estimator.degree, estimator.coef0
    kernel = make_kernel(*parameters, sample)
    with blas_on_one_thread():
        return NystroemFeatures(kernel, estimator.rank, seed).fit(sample)


def gather_sample(tasks: Tasks, blocks, summaries: Sequence[Summary], most: int, seed):
    """Return at most so many rows of all blocks, drawn at random, in their order."""
    ends = np.cumsum([summary.n_rows for summary in summaries])
    chosen = choose_rows(int(ends[-1]), most, np.random.default_rng(seed))
    starts = np.concatenate([[0], ends[:-1]])
    numbers = np.split(chosen, np.searchsorted(chosen, starts[1:]))
    numbers = [found - start for found, start in zip(numbers, starts, strict=True)]
    dtype = np.result_type(*[s.dtype for s in summaries if s.n_rows])
    rows = tasks.gather(tasks.each(take_rows, blocks, numbers))
    rows = [found for found in rows if found.shape[0]]
    if any(sp.issparse(found) for found in rows):
        rows = sp.vstack([sp.csr_array(found) for found in rows], "csr")
    else:
        rows = np.vstack(rows)
    return rows.astype(dtype, copy=False)


def take_rows(block: Block, numbers: np.ndarray):
    return block.X[numbers]


def _variance(tasks: Tasks, blocks) -> float:
    """Of the values of all blocks, around one mean."""
    n_rows, means, variances = np.array(
        tasks.gather(tasks.each(describe_values, blocks))
    ).T
    shares = n_rows / n_rows.sum()
    mean = shares @ means
    return float(shares @ (variances + (means - mean) ** 2))


def describe_values(block: Block) -> tuple[int, float, float]:
    """Return the number of rows, and the mean and the variance of all their values."""
    X = block.X
    if X.shape[0] == 0:
        return 0, 0.0, 0.0
    total = X.sum(dtype=np.float64)
    return X.shape[0], float(total / np.prod(X.shape)), moments_of(X).variance


def features_of(block: Block, features: NystroemFeatures, n_jobs) -> Block:
    """Replace the rows of a block by their features."""
    with blas_on_one_thread():
        X = features.transform(block.X, thread_count(n_jobs))
    return replace(block, X=X)
