"""Bounds of weights, as a user gives them: two numbers, or two for every feature."""

import numpy as np


def bounds_of(weight_bounds, n_features: int, dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest weight of every feature.

    Parameters
    ----------
    weight_bounds : pair or None
        The least and the largest weight: each a number, one for every feature, or None.
    n_features : int
    dtype : dtype
        Of the weights, which then do not leave the bounds by rounding.
    """
    if weight_bounds is None:
        weight_bounds = None, None
    if len(weight_bounds) != 2:
        raise ValueError(
            f"weight_bounds={weight_bounds!r} has {len(weight_bounds)} entries; give "
            f"two, the least and the largest weight, None for no bound."
        )
    low, high = (
        _of_features(given, infinite, n_features)
        for given, infinite in zip(weight_bounds, (-np.inf, np.inf), strict=True)
    )
    wrong = np.flatnonzero(~((low <= 0) & (high >= 0)))
    if len(wrong):
        f = wrong[0]
        raise ValueError(
            f"weight_bounds={weight_bounds!r} are {low[f]:g} and {high[f]:g} for "
            f"feature {f}; give bounds with zero between them."
        )
    rounded = low.astype(dtype), high.astype(dtype)
    low, high = (
        np.where(np.abs(near) > np.abs(exact), np.nextafter(near, dtype.type(0)), near)
        for near, exact in zip(rounded, (low, high), strict=True)
    )
    return low.astype(np.float64), high.astype(np.float64)


def _of_features(given, infinite: float, n_features: int) -> np.ndarray:
    if given is None:
        return np.full(n_features, infinite)
    try:
        values = np.asarray(given, dtype=np.float64)
        return np.broadcast_to(values, n_features).copy()
    except (TypeError, ValueError):
        raise ValueError(
            f"weight_bounds has {given!r}, and there are {n_features} features; give "
            f"None, a number, or one for each of them."
        ) from None
