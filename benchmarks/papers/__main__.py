"""Tables of the papers, repeated: ``python -m benchmarks.papers --help``."""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from ..command import add_common_arguments, guarded
from ..data import FOLDER_VARIABLE
from ..environment import environment
from ..fresh import ROOT
from ..measure import progress
from ..results import Results, write_aside
from . import page
from .comparing import carry_out
from .configuration import FOLDER, Configuration, read_all


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers")
    parser.add_argument(
        "--list", action="store_true", help="show all tables and how to run them"
    )
    parser.add_argument(
        "--tables", nargs="+", metavar="NAME", help="those to run (all comparisons)"
    )
    parser.add_argument(
        "--data", nargs="+", metavar="NAME", help="data sets of these tables (all)"
    )
    parser.add_argument(
        "--configurations",
        type=Path,
        default=FOLDER,
        help="the folder of the configurations (benchmarks/papers)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "papers.md",
        help="the page (docs/papers.md)",
    )
    add_common_arguments(parser, "papers")
    return parser.parse_args(arguments)


def chosen(
    options: argparse.Namespace, known: dict[str, Configuration]
) -> list[Configuration]:
    """The tables to run; programs of their own only if they are asked for."""
    if not options.tables:
        return [one for one in known.values() if one.program is None]
    for name in options.tables:
        if name not in known:
            raise RuntimeError(
                f"--tables {name} is not known; choose among {', '.join(known)}."
            )
    return [known[name] for name in options.tables]


def measure(
    options: argparse.Namespace,
    known: dict[str, Configuration],
    results: Results,
    arguments,
) -> None:
    """Run the tables that were chosen."""
    described = environment(arguments, module="benchmarks.papers", peers=[])
    for configuration in chosen(options, known):
        if configuration.program is not None:
            run_program(configuration, options)
            continue
        for entry in configuration.entries:
            if options.data and entry.name not in options.data:
                continue
            if options.resume and (configuration.name, entry.name) in results:
                progress(f"{configuration.name}, {entry.name}: measured already")
                continue
            progress(f"{configuration.name}, {entry.name}")
            record = carry_out(configuration, entry, options.folder)
            about = {"table": configuration.name, "data": entry.name}
            results.add({**about, "environment": described, **record})


def run_program(configuration: Configuration, options: argparse.Namespace) -> None:
    """Run the program that a configuration names."""
    program = configuration.program
    words = [*program.arguments, *(["--resume"] if options.resume else [])]
    if options.data:
        words += ["--data", *options.data]
    if import_module(program.module).main(words):
        raise RuntimeError(f"{program.module} failed; what it said is above.")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    known = read_all(options.configurations)
    if options.list:
        print(page.listing(known))
        return 0
    results = Results(options.folder)
    if not options.render:
        if not os.environ.get(FOLDER_VARIABLE):
            progress(f"{FOLDER_VARIABLE} is not set: only data sets of scikit-learn")
        failed = guarded(lambda: measure(options, known, results, arguments))
        if failed:
            return failed
    write_aside(options.output, page.render(known, results))
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
