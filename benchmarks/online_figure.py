"""Figure 1 of the paper on GaLa: dual value and test error over one epoch."""

from dataclasses import dataclass
from pathlib import Path

from .online_tables import Comparison


@dataclass(frozen=True)
class Figure:
    """What is on the horizontal axis, in units of `unit`, and where it is kept."""

    file: str
    label: str
    unit: float = 1.0


FIGURES = {
    "seconds": Figure("online-seconds.png", "training time in seconds"),
    "work": Figure("online-work.png", "counted work in billions", 1e9),
}
COLOURS = {"LaRank": "#d55e00", "GaLa": "#0072b2", "GaLaFix": "#009e73"}
_ERROR_ROOM = 4.0  # the axis of errors ends at so many times the smallest


def draw(comparisons: list[Comparison], axis: str, path: Path) -> None:
    """Draw a panel for each data set.

    Parameters
    ----------
    comparisons : list of Comparison
    axis : {"seconds", "work"}
    path : Path
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    rows = (len(comparisons) + 1) // 2
    figure, panels = pyplot.subplots(
        rows,
        2,
        figsize=(10, 0.6 + 3.5 * rows),
        squeeze=False,
        layout="constrained",
    )
    for panel in panels.flat[len(comparisons) :]:
        panel.set_axis_off()
    for panel, comparison in zip(panels.flat, comparisons, strict=False):
        _panel(panel, comparison, axis)
    handles = [Line2D([], [], color=COLOURS[name], label=name) for name in COLOURS]
    handles += [
        Line2D([], [], color="0.4", label="dual value"),
        Line2D([], [], color="0.4", linestyle=":", label="test error"),
        Line2D([], [], color="black", linewidth=2.5, label="GaLa against LaRank"),
    ]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(handles), frameon=False
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"part-{path.name}")
    figure.savefig(aside, dpi=110)
    aside.replace(path)
    pyplot.close(figure)


def _panel(left, comparison: Comparison, axis: str) -> None:
    """Draw the curves of a data set: duals on the left axis, errors on the right."""
    unit = FIGURES[axis].unit
    right = left.twinx()
    lowest = 1.0
    for method, colour in COLOURS.items():
        curve = comparison.mean(method)
        spent = [value / unit for value in curve[axis]]
        left.plot([0.0, *spent], [0.0, *curve["dual"]], color=colour, linewidth=1.4)
        errors = [100 * error for error in curve["error"]]
        right.plot(spent, errors, color=colour, linestyle=":", linewidth=1.6)
        lowest = min(lowest, *curve["error"])
    bar = comparison.bar(axis)
    ends = [bar.first / unit, bar.other / unit]
    left.plot(ends, [bar.dual] * 2, color="black", linewidth=2.5, zorder=3)
    word = "ahead" if bar.speed_up >= 0 else "behind"
    left.text(
        0.97,
        0.06,
        f"GaLa {word} by {100 * abs(bar.speed_up):.0f} %",
        transform=left.transAxes,
        ha="right",
    )
    left.set(xlim=(0, None), ylim=(0, None), title=comparison.name)
    left.set(xlabel=FIGURES[axis].label, ylabel="dual value")
    right.set(ylim=(0, 100 * _ERROR_ROOM * lowest), ylabel="test error in %")
    left.grid(alpha=0.25)
