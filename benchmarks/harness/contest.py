"""What a contest is: tables measured on data sets one by one, a figure, a verdict."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .data import FALLBACK
from .page import runs
from .records import Records


@dataclass(frozen=True)
class Run:
    """What a measurement may use."""

    repeats: int  # timed runs of each fit
    seeds: int  # or orders of the rows, where they matter
    records: Records  # what is measured already
    scratch: Path  # where to keep what need not be computed twice


@dataclass(frozen=True)
class Table:
    """A table: what is measured on which data sets, and how it reads.

    Names of data sets may have more words behind a comma: then a table has a record
    for each machine, shuffle or number of partitions.
    """

    title: str  # of its section; none if empty
    measure: Callable[[str, Run], dict]  # makes the record of a data set
    data: tuple[str, ...]  # together so few that all contests end within the hour
    body: Callable[[list[dict]], Sequence[str]] | None = None  # None: shown elsewhere
    more: tuple[str, ...] = ()  # data sets that are measured only if asked for

    def names(self, asked: Sequence[str] | None) -> list[str]:
        """What to measure: all, or what was asked for, by whole name or first word."""
        if asked is None:
            return [*self.data]
        known = (*self.data, *self.more, *([FALLBACK] if self.data else []))
        return [
            name
            for name in dict.fromkeys(known)
            if name in asked or name.split(", ")[0] in asked
        ]


@dataclass(frozen=True)
class Page:
    """A page of docs/ that belongs to one contest alone."""

    file: str
    title: str
    tables: dict[str, Table]
    sections: Callable[[Records], list[str]] | None = None  # in place of the tables
    draw: Callable[[Records, Path], None] | None = None  # puts figures into the folder
    on_request: bool = False  # whether its tables are measured only if they are named

    def records(self, records: Records) -> list[dict]:
        """All records that the page shows."""
        return records_of(self.tables, records)

    def head(self, records: Records) -> list[str]:
        """What stands above everything else."""
        return []

    def render(self, contest: str, records: Records) -> str:
        """The whole page."""
        how = f"Written by `python -m benchmarks {contest}` from the records in "
        how += f"`benchmarks/records/{contest}.jsonl`."
        parts = [f"# {self.title}", *self.head(records)]
        if self.sections is not None:
            parts += self.sections(records)
        else:
            parts += bodies(self.tables, records, "##")
        parts += ["## Runs", how, *runs(self.records(records))]
        return "\n\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True)
class Contest:
    """A contest: its tables, its place on a page, and how often a fit is run."""

    name: str  # on the command line, and of its records
    title: str  # of its section, and for ``--list``
    tables: dict[str, Table]
    verdict: Callable[[Records], Sequence[str]] = lambda records: ()  # beside a figure
    draw: Callable[[Records, Path], None] | None = None  # writes the figure to a path
    body: Callable[[Records], Sequence[str]] | None = None  # for all tables together
    trial: tuple[str, ...] = (FALLBACK,)  # data sets of a trial
    packages: tuple[str, ...] = ()  # whose versions the page shows
    repeats: int = 2
    seeds: int = 2
    pages: tuple[Page, ...] = ()  # its own, in place of a section

    def tables_text(self, records: Records, marks: str) -> list[str]:
        """All tables, behind the figures."""
        if self.body is not None:
            return [*self.body(records)]
        return bodies(self.tables, records, marks)

    @cached_property
    def all_tables(self) -> dict[str, Table]:
        """All tables, by name."""
        own = {name: one for page in self.pages for name, one in page.tables.items()}
        return self.tables | own

    def planned(
        self, tables: Sequence[str] | None, data: Sequence[str] | None
    ) -> Iterator[tuple[str, str]]:
        """Names of tables and data sets to measure, in order."""
        late = {name for page in self.pages if page.on_request for name in page.tables}
        for name, table in self.all_tables.items():
            if name in tables if tables else name not in late:
                for one in table.names(data):
                    yield name, one


def records_of(tables: dict[str, Table], records: Records) -> list[dict]:
    """All records of some tables."""
    return [
        record
        for name, table in tables.items()
        for record in records.of(name, (*table.data, *table.more))
    ]


def bodies(tables: dict[str, Table], records: Records, marks: str) -> list[str]:
    """The sections of those tables that there are records for."""
    parts: list[str] = []
    for name, table in tables.items():
        found = records.of(name, (*table.data, *table.more))
        if found and table.body is not None:
            parts += [f"{marks} {table.title}"] if table.title else []
            parts += table.body(found)
    return parts
