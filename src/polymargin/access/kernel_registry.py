"""The kernels: one row each, with its formula, its class and its parameters.

Whatever lists kernels (docstrings, the command line, errors, model files) asks this
table. It needs no NumPy: `polymargin --help` reads it.
"""

from dataclasses import dataclass
from importlib import import_module
from math import inf

from ..base.docstrings import fill_in


@dataclass(frozen=True)
class KernelRow:
    """A kernel that has a name.

    Attributes
    ----------
    name : str
    formula : str
    at : str
        Module of `access` and class, as in "product_kernels.LinearKernel".
    parameters : tuple of str
        Those of `PARAMETERS` that the class takes.
    learned : tuple of str
        What the class takes besides, and computes from the rows: None or an array.
    has_norms : bool
        Whether its points know their norms.
    of_products : bool
        Whether it is a function of the product of two rows. Machines then have an
        intercept, unless told otherwise.
    of_rows : bool
        Whether it is computed from rows, dense or CSR; else it is looked up.
    """

    name: str
    formula: str
    at: str
    parameters: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    has_norms: bool = False
    of_products: bool = False
    of_rows: bool = True

    @property
    def kernel_class(self) -> type:
        """The class, imported when it is needed."""
        module, _, name = self.at.partition(".")
        return getattr(import_module(f".{module}", __package__), name)


MOST_DEGREE = 10_000  # every one of them is a multiplication
# The least value of a parameter, and whether it is a whole number.
PARAMETERS = {"gamma": (0, False), "degree": (0, True), "coef0": (-inf, False)}

KERNELS = {
    row.name: row
    for row in (
        KernelRow("linear", "x . y", "product_kernels.LinearKernel", of_products=True),
        KernelRow(
            "rbf",
            "exp(-gamma |x - y|^2)",
            "distance_kernels.GaussianKernel",
            ("gamma",),
            learned=("centre",),
            has_norms=True,
        ),
        KernelRow(
            "poly",
            "(gamma x . y + coef0) ** degree",
            "product_kernels.PolynomialKernel",
            ("gamma", "degree", "coef0"),
            of_products=True,
        ),
        KernelRow(
            "sigmoid",
            "tanh(gamma x . y + coef0)",
            "product_kernels.SigmoidKernel",
            ("gamma", "coef0"),
            of_products=True,
        ),
        KernelRow(
            "laplacian",
            "exp(-gamma |x - y|_1)",
            "distance_kernels.LaplacianKernel",
            ("gamma",),
        ),
        KernelRow(
            "precomputed",
            "looked up",
            "given_kernels.PrecomputedKernel",
            of_rows=False,
        ),
    )
}
KERNELS_OF_ROWS = tuple(name for name, row in KERNELS.items() if row.of_rows)


def lists_kernels(cls: type) -> type:
    """Fill in the formulas where the docstring of a class says ``<kernels>``."""
    if cls.__doc__ is not None:  # as without docstrings, python -OO
        each = [f'"{name}" is ``{KERNELS[name].formula}``' for name in KERNELS_OF_ROWS]
        cls.__doc__ = fill_in(cls.__doc__, "<kernels>", ", ".join(each) + ".")
    return cls


def row_of(kernel) -> KernelRow:
    """Return the row of a kernel object, which is one of `KERNELS`."""
    return next(row for row in KERNELS.values() if type(kernel) is row.kernel_class)
