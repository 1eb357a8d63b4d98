"""The benchmark of the online machine: ``python -m benchmarks.online --help``."""

import argparse
import os
import sys
from pathlib import Path

from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .measure import progress
from .online_data import QUICK_NAMES, SETTINGS
from .online_figure import FIGURES, draw
from .online_page import render
from .online_tables import PARTS, comparisons, pieces
from .results import Results, write_aside

SHUFFLES, QUICK_SHUFFLES = 10, 2


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        help="curves of the online machine, batch machines beside it (all)",
    )
    parser.add_argument(
        "--data",
        nargs="+",
        choices=[*SETTINGS, FALLBACK],
        metavar="NAME",
        help=f"among {', '.join((*SETTINGS, FALLBACK))}",
    )
    parser.add_argument(
        "--shuffles", type=int, help=f"orders of the training rows ({SHUFFLES})"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"small data sets only, {QUICK_SHUFFLES} shuffles",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks-online.md",
        help="the page; its figures are put beside it (docs/benchmarks-online.md)",
    )
    add_common_arguments(parser, "bench-online")
    options = parser.parse_args(arguments)
    if options.shuffles is None:
        options.shuffles = QUICK_SHUFFLES if options.quick else SHUFFLES
    if options.shuffles < 1:
        parser.error(f"--shuffles must be at least 1, got {options.shuffles}")
    return options


def planned(options: argparse.Namespace) -> list[str]:
    """Data sets to measure, in order."""
    if options.data:
        return options.data
    if not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The data sets need the environment variable {FOLDER_VARIABLE}; set it "
            f"to their folder, or try --data {FALLBACK}."
        )
    return list(QUICK_NAMES if options.quick else SETTINGS)


def measure_all(options: argparse.Namespace, results: Results, arguments) -> None:
    """Measure what is planned."""
    described = environment(arguments, module="benchmarks.online", peers=[])
    for name in planned(options):
        for piece, work in pieces(name, options.parts, options.shuffles):
            if options.resume and (piece, name) in results:
                progress(f"{name}, {piece}: measured already")
                continue
            about = {"table": piece, "data": name, "environment": described}
            about["load"] = os.getloadavg()[0]
            record = work(results)
            results.add({**about, **record})


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure_all(options, results, arguments))
        if failed:
            return failed
    found = comparisons(results, [*SETTINGS, FALLBACK])
    for axis in FIGURES if found else ():
        draw(found, axis, options.output.with_name(FIGURES[axis].file))
    write_aside(options.output, render(found))
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
