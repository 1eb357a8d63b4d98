"""Tables 5.3 to 5.7 of a thesis: ``python -m benchmarks.schemes --help``."""

import sys

from . import schemes_page
from .one_table import OneTable
from .page import runs
from .schemes_run import SETUPS, measure

PAGE = "papers-schemes.md"


def render(records: list[dict]) -> str:
    """The whole page."""
    title = "# Schemes of multi-class classification"
    how = "Written by `python -m benchmarks.papers --tables 003-5.3`."
    parts = [title, how, runs(records), schemes_page.render(records)]
    return "\n\n".join(parts) + "\n"


main = OneTable("schemes", tuple(SETUPS), measure, render, PAGE).main

if __name__ == "__main__":
    sys.exit(main())
