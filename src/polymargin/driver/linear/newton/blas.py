"""BLAS and LAPACK for the core: SciPy exports their functions as capsules."""

from scipy.linalg import cython_blas, cython_lapack

from ...._core import core

BLAS = core.Blas({**cython_blas.__pyx_capi__, **cython_lapack.__pyx_capi__})
