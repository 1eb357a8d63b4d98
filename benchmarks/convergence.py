"""Figure 3 of Keerthi et al.: ``python -m benchmarks.convergence --help``."""

import sys
from functools import partial
from pathlib import Path

from . import convergence_page
from .convergence_run import DATA, MAX_SECONDS, measure
from .fresh import ROOT
from .one_table import OneTable
from .page import runs
from .results import Optima

PAGE = "papers-convergence.md"


def render(records: list[dict]) -> str:
    """The whole page."""
    title = "# Methods for Crammer-Singer against time"
    section = convergence_page.render(records, MAX_SECONDS)
    how = "Written by `python -m benchmarks.papers --tables 000-figure-3`."
    return "\n\n".join([title, how, runs(records), section]) + "\n"


def draw(records: list[dict], folder: Path) -> None:
    """Draw the figure beside the page."""
    convergence_page.draw(records, folder / convergence_page.FIGURE)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; optima are shared with `benchmarks.linear`."""
    work = partial(measure, optima=Optima(ROOT / "build" / "bench"))
    table = OneTable("convergence", tuple(DATA), work, render, PAGE, draw)
    return table.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
