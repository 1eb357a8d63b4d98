"""Tiles of classes: 16 of them that are alike, which the core keeps side by side."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

TILE = 16  # as the core has it


@dataclass(frozen=True)
class ClassTiles:
    """An order of the classes; every 16 of them, one after the other, are a tile.

    Attributes
    ----------
    order : ndarray of int of shape (n_classes,)
        The class at each place. The last tile may have fewer than 16.
    """

    order: np.ndarray

    @property
    def n_classes(self) -> int:
        return len(self.order)

    @cached_property
    def place(self) -> np.ndarray:
        """The place of each class."""
        place = np.empty(self.n_classes, dtype=np.int64)
        place[self.order] = np.arange(self.n_classes)
        return place

    @property
    def of_class(self) -> np.ndarray:
        """The tile of each class."""
        return self.place // TILE

    def __len__(self) -> int:
        return -(-self.n_classes // TILE)

    def count_for(self, candidates: int) -> int:
        """How many tiles have so many classes."""
        return min(-(-candidates // TILE), len(self))

    def places(self, tiles) -> np.ndarray:
        """The places of all classes of each row's tiles; some after the last class."""
        tiles = np.asarray(tiles, dtype=np.int64)
        return (tiles[:, :, None] * TILE + np.arange(TILE)).reshape(len(tiles), -1)
