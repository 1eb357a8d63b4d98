"""The benchmark of the kernel machines: ``python -m benchmarks.kernel --help``."""

import argparse
import os
import sys
from pathlib import Path

from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .kernel_data import QUICK_NAMES, SETTINGS
from .kernel_entrants import missing_peers
from .kernel_page import render
from .kernel_tables import TABLES, measure
from .measure import progress
from .results import Results, write_aside

SHORT = {"1": "machines, one thread", "2": "machines, two threads", "s": "solvers"}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel")
    parser.add_argument(
        "--tables",
        nargs="+",
        choices=list(SHORT),
        default=list(SHORT),
        help="machines on 1 or 2 threads, s for solvers (all)",
    )
    parser.add_argument(
        "--data",
        nargs="+",
        choices=[*SETTINGS, FALLBACK],
        metavar="NAME",
        help=f"among {', '.join((*SETTINGS, FALLBACK))}",
    )
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each (3)")
    parser.add_argument("--quick", action="store_true", help="small data sets only")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks-kernel.md",
        help="the page (docs/benchmarks-kernel.md)",
    )
    add_common_arguments(parser, "bench-kernel")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error(f"--repeats must be at least 1, got {options.repeats}")
    return options


def planned(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Tables and data sets to measure, in order."""
    if options.data:
        chosen = options.data
    elif not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The data sets need the environment variable {FOLDER_VARIABLE}; set it "
            f"to their folder, or try --data {FALLBACK}."
        )
    else:
        chosen = list(QUICK_NAMES if options.quick else SETTINGS)
    tables = [SHORT[letter] for letter in SHORT if letter in options.tables]
    return [
        (table, name)
        for table in tables
        for name in chosen
        if name in (*TABLES[table].data, FALLBACK)
    ]


def measure_all(options: argparse.Namespace, results: Results, arguments) -> None:
    """Measure what is planned."""
    for note in missing_peers().values():
        progress(note)
    described = environment(
        arguments, module="benchmarks.kernel", peers=["scikit-learn-intelex"]
    )
    for table, name in planned(options):
        if options.resume and (table, name) in results:
            progress(f"{table}, {name}: measured already")
            continue
        progress(f"{table}, {name}")
        record = measure(TABLES[table], name, options.repeats)
        results.add({"table": table, "data": name, "environment": described, **record})


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure_all(options, results, arguments))
        if failed:
            return failed
    page = render({table: results.of_table(table) for table in TABLES})
    write_aside(options.output, page)
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
