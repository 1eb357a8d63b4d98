"""The page of the benchmark of partitions and of Spark."""

from collections.abc import Callable

from .markdown import NONE, bar, digits, markdown_table, share, times
from .page import machines
from .scale_cluster import PROCESSES
from .scale_overhead import ROUNDS
from .scale_overhead import TABLE as OVERHEAD
from .scale_partitions import ALONE, PARTS, REPEATS, SHORT, TOL
from .scale_partitions import TABLE as PARTITIONS
from .scale_spark import (
    GAPS,
    PEERS,
    WITHIN,
    best_accuracy,
    our_time_to_goal,
    time_to_goal,
)
from .scale_spark import TABLE as SPARK
from .spark_fit import ITERATIONS

GOAL = 10.0  # how often as fast as Spark


def render(tables: dict[str, list[dict]]) -> str:
    """The whole page, of the tables that there are records for."""
    parts = [
        "# Partitions, and Spark",
        "Written by `make bench-scale`. What follows from it for "
        "[a run on 1,000 machines](thousand-machines.md) is a page of its own.",
        *machines([record for records in tables.values() for record in records]),
    ]
    bodies = {
        PARTITIONS: ("Partitions against one machine", _partitions),
        SPARK: ("Spark MLlib, to the same accuracy", _spark),
        OVERHEAD: ("What a round costs that has nothing to do", _overhead),
    }
    for table, (title, body) in bodies.items():
        if tables[table]:
            parts += [f"## {title}", *body(tables[table])]
    return "\n\n".join(parts) + "\n"


def _partitions(records: list[dict]) -> list[str]:
    limits = sorted(
        {(one["limits"]["rounds"], one["limits"]["seconds"]) for one in records}
    )
    ends = " or ".join(f"{rounds} rounds or {digits(s)} s" for rounds, s in limits)
    return [
        f"To a relative duality gap of {TOL:g}, C = 1, no intercept, float32 rows, "
        f"which are shuffled. A `LocalCluster` of {PROCESSES} processes with one "
        "thread each; rows are on it before the time begins, which is that of all of "
        "`fit`. `in memory` is `LinearSVM` or `MaxEnt` in one process on one thread. "
        f"The shortest of up to {REPEATS} fits that take {SHORT:g} s together. A fit "
        f"ends after {ends}; in brackets the gap it reached then.",
        "### Seconds",
        _by_parts(records, _seconds),
        "### Rounds (in memory: epochs)",
        _by_parts(records, lambda record: f"{record['rounds']:,}"),
        "### Passes over the rows",
        "Visits of rows by the number of rows: the work that partitions do.",
        _by_parts(records, _passes),
        "### MB per round, to and from all partitions",
        _by_parts(records, _megabytes),
    ]


def _by_parts(records: list[dict], show: Callable[[dict], str]) -> str:
    """A row for each data set and machine, a column for each number of partitions."""
    rows: dict[tuple[str, str], dict[int, dict]] = {}
    names = list(dict.fromkeys(record["name"] for record in records))
    for record in sorted(records, key=lambda one: names.index(one["name"])):
        cells = rows.setdefault((record["name"], record["machine"]), {})
        cells[record["parts"]] = record
    columns = (ALONE, *PARTS)
    header = ["data set", "machine", "in memory", *map(str, PARTS)]
    return markdown_table(
        header,
        [
            [*key, *[show(cells[one]) if one in cells else NONE for one in columns]]
            for key, cells in rows.items()
        ],
    )


def _seconds(record: dict) -> str:
    missed = "" if record["gap"] <= TOL else f" ({record['gap']:.1e})"
    return f"{digits(record['seconds'])}{missed}"


def _passes(record: dict) -> str:
    if record["parts"] == ALONE:
        return NONE
    return digits(record["visits"] / record["shape"]["n"])


def _megabytes(record: dict) -> str:
    if record["parts"] == ALONE:
        return NONE
    return digits(record["bytes_per_round"] / 1e6)


def _overhead(records: list[dict]) -> list[str]:
    [record] = records
    rows = []
    for number, entry in record["rounds"].items():
        seconds, empty = entry["round_seconds"], entry["empty_seconds"]
        each = 1e3 * seconds / int(number)
        numbers = [seconds * 1e3, empty * 1e3, each, 1e3 * empty / int(number)]
        rows.append([number, *map(digits, numbers)])
    header = ["partitions", "round, ms", "empty tasks, ms"]
    header += ["round, ms per partition", "empty, ms per task"]
    n, d, k = (record["shape"][key] for key in "ndk")
    return [
        f"Maximum entropy on {n:,} rows of {d} features in {k} classes, median of "
        f"{ROUNDS} rounds; the scheduler, the processes and the program that calls "
        "`fit` share the cores. Beside it as many tasks that do nothing, each on the "
        "result of another.",
        markdown_table(header, rows),
    ]


