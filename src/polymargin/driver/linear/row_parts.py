"""A part of the rows of a problem: its driver, and what is kept of it in between.

Where rows are spread over machines, or lie on disk, a driver lives only as long as its
rows are at hand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...machine.problem import Problem
from ..options import LinearOptions
from .dual import sequential_driver, set_schedule


def part_driver(rows, dtype, problem: Problem, options: LinearOptions, weights_of=None):
    """Return a fresh sequential driver of some rows.

    Parameters
    ----------
    rows : core object
    dtype : dtype
        Of the rows.
    problem : Problem
        Of these rows.
    options : LinearOptions
    weights_of : driver or None
        Of other rows, whose weights it shares: steps on the one are steps on the other.
    """
    driver = sequential_driver("Sequential", rows, dtype, problem, options, weights_of)
    set_schedule(driver, options)
    return driver


@dataclass(frozen=True)
class DriverState:
    """What a part knows between two visits.

    Attributes
    ----------
    duals : tuple of ndarrays
        Dual blocks as (indptr, classes, values).
    memory : ndarray of float32
        What the order of visits has learned.
    losses : ndarray
        Of the rows, as last seen.
    """

    duals: tuple[np.ndarray, ...]
    memory: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    losses: np.ndarray | None = None

    @classmethod
    def of(cls, driver) -> "DriverState":
        """What a driver leaves behind."""
        return cls(driver.duals(), driver.schedule_memory(), driver.losses())

    def restore(self, driver) -> None:
        """Let a fresh driver of the same rows go on from here; its W stays."""
        indptr, classes, values = self.duals
        driver.set_duals(indptr, classes, values.astype(np.float64), rebuild=False)
        driver.recall_schedule(self.memory)
        if self.losses is not None:
            driver.set_losses(self.losses)

    @classmethod
    def join(cls, states: Sequence["DriverState"]) -> "DriverState":
        """The state of parts that are put one below the other."""
        indptrs, classes, values = zip(*(state.duals for state in states), strict=True)
        lengths = np.concatenate([np.diff(indptr) for indptr in indptrs])
        memories = [state.memory for state in states]
        # The first number is the mean gain of a visit, the others belong to the rows.
        mean = np.mean([memory[:1] for memory in memories], axis=0)
        memory = np.concatenate([mean, *(memory[1:] for memory in memories)])
        return cls(
            (
                np.concatenate([[0], np.cumsum(lengths)]),
                np.concatenate(classes),
                np.concatenate(values),
            ),
            memory.astype(np.float32),
            np.concatenate([state.losses for state in states]),
        )

    def split(self, sizes: Sequence[int]) -> Iterator["DriverState"]:
        """The states of parts of so many rows, each a copy."""
        indptr, classes, values = self.duals
        of_a_row = max(len(self.memory) - 1, 0) // len(self.losses)
        start = 0
        for size in sizes:
            stop = start + size
            starts = indptr[start : stop + 1]
            inner = slice(starts[0], starts[-1])
            of_rows = self.memory[1 + of_a_row * start : 1 + of_a_row * stop]
            yield DriverState(
                (starts - starts[0], classes[inner].copy(), values[inner].copy()),
                np.concatenate([self.memory[:1], of_rows]),
                self.losses[start:stop].copy(),
            )
            start = stop

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of it, to be written; `from_arrays` is the inverse."""
        return *self.duals, self.memory, self.losses

    @classmethod
    def from_arrays(cls, indptr, classes, values, memory, losses) -> "DriverState":
        return cls((indptr, classes, values), memory, losses)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)
