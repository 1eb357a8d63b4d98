"""Nystroem features of partitions: one choice of landmarks, features where rows are.

Landmarks are chosen as on one machine, from a sample of the rows of all partitions that
depends on the seed and on how rows are divided, not on workers.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..access.kernels import make_kernel
from ..access.landmarks import ROWS_PER_LANDMARK, choose_rows
from ..access.mean_and_variance import moments_of
from ..access.nystroem import NystroemFeatures
from ..base.one_thread import blas_on_one_thread
from ..base.threads import thread_count
from .partition_data import PartitionData
from .partition_summary import PartitionSummary
from .tasks import Tasks


def choose_features(
    tasks: Tasks,
    parts: list,
    summaries: Sequence[PartitionSummary],
    kernel: tuple,
    rank: int,
    seed: int,
) -> NystroemFeatures:
    """Return features for the rows of all parts.

    Parameters
    ----------
    tasks : Tasks
    parts : list of Future
        Of the data of partitions.
    summaries : sequence of PartitionSummary
    kernel : tuple
        Kernel, gamma, degree and coef0, as `KernelSVM` has them.
    rank : int
    seed : int
    """
    sample = gather_sample(tasks, parts, summaries, ROWS_PER_LANDMARK * rank, seed)
    name, gamma, degree, coef0 = kernel
    if gamma == "scale" and name != "linear":
        gamma = 1 / (sample.shape[1] * _variance(tasks, parts) or 1.0)
    made = make_kernel(name, gamma, degree, coef0, sample)
    with blas_on_one_thread():
        return NystroemFeatures(made, rank, seed).fit(sample)


def gather_sample(
    tasks: Tasks, parts, summaries: Sequence[PartitionSummary], most: int, seed
):
    """Return at most so many rows of all parts, drawn at random, in their order."""
    ends = np.cumsum([summary.n_rows for summary in summaries])
    chosen = choose_rows(int(ends[-1]), most, np.random.default_rng(seed))
    starts = np.concatenate([[0], ends[:-1]])
    numbers = np.split(chosen, np.searchsorted(chosen, starts[1:]))
    numbers = [found - start for found, start in zip(numbers, starts, strict=True)]
    dtype = np.result_type(*[s.dtype for s in summaries if s.n_rows])
    rows = tasks.gather(tasks.each(take_rows, parts, numbers))
    rows = [found for found in rows if found.shape[0]]
    if any(sp.issparse(found) for found in rows):
        rows = sp.vstack([sp.csr_array(found) for found in rows], "csr")
    else:
        rows = np.vstack(rows)
    return rows.astype(dtype, copy=False)


def take_rows(data: PartitionData, numbers: np.ndarray):
    return data.X[numbers]


def _variance(tasks: Tasks, parts) -> float:
    """Of the values of all partitions, around one mean."""
    n_rows, means, variances = np.array(
        tasks.gather(tasks.each(describe_values, parts))
    ).T
    shares = n_rows / n_rows.sum()
    mean = shares @ means
    return float(shares @ (variances + (means - mean) ** 2))


def describe_values(data: PartitionData) -> tuple[int, float, float]:
    """Return the number of rows, and the mean and the variance of all their values."""
    X = data.X
    if X.shape[0] == 0:
        return 0, 0.0, 0.0
    total = X.sum(dtype=np.float64)
    return X.shape[0], float(total / np.prod(X.shape)), moments_of(X).variance


def features_of(
    data: PartitionData, features: NystroemFeatures, n_jobs
) -> PartitionData:
    """Replace the rows of a partition by their features."""
    with blas_on_one_thread():
        X = features.transform(data.X, thread_count(n_jobs))
    return replace(data, X=X)
