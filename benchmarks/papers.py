"""Results of papers, repeated: ``python -m benchmarks.papers --help``.

Part a is figure 3 of Keerthi et al. (KDD 2008), part b are tables 5.3 to 5.7 of a
thesis on multi-class schemes for large linear classification, part c, on a page of its
own, tables 2 and 3 of Dogan et al. (2011) on kernel machines.
"""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from . import (
    convergence,
    convergence_page,
    decomposition,
    decomposition_page,
    decomposition_paper,
    schemes,
    schemes_page,
)
from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .markdown import markdown_table
from .measure import progress
from .results import Optima, Results, write_aside

PARTS = {
    "a": tuple(convergence.DATA),
    "b": tuple(schemes.SETUPS),
    "c": tuple(decomposition_paper.SIZES),
}
KERNEL_PAGE = "papers-kernel.md"
TITLES = {
    "a": "A. Methods for Crammer-Singer against time",
    "b": "B. Schemes of multi-class classification",
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers")
    known = list(dict.fromkeys([*sum(PARTS.values(), ()), FALLBACK]))
    parser.add_argument(
        "--parts", nargs="+", choices=list(PARTS), default=list(PARTS), help="(all)"
    )
    parser.add_argument("--data", nargs="+", choices=known, metavar="NAME")
    add_common_arguments(parser, "papers")
    parser.add_argument(
        "--optima",
        type=Path,
        default=ROOT / "build" / "bench",
        help="where optima are kept, shared with benchmarks.linear (build/bench)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "papers.md",
        help="the page; its figure and the page of part c are put beside it "
        "(docs/papers.md)",
    )
    return parser.parse_args(arguments)


def planned(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Parts and data sets to measure, in order."""
    if not options.data and not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The papers' data sets need the environment variable {FOLDER_VARIABLE}; "
            f"set it to their folder, or try --data {FALLBACK}."
        )
    return [
        (part, name)
        for part in sorted(set(options.parts))
        for name in (*PARTS[part], FALLBACK)
        if (name in options.data if options.data else name != FALLBACK)
    ]


def measure(options: argparse.Namespace, results: Results, arguments) -> None:
    """Measure what is planned."""
    optima = Optima(options.optima)
    measures = {
        "a": partial(convergence.measure, optima=optima),
        "b": schemes.measure,
        "c": decomposition.measure,
    }
    described = environment(arguments, module="benchmarks.papers")
    for part, name in planned(options):
        if options.resume and (part, name) in results:
            progress(f"part {part}, {name}: measured already")
            continue
        record = measures[part](name)
        results.add({"table": part, "data": name, "environment": described, **record})


def write_pages(results: Results, output: Path) -> list[Path]:
    """Write the pages that there are records for; returns where they are."""
    curves, tables = results.of_table("a"), results.of_table("b")
    sections = []
    if curves:
        convergence_page.draw(curves, output.with_name(convergence_page.FIGURE))
        section = convergence_page.render(curves, convergence.MAX_SECONDS)
        sections += [f"## {TITLES['a']}", section]
    if tables:
        sections += [f"## {TITLES['b']}", schemes_page.render(tables)]
    order = [*PARTS["c"], FALLBACK]
    kernels = sorted(
        results.of_table("c"), key=lambda record: order.index(record["data"])
    )
    pages = {}
    if sections:
        title = "# Results of two papers, repeated"
        pages[output] = [title, *_runs([*curves, *tables]), *sections]
    if kernels:
        section = decomposition_page.render(kernels)
        title = "# Results of a paper on kernel machines, repeated"
        pages[output.with_name(KERNEL_PAGE)] = [title, *_runs(kernels), section]
    for path, parts in pages.items():
        write_aside(path, "\n\n".join(parts) + "\n")
    return list(pages)


def _runs(records: list[dict]) -> list[str]:
    """The commands behind the records."""
    runs = {}
    for record in records:
        described = record["environment"]
        runs.setdefault(tuple(described[key] for key in _SHOWN), None)
    table = markdown_table([*_SHOWN], [list(run) for run in runs], numbers=False)
    return ["Written by `make bench-papers`.", table]


_SHOWN = ("command", "date", "processor", "commit", "instruction set")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure(options, results, arguments))
        if failed:
            return failed
    for path in write_pages(results, options.output):
        progress(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
