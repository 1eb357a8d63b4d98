"""The benchmark of the linear machines: ``python -m benchmarks.linear --help``."""

import argparse
import os
import sys
from pathlib import Path

from .command import add_common_arguments, guarded
from .contests import CONTESTS
from .data import EXTRA_NAMES, FALLBACK, FOLDER_VARIABLE, NAMES, QUICK_NAMES
from .environment import environment
from .measure import progress
from .page import render
from .results import Optima, Results, write_aside
from .speed import Context
from .tables import TABLES

FALLBACK_NOTE = (
    f"Note: {FOLDER_VARIABLE} is not set, so this ran on the small digits data of "
    f"scikit-learn only; set it to the folder of the benchmark data for the rest."
)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linear")
    parser.add_argument(
        "--tables",
        nargs="+",
        type=int,
        choices=list(TABLES),
        default=list(TABLES),
        help="which tables (all); 1 and 6 to 12 compare solvers",
    )
    parser.add_argument(
        "--data",
        nargs="+",
        choices=[*NAMES, *EXTRA_NAMES, FALLBACK],
        metavar="NAME",
        help=f"among {', '.join((*NAMES, *EXTRA_NAMES, FALLBACK))}",
    )
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each (3)")
    parser.add_argument(
        "--seeds", type=int, default=3, help="seeds where solvers are compared (3)"
    )
    parser.add_argument("--quick", action="store_true", help="small data sets only")
    parser.add_argument("--output", type=Path, help="write Markdown to this file")
    add_common_arguments(parser, "bench")
    options = parser.parse_args(arguments)
    for name in ("repeats", "seeds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    return options


def choose_data(options: argparse.Namespace) -> list[str]:
    """The data sets asked for, or those that there are."""
    if options.data:
        return options.data
    if not os.environ.get(FOLDER_VARIABLE):
        return [FALLBACK]
    return list(QUICK_NAMES if options.quick else NAMES)


def planned(options: argparse.Namespace) -> list[tuple[int, str]]:
    """Tables and data sets to measure, in order.

    With `--quick` generated data is left out unless its table is asked for alone.
    """
    chosen = choose_data(options)
    numbers = sorted(set(options.tables))
    generated = not options.quick or numbers == [4]
    return [
        (number, name)
        for number in numbers
        for name in TABLES[number].names(chosen, generated)
    ]


def missing_peers(numbers: list[int]) -> list[str]:
    """Who cannot take part in the tables, and why, each once."""
    contests = [CONTESTS[number] for number in numbers if number in CONTESTS]
    notes = [note for contest in contests for note in contest.rivals()[1]]
    return list(dict.fromkeys(notes))


def measure(options: argparse.Namespace, results: Results, arguments) -> list[str]:
    """Measure what is planned; returns notes for the reader."""
    notes = missing_peers(options.tables)
    for note in notes:
        progress(note)
    context = Context(options.repeats, options.seeds, Optima(options.folder))
    described = environment(arguments)
    for number, name in planned(options):
        if options.resume and (number, name) in results:
            progress(f"table {number}, {name}: measured already")
            continue
        progress(f"table {number}, {name}")
        record = TABLES[number].measure(name, context)
        results.add({"table": number, "data": name, "environment": described, **record})
    return notes


def selected(options: argparse.Namespace, results: Results) -> dict[int, list[dict]]:
    """The records to show: those planned or, with `--render`, all of the tables."""
    wanted = set(planned(options))
    show_all = options.render and not options.data and not options.quick
    return {
        number: [
            record
            for record in results.of_table(number)
            if show_all or (number, record["data"]) in wanted
        ]
        for number in sorted(set(options.tables))
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    notes: list[str] = []
    if not options.render:
        if FALLBACK in choose_data(options) and not options.data:
            notes.append(FALLBACK_NOTE)
            progress(FALLBACK_NOTE)
        failed = guarded(lambda: notes.extend(measure(options, results, arguments)))
        if failed:
            return failed
    page = render(selected(options, results), notes)
    if options.output is None:
        print(page)
    else:
        write_aside(options.output, page)
        progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
