"""The speed-up of section 3 of the paper on GaLa, read off two training curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

import numpy as np


@dataclass(frozen=True)
class Bar:
    """The bar between two curves at the dual value where the lower one ends.

    Attributes
    ----------
    dual : float
    first, other : float
        What each of the two had spent when it reached that value.
    """

    dual: float
    first: float
    other: float

    @property
    def speed_up(self) -> float:
        """Length of the bar over its later end, negative if `other` came first."""
        return (self.other - self.first) / max(self.first, self.other)


def spent_at(spent: Sequence[float], duals: Sequence[float], dual: float) -> float:
    """What was spent when a rising curve from (0, 0) reached `dual`, interpolated."""
    return float(np.interp(dual, [0.0, *duals], [0.0, *spent]))


def bar_between(first: dict, other: dict, axis: str) -> Bar:
    """Compare two curves.

    Parameters
    ----------
    first, other : dict
        With lists "dual" and `axis`, the last of which are at the end of the epoch.
    axis : {"seconds", "work"}
        What is spent.
    """
    dual = min(first["dual"][-1], other["dual"][-1])
    ends = (spent_at(curve[axis], curve["dual"], dual) for curve in (first, other))
    return Bar(dual, *ends)


def mean_curve(curves: Sequence[dict]) -> dict:
    """Average curves point by point; all have seen as many examples at a point."""
    return {
        key: np.mean([curve[key] for curve in curves], axis=0).tolist()
        for key in curves[0]
    }


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and its standard error, which one value alone does not have."""
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return fmean(values), error
