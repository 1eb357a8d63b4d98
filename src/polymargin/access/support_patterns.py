"""Points at places, of which any can be taken by another point."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..base.threads import on_threads
from .csr import check_compressed
from .kernel_points import Points
from .kernels import Kernel
from .precomputed import Positions

_WIDTH = 1024  # columns of a tile: what a thread computes at a time


class PatternStore:
    """Holds the support patterns of a driver, and what arrives.

    Parameters
    ----------
    points : Points or Positions
        What the stored ones are like. A place that has never been taken holds zeros.
    """

    def __init__(self, points):
        self._points = points.take(slice(0, 0))

    def __len__(self) -> int:
        return len(self._points)

    def grow(self, places: int) -> None:
        """Have room for so many points, with the old ones where they are."""
        old = self._points
        more = places - len(old)
        if isinstance(old, Positions):
            self._points = Positions(old.matrix, np.pad(old.at, (0, more)))
            return
        if sp.issparse(old.rows):
            rows = old.rows.copy()
            rows.resize(places, rows.shape[1])
        else:
            rows = np.zeros((places, old.rows.shape[1]), dtype=old.rows.dtype)
            rows[: len(old)] = old.rows
        norms = None if old.norms is None else np.pad(old.norms, (0, more))
        self._points = Points(rows, norms)

    def put(self, places: np.ndarray, points) -> None:
        """Let `points` take these places."""
        old = self._points
        if isinstance(old, Positions):
            old.at[places] = points.at
            # Kernels are looked up in the matrix of the point on the left.
            self._points = Positions(points.matrix, old.at)
            return
        if sp.issparse(old.rows):
            sources = np.arange(len(old))
            sources[places] = len(old) + np.arange(len(points))
            rows = sp.vstack([old.rows, points.rows], format="csr")[sources]
            self._points = Points(rows, old.norms)
        else:
            old.rows[places] = points.rows
        if old.norms is not None:
            old.norms[places] = points.norms

    def take(self, places):
        """Return the points at `places`, an array or a slice."""
        return self._points.take(places)

    def keep(self, places):
        """Return the points at `places` for a model."""
        self.check()
        return self._points.keep(places)

    def check(self) -> None:
        """Raise if the stored rows are sparse and damaged: SciPy would trust them."""
        check_compressed(getattr(self._points, "rows", None), "the store of patterns")


@dataclass(frozen=True)
class PatternKernel:
    """The kernel with what is at the places of a store."""

    kernel: Kernel
    store: PatternStore
    threads: int

    def __call__(self, places, width: int) -> np.ndarray:
        """Return the kernel of the patterns at `places` with all below `width`."""
        return self.of(self.store.take(places), width)

    def of(self, points, width: int) -> np.ndarray:
        """Return the kernel of `points` with what is at the places below `width`."""
        values = np.empty((len(points), width), dtype=self.kernel.dtype)

        def fill(first):
            tile = slice(first, min(first + _WIDTH, width))
            values[:, tile] = self.kernel(points, self.store.take(tile))

        on_threads(fill, range(0, width, _WIDTH), self.threads)
        return values
