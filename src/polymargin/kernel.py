"""Where kernel values come from: kernels between prepared points, a tile at a time.

A kernel prepares points once, and then takes tiles of them::

    kernel = make_kernel("rbf", "scale", 3, 0.0, X)
    points = kernel.points(X)
    tile = kernel(points.take(chosen), points.take(slice(0, 512)))

Tiles have the number format of `X`. They are computed without the interpreter lock, so
that several threads can work on tiles at the same time; keep BLAS on one thread then.

Kernels need not be positive semi-definite: the sigmoid often is not, and what a
callable or a precomputed matrix holds is not known. A machine is then not a convex
problem; what is found is a stationary point, and the duality gap is no proof.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import manhattan_distances

from ._core import core
from .access import csr_rows
from .moments import moments_of
from .points import Points, finite, products, square_norms
from .precomputed import Positions, check_dense

_BLOCK = 64  # rows at a time where only a diagonal is wanted


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
    """

    gamma_: float | None = None

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

    def _moved(self, rows):
        return rows


class LinearKernel(Kernel):
    """x . y, and base of the kernels that are functions of it."""

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        return self._of_products(products(left.rows, right.rows))

    def diagonal(self, points):
        """Return the kernel of every point with itself."""
        with np.errstate(over="ignore"):
            values = self._of_products(square_norms(points.rows).astype(self.dtype))
        return finite(values, "The kernel of some rows of X with themselves")

    def _of_products(self, products):
        return products


class PolynomialKernel(LinearKernel):
    """(gamma x . y + coef0) ** degree."""

    def __init__(self, X, gamma, degree, coef0):
        super().__init__(X)
        self.gamma_, self.degree, self.coef0 = gamma, int(degree), coef0

    def _of_products(self, products):
        products *= self.gamma_
        products += self.coef0
        if self.degree == 0:
            return np.ones_like(products)
        power = products.copy() if self.degree > 1 else products
        for _ in range(self.degree - 1):  # far faster than a power function
            power *= products
        return power


class SigmoidKernel(LinearKernel):
    """tanh(gamma x . y + coef0), indefinite for many gamma and coef0."""

    def __init__(self, X, gamma, coef0):
        super().__init__(X)
        self.gamma_, self.coef0 = gamma, coef0

    def _of_products(self, products):
        products *= self.gamma_
        products += self.coef0
        return np.tanh(products, out=products)


class GaussianKernel(Kernel):
    """exp(-gamma |x - y|^2), from |x|^2 + |y|^2 - 2 x . y.

    What the difference loses to cancellation grows with the norms. Distances do not
    depend on the origin, so dense points are moved to their `centre`, if there is one,
    which takes a copy of them.
    """

    def __init__(self, X, gamma, centre=None):
        super().__init__(X)
        self.gamma_, self.centre = gamma, centre
        # How far the two sides of |x|^2 = x . x differ by rounding, as a share of them:
        # 2 units in 3 dimensions, 8 in 256, 40 in 20,000 were seen.
        n_features = X.shape[1]
        self.indistinct = (2 + np.sqrt(n_features) / 2) * np.finfo(self.dtype).eps

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        tile = products(left.rows, right.rows)
        core.gaussian_of_products(
            tile, left.norms, right.norms, self.gamma_, self.indistinct
        )
        return tile

    def diagonal(self, points):
        """Return ones."""
        return np.ones(len(points), dtype=self.dtype)

    def _moved(self, rows):
        return rows if self.centre is None else rows - self.centre

    def rows(self, points):
        """Return the rows that points were made of, up to rounding."""
        return points.rows if self.centre is None else points.rows + self.centre

    def placed(self, rows):
        """Return points at `rows`, which are coordinates as in `Points.rows`."""
        with np.errstate(over="ignore"):
            norms = (self.gamma_ * square_norms(rows)).astype(self.dtype)
        return Points(rows, finite(norms, "gamma times squared norms of rows of X"))


def _far_centre(X, moments):
    """Return the mean of dense rows if going there at least halves the mean of their
    squared norms.
    """
    if sp.issparse(X) or (moments.means**2).sum() <= moments.spread:
        return None
    return moments.means.astype(X.dtype)


