"""Kernels, points and expansions in model files."""

import numpy as np
import scipy.sparse as sp

from ...access.kernel_base import Kernel
from ...access.kernel_points import Points
from ...access.kernel_registry import KERNELS, MOST_DEGREE, PARAMETERS, row_of
from ...access.precomputed import Positions
from ...access.shifted_kernel import ShiftedKernel
from ...prediction.expansion import Expansion
from .attribute_codecs import Codec, choice, number, or_none, vector
from .errors import ModelFileError
from .tensors import TensorReader, TensorWriter, fields

_DTYPES = ("float32", "float64")
_LEARNED = tuple({name: 0 for row in KERNELS.values() for name in row.learned})
# What kernels have apart from their name; None where they have it not.
_OPTIONS = {
    name: or_none(number(least, whole)) for name, (least, whole) in PARAMETERS.items()
} | {name: or_none(vector("f")) for name in _LEARNED}
_ATTRIBUTES = {"gamma": "gamma_"}
_CONSTANT = number(least=0)


def write_kernel(writer: TensorWriter, name: str, kernel: Kernel) -> dict:
    """Take a kernel of `KERNELS`; others hold code."""
    if kernel.constant:
        entry = write_kernel(writer, name, kernel.plain)
        return entry | {"constant": float(kernel.constant)}
    entry = {
        "kernel": row_of(kernel).name,
        "dtype": np.dtype(kernel.dtype).name,
        "sparse": bool(kernel.sparse),
    }
    for option, codec in _OPTIONS.items():
        value = getattr(kernel, _ATTRIBUTES.get(option, option), None)
        entry[option] = codec.write(writer, f"{name}.{option}", value)
    return entry


def read_kernel(reader: TensorReader, entry, n_features: int) -> Kernel:
    """Return a kernel for rows of so many features."""
    if isinstance(entry, dict) and "constant" in entry:
        constant = _CONSTANT.read(reader, entry["constant"])
        rest = {name: value for name, value in entry.items() if name != "constant"}
        return ShiftedKernel(read_kernel(reader, rest, n_features), constant)
    entry = fields(entry, "kernel", "dtype", "sparse", *_OPTIONS)
    row = KERNELS[choice(KERNELS).read(reader, entry["kernel"])]
    dtype = choice(_DTYPES).read(reader, entry["dtype"])
    options = {
        name: codec.read(reader, entry[name]) for name, codec in _OPTIONS.items()
    }
    given = {name: value for name, value in options.items() if value is not None}
    if not set(row.parameters) <= set(given) <= {*row.parameters, *row.learned}:
        raise ModelFileError(f"kernel {row.name!r} has other parameters than it needs")
    if given.get("degree", 0) > MOST_DEGREE:
        raise ModelFileError(f"a degree of {given['degree']} is too much")
    for name in set(given) & set(_LEARNED):
        if given[name].shape != (n_features,) or given[name].dtype != dtype:
            raise ModelFileError(f"the {name} of the kernel is not like a row")
    make = sp.csr_array if entry["sparse"] is True else np.empty
    return row.kernel_class(make((0, n_features), dtype=dtype), **given)


def write_points(writer: TensorWriter, name: str, points) -> dict:
    """Take points of a model."""
    if isinstance(points, Positions):
        return {"at": writer.tensor(f"{name}.at", points.at)}
    norms = points.norms
    return {
        "rows": writer.matrix(f"{name}.rows", points.rows),
        "norms": None if norms is None else writer.tensor(f"{name}.norms", norms),
    }


def read_points(reader: TensorReader, entry) -> Points | Positions:
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


def read_kernel_and_points(reader: TensorReader, kernel, points):
    """Return a kernel and points that belong together."""
    points = read_points(reader, points)
    looked_up = isinstance(points, Positions)
    n_features = 0 if looked_up else points.rows.shape[1]
    kernel = read_kernel(reader, kernel, n_features)
    row = row_of(kernel.plain)
    if row.of_rows == looked_up:
        raise ModelFileError("its kernel does not fit its points")
    if looked_up:
        if kernel.sparse or (len(points) and points.at.min() < 0):
            raise ModelFileError("its support vectors are impossible rows")
        return kernel, points
    if kernel.sparse != sp.issparse(points.rows) or points.rows.dtype != kernel.dtype:
        raise ModelFileError("its points are of another kind than its kernel")
    norms = points.norms
    if (norms is not None) != row.has_norms or (
        norms is not None
        and (norms.dtype != kernel.dtype or norms.shape != (len(points),))
    ):
        raise ModelFileError("its points do not have the norms that its kernel needs")
    return kernel, points


def _write_expansion(writer: TensorWriter, name: str, expansion: Expansion) -> dict:
    return {
        "kernel": write_kernel(writer, f"{name}.kernel", expansion.kernel),
        "points": write_points(writer, f"{name}.points", expansion.points),
        "coefficients": writer.matrix(f"{name}.coefficients", expansion.coefficients),
    }


def _read_expansion(reader: TensorReader, entry) -> Expansion:
    entry = fields(entry, "kernel", "points", "coefficients")
    kernel, points = read_kernel_and_points(reader, entry["kernel"], entry["points"])
    coefficients = reader.matrix(entry["coefficients"])
    # Of rows in single precision, Newton steps have them in double.
    fits = coefficients.dtype in (kernel.dtype, np.float64)
    if coefficients.shape[0] != len(points) or not fits:
        raise ModelFileError("its coefficients do not fit its points")
    return Expansion(kernel, points, coefficients)


EXPANSION = Codec(_write_expansion, _read_expansion)
