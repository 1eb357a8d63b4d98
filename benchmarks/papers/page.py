"""``docs/papers.md``: every table of the papers, ours beside theirs."""

from ..markdown import markdown_table
from ..page import runs
from ..results import Results
from . import sections
from .configuration import Configuration
from .verdicts import TIES, verdicts

PAPERS = {
    "000": "Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008",
    "001": "Tuma and Igel, 2011",
    "002": "Blondel, Fujino and Ueda, 2014",
    "003": "a thesis on multi-class schemes for large linear classification",
    "004": "Dogan, Glasmachers and Igel, 2011",
}
NO_RUN = (
    "Tables 1.1 of 000, I of 002, 5.1 and 5.2 of 003 list data sets: there is nothing "
    "to run."
)


def command(configuration: Configuration) -> str:
    """How to run a table."""
    return f"python -m benchmarks.papers --tables {configuration.name}"


def listing(known: dict[str, Configuration]) -> str:
    """All tables, for a terminal."""
    lines = []
    for one in known.values():
        lines += [f"{one.name:14}{one.table} of {one.paper}: {one.about}"]
        lines += [f"{'':14}{command(one)}"]
        if one.program is not None:
            words = " ".join(["python -m", one.program.module, *one.program.arguments])
            lines += [f"{'':14}which runs: {words}"]
        else:
            names = ", ".join(f"{e.name} for {e.place_of}" for e in one.entries)
            lines += [f"{'':14}protocol {one.protocol}, data sets {names}"]
    return "\n".join(lines)


def render(known: dict[str, Configuration], results: Results) -> str:
    """The whole page."""
    records = {name: _records(one, results) for name, one in known.items()}
    parts = [
        "# Tables of the papers, repeated",
        "Written by `python -m benchmarks.papers` from its configurations in "
        "`benchmarks/papers`; the data sets are read from the folder that the "
        "environment variable `POLYMARGIN_DATA` names. All fits on one thread. "
        f"{NO_RUN}",
        _contents(known, records),
        f"In brackets the paper's number; its data sets, computers and programs are "
        f"others, so compare orders, not numbers. {TIES}",
    ]
    for name, found in records.items():
        if found:
            parts += _section(known[name], found)
    everything = [record for found in records.values() for record in found]
    if everything:
        parts += ["## Runs", runs(everything), _load(everything)]
    return "\n\n".join(parts) + "\n"


def _records(configuration: Configuration, results: Results) -> list[dict]:
    """What is known of a table, in the order of its data sets."""
    found = (results.get(configuration.name, e.name) for e in configuration.entries)
    return [record for record in found if record is not None]


def _contents(known: dict[str, Configuration], records: dict[str, list]) -> str:
    rows = []
    for name, one in known.items():
        if one.program is not None:
            where = f"[{one.program.page}]({one.program.page})"
        else:
            where = "below" if records[name] else "not run yet"
        paper = f"{one.paper}, {one.table}"
        rows.append([paper, one.about, where, f"`--tables {name}`"])
    header = ["paper and table", "what it is about", "numbers", "to run it"]
    return markdown_table(header, rows, numbers=False)


def _section(configuration: Configuration, records: list[dict]) -> list[str]:
    missing = [
        entry.name
        for entry in configuration.entries
        if entry.name not in {record["data"] for record in records}
    ]
    where = PAPERS[configuration.paper]
    parts = [
        f"## {configuration.paper}, {configuration.table}",
        f"{where}: {configuration.about}. {_how(configuration, records)}"
        + (f" {configuration.note}" if configuration.note else "")
        + (f" Not run: {', '.join(missing)}." if missing else ""),
    ]
    for shown in configuration.show:
        parts += sections.SECTIONS[shown](configuration, records)
    parts += verdicts(configuration, records)
    return [*parts, configuration.why] if configuration.why else parts


def _how(configuration: Configuration, records: list[dict]) -> str:
    """The data sets, their places and the protocol, in words."""
    said = []
    for record in records:
        entry = configuration.entry(record["data"])
        splits = configuration.protocol_of(entry).repeats
        n, k = record["shape"]["n"], record["shape"]["k"]
        said.append(
            f"{entry.name} in the place of {entry.place_of} ({n:,} rows, {k} classes, "
            f"{splits} split{'s' if splits > 1 else ''})"
        )
    return f"Protocol `{configuration.protocol}`; {'; '.join(said)}."


def _load(records: list[dict]) -> str:
    loads = [record["load"] for record in records]
    return (
        f"The load average was {min(loads):.1f} to {max(loads):.1f} when these runs "
        "ended: others worked on the machine, which has two hyperthreads. The machines "
        "took turns, so the order of their seconds means more than the seconds."
    )