class LaplacianKernel(Kernel):
    """exp(-gamma |x - y|_1)."""

    def __init__(self, X, gamma):
        super().__init__(X)
        self.gamma_ = gamma

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        tile = np.empty((len(left), len(right)), dtype=self.dtype)
        if tile.size == 0:
            return tile
        if self.sparse:
            distances = manhattan_distances(_narrow(left.rows), _narrow(right.rows))
            return np.exp(-self.gamma_ * distances, out=tile, casting="same_kind")
        columns = np.ascontiguousarray(right.rows.T)
        core.laplacian_kernel(left.rows, columns, tile, self.gamma_)
        return tile

    def diagonal(self, points):
        """Return ones."""
        return np.ones(len(points), dtype=self.dtype)


def _narrow(rows: sp.csr_array) -> sp.csr_array:
    """With indices of 32 bits, which scikit-learn asks for."""
    indices, indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sp.csr_array((rows.data, indices, indptr), shape=rows.shape)


class CallableKernel(Kernel):
    """f(A, B), an array of the kernels of rows of A with rows of B."""

    def __init__(self, X, function: Callable):
        super().__init__(X)
        self.function = function

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        tile = self.function(left.rows, right.rows)
        tile = tile.toarray() if sp.issparse(tile) else tile
        tile = np.ascontiguousarray(tile, dtype=self.dtype)
        if tile.shape != (len(left), len(right)):
            raise ValueError(
                f"kernel={self.function!r} returned an array of shape {tile.shape} for "
                f"{len(left)} and {len(right)} rows; it must return one value per pair."
            )
        return finite(tile, f"What kernel={self.function!r} returned")

    def diagonal(self, points):
        """Return the kernel of every point with itself."""
        values = np.empty(len(points), dtype=self.dtype)
        for start in range(0, len(points), _BLOCK):
            block = points.take(slice(start, start + _BLOCK))
            values[start : start + _BLOCK] = self(block, block).diagonal()
        return values


class PrecomputedKernel(Kernel):
    """Looked up: `X` holds the kernel of its points with all points of the training."""

    def rows(self, points):
        """Return no rows: the kernel does not know them."""
        return np.empty((0, 0), dtype=self.dtype)

    def points(self, X) -> Positions:
        """Prepare the rows of `X`: the points of the training are its columns."""
        check_dense(X)
        return Positions(np.asarray(X, dtype=self.dtype), np.arange(len(X)))

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        return left.matrix[np.ix_(left.at, right.at)]

    def diagonal(self, points):
        """Return the kernel of every point of the training with itself."""
        return np.maximum(points.matrix[points.at, points.at], 0)


KERNELS = ("rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed")


def make_kernel(kernel, gamma, degree, coef0, X) -> Kernel:
    """Return a kernel for points like the rows of `X`.

    Parameters
    ----------
    kernel : str of `KERNELS` or callable
        A callable ``f(A, B)`` gets blocks of rows of `X`, dense or CSR, and returns an
        array of shape (rows of A, rows of B).

    gamma : {"scale", "auto"} or float
        "scale" is one over the number of features times the variance of all values of
        `X`, and 1 if they are all the same; "auto" is one over the number of features.
        For rbf, poly, sigmoid and laplacian.

    degree : int
        For poly.

    coef0 : float
        For poly and sigmoid.

    X : ndarray or CSR matrix of float32 or float64
        What the machine is trained on; the kernel matrix if precomputed.

    Returns
    -------
    kernel : Kernel
    """
    if callable(kernel):
        return CallableKernel(X, kernel)
    if kernel == "precomputed":
        return PrecomputedKernel(X)
    if kernel == "linear":
        return LinearKernel(X)
    moments = moments_of(X)
    if gamma == "auto":
        gamma = 1 / X.shape[1]
    elif gamma == "scale":
        gamma = 1 / (X.shape[1] * moments.variance) if moments.variance > 0 else 1.0
    gamma, coef0 = float(gamma), float(coef0)
    if gamma > float(np.finfo(X.dtype).max):
        raise ValueError(
            f"gamma={gamma!r} is not a number of {X.dtype}; choose a smaller gamma."
        )
    if kernel == "rbf":
        return GaussianKernel(X, gamma, _far_centre(X, moments))
    if kernel == "laplacian":
        return LaplacianKernel(X, gamma)
    if kernel == "poly":
        return PolynomialKernel(X, gamma, degree, coef0)
    if kernel == "sigmoid":
        return SigmoidKernel(X, gamma, coef0)
    raise ValueError(
        f"kernel={kernel!r} is not a kernel; choose one of {', '.join(KERNELS)} or "
        f"give a function."
    )
