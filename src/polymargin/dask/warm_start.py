"""From one fit to the next: dual variables of rows that are the same.

They come to the process that called `fit`, because nothing is left on the cluster, and
go back to their partitions.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..machine.block_algebra import feasible_duals
from ..machine.problem import Problem
from .local_round import PartitionResult
from .partition import Partition
from .rounds import Rounds
from .state_arrays import arrays_of, result_of
from .tasks import Tasks


@dataclass(frozen=True)
class PartitionDuals:
    """Dual variables of a partition, as `arrays_of` has them, and their problem."""

    problem: Problem
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class WarmStart:
    """What the next fit can start from.

    Attributes
    ----------
    classes : ndarray
    weights : ndarray
        The model.
    sigma : float
    partitions : list of PartitionDuals
    """

    classes: np.ndarray
    weights: np.ndarray
    sigma: float
    partitions: list[PartitionDuals]


def gather_warm_start(tasks: Tasks, rounds: Rounds, classes: np.ndarray) -> WarmStart:
    """Gather what a run has arrived at."""
    duals = tasks.gather(tasks.each(duals_of, rounds.partitions, rounds.results))
    return WarmStart(classes, rounds.latest.fetch(), rounds.pace.sigma, duals)


def start_from(
    tasks: Tasks, rounds: Rounds, classes: np.ndarray, last_fit: WarmStart | None
) -> None:
    """Let a run begin from the last fit, if that had as many parts and classes."""
    if (
        last_fit is None
        or len(last_fit.partitions) != len(rounds.partitions)
        or last_fit.weights.shape != (rounds.size.n_features, rounds.size.n_columns)
        or not np.array_equal(last_fit.classes, classes)
    ):
        return
    results = tasks.each(start_partition, rounds.partitions, last_fit.partitions)
    rounds.begin_from(results, last_fit.weights, last_fit.sigma)


def duals_of(partition: Partition, result: PartitionResult | None) -> PartitionDuals:
    return PartitionDuals(
        partition.problem, {} if result is None else arrays_of(result)
    )


def start_partition(partition: Partition, before: PartitionDuals) -> PartitionResult:
    """Make dual variables feasible for the C of now; zeros if rows are others."""
    problem, last, arrays = partition.problem, before.problem, {}
    if (
        "indptr" in before.arrays
        and last.machine == problem.machine
        and np.array_equal(last.labels, problem.labels)
    ):
        parts = (before.arrays[name] for name in ("values", "classes", "indptr"))
        shape = (len(problem.labels), problem.n_columns)
        duals = sp.csr_array(tuple(parts), shape=shape)
        duals = feasible_duals(
            problem.machine, duals, last.loss_weights, problem.loss_weights
        )
        arrays = {
            "indptr": duals.indptr.astype(np.int64),
            "classes": duals.indices.astype(np.int32),
            "values": duals.data,
            # What the order of visits has learned was about another problem.
            "memory": np.empty(0, np.float32),
        }
    return result_of(partition, arrays)
