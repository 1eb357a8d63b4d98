"""Training from disk beside training in memory.

Every fit runs in a process of its own, so that its peak memory can be told.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import polymargin
from polymargin import LinearSVM, MaxEnt
from polymargin.driver.linear.stored.memory_plan import PLANNED_SHARE, weight_bytes

from ..harness.contest import Contest, Run, Table
from ..harness.data import load
from ..harness.figure import dots
from ..harness.markdown import bar, digits, megabytes, table_of, times, worst_bar
from ..harness.process import fresh, measured
from ..harness.records import Records
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


def gain(fits: dict, key: str = "seconds") -> float:
    """How much longer it takes from disk."""
    return fits["disk"][key] / fits["memory"][key]


def results(records: list[dict]) -> list[str]:
    """Memory and seconds of both ways."""

    def value(way: str, key: str, form):
        return lambda row: form(row[2][way][key])

    rows = [(one, *item) for one in records for item in one["fits"].items()]
    return [
        "Each data set is a row store in float32. `limit` is what training from disk "
        "may use: the two matrices of weights, a quarter of the bytes of the rows and "
        "of a dual variable for each row and class, and what training leaves to "
        "allocators. Before every fit the store is dropped from the cache of the "
        "operating system; later passes may read from that cache. Each fit has a "
        "process of its own and one thread, and ends at a duality gap of 1e-3. `peak` "
        "is the memory that the fit adds; rows in memory are there before, and not "
        "counted.",
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
                "ratio": lambda row: times(gain(row[2])),
                "passes": value("disk", "passes", str),
                "in memory": value("memory", "passes", str),
            },
        ),
    ]


def verdict(records: Records) -> list[str]:
    """The bars."""
    gains = {
        f"{one['data']}, {machine}": gain(fits)
        for one in records.of("disk", NAMES)
        for machine, fits in one["fits"].items()
    }
    what = "Time from disk, divided by time in memory"
    mean = bar(f"{what}, mean", geometric_mean(gains.values()), GOAL, at_least=False)
    worst = worst_bar(f"{what}, largest", gains, GOAL, at_least=False)
    return [
        "Rows stay on disk. Training may use a quarter of the memory that they need.",
        "\n".join([mean, *worst]),
    ]


def draw(records: Records, path: Path) -> None:
    """A row for each data set and machine."""
    rows = [
        (
            f"{one['data']}, {machine}",
            {f"from {way}": fits[way]["seconds"] for way in WAYS},
        )
        for one in records.of("disk", NAMES)
        for machine, fits in one["fits"].items()
    ]
    dots(path, {"From disk and from memory": rows})


NAMES = ("covtype", "mnist", "news20_bydate", "debian_maintainer")
CONTEST = Contest(
    "disk",
    "Training from disk",
    {"disk": Table("", measure, NAMES, results)},
    verdict,
    draw,
)
