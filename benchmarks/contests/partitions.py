"""Partitions on Dask against one machine in memory, and what a round costs.

A cell is named "data set, machine, partitions"; 0 partitions is one process in memory.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

from polymargin import LinearSVM, MaxEnt

from ..harness.contest import Contest, Run, Table
from ..harness.data import FALLBACK, Dataset, load
from ..harness.figure import lines
from ..harness.markdown import NONE, digits, markdown_table, table_of
from ..harness.records import Records
from ..harness.timing import progress, timed

SAME = {"C": 1.0, "fit_intercept": False, "random_state": 0}
LINEAR = {
    "cs": {"machine": "cs"},
    "ovr squared hinge": {"machine": "ovr", "loss": "squared_hinge"},
}
MAXENT = "maxent"
NAMES, MORE = ("news20_bydate",), ("debian_maintainer", "covtype")
PROCESSES, ALONE = 2, 0
PARTS = (1, 2, 4, 8, 16)
TOL, ROUNDS, SECONDS = 1e-3, 300, 20.0  # where a fit ends
OVERHEAD_PARTS, OVERHEAD_ROUNDS = (8, 32), 8


def estimator(machine: str, client=None, **parameters):
    """A machine for rows in memory, or for partitions on the processes of a client."""
    kinds = (MaxEnt, LinearSVM)
    if client is not None:
        from polymargin.dask import DaskLinearSVM, DaskMaxEnt

        kinds, parameters["client"] = (DaskMaxEnt, DaskLinearSVM), client
    if machine == MAXENT:
        return kinds[0](**SAME, **parameters)
    return kinds[1](**LINEAR[machine], **SAME, **parameters)


@contextmanager
def cluster() -> Iterator:
    """Give the client of a cluster of single-threaded processes, warmed up."""
    from distributed import Client, LocalCluster

    size = {"n_workers": PROCESSES, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**size) as local, Client(local, set_as_default=False) as client:
        few = scatter(client, load(FALLBACK), PROCESSES)
        estimator(MAXENT, client, tol=0.1).fit(few)
        yield client


def scatter(client, data: Dataset, parts: int) -> list:
    """Send shuffled rows to the processes in turns; returns delayed partitions."""
    from dask import delayed

    workers = sorted(client.scheduler_info()["workers"])
    order = np.random.RandomState(0).permutation(len(data.y))
    partitions = []
    for number, rows in enumerate(np.array_split(order, parts)):
        home = workers[number % len(workers)]
        [future] = client.scatter([(data.X[rows], data.y[rows])], workers=[home])
        partitions.append(delayed(future))
    return partitions


def measure_partitions(key: str, run: Run) -> dict:
    """Train a machine in memory or on partitions, and look at the model."""
    name, machine, number = key.split(", ") if ", " in key else (key, MAXENT, "2")
    data, parts = load(name), int(number)
    ends, found = {"tol": TOL, "max_time": SECONDS}, {}
    if parts == ALONE:
        seconds, model = timed(lambda: estimator(machine, **ends).fit(data.X, data.y))
    else:
        with cluster() as client:
            partitions = scatter(client, data, parts)
            parted = estimator(machine, client, max_iter=ROUNDS, **ends)
            seconds, _ = timed(lambda: parted.fit(partitions))
            model, history = parted.to_local(), parted.history_
        found["passes"] = float(np.sum(history["visits"])) / len(data.y)
        found["bytes_per_round"] = float(np.mean(history["bytes"]))
    return found | {
        "shape": data.shape,
        "name": name,
        "machine": machine,
        "parts": parts,
        "seconds": seconds,
        "rounds": int(model.n_iter_),
        "gap": float(model.dual_gap_),
        "accuracy": float(model.score(data.X_test, data.y_test)),
    }


def measure_overhead(name: str, run: Run) -> dict:
    """Seconds of a round with little to do, and of empty tasks, by partitions."""
    data, rounds = load(name), {}
    with cluster() as client, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in OVERHEAD_PARTS:
            progress(f"overhead of a round: {number} partitions")
            partitions = scatter(client, data, number)
            model = estimator(MAXENT, client, tol=0, max_iter=OVERHEAD_ROUNDS)
            seconds = np.diff(model.fit(partitions).history_["seconds"])
            before = client.map(int, range(number), pure=False)
            client.gather(before)

            def empty(before=before):  # each on the result of another
                client.gather(client.map(int, before, pure=False))

            rounds[str(number)] = {
                "round": float(np.median(seconds)),
                "empty": median(timed(empty)[0] for _ in range(OVERHEAD_ROUNDS)),
            }
    return {"shape": data.shape, "rounds": rounds}


def by_machine(records: list[dict]) -> dict[tuple[str, str], dict[int, dict]]:
    """Cells by data set and machine, then by partitions."""
    rows: dict[tuple[str, str], dict[int, dict]] = {}
    for one in records:
        rows.setdefault((one["name"], one["machine"]), {})[one["parts"]] = one
    return rows


def partition_tables(records: list[dict]) -> list[str]:
    """Seconds, rounds, passes and traffic, by the number of partitions."""

    def by_parts(show) -> str:
        header = ["data set", "machine", "in memory", *map(str, PARTS)]
        return markdown_table(
            header,
            [
                [*key, *(show(row[n]) if n in row else NONE for n in (ALONE, *PARTS))]
                for key, row in by_machine(records).items()
            ],
        )

    def seconds(one: dict) -> str:
        missed = "" if one["gap"] <= TOL else f" ({one['gap']:.1e})"
        return f"{digits(one['seconds'])}{missed}"

    return [
        f"To a relative duality gap of {TOL:g}, C = 1, no intercept, float32 rows in "
        f"random order, on a `LocalCluster` of {PROCESSES} processes with one thread "
        "each, where the rows are before the time begins. `in memory` is one process "
        f"on one thread. A fit ends after {ROUNDS} rounds or {SECONDS:g} s; in "
        "brackets the gap it reached then.",
        by_parts(seconds),
        "Rounds (in memory: epochs):",
        by_parts(lambda one: f"{one['rounds']:,}"),
        "Passes over the rows, the work that partitions do:",
        by_parts(lambda one: digits(one.get("passes"))),
        "MB per round, to and from all partitions:",
        by_parts(lambda one: digits(one.get("bytes_per_round", 0) / 1e6 or None)),
    ]


def overhead_table(records: list[dict]) -> list[str]:
    """What a round costs that has nothing to do."""
    n, d, k = (records[-1]["shape"][key] for key in "ndk")

    def milliseconds(key: str):
        return lambda row: digits(1e3 * row[1][key])

    return [
        f"Maximum entropy on {n:,} rows of {d} features in {k} classes: a round of "
        "training beside as many tasks that do nothing, medians, milliseconds.",
        table_of(
            records[-1]["rounds"].items(),
            {
                "partitions": lambda row: row[0],
                "round": milliseconds("round"),
                "empty tasks": milliseconds("empty"),
            },
        ),
    ]


def verdict(records: Records) -> list[str]:
    """What two processes cost, beside one in memory."""
    told = []
    for (name, machine), row in by_machine(records.of("partitions")).items():
        if ALONE in row and PROCESSES in row:
            gain = row[PROCESSES]["seconds"] / row[ALONE]["seconds"]
            told.append(
                f"- {name}, {machine}: {PROCESSES} partitions on {PROCESSES} processes "
                f"take {digits(gain)} times as long as one thread in memory."
            )
    return [
        "Partitions are for rows that one machine cannot hold: they are no faster "
        "than one thread where it can.",
        "\n".join(told),
    ]


def draw(records: Records, path: Path) -> None:
    """Rounds against partitions."""
    panels: dict[str, dict] = {}
    for (name, machine), row in by_machine(records.of("partitions")).items():
        parts = [number for number in sorted(row) if number != ALONE]
        if parts:
            rounds = [row[number]["rounds"] for number in parts]
            panels.setdefault(name, {})[machine] = parts, rounds
    axes = {"xlabel": "partitions", "ylabel": "rounds to a gap of 1e-3"}
    lines(path, panels, axes | {"xscale": "log", "yscale": "log"})


def _cells(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"{name}, {machine}, {parts}"
        for name in names
        for machine in (*LINEAR, MAXENT)
        for parts in (ALONE, *PARTS)
    )


CONTEST = Contest(
    "partitions",
    "Partitions on several processes",
    {
        "partitions": Table(
            "Partitions",
            measure_partitions,
            _cells(NAMES),
            partition_tables,
            _cells(MORE),
        ),
        "overhead": Table(
            "What a round costs", measure_overhead, (FALLBACK,), overhead_table
        ),
    },
    verdict,
    draw,
    packages=("dask", "distributed"),
)
