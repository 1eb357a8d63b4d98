"""What counts as finite, and as weights: one rule for arrays from wherever."""

import numpy as np
import scipy.sparse as sp


def all_finite(values) -> bool:
    """Whether an array, or a sparse matrix, has neither NaN nor infinities."""
    return bool(np.isfinite(values.data if sp.issparse(values) else values).all())


def are_weights(values: np.ndarray) -> bool:
    """Whether all values are finite and none is negative."""
    return all_finite(values) and bool((values >= 0).all())
