"""``docs/papers.md``: all claims of the papers, judged; and a page for each paper."""

import re
from pathlib import Path

from ..harness.contest import Contest, records_of
from ..harness.markdown import NONE, markdown_table
from ..harness.records import Records, write_aside
from . import convergence, kernel_page, online, reduced, schemes
from .claims import PaperPage, Summary, claims_table, how_many
from .compared import ABOUT, compared_tables
from .configuration import KNOWN

# In the order of the papers; each brings its own claims.
PAGES = (
    PaperPage(
        "papers-sequential.md",
        "The sequential dual method (000)",
        compared_tables("000"),
        paper="000",
        about=ABOUT,
    ),
    convergence.PAGE,
    online.PAGE,
    PaperPage(
        "papers-restricted.md",
        "Solvers of the restricted problem (002)",
        compared_tables("002"),
        paper="002",
        about=ABOUT,
    ),
    schemes.PAGE,
    reduced.PAGE,
    kernel_page.PAGE,
)
MARKED = re.compile(r"(<!-- claims -->).*?(<!-- /claims -->)", re.DOTALL)
TABLES = {name: one for page in PAGES for name, one in page.tables.items()}


def summary(records: Records) -> list[str]:
    """How many claims hold, all of them, and where every table is."""
    return [
        f"**{how_many(PAGES, records)}**",
        "Data sets, computers and programs are others here than there: a claim is "
        "about an order or a direction, and so are the verdicts. Seconds count only "
        "where the machine was quiet; each page says so.",
        claims_table(PAGES, records),
        "## Where every table and figure is",
        contents(records),
        "Tables 1.1 of 000, I of 002, 5.1 and 5.2 of 003 list data sets: there is "
        "nothing to run.",
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
        where = f"[{shown[name].file}]({shown[name].file})" if name in shown else NONE
        how = f"`python -m benchmarks papers --tables {name}`"
        rows.append([f"{one.paper}, {one.table}", one.about, where, how])
    header = ["paper and table", "what it is about", "numbers", "to run it"]
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
    trial=("iris",),
    repeats=3,
    seeds=3,
)