def _spark(records: list[dict]) -> list[str]:
    header = ["data set", "who", "s", "iterations", "test accuracy", "Spark / it"]
    rows, bars = [], []
    for record in records:
        fit, reached = time_to_goal(record)
        sign = "" if reached else "> "
        best = fit["accuracy"] if reached else best_accuracy(record)
        who = f"{record['peer']} of Spark" + ("" if reached else ", never reached")
        numbers = [f"{sign}{digits(fit['seconds'])}", str(fit["iterations"])]
        rows.append([record["name"], who, *numbers, share(best), NONE])
        first = PEERS[record["peer"]][0]
        quick = our_time_to_goal(record)
        if quick is None:
            bars.append(
                f"- {record['name']}, {first} on Dask: the accuracy was not reached."
            )
        else:
            ratio = fit["seconds"] / quick["seconds"]
            gap = f"gap {quick['limits']['tol']:g}"
            row = [record["name"], f"{first}, Dask, {gap}", digits(quick["seconds"])]
            row += [str(quick["rounds"]), share(quick["accuracy"])]
            rows.append([*row, f"{sign}{times(ratio)}"])
            bars.append(_bar(record, first, ratio, reached))
        for machine, runs in record["ours"].items():
            for parts, ours in runs.items():
                ratio = fit["seconds"] / ours["seconds"]
                place = "in memory" if int(parts) == ALONE else "Dask"
                row = [record["name"], f"{machine}, {place}", _seconds(ours)]
                row += [str(ours["rounds"]), share(ours["accuracy"])]
                rows.append([*row, f"{sign}{times(ratio)}"])
    steps = ", ".join(map(str, ITERATIONS))
    limits: dict[str, list[str]] = {}
    for record in records:
        limits.setdefault(f"{record['limit']:g} s", []).append(record["data"])
    ends = ", ".join(f"{limit} ({'; '.join(them)})" for limit, them in limits.items())
    return [
        f"The same rows and {PROCESSES} cores. Spark in local mode with 8 GB, rows in "
        "its memory as sparse vectors, a partition for each core, Java warmed up by a "
        "fit of two classes; `regParam` = 1 / (C n), no standardisation, no intercept, "
        "so that its objective is ours divided by C n (hinge for `LinearSVC`, whose "
        f"`OneVsRest` trains {PROCESSES} classes at a time). It is run with maxIter = "
        f"{steps}, and the first counts whose test accuracy is within "
        f"{100 * WITHIN:g} % of that of the same machine in memory at a gap of "
        f"{TOL:g}; a fit of Spark ends after {ends}. `Dask` is on {PROCESSES} "
        f"processes and {PROCESSES} partitions, `in memory` on one thread, to a gap of "
        f"{TOL:g}; and, as Spark with its iterations, on Dask to gaps of "
        f"{', '.join(f'{gap:g}' for gap in GAPS)}, of which the first counts that has "
        "the accuracy. The bars are about that one.",
        markdown_table(header, rows),
        "All fits of Spark, as maxIter: seconds, test accuracy.",
        "\n".join(map(_all_fits, records)),
        "### Bars",
        "\n".join(bars),
    ]


def _all_fits(record: dict) -> str:
    fits = [
        f"{fit['iterations']}: {digits(fit['seconds'])} s, "
        + (share(fit["accuracy"]) if fit["accuracy"] else "not finished")
        for fit in record["fits"]
    ]
    return f"- {record['name']}, {record['peer']}: {'; '.join(fits)}"


def _bar(record: dict, machine: str, ratio: float, reached: bool) -> str:
    """Whether we are so much faster; open if Spark was too short to tell."""
    what = f"{record['name']}, time of {record['peer']} by {machine} on Dask"
    if reached or ratio >= GOAL:
        return bar(what if reached else f"{what}, at least", ratio, GOAL)
    return (
        f"- {what}: more than {ratio:.2f}, to reach at least {GOAL:g}: **open**, Spark "
        "did not reach the accuracy."
    )
