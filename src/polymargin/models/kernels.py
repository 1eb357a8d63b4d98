"""Kernels, points and expansions in model files."""

import numpy as np
import scipy.sparse as sp

from ..expansion import Expansion
from ..kernel import (
    GaussianKernel,
    Kernel,
    LaplacianKernel,
    LinearKernel,
    PolynomialKernel,
    PrecomputedKernel,
    SigmoidKernel,
)
from ..points import Points
from ..precomputed import Positions
from .arrays import Reader, Writer, fields
from .errors import ModelFileError
from .kinds import Kind, choice, number, or_none, vector

_NAMES = {
    LinearKernel: "linear",
    PolynomialKernel: "poly",
    SigmoidKernel: "sigmoid",
    GaussianKernel: "rbf",
    LaplacianKernel: "laplacian",
    PrecomputedKernel: "precomputed",
}
_DTYPES = ("float32", "float64")
_MOST_DEGREE = 10_000  # every one of them is a multiplication
# What kernels have apart from their name; None where they have it not.
_OPTIONS = {
    "gamma": or_none(number(least=0)),
    "degree": or_none(number(least=0, whole=True)),
    "coef0": or_none(number()),
    "centre": or_none(vector("f")),
}
_ATTRIBUTES = {"gamma": "gamma_"}
_NEEDED = {
    "linear": set(),
    "poly": {"gamma", "degree", "coef0"},
    "sigmoid": {"gamma", "coef0"},
    "rbf": {"gamma"},
    "laplacian": {"gamma"},
    "precomputed": set(),
}


def write_kernel(writer: Writer, name: str, kernel: Kernel) -> dict:
    """Take a kernel of `KERNELS`; others hold code."""
    entry = {
        "kernel": _NAMES[type(kernel)],
        "dtype": np.dtype(kernel.dtype).name,
        "sparse": bool(kernel.sparse),
    }
    for option, kind in _OPTIONS.items():
        value = getattr(kernel, _ATTRIBUTES.get(option, option), None)
        entry[option] = kind.write(writer, f"{name}.{option}", value)
    return entry


def read_kernel(reader: Reader, entry, n_features: int) -> Kernel:
    """Return a kernel for rows of so many features."""
    entry = fields(entry, "kernel", "dtype", "sparse", *_OPTIONS)
    kernel = choice(_NEEDED).read(reader, entry["kernel"])
    dtype = choice(_DTYPES).read(reader, entry["dtype"])
    options = {name: kind.read(reader, entry[name]) for name, kind in _OPTIONS.items()}
    centre = options.pop("centre")
    given = {name for name, value in options.items() if value is not None}
    if given != _NEEDED[kernel] or (centre is not None and kernel != "rbf"):
        raise ModelFileError(f"kernel {kernel!r} has other parameters than it needs")
    if (options["degree"] or 0) > _MOST_DEGREE:
        raise ModelFileError(f"a degree of {options['degree']} is too much")
    if centre is not None and (centre.shape != (n_features,) or centre.dtype != dtype):
        raise ModelFileError("the centre of the kernel is not like a row")
    make = sp.csr_array if entry["sparse"] is True else np.empty
    none = make((0, n_features), dtype=dtype)
    gamma, degree, coef0 = options["gamma"], options["degree"], options["coef0"]
    if kernel == "rbf":
        return GaussianKernel(none, gamma, centre)
    if kernel == "laplacian":
        return LaplacianKernel(none, gamma)
    if kernel == "poly":
        return PolynomialKernel(none, gamma, degree, coef0)
    if kernel == "sigmoid":
        return SigmoidKernel(none, gamma, coef0)
    return LinearKernel(none) if kernel == "linear" else PrecomputedKernel(none)


def write_points(writer: Writer, name: str, points) -> dict:
    """Take points of a model."""
    if isinstance(points, Positions):
        return {"at": writer.tensor(f"{name}.at", points.at)}
    norms = points.norms
    return {
        "rows": writer.matrix(f"{name}.rows", points.rows),
        "norms": None if norms is None else writer.tensor(f"{name}.norms", norms),
    }


def read_points(reader: Reader, entry) -> Points | Positions:
    """Return points of a model."""
    if isinstance(entry, dict) and "at" in entry:
        entry = fields(entry, "at")
        return Positions(None, reader.tensor(entry["at"], "i", 1))
    entry = fields(entry, "rows", "norms")
    rows = reader.matrix(entry["rows"], canonical=True)
    if not sp.issparse(rows) and not rows.flags.c_contiguous:
        raise ModelFileError("its points are not stored by rows")
    norms = entry["norms"]
    return Points(rows, None if norms is None else reader.tensor(norms, "f", 1))


def read_kernel_and_points(reader: Reader, kernel, points):
    """Return a kernel and points that belong together."""
    points = read_points(reader, points)
    looked_up = isinstance(points, Positions)
    n_features = 0 if looked_up else points.rows.shape[1]
    kernel = read_kernel(reader, kernel, n_features)
    if isinstance(kernel, PrecomputedKernel) != looked_up:
        raise ModelFileError("its kernel does not fit its points")
    if looked_up:
        if kernel.sparse or (len(points) and points.at.min() < 0):
            raise ModelFileError("its support vectors are impossible rows")
        return kernel, points
    if kernel.sparse != sp.issparse(points.rows) or points.rows.dtype != kernel.dtype:
        raise ModelFileError("its points are of another kind than its kernel")
    norms = points.norms
    if (norms is not None) != isinstance(kernel, GaussianKernel) or (
        norms is not None
        and (norms.dtype != kernel.dtype or norms.shape != (len(points),))
    ):
        raise ModelFileError("its points do not have the norms that its kernel needs")
    return kernel, points


def _write_expansion(writer: Writer, name: str, expansion: Expansion) -> dict:
    return {
        "kernel": write_kernel(writer, f"{name}.kernel", expansion.kernel),
        "points": write_points(writer, f"{name}.points", expansion.points),
        "coefficients": writer.dense(f"{name}.coefficients", expansion.coefficients),
    }


def _read_expansion(reader: Reader, entry) -> Expansion:
    entry = fields(entry, "kernel", "points", "coefficients")
    kernel, points = read_kernel_and_points(reader, entry["kernel"], entry["points"])
    coefficients = reader.dense(entry["coefficients"])
    if len(coefficients) != len(points) or coefficients.dtype != kernel.dtype:
        raise ModelFileError("its coefficients do not fit its points")
    return Expansion(kernel, points, coefficients)


EXPANSION = Kind(_write_expansion, _read_expansion)
