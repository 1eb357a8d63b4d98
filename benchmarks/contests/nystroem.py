"""What low-rank features cost and save.

Crammer-Singer on Nystroem features against the exact kernel, and on a data set that is
too large for the exact one against the linear machine.
"""

from pathlib import Path
from statistics import median

import polymargin

from ..harness.contest import Contest, Run, Table
from ..harness.data import load
from ..harness.figure import dots
from ..harness.kernel_settings import (
    CACHE_MB,
    LARGE,
    SETTINGS,
    Setting,
    settings_columns,
)
from ..harness.markdown import SIZES, digits, megabytes, share, table_of
from ..harness.process import in_fresh_process, trained
from ..harness.records import Records
from ..harness.timing import interleave

EXACT, LINEAR = "exact", "linear"
RANKS = {f"rank {rank}": rank for rank in (100, 300, 1000)}
MEDIANS = ("seconds", "peak_bytes", "accuracy")


def build(entrant: str, setting: Setting, seed: int):
    """Make the estimator of an entrant."""
    common = {"C": setting.C, "n_jobs": 1, "random_state": seed}
    if entrant == LINEAR:
        return polymargin.LinearSVM("cs", **common)
    if entrant in RANKS:
        common |= {"approximation": "nystroem", "rank": RANKS[entrant]}
    common |= {"gamma": setting.gamma, "cache_size": CACHE_MB}
    return polymargin.KernelSVM("cs", **common)


def train(entrant: str, data_name: str, seed: int) -> dict:
    """Train an entrant and look at its model: for a fresh process."""
    setting = SETTINGS[data_name]
    facts, model = trained(lambda k: build(entrant, setting, seed), load(data_name))
    return facts | {"status": model.status_}


def entrants(name: str) -> list[str]:
    """Who is measured on a data set: beside all ranks, the one to compare with."""
    return [LINEAR if name == LARGE else EXACT, *RANKS]


def measure(name: str, run: Run) -> dict:
    """The record of a data set: medians over seeds of every entrant, in turns."""

    def by_seed(entrant: str):
        seeds = iter(range(run.seeds))
        return lambda: in_fresh_process(train, entrant, name, next(seeds))

    tasks = {one: by_seed(one) for one in entrants(name)}
    runs = interleave(name, tasks, 1 if name == LARGE else run.seeds)
    return {
        "shape": next(iter(runs.values()))[0]["shape"],
        "entrants": {
            one: {key: median(fit[key] for fit in done) for key in MEDIANS}
            | {"status": sorted({fit["status"] for fit in done})}
            for one, done in runs.items()
        },
    }


def results(records: list[dict]) -> list[str]:
    """The section: what every entrant took and reached."""

    def name(row: tuple) -> str:
        ended = [word for word in row[2]["status"] if word != "converged"]
        return row[1] + (f" ({', '.join(ended)})" if ended else "")

    rows = [(one, *item) for one in records for item in one["entrants"].items()]
    return [
        "Crammer-Singer, Gaussian kernel, float32 rows, one thread, to a relative "
        "duality gap of 1e-3 of the problem that is trained. "
        '`rank r` is `KernelSVM(approximation="nystroem", rank=r)`, `exact` the '
        f"default solver with a cache of 1000 MB, `{LINEAR}` is `LinearSVM` with the "
        "same C and an intercept. Every fit has a fresh process. Medians over seeds, "
        f"on {LARGE} one seed. Seconds are all of `fit`, with landmarks and features. "
        "MB is the memory that training needs beside the data.",
        table_of(
            rows,
            {"data set": lambda row: row[0]["data"]}
            | {key: lambda row, size=size: size(row[0]) for key, size in SIZES.items()}
            | {
                "machine": name,
                "s": lambda row: digits(row[2]["seconds"]),
                "MB": lambda row: megabytes(row[2]["peak_bytes"]),
                "test accuracy": lambda row: share(row[2]["accuracy"]),
            },
        ),
        "The settings:",
        table_of(records, settings_columns(), numbers=False),
    ]


def verdict(records: Records) -> list[str]:
    """What the largest rank costs in accuracy."""
    best = [*RANKS][-1]
    told = [
        f"- {one['data']}: {best} {share(fits[best]['accuracy'])} in "
        f"{digits(fits[best]['seconds'])} s, {first} "
        f"{share(fits[first]['accuracy'])} in {digits(fits[first]['seconds'])} s."
        for one in records.of("nystroem", NAMES)
        for fits in [one["entrants"]]
        for first in [next(iter(fits))]
    ]
    return [
        'Test accuracy of `approximation="nystroem"` beside the exact kernel, or '
        "beside the linear machine where the exact one is out of reach.",
        "\n".join(told),
    ]


def draw(records: Records, path: Path) -> None:
    """Errors of all ranks."""
    rows = [
        (
            one["data"],
            {
                name: 100 * (1 - fit["accuracy"])
                for name, fit in one["entrants"].items()
            },
        )
        for one in records.of("nystroem", NAMES)
    ]
    dots(path, {"Low-rank features": rows}, "test error in %", (EXACT, LINEAR))


NAMES = ("usps", "satimage", "letter")
CONTEST = Contest(
    "nystroem",
    "Low-rank kernels",
    {"nystroem": Table("", measure, NAMES, results, (LARGE,))},
    verdict,
    draw,
)
