"""From the name of a kernel and its parameters to a kernel for given rows."""

import numpy as np

from .given_kernels import CallableKernel
from .kernel_base import Kernel
from .kernel_registry import KERNELS
from .mean_and_variance import moments_of


def make_kernel(kernel, gamma, degree, coef0, X) -> Kernel:
    """Return a kernel for points like the rows of `X`.

    Parameters
    ----------
    kernel : str of `KERNELS`, callable or Kernel
        A callable ``f(A, B)`` gets blocks of rows of `X`, dense or CSR, and returns an
        array of shape (rows of A, rows of B). A `Kernel` is taken as it is.

    gamma : {"scale", "auto"} or float
        "scale" is one over the number of features times the variance of all values of
        `X`, and 1 if they are all the same; "auto" is one over the number of features.
        For kernels with a gamma.

    degree : int

    coef0 : float
        Both for those that have them.

    X : ndarray or CSR matrix of float32 or float64
        What the machine is trained on; the kernel matrix if precomputed.

    Returns
    -------
    kernel : Kernel
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return CallableKernel(X, kernel)
    row = KERNELS.get(kernel)
    if row is None:
        raise ValueError(
            f"kernel={kernel!r} is not a kernel; choose one of {', '.join(KERNELS)} or "
            f"give a function."
        )
    given, moments = {"gamma": gamma, "degree": degree, "coef0": float(coef0)}, None
    if "gamma" in row.parameters:
        moments = moments_of(X)
        given["gamma"] = _number(gamma, X, moments)
    parameters = {name: given[name] for name in row.parameters}
    return row.kernel_class.for_rows(X, moments, **parameters)


def _number(gamma, X, moments) -> float:
    if gamma == "auto":
        gamma = 1 / X.shape[1]
    elif gamma == "scale":
        gamma = 1 / (X.shape[1] * moments.variance) if moments.variance > 0 else 1.0
    if float(gamma) > float(np.finfo(X.dtype).max):
        raise ValueError(
            f"gamma={float(gamma)!r} is not a number of {X.dtype}; choose a smaller "
            f"gamma."
        )
    return float(gamma)
