"""The plots of a report, as SVG that stands in an HTML page; needs matplotlib."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np

from ..critical_difference import groups_without_difference
from .rank_diagram import draw_ranks, size_of_ranks
from .summary import Summary
from .verdicts import Tests

# After Okabe and Ito: the colour-blind can tell them apart, on paper dashes help.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":")
_SIZE = (4.2, 3.0)  # inches; legible where a phone makes it 3.5 inches wide
_STYLE = {
    "svg.fonttype": "none",  # text stays text
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#555555",
    "lines.linewidth": 1.7,
}


@dataclass(frozen=True)
class Figure:
    """A plot as SVG, what it shows in a sentence, and its section of the page."""

    section: str
    caption: str
    svg: str


def available() -> bool:
    """Return whether matplotlib is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def all_figures(summary: Summary, tests: Tests) -> list[Figure]:
    """Draw everything there are results for."""
    figures = []

    def draw(section: str, caption: str, paint: Callable, size=_SIZE) -> None:
        svg = svg_of(paint, caption, len(figures), size)
        figures.append(Figure(section, caption, svg))

    if tests.difference is not None:
        groups = groups_without_difference(tests.ranks, tests.difference)
        draw(
            "significance",
            f"Critical-difference diagram over {tests.n_datasets} data sets: average "
            f"ranks, the best on the left; machines under one bar do not differ by "
            f"Nemenyi's test at level {summary.protocol.level:g}.",
            lambda figure: draw_ranks(figure, summary.machines, tests, groups),
            size_of_ranks(summary.machines, groups),
        )
    for dataset in summary.datasets:
        rows = summary.of_kind("convergence", dataset=dataset)
        if any(row["difference"] for row in rows):
            draw(
                "convergence",
                f"{dataset}: relative difference of the function value from its best "
                f"against training time.",
                lambda figure, rows=rows: _differences(figure, rows, summary.machines),
            )
        if any(row["accuracy"] for row in rows):
            draw(
                "convergence",
                f"{dataset}: test accuracy against training time.",
                lambda figure, rows=rows: _accuracies(figure, rows, summary.machines),
            )
        rows = summary.of_kind("scaling", dataset=dataset)
        if rows:
            draw(
                "scaling",
                f"{dataset}: seconds to train with some of the classes, always on "
                f"{min(row['train_rows'] for row in rows):,} rows or nearly so.",
                lambda figure, rows=rows: _scaling(figure, rows, summary.machines),
            )
    return figures


def svg_of(paint: Callable, caption: str, number: int, size=_SIZE) -> str:
    """Draw without a window, and make what matplotlib writes part of a page.

    Parameters
    ----------
    paint : callable
        Draws into a figure of matplotlib.
    caption : str
        For those who do not see it.
    number : int
        Of the plot in its page.
    size : tuple of float
        Inches.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": f"figure {number}"}):
        figure = Canvas(figsize=size)
        FigureCanvasSVG(figure)
        paint(figure)
        text = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # Names are unique in a page, not only in a plot.
    svg = re.sub(r'\bid="', f'id="plot{number}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#plot{number}-", svg)
    svg = re.sub(
        r'<svg\b(.*?)width="[^"]*pt" height="[^"]*pt"|<svg\b', r"<svg\1", svg, count=1
    )
    label = f'<svg role="img" aria-label="{escape(caption)}"'
    return svg.replace("<svg", label, 1).strip()


def _line(axes, machines: list[str], machine: str, x, y, **style) -> None:
    at = machines.index(machine)
    colour = _COLOURS[at % len(_COLOURS)]
    dash = _DASHES[(at // len(_COLOURS) + at) % len(_DASHES)]
    axes.plot(x, y, color=colour, linestyle=dash, label=machine, **style)


def _legend(figure, axes) -> None:
    """Put a legend below the axes, and leave room for it and for the labels."""
    handles, labels = axes.get_legend_handles_labels()
    columns = 4 if max(map(len, labels)) < 8 else 2
    rows = -(-len(labels) // columns)
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=0.72 / width,
        right=1 - 0.1 / width,
        top=1 - 0.12 / height,
        bottom=(0.55 + 0.19 * rows) / height,
    )
    figure.legend(
        handles, labels, loc="lower center", ncols=columns, frameon=False, fontsize=8.5
    )


def _differences(figure, rows: list[dict], machines: list[str]) -> None:
    axes = figure.add_subplot()
    for row in rows:
        if row["difference"]:
            x, y = row["curve_seconds"], row["difference"]
            _line(axes, machines, row["machine"], x, y)
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="relative difference")
    _legend(figure, axes)


def _accuracies(figure, rows: list[dict], machines: list[str]) -> None:
    axes = figure.add_subplot()
    lowest = 100.0
    for row in rows:
        if row["accuracy"]:
            y = 100 * np.asarray(row["accuracy"])
            _line(axes, machines, row["machine"], row["accuracy_seconds"], y)
            lowest = min(lowest, y[len(y) // 4 :].min())
    # The first epochs of one machine must not hide how the others end.
    top = axes.get_ylim()[1]
    axes.set_ylim(max(axes.get_ylim()[0], lowest - 0.15 * (top - lowest) - 0.5))
    axes.set(xscale="log", xlabel="seconds", ylabel="test accuracy, %")
    _legend(figure, axes)


def _scaling(figure, rows: list[dict], machines: list[str]) -> None:
    from matplotlib.ticker import LogFormatter

    axes = figure.add_subplot()
    for machine in machines:
        of_machine = sorted(
            (row["classes"], row["train_seconds"])
            for row in rows
            if row["machine"] == machine
        )
        if of_machine:
            x, y = zip(*of_machine, strict=True)
            _line(axes, machines, machine, x, y, marker="o", markersize=3.5)
    axes.set(yscale="log", xlabel="classes", ylabel="seconds")
    # Where all times are alike, numbers between the powers of ten; short ones.
    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1.6, 0.4)))
    axes.yaxis.set_major_formatter(LogFormatter())
    _legend(figure, axes)
