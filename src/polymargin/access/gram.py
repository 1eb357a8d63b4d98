"""The kernel matrix of the examples, of which only what is asked for is computed."""

from dataclasses import dataclass

import numpy as np

from .kernel_points import ChosenPoints, Points
from .kernels import Kernel
from .precomputed import Positions


@dataclass(frozen=True)
class Gram:
    """The matrix ``K(x_i, x_j)`` of points that are trained on.

    Attributes
    ----------
    kernel : Kernel
    points : Points, Positions or ChosenPoints
        The x_i, as the kernel knows them.
    """

    kernel: Kernel
    points: Points | Positions | ChosenPoints

    def __len__(self) -> int:
        return len(self.points)

    def diagonal(self) -> np.ndarray:
        """Return ``K(x_i, x_i)``; its number format is that of all values."""
        return self.kernel.diagonal(self.points)

    def choose(self, chosen: np.ndarray) -> "Gram":
        """Return the matrix of some of the points, which are not copied."""
        return Gram(self.kernel, self.points.choose(chosen))
