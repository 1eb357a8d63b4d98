"""``docs/papers.md``: every table of the papers, ours beside theirs."""

from functools import partial

from ..harness.contest import Contest, Page, Run, Table
from ..harness.markdown import markdown_table
from ..harness.records import Records
from . import convergence, decomposition, reduced, schemes
from .comparing import carry_out
from .configuration import KNOWN, Configuration
from .quantities import TIES, verdicts
from .sections import section

PAPERS = {
    "000": "Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008",
    "001": "Tuma and Igel, 2011",
    "002": "Blondel, Fujino and Ueda, 2014",
    "003": "a thesis on multi-class schemes for large linear classification",
    "004": "Dogan, Glasmachers and Igel, 2011",
}
COMPARED = {name: one for name, one in KNOWN.items() if one.machines}


def measure(configuration: Configuration, name: str, run: Run) -> dict:
    """Compare the machines of a table on a data set."""
    return carry_out(configuration, configuration.entry(name), run.scratch)


def sections(records: Records) -> list[str]:
    """The page: contents, then a section for each table that was run."""
    found = {name: records.of(name, table.data) for name, table in TABLES.items()}
    parts = [
        "The configurations are in `benchmarks/papers`; the data sets are read from "
        "the folder that the environment variable `POLYMARGIN_DATA` names. All fits on "
        "one thread. Tables 1.1 of 000, I of 002, 5.1 and 5.2 of 003 list data sets: "
        "there is nothing to run.",
        _contents(found),
        f"In brackets the paper's number; its data sets, computers and programs are "
        f"others, so compare orders, not numbers. {TIES}",
    ]
    for name, measured in found.items():
        if measured:
            parts += _section(KNOWN[name], measured)
    return parts


def _contents(found: dict[str, list]) -> str:
    rows = []
    for name, one in KNOWN.items():
        where = f"[{one.page}]({one.page})"
        how = f"`python -m benchmarks papers --tables {name}`"
        if name in found:
            where = "below" if found[name] else "not run yet"
        elif one.paper == "001":
            how = "`python -m benchmarks online`"
        rows.append([f"{one.paper}, {one.table}", one.about, where, how])
    header = ["paper and table", "what it is about", "numbers", "to run it"]
    return markdown_table(header, rows, numbers=False)


def _section(configuration: Configuration, records: list[dict]) -> list[str]:
    said = []
    for record in records:
        entry = configuration.entry(record["data"])
        splits = configuration.protocol_of(entry).repeats
        n, k = record["shape"]["n"], record["shape"]["k"]
        said.append(
            f"{entry.name} in the place of {entry.place_of} ({n:,} rows, {k} classes, "
            f"{splits} split{'s' if splits > 1 else ''})"
        )
    measured = {record["data"] for record in records}
    missing = [one.name for one in configuration.entries if one.name not in measured]
    words = [
        f"{PAPERS[configuration.paper]}: {configuration.about}.",
        f"Protocol `{configuration.protocol}`; {'; '.join(said)}.",
        configuration.note,
        f"Not run: {', '.join(missing)}." if missing else "",
    ]
    parts = [
        f"## {configuration.paper}, {configuration.table}",
        " ".join(filter(None, words)),
    ]
    for shown in configuration.show:
        parts += section(configuration, records, shown)
    return [*parts, verdicts(configuration, records), configuration.why]


TABLES = {
    name: Table("", partial(measure, one), tuple(entry.name for entry in one.entries))
    for name, one in COMPARED.items()
}
CONTEST = Contest(
    "papers",
    "Tables of the five papers, ours beside theirs",
    {},
    pages=(
        Page("papers.md", "Tables of the papers, repeated", TABLES, sections=sections),
        convergence.PAGE,
        schemes.PAGE,
        reduced.PAGE,
        decomposition.PAGE,
    ),
    trial=("iris",),
    repeats=3,
    seeds=3,
)
