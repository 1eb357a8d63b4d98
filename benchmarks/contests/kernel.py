"""Kernel machines and their solvers against scikit-learn's and Intel's SVC.

All get the same kernel, as many threads and 1,000 MB for their caches. Each stops at
its default tolerance: polymargin at a relative duality gap of 1e-3, the peers at a
violation of 1e-3 in each of their binary problems.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import polymargin

from ..harness.contest import Contest, Page, Run, Table
from ..harness.data import FALLBACK
from ..harness.kernel_settings import (
    CACHE_MB,
    LARGE,
    SETTINGS,
    Setting,
    load_kernel_data,
    settings_columns,
)
from ..harness.markdown import (
    LIMITED,
    NONE,
    SIZES,
    bar,
    data_name,
    digits,
    markdown_table,
    megabytes,
    ratio,
    share,
    table_of,
    times,
    worst_bar,
)
from ..harness.process import fresh, measured, trained
from ..harness.records import Records
from ..harness.timing import geometric_mean, interleave, progress, quickest, timed

SOLVER_SECONDS = 300.0  # what a fit of polymargin may take where solvers are compared
LONG_SECONDS = 60.0  # fits that take longer are not repeated
SHORT_SECONDS, SHORT_REPEATS = 0.5, 4  # fits as short as that are repeated so often
TILE = (256, 1024)  # support vectors and rows at a time: 1 MB of the kernel matrix
PEERS = ("SVC", "intelex SVC")
MAIN = ("ww", "cs")  # held against the bars
FEW = ("usps", "satimage", "segment", "optdigits")  # where more machines are measured
EXACT = tuple(name for name in SETTINGS if name not in (LARGE, FALLBACK))
# Crammer-Singer moves two variables of an example at least: smo would be s2do.
SOLVED = tuple(
    (machine, solver)
    for machine in ("ww", "cs", "llw", "ovr")
    for solver in ("block", "s2do", "smo")
    if (machine, solver) != ("cs", "smo")
)
# Of a fitted KernelSVM, by what they are called here.
_OWN = {
    "iterations": ("n_iter_", int),
    "evaluations": ("n_kernel_evaluations_", int),
    "gap": ("dual_gap_", float),
    "objective": ("objective_", float),
    "violation": ("violation_", float),
    "status": ("status_", str),
}


def build(entrant: str, setting: Setting, n_classes: int, threads: int):
    """Make the estimator of an entrant: a peer, a machine or "machine by solver"."""
    common = {"C": setting.C, "gamma": setting.gamma, "cache_size": CACHE_MB}
    if entrant == "SVC":
        return SVC(**common)
    if entrant == "intelex SVC":
        from sklearnex.svm import SVC as IntelexSVC

        return IntelexSVC(**common, n_jobs=threads)
    machine, _, solver = entrant.partition(" by ")
    common["C"] = setting.machine_C(machine, n_classes)
    compared = {"solver": solver, "max_time": SOLVER_SECONDS} if solver else {}
    return polymargin.KernelSVM(
        machine, **common, n_jobs=threads, random_state=0, **compared
    )


def train(entrant: str, data_name: str, threads: int, evaluate: bool) -> dict:
    """Train an entrant and look at its model: for a fresh process.

    After a fit of polymargin the kernel rows of its support vectors are computed once
    more by matrix products alone: the limit to come near.
    """
    setting, data = SETTINGS[data_name], load_kernel_data(data_name)
    dtype = np.float64 if entrant == "SVC" else np.float32  # as LIBSVM computes
    result, model = trained(
        lambda n_classes: build(entrant, setting, n_classes, threads),
        data,
        dtype,
        evaluate,
    )
    X = data.X.astype(dtype, copy=False)
    short = result["seconds"] < SHORT_SECONDS
    for _ in range(SHORT_REPEATS * short):
        again, _ = measured(lambda: model.fit(X, data.y))
        if again["seconds"] < result["seconds"]:
            result |= {key: again[key] for key in ("seconds", "processor_seconds")}
    result["support"] = len(model.support_)
    if entrant not in PEERS:
        result |= {key: kind(getattr(model, at)) for key, (at, kind) in _OWN.items()}
        limit = partial(kernel_rows, X, model.support_, setting.gamma, threads)
        result["limit"] = min(timed(limit)[0] for _ in range(1 + SHORT_REPEATS * short))
    return result


def kernel_rows(X: np.ndarray, support: np.ndarray, gamma: float, threads: int) -> None:
    """Compute the kernel rows of the support vectors against all rows.

    Tiles of the Gaussian kernel matrix from a matrix product in the precision of X;
    none is kept. The threads share the tiles, each with BLAS on one thread.
    """

    def tiles(first: int) -> None:
        rows = X[support[first : first + TILE[0]]]
        lengths = gamma * squares[support[first : first + TILE[0]]]
        scaled = (2 * gamma) * rows
        whole = np.empty((len(rows), TILE[1]), X.dtype)
        for column in range(0, len(X), TILE[1]):
            others = X[column : column + TILE[1]]
            kernel = whole[:, : len(others)]
            np.matmul(scaled, others.T, out=kernel)
            kernel -= lengths[:, None]
            kernel -= shrunk[column : column + TILE[1]]
            np.exp(kernel, out=kernel)

    gamma = X.dtype.type(gamma)
    squares = np.einsum("ij,ij->i", X, X)
    shrunk = gamma * squares
    with threadpool_limits(limits=1), ThreadPoolExecutor(threads) as pool:
        list(pool.map(tiles, range(0, len(support), TILE[0])))


def summary(runs: list[dict]) -> dict:
    """Combine the runs of an entrant.

    The minimum of the seconds and of the limit, the largest peak of memory; the rest
    is of the first run, the only one whose accuracy is taken.
    """
    combined = quickest(runs)
    combined["peak_bytes"] = max(run["peak_bytes"] for run in runs)
    if "limit" in combined:
        combined["limit"] = min(run["limit"] for run in runs)
    combined["processors"] = runs[0]["processor_seconds"] / runs[0]["seconds"]
    combined["runs"] = [run["seconds"] for run in runs]
    return {key: value for key, value in combined.items() if key != "shape"}


def present(entrants: tuple[str, ...]) -> list[str]:
    """Those entrants that are installed."""
    if find_spec("sklearnex") is not None or "intelex SVC" not in entrants:
        return list(entrants)
    progress("scikit-learn-intelex is left out: install it to compare")
    return [one for one in entrants if one != "intelex SVC"]


def measure(
    threads: int, everywhere: tuple[str, ...], few: tuple[str, ...], name: str, run: Run
) -> dict:
    """The record of a data set: every entrant, in turns.

    What took more than a minute in the first turn is not run again.
    """
    label = f"{name}, threads: {threads}"
    names = present((*everywhere, *(few if name in (*FEW, FALLBACK) else ())))

    def tasks(names: list[str], evaluate: bool) -> dict[str, Callable[[], dict]]:
        return {
            one: fresh(train, one, name, threads, evaluate, threads=threads)
            for one in names
        }

    runs = interleave(label, tasks(names, True), 1)
    short = [one for one in names if runs[one][0]["seconds"] <= LONG_SECONDS]
    for one, more in interleave(label, tasks(short, False), run.repeats - 1).items():
        runs[one] += more
    return {
        "shape": runs[names[0]][0]["shape"],
        "threads": threads,
        "entrants": {one: summary(runs[one]) for one in names},
    }


def _seconds(record: dict, name: str) -> float | None:
    return record["entrants"].get(name, {}).get("seconds")


def _gain(record: dict, peer: str, machine: str) -> float | None:
    return ratio(_seconds(record, peer), _seconds(record, machine))


def _times_limit(record: dict, name: str) -> float | None:
    entry = record["entrants"].get(name, {})
    return ratio(entry.get("seconds"), entry.get("limit"))


def _timed(entry: dict) -> str:
    """Seconds, marked if the clock stopped the fit."""
    if "seconds" not in entry:
        return NONE
    return digits(entry["seconds"]) + LIMITED * (entry.get("status") == "max_time")


def machine_tables(records: list[dict]) -> list[str]:
    """Speed, bars and models of one thread count."""
    return [
        "Each tool at its default tolerance: polymargin at a relative duality gap of "
        "1e-3, the peers, which solve one-vs-one with a bias, at a violation of 1e-3. "
        f"All caches have {CACHE_MB:g} MB. Every fit in a fresh process after a small "
        "one to warm up, in turns; the minimum over the runs (what takes more than "
        f"{LONG_SECONDS:g} s is run once, what takes less than {SHORT_SECONDS:g} s is "
        "repeated within a run). Of the peers the change of the rows to "
        "their precision (SVC: float64) is not counted, of polymargin all of `fit` is. "
        "Spread: the longest over the shortest run of the same fit, the largest of "
        "all. SVC uses one thread whatever it is given.",
        _speed_table(records),
        "\n".join(_bars(records)),
        "The models. Evaluations: of the kernel, in millions and as a share of all n^2 "
        "(the peers do not count theirs). MB: peak memory of training above the "
        "process with the data loaded. Limit: seconds of computing the kernel rows of "
        "the support vectors against all training rows once by matrix products "
        "(NumPy, float32, in tiles that are not kept, on as many threads), and the "
        "time of the fit as a multiple of it. Processors: processor time over time.",
        _model_table(records),
    ]


def _speed_table(records: list[dict]) -> str:
    def seconds(name: str):
        return lambda record: digits(_seconds(record, name))

    columns = {"data set": data_name, **SIZES}
    columns |= {f"{machine} s": seconds(machine) for machine in MAIN}
    means = ["geometric mean", *[""] * (3 + len(MAIN))]
    for peer in PEERS:
        columns[f"{peer} s"] = seconds(peer)
        means.append("")
        for machine in MAIN:
            gain = partial(_gain, peer=peer, machine=machine)
            columns[f"{peer} / {machine}"] = lambda one, gain=gain: times(gain(one))
            means.append(times(geometric_mean(map(gain, records))))
    columns["spread"] = lambda record: (
        f"{max(entry['spread'] for entry in record['entrants'].values()):.2f}"
    )
    return table_of(records, columns, [*means, ""])


def _bars(records: list[dict]) -> list[str]:
    """The bars that there are numbers for."""
    lines = []
    for machine in MAIN:
        gains = {record["data"]: _gain(record, "SVC", machine) for record in records}
        mean = geometric_mean(gains.values())
        if mean is not None:
            lines.append(bar(f"{machine}: mean ratio of SVC to it", mean, 3.0))
        lines += worst_bar(f"{machine}: smallest ratio of SVC to it", gains, 1.0)
    for machine in MAIN:
        costs = {record["data"]: _times_limit(record, machine) for record in records}
        what = f"{machine}: largest multiple of the limit"
        lines += worst_bar(what, costs, 4.0, at_least=False)
    for record in records:
        goals, unit, key = {}, "", ""
        if record["data"] == "usps" and record["threads"] == 1:
            goals = {"ww": 1.5, "cs": 1.5, "llw": 10.0}
            unit, size, key = "seconds", 1, "seconds"
        elif record["data"] == "mnist":
            goals = dict.fromkeys(MAIN, 2.0)
            unit, size, key = "GiB beyond the data", 2**30, "peak_bytes"
        for machine, goal in goals.items():
            if machine in record["entrants"]:
                value = record["entrants"][machine][key] / size
                what = f"{record['data']}, {machine}: {unit}"
                lines.append(bar(what, value, goal, at_least=False))
    return lines


def _model_table(records: list[dict]) -> str:
    def number(key: str, unit: Callable[[dict], float]):
        return lambda row: digits(ratio(row[2].get(key), unit(row[0])))

    def gap(row: tuple) -> str:
        return f"{row[2]['gap']:.1e}" if "gap" in row[2] else NONE

    rows = [(one, *item) for one in records for item in one["entrants"].items()]
    return table_of(
        rows,
        {
            "data set": lambda row: row[0]["data"],
            "machine": lambda row: row[1],
            "s": lambda row: _timed(row[2]),
            "spread": lambda row: f"{row[2]['spread']:.2f}",
            "processors": lambda row: f"{row[2]['processors']:.1f}",
            "evaluations": number("evaluations", lambda record: 1e6),
            "of n^2": number("evaluations", lambda record: record["shape"]["n"] ** 2),
            "support": lambda row: f"{row[2]['support']:,}",
            "accuracy": lambda row: share(row[2].get("accuracy")),
            "MB": lambda row: megabytes(row[2]["peak_bytes"]),
            "gap": gap,
            "limit s": number("limit", lambda record: 1.0),
            "x limit": lambda row: times(_times_limit(row[0], row[1])),
        },
    )


def solver_tables(records: list[dict]) -> list[str]:
    """Solvers of the same machine to the same gap."""

    def multiple(row: tuple, solver: str) -> float | None:
        record, machine = row
        return _gain(record, f"{machine} by {solver}", f"{machine} by block")

    def seconds(solver: str):
        def cell(row: tuple) -> str:
            entry = row[0]["entrants"].get(f"{row[1]} by {solver}", {})
            text = _timed(entry)
            if entry and solver != "block":
                text += f" ({times(multiple(row, solver))})"
            if entry.get("status") == "max_time":
                text += f", gap {entry['gap']:.1e}"
            return text

        return cell

    def iterations(solver: str):
        def cell(row: tuple) -> str:
            entry = row[0]["entrants"].get(f"{row[1]} by {solver}")
            return f"{entry['iterations']:,}" if entry else NONE

        return cell

    rows = [
        (record, machine)
        for record in records
        for machine in dict.fromkeys(machine for machine, _ in SOLVED)
    ]
    columns = {"data set": lambda row: row[0]["data"], "machine": lambda row: row[1]}
    means = ["geometric mean", ""]
    for solver in dict.fromkeys(solver for _, solver in SOLVED):
        columns[f"{solver} s"] = seconds(solver)
        columns[f"{solver} iterations"] = iterations(solver)
        means += [times(geometric_mean(multiple(row, solver) for row in rows)), ""]
    return [
        "The same problem to the same relative duality gap of 1e-3, one thread. "
        "Seconds, as a multiple of the time of `block` in brackets, and iterations in "
        f"the solver's own sense. {LIMITED}: stopped after {SOLVER_SECONDS:g} s; then "
        "the gap it had reached is shown. SMO and S2DO are the same for cs.",
        table_of(rows, columns, means),
    ]


# Not measured by this harness, but once on a machine of this kind: usps, one thread,
# epsilon 1e-3.
REFERENCES = (
    ("Shark", "ww", "46.7", ""),
    ("Shark", "cs", "29.3", ""),
    ("Shark", "one-vs-all", "51", ""),
    ("Shark", "llw, C = 4.4 here", "> 120", "not converged"),
    ("ThunderSVM, CPU", "one-vs-one", "65", ""),
    ("scikit-learn SVC", "one-vs-one", "4.7", "test accuracy .9387"),
    ("scikit-learn-intelex SVC", "one-vs-one", "3.0", ""),
)


def sections(records: Records) -> list[str]:
    """The page: settings, the tables, and what is known of other programs."""
    found = {name: records.of(name, EXACT) for name in TABLES}
    names = {one["data"]: one for records in found.values() for one in records}
    parts = [
        "## Data sets",
        "Kernel `exp(-gamma |x - z|^2)`, float32 rows. C is that of ww, cs, ovr, ovo "
        "and of the peers; llw, whose margin is 1/(k-1), has 4 C/(k-1), so that on "
        "usps it is what Shark trains at C = 40.",
        table_of(names.values(), settings_columns(), numbers=False),
    ]
    for name, measured_ones in found.items():
        if measured_ones:
            parts += [f"## {TABLES[name].title}", *TABLES[name].body(measured_ones)]
    return [
        *parts,
        "## Other programs",
        "Shark and ThunderSVM are not on PyPI. These figures were measured once on a "
        "machine of this kind, training only, and are not measured by this harness: "
        "usps as in the file, gamma 0.025, C = 10, epsilon 1e-3, one thread. Test "
        "accuracy there .9507 for ww and cs.",
        markdown_table(["program", "machine", "seconds", "note"], REFERENCES, False),
    ]


_MORE = ("llw", "ovr", "ovo")
_SOLVERS = tuple(f"{machine} by {solver}" for machine, solver in SOLVED)
TABLES = {
    "1": Table(
        "Machines and peers, one thread",
        partial(measure, 1, (*MAIN, *PEERS), _MORE),
        EXACT,
        machine_tables,
    ),
    "2": Table(
        "Machines and peers, two threads",
        partial(measure, 2, (*MAIN, *PEERS), _MORE),
        EXACT,
        machine_tables,
    ),
    "solvers": Table(
        "Solvers of the same machine",
        partial(measure, 1, _SOLVERS, ()),
        (*FEW, "mnist_5000"),
        solver_tables,
    ),
}
CONTEST = Contest(
    "kernel",
    "kernel machines against scikit-learn's and Intel's SVC",
    (
        Page(
            "benchmarks-kernel.md",
            "Benchmarks of the kernel machines",
            TABLES,
            sections=sections,
        ),
    ),
    packages=("scikit-learn-intelex",),
)
