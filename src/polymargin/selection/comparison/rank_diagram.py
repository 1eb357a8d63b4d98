"""The critical-difference diagram of Demsar (2006)."""

from collections.abc import Sequence

import numpy as np

from .verdicts import Tests

_INK, _BAR = "#333333", "#0072b2"
_LETTER = 0.082  # inches, at the size of the text
_AXIS = 2.3  # inches for the ranks themselves, at least


def _name_width(machines: Sequence[str]) -> float:
    """Inches for a name with its rank behind it."""
    return _LETTER * (max(map(len, machines)) + 7) + 0.1


def size_of_ranks(
    machines: Sequence[str], groups: Sequence[Sequence[int]]
) -> tuple[float, float]:
    """Return width and height of the diagram in inches."""
    width = max(4.4, 2 * _name_width(machines) + _AXIS)
    return width, 1.0 + 0.22 * ((len(machines) + 1) // 2) + 0.12 * len(groups)


def draw_ranks(
    figure, machines: Sequence[str], tests: Tests, groups: Sequence[Sequence[int]]
) -> None:
    """Draw an axis of ranks, a name for each machine, a bar for each group.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    machines : sequence of str
    tests : Tests
        Their ranks, and the critical difference.
    groups : sequence of sequences of int
        Machines that do not differ.
    """
    axes = figure.add_axes((0, 0.06, 1, 0.9))
    axes.set_axis_off()
    k = len(machines)
    # Names stand outside the axis from 1 to k, which gets the rest of the width.
    share = _name_width(machines) / size_of_ranks(machines, groups)[0]
    pad = share * (k - 1) / (1 - 2 * share)
    axes.set_xlim(1 - pad, k + pad)

    def line(xs, ys, colour=_INK, width=1.2) -> None:
        axes.plot(xs, ys, color=colour, linewidth=width, solid_capstyle="butt")

    line([1, k], [0, 0])
    for rank in range(1, k + 1):
        line([rank, rank], [0, 0.25])
        axes.text(rank, 0.4, str(rank), ha="center", va="bottom")
    end = min(1 + tests.difference, k + pad)
    line([1, end], [1.7, 1.7])
    for tick in (1, end):
        line([tick, tick], [1.55, 1.85])
    note = f"critical difference {tests.difference:.2f}"
    axes.text(1 + (end - 1) / 2, 1.95, note, ha="center", va="bottom", fontsize=8.5)
    for at, group in enumerate(groups):
        ends = tests.ranks[group[0]] - 0.03, tests.ranks[group[-1]] + 0.03
        line(ends, [-0.35 - 0.35 * at] * 2, _BAR, 4)
    below, half = -0.35 * len(groups) - 0.8, (k + 1) // 2
    axes.set_ylim(below - 0.75 * (half - 1) - 0.5, 2.8)
    for place, machine in enumerate(np.argsort(tests.ranks, kind="stable")):
        left = place < half
        height = below - 0.75 * (place if left else k - 1 - place)
        edge, rank = (1 if left else k), tests.ranks[machine]
        line([rank, rank, edge], [0, height, height], "#777777", 0.9)
        axes.annotate(
            f"{machines[machine]} ({rank:.2f})",
            (edge, height),
            (-4 if left else 4, 0),
            ha="right" if left else "left",
            va="center",
            textcoords="offset points",
        )
