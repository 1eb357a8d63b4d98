"""Training from disk beside training in memory: ``python -m benchmarks.disk --help``.

Every fit runs in a process of its own, so that its peak memory can be told.
"""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import polymargin
from polymargin import LinearSVM, MaxEnt
from polymargin.rowstore.plan import USED, weight_bytes

from .data import load
from .fresh import peak, resident_and_reset_peak, run_module
from .markdown import bar, digits, markdown_table, megabytes, times
from .measure import geometric_mean, interleave
from .one_table import OneTable
from .page import machines

TABLE = "disk"
NAMES = ("covtype", "mnist", "news20_bydate", "debian_maintainer")
REPEATS = 3
GOAL = 2.5
LEAST = 1_000_000  # bytes, which the smallest data sets need
SHARE = 0.25  # of what the rows take, beside W
MACHINES = {
    "cs": lambda **options: LinearSVM("cs", solver="dual", **options),
    "ovr": lambda **options: LinearSVM(
        "ovr", loss="squared_hinge", solver="dual", **options
    ),
    "maxent": lambda **options: MaxEnt(**options),
}
# Where C = 1 takes thousands of epochs in memory too.
C = {"covtype": 0.01, "mnist": 0.01}


def make(machine: str, name: str):
    """The estimator of a machine, for a data set."""
    return MACHINES[machine](C=C.get(name, 1.0), random_state=0, max_iter=5000)


def evict(folder: Path) -> None:
    """Drop a store from the cache of the operating system."""
    for path in folder.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def limit_of(store) -> int:
    """W as often as training needs it, and a quarter of what all rows need.

    That is their bytes, and in memory a dual variable for each row and class.
    """
    columns = len(store.classes)
    duals = len(store) * columns * store.dtype.itemsize
    rows = SHARE * (store.nbytes + duals)
    return max(int((weight_bytes(store, columns, True) + rows) / USED), LEAST)


def from_disk(folder: str, machine: str, name: str) -> dict:
    """Train on a store that is not in any cache, under the limit."""
    store = polymargin.open_rows(folder)
    store.memory_limit = limit_of(store)
    model = make(machine, name)
    evict(Path(folder))
    with measured() as found:
        model.fit(store)
    return found | facts(model) | {"limit": store.memory_limit}


def in_memory(folder: str, machine: str, name: str) -> dict:
    """Train on the same rows in memory, in the same order."""
    X, y, _ = polymargin.open_rows(folder).load()
    model = make(machine, name)
    with measured() as found:
        model.fit(X, y)
    return found | facts(model)


@contextmanager
def measured():
    found: dict = {}
    before = resident_and_reset_peak()
    start, worked = perf_counter(), process_time()
    yield found
    found["seconds"] = perf_counter() - start
    found["processor"] = process_time() - worked
    found["peak"] = peak() - before


def facts(model) -> dict:
    return {
        "passes": int(model.n_iter_),
        "objective": float(model.objective_),
        "gap": float(model.dual_gap_),
    }


WAYS = {"memory": in_memory, "disk": from_disk}


def measure(name: str) -> dict:
    """The record of a data set."""
    data = load(name)
    with TemporaryDirectory() as folder:
        path = f"{folder}/{name}.rows"
        start = perf_counter()
        store = polymargin.convert([(data.X, data.y)], path, overwrite=True)
        seconds = perf_counter() - start
        fits = {
            machine: interleave(
                f"{name}, {machine}",
                {way: _in_process(way, path, machine, name) for way in WAYS},
                REPEATS,
            )
            for machine in MACHINES
        }
        shape = {"rows": len(store), "bytes": store.nbytes, "sparse": store.sparse}
    return shape | {
        "convert": seconds,
        "fits": {
            machine: {
                way: min(found, key=lambda fit: fit["seconds"])
                for way, found in ways.items()
            }
            for machine, ways in fits.items()
        },
    }


def _in_process(way: str, path: str, machine: str, name: str):
    arguments = [way, path, machine, name]
    return lambda: run_module("disk", arguments, f"Training {machine} on {name}")


def render(records: list[dict]) -> str:
    """The whole page."""
    parts = [
        "# Training from disk",
        "Written by `make bench-disk`.",
        *machines(records),
        "## Results",
        "Each data set as a row store in float32; both ways train on its rows, in "
        "memory in one piece. `limit` is what training from disk may use: the two "
        "matrices of weights, a quarter of the bytes of the rows and of a dual "
        "variable for each row and class, and what training leaves to allocators. "
        "Before every fit the store is dropped from "
        "the cache of the operating system; what it reads again in later passes may "
        "come from there, as far as the memory of this machine holds it. Each fit in a "
        f"process of its own; the fastest of {REPEATS} runs in turns, to a duality "
        "gap of 1e-3, one thread. `ratio` is that of the seconds on a clock, `of work` "
        "that of the seconds of the processor, where others use the machine too. "
        "`peak` is memory above that before the fit; in memory the rows are there "
        "before it, and not counted.",
        _table(records),
        "## Bars",
        "\n".join(_bars(records)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(records: list[dict]) -> str:
    header = ["data set", "MB", "machine", "limit, MB", "peak, MB", "peak in memory"]
    header += [
        "s",
        "s in memory",
        "ratio",
        "of work",
        "passes",
        "in memory",
        "objectives",
    ]
    rows = []
    for record in records:
        for machine, fits in record["fits"].items():
            disk, memory = fits["disk"], fits["memory"]
            numbers = [disk["limit"], disk["peak"], memory["peak"]]
            rows.append(
                [
                    record["data"],
                    megabytes(record["bytes"]),
                    machine,
                    *map(megabytes, numbers),
                    digits(disk["seconds"]),
                    digits(memory["seconds"]),
                    times(_ratio(fits)),
                    times(_ratio(fits, "processor")),
                    str(disk["passes"]),
                    str(memory["passes"]),
                    f"{disk['objective'] / memory['objective']:.5f}",
                ]
            )
    return markdown_table(header, rows)


def _ratio(fits: dict, seconds: str = "seconds") -> float:
    return fits["disk"][seconds] / fits["memory"][seconds]


def _bars(records: list[dict]) -> list[str]:
    lines, ratios = [], []
    for record in records:
        for machine, fits in record["fits"].items():
            ratios.append(_ratio(fits))
            what = f"{record['data']}, {machine}: time from disk by time in memory"
            lines.append(bar(what, ratios[-1], GOAL, at_least=False))
    if ratios:
        what = "geometric mean of these"
        lines.append(bar(what, geometric_mean(ratios), GOAL, at_least=False))
    return lines


main = OneTable(TABLE, NAMES, measure, render).main

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in WAYS:
        print(json.dumps(WAYS[sys.argv[1]](*sys.argv[2:])))
    else:
        sys.exit(main())
