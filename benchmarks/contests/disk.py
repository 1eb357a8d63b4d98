"""Training from disk beside training in memory.

Every fit runs in a process of its own, so that its peak memory can be told.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import polymargin
from polymargin import LinearSVM, MaxEnt
from polymargin.driver.linear.stored.memory_plan import PLANNED_SHARE, weight_bytes

from ..harness.contest import Run, Table, one_table
from ..harness.data import load
from ..harness.markdown import bar, digits, megabytes, table_of, times
from ..harness.process import fresh, measured
from ..harness.timing import geometric_mean, interleave, timed

GOAL = 2.5
LEAST = 1_000_000  # bytes, which the smallest data sets need
SHARE = 0.25  # of what the rows take, beside W
MACHINES = {
    "cs": lambda **options: LinearSVM("cs", solver="dual", **options),
    "ovr": lambda **options: LinearSVM(
        "ovr", loss="squared_hinge", solver="dual", **options
    ),
    "maxent": MaxEnt,
}
# Where C = 1 takes thousands of epochs in memory too.
C = {"covtype": 0.01, "mnist": 0.01}


def limit_of(store) -> int:
    """W as often as training needs it, and a quarter of what all rows need.

    That is their bytes, and in memory a dual variable for each row and class.
    """
    columns = len(store.classes)
    duals = len(store) * columns * store.dtype.itemsize
    rows = SHARE * (store.nbytes + duals)
    return max(int((weight_bytes(store, columns, True) + rows) / PLANNED_SHARE), LEAST)


def evict(folder: Path) -> None:
    """Drop a store from the cache of the operating system."""
    for path in folder.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def train(way: str, folder: str, machine: str, name: str) -> dict:
    """Train on a store that is in no cache, or on its rows in memory."""
    store = polymargin.open_rows(folder)
    model = MACHINES[machine](C=C.get(name, 1.0), random_state=0, max_iter=5000)
    limit = None
    if way == "disk":
        limit = store.memory_limit = limit_of(store)
        evict(Path(folder))
        facts, _ = measured(lambda: model.fit(store))
    else:
        X, y, _ = store.load()
        facts, _ = measured(lambda: model.fit(X, y))
    return facts | {
        "limit": limit,
        "passes": int(model.n_iter_),
        "objective": float(model.objective_),
        "gap": float(model.dual_gap_),
    }


def measure(name: str, run: Run) -> dict:
    """The record of a data set."""
    data = load(name)
    with TemporaryDirectory() as folder:
        path = f"{folder}/{name}.rows"
        seconds, store = timed(lambda: polymargin.convert([(data.X, data.y)], path))
        fits = {
            machine: interleave(
                f"{name}, {machine}",
                {way: fresh(train, way, path, machine, name) for way in WAYS},
                run.repeats,
            )
            for machine in MACHINES
        }
        shape = {"rows": len(store), "bytes": store.nbytes, "convert": seconds}
    return shape | {
        "fits": {
            machine: {
                way: min(found, key=lambda fit: fit["seconds"])
                for way, found in ways.items()
            }
            for machine, ways in fits.items()
        },
    }


WAYS = ("memory", "disk")


def results(records: list[dict]) -> list[str]:
    """The section: memory and seconds of both ways, and bars."""

    def gain(row: tuple, seconds: str = "seconds") -> float:
        return row[2]["disk"][seconds] / row[2]["memory"][seconds]

    def value(way: str, key: str, form):
        return lambda row: form(row[2][way][key])

    def objectives(row: tuple) -> str:
        disk, memory = (row[2][way]["objective"] for way in ("disk", "memory"))
        return f"{disk / memory:.5f}"

    rows = [(one, *item) for one in records for item in one["fits"].items()]
    bars = [
        bar(
            f"{row[0]['data']}, {row[1]}: time from disk by time in memory",
            gain(row),
            GOAL,
            at_least=False,
        )
        for row in rows
    ]
    mean = geometric_mean(map(gain, rows))
    return [
        "Each data set as a row store in float32; both ways train on its rows, in "
        "memory in one piece. `limit` is what training from disk may use: the two "
        "matrices of weights, a quarter of the bytes of the rows and of a dual "
        "variable for each row and class, and what training leaves to allocators. "
        "Before every fit the store is dropped from "
        "the cache of the operating system; what it reads again in later passes may "
        "come from there, as far as the memory of this machine holds it. Each fit in a "
        f"process of its own; the fastest of {CONTEST.repeats} runs in turns, to a "
        "duality gap of 1e-3, one thread. `ratio` is that of the seconds on a clock, "
        "`of work` that of the seconds of the processor, where others use the machine "
        "too. `peak` is memory above that before the fit; in memory the rows are there "
        "before it, and not counted.",
        table_of(
            rows,
            {
                "data set": lambda row: row[0]["data"],
                "MB": lambda row: megabytes(row[0]["bytes"]),
                "machine": lambda row: row[1],
                "limit, MB": value("disk", "limit", megabytes),
                "peak, MB": value("disk", "peak_bytes", megabytes),
                "peak in memory": value("memory", "peak_bytes", megabytes),
                "s": value("disk", "seconds", digits),
                "s in memory": value("memory", "seconds", digits),
                "ratio": lambda row: times(gain(row)),
                "of work": lambda row: times(gain(row, "processor_seconds")),
                "passes": value("disk", "passes", str),
                "in memory": value("memory", "passes", str),
                "objectives": objectives,
            },
        ),
        "## Bars",
        "\n".join([*bars, bar("geometric mean of these", mean, GOAL, at_least=False)]),
    ]


NAMES = ("covtype", "mnist", "news20_bydate", "debian_maintainer")
CONTEST = one_table(
    "disk",
    "training from disk beside training in memory",
    "Training from disk",
    Table("Results", measure, NAMES, results),
)
