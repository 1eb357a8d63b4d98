"""Figures of pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
