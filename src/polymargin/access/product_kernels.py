"""Kernels that are functions of the product x . y."""

import numpy as np

from .kernel_base import Kernel, dense_rows
from .kernel_points import finite, products, square_norms


class LinearKernel(Kernel):
    """x . y, and base of the kernels that are functions of it."""

    def __call__(self, left, right):
        """Return the kernel of every point of `left` with every one of `right`."""
        return self._of_products(products(left.rows, right.rows))

    def diagonal(self, points):
        """Return the kernel of every point with itself."""
        what = "The kernel of some rows of X with themselves"
        with np.errstate(over="ignore"):
            # No product of two rows is larger, whatever becomes of it.
            squares = finite(square_norms(points.rows).astype(self.dtype), what)
            return finite(self._of_products(squares), what)

    def check_finite(self, points):
        """Raise if values between points are beyond the number format."""
        self.diagonal(points)

    def nodes(self, graph, points):
        """Add the kernel of the rows with `points` to an ONNX graph."""
        if "_nodes_of_products" not in vars(type(self)):  # that of a base is another's
            return super().nodes(graph, points)
        # gamma in the constant: onnxruntime takes factors in single precision.
        gamma = 1 if self.gamma_ is None else self.gamma_
        at = graph.constant(gamma * dense_rows(points).T)
        return self._nodes_of_products(graph, graph.node("MatMul", graph.rows, at))

    def _of_products(self, products):
        return products

    def _nodes_of_products(self, graph, products: str) -> str:
        """Add what becomes of gamma x . y."""
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

    def _nodes_of_products(self, graph, products):
        products = graph.node("Add", products, graph.constant(self.coef0))
        return graph.node("Pow", products, graph.constant(self.degree))


class SigmoidKernel(LinearKernel):
    """tanh(gamma x . y + coef0), indefinite for many gamma and coef0."""

    def __init__(self, X, gamma, coef0):
        super().__init__(X)
        self.gamma_, self.coef0 = gamma, coef0

    def _of_products(self, products):
        products *= self.gamma_
        products += self.coef0
        return np.tanh(products, out=products)

    def _nodes_of_products(self, graph, products):
        products = graph.node("Add", products, graph.constant(self.coef0))
        return graph.node("Tanh", products)
