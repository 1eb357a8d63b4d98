"""What low-rank features cost and save: ``python -m benchmarks.nystroem --help``.

Crammer-Singer on Nystroem features against the exact kernel, and on a data set that is
too large for the exact one against the linear machine.
"""

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from statistics import median

from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE
from .environment import environment
from .fresh import ROOT
from .kernel_data import LARGE, setting_of
from .markdown import digits, markdown_table, megabytes, share
from .measure import interleave, progress
from .nystroem_fit import (
    EXACT,
    LINEAR,
    RANKS,
    fit_in_fresh_process,
    rank_name,
)
from .page import machines
from .results import Results, write_aside

TABLE = "nystroem"
SMALL = ("usps", "satimage", "letter")
SEEDS, LARGE_SEEDS = 3, 1
MEDIANS = ("seconds", "peak_bytes", "accuracy")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = (*SMALL, LARGE, FALLBACK)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nystroem")
    parser.add_argument(
        "--data",
        nargs="+",
        choices=names,
        metavar="NAME",
        help=f"among {', '.join(names)}",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks-nystroem.md",
        help="the page (docs/benchmarks-nystroem.md)",
    )
    add_common_arguments(parser, "bench-nystroem")
    return parser.parse_args(arguments)


def entrants(name: str) -> list[str]:
    """Who is measured on a data set: beside all ranks, the one to compare with."""
    return [LINEAR if name == LARGE else EXACT, *map(rank_name, RANKS)]


def measure(name: str) -> dict:
    """The record of a data set: medians over seeds of every entrant, in turns."""
    tasks = {one: _by_seed(one, name) for one in entrants(name)}
    runs = interleave(name, tasks, LARGE_SEEDS if name == LARGE else SEEDS)
    setting = setting_of(name)
    return {
        "shape": runs[rank_name(RANKS[0])][0]["shape"],
        "gamma": setting.gamma,
        "C": setting.C,
        "why": setting.why,
        "entrants": {one: summary(done) for one, done in runs.items()},
    }


def _by_seed(entrant: str, name: str):
    """A task that trains with the next seed every time."""
    seeds = iter(range(SEEDS))
    fit = partial(fit_in_fresh_process, entrant, name, threads=1)
    return lambda: fit(seed=next(seeds))


def summary(runs: list[dict]) -> dict:
    """Medians over the seeds, and how they ended if not all converged."""
    middle = {key: median(run[key] for run in runs) for key in MEDIANS}
    return middle | {"status": sorted({run["status"] for run in runs})}


def render(records: list[dict]) -> str:
    """The whole page."""
    parts = [
        "# Low-rank features against the exact kernel",
        "Written by `make bench-nystroem`.",
        *machines(records),
        "## Results",
        "Crammer-Singer, Gaussian kernel, float32 rows, one thread, to a relative "
        "duality gap of 1e-3 of the problem with the kernel it is trained with. "
        '`rank r` is `KernelSVM(approximation="nystroem", rank=r)`, `exact` the '
        f"default solver with a cache of 1000 MB, `{LINEAR}` is `LinearSVM` with the "
        "same C and an intercept. Every fit in a fresh process after a small one to "
        f"warm up; medians over {SEEDS} seeds, on {LARGE} one seed. Seconds are those "
        "of all of `fit`, landmarks and features included; MB: peak memory of training "
        "above the process with the data loaded.",
        _table(records),
        "The settings:",
        _settings(records),
    ]
    return "\n\n".join(parts) + "\n"


def _table(records: list[dict]) -> str:
    header = ["data set", "n", "d", "k", "machine", "s", "MB", "test accuracy"]
    rows = []
    for record in records:
        shape = [f"{record['shape'][key]:,}" for key in "ndk"]
        for name, entry in record["entrants"].items():
            ended = [word for word in entry["status"] if word != "converged"]
            name += f" ({', '.join(ended)})" if ended else ""
            numbers = [digits(entry["seconds"]), megabytes(entry["peak_bytes"])]
            row = [record["data"], *shape, name, *numbers, share(entry["accuracy"])]
            rows.append(row)
    return markdown_table(header, rows)


def _settings(records: list[dict]) -> str:
    rows = [
        [record["data"], f"{record['gamma']:g}", f"{record['C']:g}", record["why"]]
        for record in records
    ]
    return markdown_table(["data set", "gamma", "C", "why"], rows, numbers=False)


def measure_all(options: argparse.Namespace, results: Results, arguments) -> None:
    """Measure the data sets that are asked for."""
    if not options.data and not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The data sets need the environment variable {FOLDER_VARIABLE}; set it "
            f"to their folder, or try --data {FALLBACK}."
        )
    described = environment(arguments, module="benchmarks.nystroem", peers=[])
    for name in options.data or (*SMALL, LARGE):
        if options.resume and (TABLE, name) in results:
            progress(f"{name}: measured already")
            continue
        record = measure(name)
        results.add({"table": TABLE, "data": name, "environment": described, **record})


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure_all(options, results, arguments))
        if failed:
            return failed
    write_aside(options.output, render(results.of_table(TABLE)))
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
