"""What low-rank features cost and save: ``python -m benchmarks.nystroem --help``.

Crammer-Singer on Nystroem features against the exact kernel, and on a data set that is
too large for the exact one against the linear machine.
"""

import sys
from functools import partial
from statistics import median

from .kernel_data import LARGE, setting_of
from .markdown import digits, markdown_table, megabytes, share
from .measure import interleave
from .nystroem_fit import (
    EXACT,
    LINEAR,
    RANKS,
    fit_in_fresh_process,
    rank_name,
)
from .one_table import OneTable
from .page import machines

TABLE = "nystroem"
SMALL = ("usps", "satimage", "letter")
SEEDS, LARGE_SEEDS = 3, 1
MEDIANS = ("seconds", "peak_bytes", "accuracy")


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


main = OneTable(TABLE, (*SMALL, LARGE), measure, render).main

if __name__ == "__main__":
    sys.exit(main())
