"""Tables that `polymargin.compare` carries out: a section for each that was run."""

from functools import partial

from ..harness.contest import Run, Table
from .comparing import carry_out
from .configuration import KNOWN, PAPERS, Configuration
from .quantities import TIES, verdicts
from .sections import section

ABOUT = (
    "The configurations are in `benchmarks/papers`; the data sets are read from the "
    "folder that the environment variable `POLYMARGIN_DATA` names. All fits on one "
    "thread. In brackets the paper's number; its data sets, computers and programs are "
    f"others, so compare orders, not numbers. {TIES}"
)
COMPARED = {name: one for name, one in KNOWN.items() if one.machines}


def measure(configuration: Configuration, name: str, run: Run) -> dict:
    """Compare the machines of a table on a data set."""
    return carry_out(configuration, configuration.entry(name), run.scratch)


def compared_tables(paper: str) -> dict[str, Table]:
    """The tables of a paper that are comparisons."""
    return {
        name: Table(
            "",
            partial(measure, one),
            tuple(entry.name for entry in one.entries),
            partial(compared_section, one),
        )
        for name, one in COMPARED.items()
        if one.paper == paper
    }


def compared_section(configuration: Configuration, records: list[dict]) -> list[str]:
    """What was run, the tables, who is ahead, and why."""
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
        f"## {configuration.table.capitalize()}",
        " ".join(filter(None, words)),
    ]
    for shown in configuration.show:
        parts += section(configuration, records, shown)
    return [*parts, verdicts(configuration, records), configuration.why]
