"""Models with candidates: scores of the classes that are near to a row."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..access.centroids import Centroids, listed_scores
from ..access.class_tiles import ClassTiles
from ..access.rows import Rows

ROWS_AT_ONCE = 2**14


@dataclass(frozen=True)
class CandidateModel:
    """What predictions need.

    Attributes
    ----------
    coef : CSR matrix of shape (n_classes, n_features)
    intercept : ndarray of shape (n_classes,)
    centroids : Centroids
    tiles : ClassTiles
    candidates : int
        How many classes of each row, rounded up to whole tiles.
    threads : int
    """

    coef: sp.csr_matrix
    intercept: np.ndarray
    centroids: Centroids
    tiles: ClassTiles
    candidates: int
    threads: int

    def scores(self, X) -> sp.csr_array:
        """Return the scores of the candidates; those of others are not stored."""
        parts = []
        for places, scores in self._chunks(X):
            there = places < self.tiles.n_classes
            indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
            part = scores[there], self.tiles.order[places[there]], indptr
            shape = (len(places), self.tiles.n_classes)
            parts.append(sp.csr_array(part, shape=shape))
            parts[-1].sort_indices()
        return sp.vstack(parts, format="csr")

    def best(self, X) -> np.ndarray:
        """Return the class of each row with the largest score."""
        best = []
        for places, scores in self._chunks(X):
            at = scores.argmax(axis=1)
            best.append(self.tiles.order[places[np.arange(len(places)), at]])
        return np.concatenate(best)

    def _chunks(self, X) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Places of candidates and their scores; minus infinity where no class is."""
        for begin in range(0, X.shape[0], ROWS_AT_ONCE):
            part = X[begin : begin + ROWS_AT_ONCE]
            rows = Rows(part.astype(self.coef.dtype, copy=False))
            count = self.tiles.count_for(self.candidates)
            near = self.centroids.nearest(
                rows, count, self.threads, self.tiles.of_class
            )
            places = self.tiles.places(near)
            there = np.minimum(places, self.tiles.n_classes - 1)
            weights = self.coef, self.intercept
            scores = listed_scores(
                rows, *weights, self.tiles.order[there], self.threads
            )
            scores[places != there] = -np.inf
            yield places, scores
