"""Partitions on Dask against one machine in memory, and Spark MLlib beside them.

Everything is measured cell by cell, so that a run can be cut into pieces: the name of
a cell is "data set, machine, partitions", or "data set, estimator of Spark".
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import numpy as np

from polymargin import LinearSVM, MaxEnt

from ..harness.contest import Contest, Page, Run, Table
from ..harness.data import FALLBACK, Dataset, load
from ..harness.markdown import NONE, bar, digits, markdown_table, share, table_of, times
from ..harness.timing import progress, spread, timed
from .spark import ESTIMATORS, ITERATIONS, LINEAR_SVC, LOGISTIC, fit_until

DATA = ("debian_maintainer", "news20_bydate", "covtype")
SAME = {"C": 1.0, "fit_intercept": False, "random_state": 0}
HINGE, SQUARED, MAXENT = "ovr hinge", "ovr squared hinge", "maxent"
LINEAR = {
    "cs": {"machine": "cs"},
    HINGE: {"machine": "ovr", "loss": "hinge"},
    SQUARED: {"machine": "ovr", "loss": "squared_hinge"},
}
MACHINES = ("cs", SQUARED, MAXENT)
PROCESSES = 2
PARTS = (1, 2, 4, 8, 16, 32)
ALONE = 0  # so many partitions has one machine, in memory
TOL, ROUNDS, SECONDS = 1e-3, 300, 60.0  # where a fit ends
REPEATS, SHORT = 3, 6.0  # a fit is repeated as long as all together are so short
EARLY_EPOCHS = 6
OVERHEAD_PARTS, OVERHEAD_ROUNDS = (8, 16, 32, 64, 128, 256), 12
# Spark's estimator, our machine with the same objective, and others beside it.
SPARK = {LINEAR_SVC: (HINGE, SQUARED), LOGISTIC: (MAXENT,)}
WITHIN = 1e-3  # of our accuracy: what it means to have reached it
# Spark is run with more and more iterations until it has the accuracy, and so are we
# with smaller and smaller gaps.
GAPS = (0.3, 0.1, 0.03, 0.01)
GOAL = 10.0  # how often as fast as Spark


def estimator(machine: str, client=None, **parameters):
    """A machine for rows in memory, or for partitions on the processes of a client."""
    if client is None:
        kinds = (MaxEnt, LinearSVM)
    else:
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
        small = load(FALLBACK)
        few = scatter(client, small, PROCESSES)
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


def _repeat(fit: Callable) -> tuple[dict, object]:
    """Fit once or, if that is short, some times; returns seconds, and a model."""
    seconds: list[float] = []
    while len(seconds) < REPEATS and (not seconds or sum(seconds) + seconds[0] < SHORT):
        took, model = timed(fit)
        seconds.append(took)
    return {**spread(seconds), "runs": len(seconds)}, model


def fit_cell(data: Dataset, machine: str, parts: int, tol: float = TOL) -> dict:
    """Train a machine in memory or on partitions, and look at the model."""
    place = "in memory" if parts == ALONE else f"{parts} partitions"
    progress(f"{data.name}, {machine}: {place}, to {tol:g}")
    ends = {"tol": tol, "max_time": SECONDS}
    if parts == ALONE:
        facts, model = _repeat(lambda: estimator(machine, **ends).fit(data.X, data.y))
        early = estimator(machine, tol=0, max_iter=EARLY_EPOCHS, history=True)
        _, early = timed(lambda: early.fit(data.X, data.y))
        epochs = np.diff(early.history_["seconds"])
        facts["epoch_seconds"] = float(np.median(epochs))
    else:
        with cluster() as client:
            partitions = scatter(client, data, parts)
            facts, parted = _repeat(
                lambda: estimator(machine, client, max_iter=ROUNDS, **ends).fit(
                    partitions
                )
            )
            model, history = parted.to_local(), parted.history_
        # The median: the first round and those that rebuild W do not count.
        rounds = np.diff(history["seconds"], prepend=0.0)
        facts["round_seconds"] = float(np.median(rounds))
        facts["visits"] = int(np.sum(history["visits"]))
        facts["bytes_per_round"] = float(np.mean(history["bytes"]))
    return {
        **facts,
        "shape": data.shape,
        "parts": parts,
        "tol": tol,
        "rounds": int(model.n_iter_),
        "gap": float(model.dual_gap_),
        "objective": float(model.objective_),
        "accuracy": float(model.score(data.X_test, data.y_test)),
    }


def measure_partitions(key: str, run: Run) -> dict:
    """A cell "data set, machine, partitions"; a trial has two."""
    name, machine, parts = key.split(", ") if ", " in key else (key, MAXENT, "2")
    found = fit_cell(load(name), machine, int(parts))
    return {"name": name, "machine": machine, **found}


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
                "round_seconds": float(np.median(seconds)),
                "empty_seconds": median(
                    timed(empty)[0] for _ in range(OVERHEAD_ROUNDS)
                ),
            }
    return {"shape": data.shape, "rounds": rounds}


def measure_spark(key: str, run: Run) -> dict:
    """A cell "data set, estimator of Spark": both to the same test accuracy."""
    name, peer = key.split(", ") if ", " in key else (key, LOGISTIC)
    data, machine = load(name), SPARK[peer][0]
    ours = {
        one: {str(parts): fit_cell(data, one, parts) for parts in (ALONE, PROCESSES)}
        for one in SPARK[peer]
    }
    goal = ours[machine][str(ALONE)]["accuracy"] - WITHIN
    ladder: list[dict] = []
    for tol in GAPS:
        ladder.append(fit_cell(data, machine, PROCESSES, tol))
        if ladder[-1]["accuracy"] >= goal:
            break
    progress(f"{name}: {peer} of Spark, to an accuracy of {goal:.4f}")
    return {
        "name": name,
        "peer": peer,
        "shape": data.shape,
        "ours": ours,
        "goal": goal,
        "ladder": ladder,
        "fits": fit_until(peer, name, goal),
    }


def partition_tables(records: list[dict]) -> list[str]:
    """Seconds, rounds, passes and traffic, by the number of partitions."""
    rows: dict[tuple[str, str], dict[int, dict]] = {}
    for record in records:
        cells = rows.setdefault((record["name"], record["machine"]), {})
        cells[record["parts"]] = record

    def by_parts(show: Callable[[dict], str]) -> str:
        header = ["data set", "machine", "in memory", *map(str, PARTS)]
        return markdown_table(
            header,
            [
                [*key, *(show(row[n]) if n in row else NONE for n in (ALONE, *PARTS))]
                for key, row in rows.items()
            ],
        )

    def of_rounds(value: Callable[[dict], float]) -> Callable[[dict], str]:
        return lambda one: NONE if one["parts"] == ALONE else digits(value(one))

    return [
        f"To a relative duality gap of {TOL:g}, C = 1, no intercept, float32 rows, "
        f"which are shuffled. A `LocalCluster` of {PROCESSES} processes with one "
        "thread each; rows are on it before the time begins, which is that of all of "
        "`fit`. `in memory` is `LinearSVM` or `MaxEnt` in one process on one thread. "
        f"The shortest of up to {REPEATS} fits that take {SHORT:g} s together. A fit "
        f"ends after {ROUNDS} rounds or {SECONDS:g} s; in brackets the gap it reached "
        "then.",
        "### Seconds",
        by_parts(_seconds),
        "### Rounds (in memory: epochs)",
        by_parts(lambda one: f"{one['rounds']:,}"),
        "### Passes over the rows",
        "Visits of rows by the number of rows: the work that partitions do.",
        by_parts(of_rounds(lambda one: one["visits"] / one["shape"]["n"])),
        "### MB per round, to and from all partitions",
        by_parts(of_rounds(lambda one: one["bytes_per_round"] / 1e6)),
    ]


def _seconds(record: dict) -> str:
    missed = "" if record["gap"] <= TOL else f" ({record['gap']:.1e})"
    return f"{digits(record['seconds'])}{missed}"


def overhead_table(records: list[dict]) -> list[str]:
    """What a round costs that has nothing to do."""
    [record] = records

    def milliseconds(key: str, each: bool):
        return lambda row: digits(1e3 * row[1][key] / (int(row[0]) if each else 1))

    n, d, k = (record["shape"][key] for key in "ndk")
    return [
        f"Maximum entropy on {n:,} rows of {d} features in {k} classes, median of "
        f"{OVERHEAD_ROUNDS} rounds; the scheduler, the processes and the program that "
        "calls `fit` share the cores. Beside it as many tasks that do nothing, each on "
        "the result of another.",
        table_of(
            record["rounds"].items(),
            {
                "partitions": lambda row: row[0],
                "round, ms": milliseconds("round_seconds", False),
                "empty tasks, ms": milliseconds("empty_seconds", False),
                "round, ms per partition": milliseconds("round_seconds", True),
                "empty, ms per task": milliseconds("empty_seconds", True),
            },
        ),
    ]


def time_to_goal(record: dict) -> tuple[dict, bool]:
    """Spark's cheapest fit with the accuracy, else the longest; and whether."""
    fits, goal = record["fits"], record["goal"]
    reached = [fit for fit in fits if (fit["accuracy"] or 0) >= goal]
    if reached:
        return min(reached, key=lambda fit: fit["seconds"]), True
    return max(fits, key=lambda fit: fit["seconds"]), False


