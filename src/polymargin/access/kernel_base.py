"""What every kernel has: points prepared once, and tiles of values between them.

    kernel = make_kernel("rbf", "scale", 3, 0.0, X)
    points = kernel.points(X)
    tile = kernel(points.take(chosen), points.take(slice(0, 512)))

Tiles have the number format of `X`. They are computed without the interpreter lock, so
that several threads can work on tiles at the same time; keep BLAS on one thread then.

Kernels need not be positive semi-definite: the sigmoid often is not, and what a
callable or a precomputed matrix holds is not known. A machine is then not a convex
problem; what is found is a stationary point, and the duality gap is no proof.
"""

import numpy as np
import scipy.sparse as sp

from .csr import check_compressed
from .kernel_points import Points
from .mean_and_variance import Moments
from .rows import csr_rows


class Kernel:
    """A kernel for points like the rows of `X`.

    Parameters
    ----------
    X : ndarray or CSR matrix of float32 or float64
        What the machine is trained on.

    Attributes
    ----------
    gamma_ : float or None
        The parameter as a number; None if the kernel has none.
    constant : float
        What is added to all values; see `ShiftedKernel`.
    """

    gamma_: float | None = None
    constant = 0.0  # that is added to all values

    @property
    def plain(self) -> "Kernel":
        """The kernel without the constant."""
        return self

    @classmethod
    def for_rows(cls, X, moments: Moments | None, **parameters) -> "Kernel":
        """Return the kernel for points like the rows of `X`, of these moments."""
        return cls(X, **parameters)

    def __init__(self, X):
        self.dtype = X.dtype
        self.sparse = sp.issparse(X)

    def points(self, X) -> Points:
        """Prepare the rows of `X`, stored like those the kernel was made for.

        CSR rows become dense if the machine was trained on a dense array: prepare many
        of them in blocks.
        """
        if self.sparse:
            rows = sp.csr_array(X, dtype=self.dtype)
            if not csr_rows(rows).canonical:
                rows = rows.copy()
                rows.sum_duplicates()
        else:
            rows = X.toarray() if sp.issparse(X) else X
            rows = np.ascontiguousarray(rows, dtype=self.dtype)
        return self.placed(self._moved(rows))

    def placed(self, rows) -> Points:
        """Return points at `rows`, which are coordinates as in `Points.rows`."""
        return Points(rows)

    def rows(self, points: Points):
        """Return the rows that points were made of, up to rounding."""
        return points.rows

    def __call__(self, left: Points, right: Points) -> np.ndarray:
        """Return the kernel of every point of `left` with every one of `right`."""
        raise NotImplementedError

    def diagonal(self, points: Points) -> np.ndarray:
        """Return the kernel of every point with itself."""
        raise NotImplementedError

    def check_finite(self, points: Points) -> None:
        """Raise if values between points are beyond the number format; functions that
        users give are believed.
        """

    def nodes(self, graph, points: Points) -> str:
        """Add the kernel of the rows with `points` to an ONNX graph.

        Parameters
        ----------
        graph : Graph
            In the making, with the methods `node`, `constant` and `whole`; `rows` is
            the name of the rows.
        points : Points

        Returns
        -------
        result : str
            Its name in the graph.
        """
        raise TypeError(f"{type(self).__name__} has no ONNX graph here; add one.")

    def _moved(self, rows):
        return rows


def dense_rows(points: Points) -> np.ndarray:
    """Return the rows of points, of which a graph holds all values."""
    rows = check_compressed(points.rows, "support_vectors_")
    return rows.toarray() if sp.issparse(rows) else rows
