"""What counts as finite, and as weights: one rule for arrays from wherever."""

import numpy as np
import scipy.sparse as sp

_AT_A_TIME = 1 << 16  # values: whether each is finite takes a byte


def all_finite(values) -> bool:
    """Whether an array, or a sparse matrix, has neither NaN nor infinities."""
    values = np.atleast_1d(values.data if sp.issparse(values) else values)
    if values.flags.f_contiguous:
        values = values.T  # of which a few rows lie together
    rows = max(_AT_A_TIME // max(values[:1].size, 1), 1)
    return all(
        np.isfinite(values[first : first + rows]).all()
        for first in range(0, len(values), rows)
    )


def are_weights(values: np.ndarray) -> bool:
    """Whether all values are finite and none is negative."""
    return all_finite(values) and bool((values >= 0).all())
