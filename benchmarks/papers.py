"""Results of two papers, repeated: ``python -m benchmarks.papers --help``.

Part a is figure 3 of Keerthi et al. (KDD 2008), part b are tables 5.3 to 5.7 of a
thesis on multi-class schemes for large linear classification.
"""

import argparse
import os
import sys
from pathlib import Path

from . import convergence, convergence_page, schemes, schemes_page
from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .markdown import markdown_table
from .measure import progress
from .results import Optima, Results, write_aside

PARTS = {"a": tuple(convergence.DATA), "b": tuple(schemes.SETUPS)}
TITLES = {
    "a": "A. Methods for Crammer-Singer against time",
    "b": "B. Schemes of multi-class classification",
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers")
    known = list(dict.fromkeys([*PARTS["a"], *PARTS["b"], FALLBACK]))
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
        help="the page; the figure is put beside it (docs/papers.md)",
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
    described = environment(arguments, module="benchmarks.papers")
    for part, name in planned(options):
        if options.resume and (part, name) in results:
            progress(f"part {part}, {name}: measured already")
            continue
        if part == "a":
            record = convergence.measure(name, optima)
        else:
            record = schemes.measure(name)
        results.add({"table": part, "data": name, "environment": described, **record})


def render(results: Results, output: Path) -> str:
    """The page of all that was measured; draws the figure beside `output`."""
    curves, tables = results.of_table("a"), results.of_table("b")
    parts = ["# Results of two papers, repeated", "Written by `make bench-papers`."]
    runs = {}
    for record in [*curves, *tables]:
        described = record["environment"]
        runs.setdefault(tuple(described[key] for key in _SHOWN), None)
    parts.append(markdown_table([*_SHOWN], [list(run) for run in runs], numbers=False))
    if curves:
        convergence_page.draw(curves, output.with_name(convergence_page.FIGURE))
        section = convergence_page.render(curves, convergence.MAX_SECONDS)
        parts += [f"## {TITLES['a']}", section]
    if tables:
        parts += [f"## {TITLES['b']}", schemes_page.render(tables)]
    return "\n\n".join(parts) + "\n"


_SHOWN = ("command", "date", "processor", "commit", "instruction set")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure(options, results, arguments))
        if failed:
            return failed
    write_aside(options.output, render(results, options.output))
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