def our_time_to_goal(record: dict) -> dict | None:
    """Our cheapest fit on partitions that reached the accuracy; None if none did."""
    machine = SPARK[record["peer"]][0]
    fits = [*record["ladder"], record["ours"][machine][str(PROCESSES)]]
    reached = [fit for fit in fits if fit["accuracy"] >= record["goal"]]
    return min(reached, key=lambda fit: fit["seconds"], default=None)


def spark_tables(records: list[dict]) -> list[str]:
    """Seconds to the accuracy, all fits of Spark, and bars."""
    rows, bars, all_fits = [], [], []
    for record in records:
        name, peer = record["name"], record["peer"]
        fit, reached = time_to_goal(record)
        best = max((one["accuracy"] or 0 for one in record["fits"]), default=None)
        sign = "" if reached else "> "

        def add(who: str, ours: dict, sign=sign, name=name, fit=fit) -> float:
            gain = fit["seconds"] / ours["seconds"]
            row = [name, who, _seconds(ours), str(ours["rounds"])]
            rows.append([*row, share(ours["accuracy"]), f"{sign}{times(gain)}"])
            return gain

        who = f"{peer} of Spark" + ("" if reached else ", never reached")
        row = [name, who, f"{sign}{digits(fit['seconds'])}", str(fit["iterations"])]
        rows.append([*row, share(fit["accuracy"] if reached else best), NONE])
        machine, quick = SPARK[peer][0], our_time_to_goal(record)
        if quick is None:
            bars.append(f"- {name}, {machine} on Dask: the accuracy was not reached.")
        else:
            gain = add(f"{machine}, Dask, gap {quick['tol']:g}", quick)
            what = f"{name}, time of {peer} by {machine} on Dask"
            bars.append(_bar(what, gain, reached))
        for one, runs in record["ours"].items():
            for parts, ours in runs.items():
                add(f"{one}, {'in memory' if int(parts) == ALONE else 'Dask'}", ours)
        told = [
            f"{one['iterations']}: {digits(one['seconds'])} s, "
            + (share(one["accuracy"]) if one["accuracy"] else "not finished")
            for one in record["fits"]
        ]
        all_fits.append(f"- {name}, {peer}: {'; '.join(told)}")
    header = ["data set", "who", "s", "iterations", "test accuracy", "Spark / it"]
    return [
        f"The same rows and {PROCESSES} cores. Spark in local mode with 8 GB, rows in "
        "its memory as sparse vectors, a partition for each core, Java warmed up by a "
        "fit of two classes; `regParam` = 1 / (C n), no standardisation, no intercept, "
        "so that its objective is ours divided by C n (hinge for `LinearSVC`, whose "
        f"`OneVsRest` trains {PROCESSES} classes at a time). It is run with maxIter = "
        f"{', '.join(map(str, ITERATIONS))}, and the first counts whose test accuracy "
        f"is within {100 * WITHIN:g} % of that of the same machine in memory at a gap "
        f"of {TOL:g}. `Dask` is on {PROCESSES} processes and {PROCESSES} partitions, "
        f"`in memory` on one thread, to a gap of {TOL:g}; and, as Spark with its "
        f"iterations, on Dask to gaps of {', '.join(f'{gap:g}' for gap in GAPS)}, of "
        "which the first counts that has the accuracy. The bars are about that one.",
        markdown_table(header, rows),
        "All fits of Spark, as maxIter: seconds, test accuracy.",
        "\n".join(all_fits),
        "### Bars",
        "\n".join(bars),
    ]


