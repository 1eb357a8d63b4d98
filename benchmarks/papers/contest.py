"""``docs/papers.md``: all claims of the papers, judged; and a page for each paper."""

import re
from pathlib import Path

from ..harness.contest import Contest, records_of
from ..harness.markdown import NONE, markdown_table
from ..harness.records import Records, write_aside
from . import kernel_page, online, sequential_dual, simplex_projection, thesis
from .claims import Summary, how_many, verdicts_table
from .configuration import KNOWN, PAPERS

# In the order of the papers; each brings its own claims.
PAGES = (
    sequential_dual.PAGE,
    online.PAGE,
    simplex_projection.PAGE,
    thesis.PAGE,
    kernel_page.PAGE,
)
MARKED = re.compile(r"(<!-- claims -->).*?(<!-- /claims -->)", re.DOTALL)
TABLES = {name: one for page in PAGES for name, one in page.tables.items()}


def summary(records: Records) -> list[str]:
    """How many claims hold, all of them, and where every table is."""
    return [
        f"**{how_many(PAGES, records)}**",
        "Our data sets, computers and programs differ from theirs. So we do not "
        "compare numbers: we ask whether the order or the direction is the same. The "
        "page of a paper has the numbers of both sides.",
        verdicts_table(PAGES, records),
        "## Where every table and figure is",
        contents(records),
        "Other tables of the papers list data sets: there is nothing to run. Numbers "
        "appear here once a table has been run, by `python -m benchmarks papers "
        "--tables` and its name.",
    ]


def tell_overviews(records: Records, docs: Path) -> None:
    """Put how many claims hold into README and the overview, between two marks."""
    for path in (docs / "index.md", docs.parent / "README.md"):
        if not path.exists():
            continue
        link = "docs/papers.md" if path.name == "README.md" else "papers.md"
        said = f"{how_many(PAGES, records)} [All of them, with their numbers]({link})."
        text = path.read_text()
        told = MARKED.sub(rf"\1\n{said}\n\2", text)
        if told != text:
            write_aside(path, told)


def contents(records: Records) -> str:
    """Every table and figure, where its numbers are, and how to run it."""
    shown = {
        name: page
        for page in PAGES
        for name, table in page.tables.items()
        if records_of({name: table}, records)
    }
    rows = []
    for name, one in KNOWN.items():
        where = f"[shown]({shown[name].file})" if name in shown else NONE
        rows.append([PAPERS[one.paper], one.table, one.about, f"`{name}`", where])
    header = ["paper", "table", "what it is about", "name", "numbers"]
    return markdown_table(header, rows, numbers=False)


CONTEST = Contest(
    "papers",
    "Tables of the five papers, ours beside theirs",
    {},
    pages=(
        Summary(
            "papers.md",
            "The five papers, judged",
            TABLES,
            sections=summary,
            draw=tell_overviews,
        ),
        *PAGES,
    ),
    trial=("digits",),
    repeats=3,
    seeds=3,
)
