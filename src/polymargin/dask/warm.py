"""From one fit to the next: dual variables of rows that are the same.

They come to the process that called `fit`, because nothing is left on the cluster, and
go back to their partitions.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..problem import Problem
from .checkpoint import arrays_of, result_of
from .local_round import Result
from .partition import Partition
from .rounds import Rounds
from .tasks import Tasks


@dataclass(frozen=True)
class Part:
    """Dual variables of a partition, as `arrays_of` has them, and their problem."""

    problem: Problem
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Kept:
    """What the next fit can start from.

    Attributes
    ----------
    classes : ndarray
    weights : ndarray
        The model.
    sigma : float
    parts : list of Part
    """

    classes: np.ndarray
    weights: np.ndarray
    sigma: float
    parts: list[Part]


def keep(tasks: Tasks, rounds: Rounds, classes: np.ndarray) -> Kept:
    """Gather what a run has arrived at."""
    parts = tasks.gather(tasks.each(part_of, rounds.partitions, rounds.results))
    return Kept(classes, rounds.best(), rounds.pace.sigma, parts)


def start(tasks: Tasks, rounds: Rounds, classes: np.ndarray, kept: Kept | None) -> None:
    """Let a run begin from what was kept, if that is of as many parts and classes."""
    if (
        kept is None
        or len(kept.parts) != len(rounds.partitions)
        or kept.weights.shape != (rounds.size.n_features, rounds.size.n_columns)
        or not np.array_equal(kept.classes, classes)
    ):
        return
    results = tasks.each(start_part, rounds.partitions, kept.parts)
    rounds.begin_from(results, kept.weights, kept.sigma)


def part_of(partition: Partition, result: Result | None) -> Part:
    return Part(partition.problem, {} if result is None else arrays_of(result))


def start_part(partition: Partition, part: Part) -> Result:
    """Make dual variables feasible for the C of now; zeros if rows are others."""
    problem, last, arrays = partition.problem, part.problem, {}
    if (
        "indptr" in part.arrays
        and last.machine == problem.machine
        and np.array_equal(last.labels, problem.labels)
    ):
        parts = (part.arrays[name] for name in ("values", "classes", "indptr"))
        shape = (len(problem.labels), problem.n_columns)
        duals = sp.csr_array(tuple(parts), shape=shape)
        duals = problem.machine.fit_duals(duals, last.caps, problem.caps)
        arrays = {
            "indptr": duals.indptr.astype(np.int64),
            "classes": duals.indices.astype(np.int32),
            "values": duals.data,
            # What the order of visits has learned was about another problem.
            "memory": np.empty(0, np.float32),
        }
    return result_of(partition, arrays)
