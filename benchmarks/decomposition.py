"""Tables 2 and 3 of Dogan et al.: ``python -m benchmarks.decomposition --help``."""

import sys

from . import decomposition_page
from .data import FALLBACK
from .decomposition_paper import SIZES
from .decomposition_run import measure
from .one_table import OneTable
from .page import runs

PAGE = "papers-kernel.md"


def render(records: list[dict]) -> str:
    """The whole page, data sets in the order of the paper."""
    order = [*SIZES, FALLBACK]
    records = sorted(records, key=lambda record: order.index(record["data"]))
    title = "# Results of a paper on kernel machines, repeated"
    how = "Written by `python -m benchmarks.papers --tables 004-2`."
    parts = [title, how, runs(records), decomposition_page.render(records)]
    return "\n\n".join(parts) + "\n"


main = OneTable("decomposition", tuple(SIZES), measure, render, PAGE).main

if __name__ == "__main__":
    sys.exit(main())