def _bar(what: str, gain: float, reached: bool) -> str:
    """Whether we are so much faster; open if Spark was too short to tell."""
    if reached or gain >= GOAL:
        return bar(what if reached else f"{what}, at least", gain, GOAL)
    return (
        f"- {what}: more than {gain:.2f}, to reach at least {GOAL:g}: **open**, Spark "
        "did not reach the accuracy."
    )


CONTEST = Contest(
    "scale",
    "partitions against one machine, and Spark",
    (
        Page(
            "benchmarks-scale.md",
            "Partitions, and Spark",
            {
                "partitions": Table(
                    "Partitions against one machine",
                    measure_partitions,
                    tuple(
                        f"{name}, {machine}, {parts}"
                        for name in DATA
                        for machine in MACHINES
                        for parts in (ALONE, *PARTS)
                    ),
                    partition_tables,
                ),
                "spark": Table(
                    "Spark MLlib, to the same accuracy",
                    measure_spark,
                    tuple(f"{name}, {peer}" for name in DATA for peer in ESTIMATORS),
                    spark_tables,
                ),
                "overhead": Table(
                    "What a round costs that has nothing to do",
                    measure_overhead,
                    (FALLBACK,),
                    overhead_table,
                ),
            },
            [
                "What follows from it for [a run on 1,000 machines]"
                "(thousand-machines.md) is a page of its own."
            ],
        ),
    ),
    packages=("dask", "distributed", "pyspark", "java"),
)
