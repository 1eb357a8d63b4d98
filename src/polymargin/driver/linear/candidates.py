"""Many classes: every row is trained against the classes that are near to it.

Classes come in tiles of 16 that are alike. The candidates of a row are the classes of
its own tile and of those with the nearest centroids. What is solved is the machine in
which the loss of a row counts its candidates alone; the certificate is about that. Its
dual objective is also a lower bound for the machine over all classes, whose losses are
no smaller.
"""

import numpy as np
import scipy.sparse as sp

from ..._core import core
from ...access.centroids import Centroids
from ...access.class_tiles import TILE, ClassTiles
from ...access.rows import Rows
from ...machine.problem import Problem
from ..options import LinearOptions
from ..protocol import EpochReport
from .dual import set_schedule


def uses_candidates(problem: Problem, options: LinearOptions) -> bool:
    """Whether rows see a part of the classes."""
    return options.candidates is not None and options.candidates < problem.n_columns


class CandidateDriver:
    """The sequential method on the candidates of each row; a driver (`protocol`).

    Parameters
    ----------
    rows : Rows
    problem : Problem
        Of a machine that takes candidates, with one label a row.
    options : LinearOptions
        With the number of candidates, which is rounded up to whole tiles.

    Attributes
    ----------
    centroids : Centroids
        Of the classes.
    tiles : ClassTiles
    tiles_of_rows : ndarray of shape (n_rows, n_tiles)
        The tiles of each row, ascending.
    """

    def __init__(self, rows: Rows, problem: Problem, options: LinearOptions):
        labels, n_classes = problem.labels, problem.n_columns
        self.problem = problem
        weights = problem.loss_weights / problem.loss_weights.max(initial=1e-300)
        self.centroids = Centroids.of_rows(rows.matrix, labels, weights, n_classes)
        self.tiles = ClassTiles(self.centroids.order(TILE, options.seed))
        own = self.tiles.of_class[labels]
        count = self.tiles.count_for(options.candidates)
        self.tiles_of_rows = self.centroids.nearest(
            rows, count, options.threads, self.tiles.of_class, own
        )
        at = np.argmax(self.tiles_of_rows == own[:, None], axis=1)
        seen = min(count * TILE, n_classes)
        bits = "32" if rows.dtype == np.float32 else "64"
        self._driver = getattr(core, f"CandidateSequential{bits}")(
            rows.core,
            (TILE * at + self.tiles.place[labels] % TILE).astype(np.int32),
            problem.loss_weights,
            seen,
            problem.machine.axes(seen),
            options.restricted,
            options.restricted_tol,
            options.restricted_sweeps,
            options.seed,
            options.threads,
            self.tiles.order,
            self.tiles_of_rows.ravel(),
        )
        set_schedule(self._driver, options)

    @property
    def interrupted(self) -> bool:
        return self._driver.interrupted

    def epoch(self, seconds: float) -> EpochReport:
        """Run an epoch."""
        return self._driver.epoch(seconds)

    def rebuild(self) -> None:
        """Remove accumulated rounding."""
        self._driver.rebuild()

    def certify(self) -> tuple[float, float, float] | None:
        """Objectives and violation of the machine on the candidates."""
        return self._driver.certify()

    def duals(self):
        """The dual blocks as (indptr, classes, values), by the numbers of classes."""
        indptr, seen, values = self._driver.duals()
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        tiles = self.tiles_of_rows[rows, seen // TILE].astype(np.int64)
        blocks = sp.csr_array(
            (values, self.tiles.order[tiles * TILE + seen % TILE], indptr),
            shape=(len(indptr) - 1, self.problem.n_columns),
        )
        blocks.sort_indices()
        return blocks.indptr, blocks.indices, blocks.data

    def set_duals(self, indptr, classes, values) -> None:
        """Start from dual blocks; what is not of a candidate is left out."""
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        places = self.tiles.place[classes]
        # Tiles of rows ascend: all of them, one row after the other, are sorted.
        n, count = self.tiles_of_rows.shape
        keys = (np.arange(n)[:, None] * len(self.tiles) + self.tiles_of_rows).ravel()
        wanted = rows * len(self.tiles) + places // TILE
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        known = keys[at] == wanted
        seen = at[known] % count * TILE + places[known] % TILE
        blocks = sp.csr_array(
            (values[known], (rows[known], seen)), shape=(n, count * TILE)
        )
        self._driver.set_duals(
            blocks.indptr.astype(np.int64),
            blocks.indices.astype(np.int32),
            blocks.data.astype(np.float64),
        )

    def weights(self) -> sp.csc_array:
        """A copy of W."""
        return self._driver.weights()

    def release_weights(self) -> sp.csc_array:
        """W; the driver is of no use afterwards."""
        return self._driver.release_weights()
