"""Figures of pages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

# Ours are filled, of peers the ring is drawn; colours that the colour-blind tell apart.
COLOURS = ("#0072b2", "#009e73", "#cc79a7", "#8c6bb1", "#56b4e9", "#a6761d")
PEER_COLOURS = ("#d55e00", "#e69f00", "#7f7f7f", "#000000")
MARKS = "osD^v"


@contextmanager
def saved_figure(
    path: Path, rows: int, columns: int, size: tuple[float, float]
) -> Iterator[tuple]:
    """Give a figure and its panels to draw on; then it is written, aside first."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained"
    )
    yield figure, panels
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"part-{path.name}")
    figure.savefig(aside, dpi=110)
    aside.replace(path)
    pyplot.close(figure)


def _plain_numbers(axis) -> None:
    """Ticks of a scale of logs as people write them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() != "log" or high > 1e4 * low:
        return
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


Rows = Sequence[tuple[str, Mapping[str, float | None]]]


def dots(
    path: Path,
    groups: Mapping[str, Rows],
    label: str = "seconds of training",
    peers: Sequence[str] = (),
) -> None:
    """A line of dots for each row: by how much entrants differ, on a scale of logs.

    Parameters
    ----------
    path : Path
    groups : mapping of title to rows
        A panel each; a row has a name and values by entrant, None if there is none.
    label : str
        Of the horizontal axis.
    peers : sequence of str
        Entrants that are not ours.
    """
    longest = max(len(rows) for rows in groups.values())
    width = 2 if len(groups) > 1 else 1
    height = (len(groups) + width - 1) // width
    size = (5.2 * width + 1.5, height * (1.1 + 0.27 * longest) + 0.5)
    names = dict.fromkeys(
        name for rows in groups.values() for _, values in rows for name in values
    )
    ours = [name for name in names if name not in peers]
    theirs = [name for name in names if name in peers]
    styles = {
        name: {"color": COLOURS[at % len(COLOURS)], "marker": MARKS[at % len(MARKS)]}
        for at, name in enumerate(ours)
    } | {
        name: {
            "facecolors": "none",
            "edgecolors": PEER_COLOURS[at % len(PEER_COLOURS)],
            "marker": MARKS[at % len(MARKS)],
            "linewidths": 1.6,
        }
        for at, name in enumerate(theirs)
    }
    with saved_figure(path, height, width, size) as (figure, panels):
        for panel in panels.flat[len(groups) :]:
            panel.set_axis_off()
        for panel, (title, rows) in zip(panels.flat, groups.items(), strict=False):
            places = range(len(rows), 0, -1)
            for place, (_, values) in zip(places, rows, strict=True):
                known = [value for value in values.values() if value]
                if known:
                    panel.hlines(place, min(known), max(known), color="0.85", lw=1)
            for name, style in styles.items():
                points = [
                    (values[name], place)
                    for place, (_, values) in zip(places, rows, strict=True)
                    if values.get(name)
                ]
                if points:
                    panel.scatter(*zip(*points, strict=True), s=36, zorder=3, **style)
            panel.set_yticks([*places], [name for name, _ in rows])
            panel.set(xscale="log", xlabel=label, title=title)
            panel.set_ylim(0.4, len(rows) + 0.6)
            _plain_numbers(panel.xaxis)
            panel.grid(axis="x", alpha=0.25)
            panel.spines[["top", "right", "left"]].set_visible(False)
        import matplotlib.pyplot as pyplot

        handles = [
            pyplot.scatter([], [], s=36, label=name, **style)
            for name, style in styles.items()
        ]
        figure.legend(
            handles=handles,
            loc="outside upper center",
            ncols=min(len(handles), 3 * width),
            frameon=False,
        )


def lines(path: Path, panels_of: Mapping[str, dict], axes: dict) -> None:
    """A panel for each title with a curve by name: (x, y) each."""
    columns = min(3, len(panels_of))
    height = (len(panels_of) + columns - 1) // columns
    size = (max(3.7 * columns, 5.6) + 0.3, 3.2 * height)
    with saved_figure(path, height, columns, size) as (_, panels):
        for panel in panels.flat[len(panels_of) :]:
            panel.set_axis_off()
        for panel, (title, curves) in zip(panels.flat, panels_of.items(), strict=False):
            for at, (name, (x, y)) in enumerate(curves.items()):
                colour = (*COLOURS, *PEER_COLOURS)[at % 10]
                marks = MARKS[at % len(MARKS)] if len(x) < 20 else ""
                panel.plot(x, y, label=name, color=colour, marker=marks, ms=4, lw=1.6)
            panel.set(title=title, **axes)
            for axis in (panel.xaxis, panel.yaxis):
                _plain_numbers(axis)
            panel.grid(alpha=0.25)
            panel.spines[["top", "right"]].set_visible(False)
        panels.flat[0].legend(frameon=False, fontsize=9)
