"""A part of the rows of a problem: its driver, and what is kept of it in between.

Where rows are spread over machines, or lie on disk, a driver lives only as long as its
rows are at hand.
"""

from dataclasses import dataclass, field

import numpy as np
from joblib import effective_n_jobs

from .problem import Problem
from .solver import sequential_driver, set_schedule


def part_driver(settings, rows, dtype, problem: Problem, seed: int):
    """Return a fresh sequential driver of some rows.

    Parameters
    ----------
    settings : estimator
        With the parameters of `LinearSVM`.
    rows : core object
    dtype : dtype
        Of the rows.
    problem : Problem
        Of these rows.
    seed : int
    """
    bits = "32" if dtype == np.float32 else "64"
    threads = effective_n_jobs(settings.n_jobs)
    driver = sequential_driver(
        f"Sequential{bits}", settings, rows, problem, seed, threads
    )
    set_schedule(driver, settings, settings.order)
    return driver


@dataclass(frozen=True)
class PartState:
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
    def of(cls, driver) -> "PartState":
        """What a driver leaves behind."""
        return cls(driver.duals(), driver.schedule_memory(), driver.losses())

    def restore(self, driver) -> None:
        """Let a fresh driver of the same rows go on from here; its W stays."""
        indptr, classes, values = self.duals
        driver.set_duals(indptr, classes, values.astype(np.float64), rebuild=False)
        driver.recall_schedule(self.memory)
        if self.losses is not None:
            driver.set_losses(self.losses)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of it, to be written; `from_arrays` is the inverse."""
        return *self.duals, self.memory, self.losses

    @classmethod
    def from_arrays(cls, indptr, classes, values, memory, losses) -> "PartState":
        return cls((indptr, classes, values), memory, losses)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)
