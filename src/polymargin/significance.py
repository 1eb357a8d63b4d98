"""Tests for tables of results; see `polymargin.selection.significance`."""

from .selection.critical_difference import (
    critical_difference,
    groups_without_difference,
)
from .selection.p_value_adjustment import ADJUSTMENTS, adjust
from .selection.significance import (
    Comparison,
    Friedman,
    average_ranks,
    compare_all_pairs,
    friedman,
    wilcoxon,
)

__all__ = [
    "ADJUSTMENTS",
    "Comparison",
    "Friedman",
    "adjust",
    "average_ranks",
    "compare_all_pairs",
    "critical_difference",
    "friedman",
    "groups_without_difference",
    "wilcoxon",
]
