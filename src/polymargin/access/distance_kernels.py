"""Kernels that are functions of the distance of two points."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import manhattan_distances

from .._core import core
from ..base.one_thread import openmp_on_one_thread
from .csr import narrow_indices
from .kernel_base import Kernel, dense_rows
from .kernel_points import Points, finite, products, square_norms


class GaussianKernel(Kernel):
    """exp(-gamma |x - y|^2), from |x|^2 + |y|^2 - 2 x . y.

    What the difference loses to cancellation grows with the norms. Distances do not
    depend on the origin, so dense points are moved to their `centre`, if there is one,
    which takes a copy of them.
    """

    @classmethod
    def for_rows(cls, X, moments, **parameters):
        """Return the kernel for points like the rows of `X`, of these moments."""
        return cls(X, centre=_far_centre(X, moments), **parameters)

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

    def nodes(self, graph, points):
        """Add the kernel of the rows with `points` to an ONNX graph."""
        rows = graph.rows
        if self.centre is not None:
            rows = graph.node("Sub", rows, graph.constant(self.centre))
        squares = graph.node("ReduceSumSquare", rows, graph.whole(1), keepdims=1)
        squares = graph.node("Mul", squares, graph.constant(self.gamma_))
        at = graph.constant(2 * self.gamma_ * dense_rows(points).T)
        products = graph.node("MatMul", rows, at)
        distances = graph.node("Add", squares, graph.constant(points.norms))
        distances = graph.node("Relu", graph.node("Sub", distances, products))
        return graph.node("Exp", graph.node("Neg", distances))


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
            with openmp_on_one_thread():  # it is our threads that share the tiles
                distances = manhattan_distances(_narrow(left.rows), _narrow(right.rows))
            return np.exp(-self.gamma_ * distances, out=tile, casting="same_kind")
        columns = np.ascontiguousarray(right.rows.T)
        core.laplacian_kernel(left.rows, columns, tile, self.gamma_)
        return tile

    def diagonal(self, points):
        """Return ones."""
        return np.ones(len(points), dtype=self.dtype)

    def nodes(self, graph, points):
        """Add the kernel of the rows with `points` to an ONNX graph.

        One point after the other, which bounds the memory.
        """
        at, number = dense_rows(points), graph.type_of(graph.dtype)
        make = graph.onnx.helper.make_node
        value = graph.onnx.helper.make_tensor_value_info
        point, difference, lengths, axis, distance = (
            f"{graph.prefix}{name}"
            for name in ("point", "difference", "lengths", "axis", "distance")
        )
        body = graph.onnx.helper.make_graph(
            [
                make("Sub", [graph.rows, point], [difference]),
                make("Abs", [difference], [lengths]),
                make("ReduceSum", [lengths, axis], [distance], keepdims=0),
            ],
            "distance_from_a_point",
            [value(point, number, [at.shape[1]])],
            [value(distance, number, ["rows"])],
            [graph.onnx.numpy_helper.from_array(np.array([1]), axis)],
        )
        points = graph.constant(at)
        distances = graph.node("Scan", points, body=body, num_scan_inputs=1)
        distances = graph.node("Transpose", distances, perm=[1, 0])
        return graph.node(
            "Exp", graph.node("Mul", distances, graph.constant(-self.gamma_))
        )


def _narrow(rows: sp.csr_array) -> sp.csr_array:
    """With indices of 32 bits, which scikit-learn asks for."""
    indices, indptr = narrow_indices(rows, "kernel='laplacian'")
    return sp.csr_array((rows.data, indices, indptr), shape=rows.shape)
