"""What a contest is: pages of tables, each measured on data sets one by one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .data import FALLBACK
from .page import machines
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
    data: tuple[str, ...]
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
    """A page of docs/."""

    file: str
    title: str
    tables: dict[str, Table]
    intro: Sequence[str] = ()  # before the first table
    stamp: Callable[[list[dict]], list[str]] = machines  # or `page.runs`
    sections: Callable[[Records], list[str]] | None = None  # in place of the tables
    draw: Callable[[Records, Path], None] | None = None  # puts figures into the folder
    on_request: bool = False  # whether its tables are measured only if they are named

    def records(self, records: Records) -> list[dict]:
        """All records that the page shows."""
        return [
            record
            for name, table in self.tables.items()
            for record in records.of(name, table.data)
        ]

    def render(self, contest: str, records: Records) -> str:
        """The whole page."""
        how = f"Written by `python -m benchmarks {contest}` from the records in "
        how += f"`benchmarks/records/{contest}.jsonl`."
        parts = [f"# {self.title}", how, *self.stamp(self.records(records))]
        parts += self.intro
        if self.sections is not None:
            parts += self.sections(records)
        else:
            for name, table in self.tables.items():
                found = records.of(name, table.data)
                if found and table.body is not None:
                    parts += [f"## {table.title}"] if table.title else []
                    parts += table.body(found)
        return "\n\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True)
class Contest:
    """A contest: its pages, and how often a fit is run."""

    name: str  # on the command line, and of its records
    about: str  # for ``--list``
    pages: tuple[Page, ...]
    quick: tuple[str, ...] = (FALLBACK,)  # data sets of a trial
    packages: tuple[str, ...] = ()  # whose versions the page shows
    repeats: int = 3
    seeds: int = 3

    @cached_property
    def tables(self) -> dict[str, Table]:
        """All tables, by name."""
        return {
            name: table for page in self.pages for name, table in page.tables.items()
        }

    def planned(
        self, tables: Sequence[str] | None, data: Sequence[str] | None
    ) -> Iterator[tuple[str, str]]:
        """Names of tables and data sets to measure, in order."""
        for page in self.pages:
            for name, table in page.tables.items():
                if name in tables if tables else not page.on_request:
                    for one in table.names(data):
                        yield name, one


def one_table(name: str, about: str, title: str, table: Table, **more) -> Contest:
    """A contest of one page, ``benchmarks-<name>.md``, with one table."""
    page = Page(f"benchmarks-{name}.md", title, {name: table})
    return Contest(name, about, (page,), **more)
