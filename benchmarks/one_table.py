"""The command line of a benchmark that measures data sets one by one for one page."""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .measure import progress
from .results import Results, write_aside


@dataclass(frozen=True)
class OneTable:
    """A benchmark: what it measures, and what it writes.

    Attributes
    ----------
    table : str
        The name of the records; the module is ``benchmarks.<table>``.
    names : sequence of str
        Data sets, in order.
    measure : callable
        Makes the record of a data set.
    render : callable
        Makes the page of all records.
    page : str
        In ``docs``; ``benchmarks-<table>.md`` if empty.
    draw : callable or None
        Is given all records and the folder of the page, to put figures there.
    peers : sequence of str
        Packages whose versions the page shows.
    """

    table: str
    names: Sequence[str]
    measure: Callable[[str], dict]
    render: Callable[[list[dict]], str]
    page: str = ""
    draw: Callable[[list[dict], Path], None] | None = None
    peers: Sequence[str] = ()

    def main(self, arguments: list[str] | None = None) -> int:
        """Run the benchmark; returns the exit status."""
        options = self._parse(arguments)
        results = Results(options.folder)
        if not options.render:
            failed = guarded(lambda: self._measure_all(options, results, arguments))
            if failed:
                return failed
        records = results.of_table(self.table)
        write_aside(options.output, self.render(records))
        if self.draw is not None and records:
            self.draw(records, options.output.parent)
        progress(f"wrote {options.output}")
        return 0

    def _parse(self, arguments: list[str] | None) -> argparse.Namespace:
        names = (*self.names, FALLBACK)
        page = Path("docs") / (self.page or f"benchmarks-{self.table}.md")
        parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{self.table}")
        parser.add_argument(
            "--data",
            nargs="+",
            choices=names,
            metavar="NAME",
            help=f"among {', '.join(names)}",
        )
        parser.add_argument(
            "--output", type=Path, default=ROOT / page, help=f"the page ({page})"
        )
        add_common_arguments(parser, f"bench-{self.table}")
        return parser.parse_args(arguments)

    def _measure_all(self, options, results: Results, arguments) -> None:
        if not options.data and not os.environ.get(FOLDER_VARIABLE):
            raise FileNotFoundError(
                f"The data sets need the environment variable {FOLDER_VARIABLE}; set "
                f"it to their folder, or try --data {FALLBACK}."
            )
        module = f"benchmarks.{self.table}"
        described = environment(arguments, module=module, peers=self.peers)
        for name in options.data or self.names:
            if options.resume and (self.table, name) in results:
                progress(f"{name}: measured already")
                continue
            record = self.measure(name)
            results.add(
                {"table": self.table, "data": name, "environment": described, **record}
            )
