"""Fills the cache of a driver in C++ with the kernel rows that it asks for."""

from time import perf_counter

import numpy as np

from ..base.threads import on_threads
from .gram import Gram

_WIDTH = 1024  # columns of a tile: what a thread computes at a time


class CacheFiller:
    """Computes the kernel rows that are missing in a cache, as tiles of columns.

    Tiles are the same on any number of threads, and so is what is in them as long as
    BLAS is on one thread.

    Parameters
    ----------
    core : core object
        A driver whose cache takes the rows.
    gram : Gram
        Of what is trained on.
    threads : int

    Attributes
    ----------
    n_evaluations : int
        Kernel values computed so far.
    seconds : float
        That this took.
    """

    def __init__(self, core, gram: Gram, threads: int):
        self.core = core
        self.kernel = gram.kernel
        self.points = gram.points
        self.columns = gram.points
        self.threads = threads
        self.n_evaluations = 0
        self.seconds = 0.0
        self.incomplete = np.empty(0, dtype=np.int32)

    def choose_columns(self) -> None:
        """From now on, compute the columns that the driver has."""
        chosen = self.core.columns
        whole = len(chosen) == len(self.points)
        self.columns = self.points if whole else self.points.take(chosen)

    def fetch(self, examples, end: float = float("inf")) -> bool:
        """Bring the rows of `examples` into the cache, and say whether they are there.

        They are not if the time `end` has come. What is left incomplete then, or by a
        signal or an error, is forgotten before the next rows are fetched.
        """
        start = perf_counter()
        self.core.forget(self.incomplete)
        missing = self.incomplete = self.core.reserve(examples)
        left, n = self.points.take(missing), len(self.columns)

        def fill(first):
            """The number of columns from `first` on that are there now."""
            if perf_counter() >= end:
                return 0
            right = self.columns.take(slice(first, min(first + _WIDTH, n)))
            self.core.fill(missing, first, self.kernel(left, right))
            return len(right)

        tiles = range(0, n, _WIDTH) if len(missing) else ()
        n_columns = sum(on_threads(fill, tiles, self.threads))
        self.n_evaluations += len(missing) * n_columns
        self.seconds += perf_counter() - start
        if len(missing) and n_columns < n:
            return False
        self.incomplete = missing[:0]
        return True
