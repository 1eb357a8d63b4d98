"""Comparisons of machines; see `polymargin.selection.comparison`."""

from .selection.comparison import Report, compare

__all__ = ["Report", "compare"]
