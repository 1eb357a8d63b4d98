"""Convergence on the data people have: raw features, large C, small gaps.

Whether every machine converges with default parameters, beside scikit-learn's
LinearSVC; what `solver="auto"` loses against the better of its two methods; and what a
smaller gap costs.
"""

from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.svm import LinearSVC

import polymargin

from ..harness.contest import Contest, Page, Run, Table
from ..harness.data import Dataset, choose_rows, load, split
from ..harness.figure import saved_figure
from ..harness.markdown import (
    LIMITED,
    bar,
    data_name,
    digits,
    listed,
    share,
    table_of,
    times,
    worst_bar,
)
from ..harness.records import Records
from ..harness.timing import geometric_mean, interleave, quickest, timed

RAW = (
    *("wine", "iris", "glass", "vehicle", "vowel", "segment", "satimage"),
    *("page_blocks", "abalone", "optdigits", "shuttle", "soybean", "letter", "usps"),
    *("covtype", "breast_cancer", "digits"),
)
SHIPPED = {"breast_cancer": load_breast_cancer, "digits": load_digits}
FIRST_ROWS = {"covtype": 50_000, "mnist": 10_000}
PEER = "LinearSVC()"
# Label, estimator and parameters; all others are the defaults.
MACHINES = {
    "cs": ("cs", "hinge"),
    "cs squared": ("cs", "squared_hinge"),
    "ww": ("ww", "hinge"),
    "ww squared": ("ww", "squared_hinge"),
    "llw": ("llw", "hinge"),
    "llw squared": ("llw", "squared_hinge"),
    "ovr": ("ovr", "hinge"),
    "ovr squared": ("ovr", "squared_hinge"),
    "maxent": ("maxent", "log"),
}
SCALED = ("letter", "satimage", "usps", "optdigits", "mnist", "news20_bydate")
LARGE_CS = (1.0, 100.0, 10_000.0)
SECONDS = {("letter", 100.0): 1.0, ("satimage", 100.0): 0.25, ("usps", 100.0): 3.0}
SOLVERS = ("dual", "newton", "auto")
POINTS = 200  # of a curve
LIMIT = 20.0  # seconds, after which a fit ends
SMALL = ("wine", "iris", "glass", "vehicle", "vowel", "segment", "satimage")
GAPS = (1e-3, 1e-6, 1e-9)
DRAWN = ("wine", "satimage", "letter", "page_blocks", "usps, C = 100", "news20_bydate")


def rows_of(name: str, scaled: bool) -> Dataset:
    """A data set in double precision, as a user would hand it over."""
    if name in SHIPPED and not scaled:
        data = split(name, *SHIPPED[name](return_X_y=True))
    else:
        data = load(name, scaled)
    chosen = choose_rows(len(data.y), FIRST_ROWS.get(name))
    X, X_test = (part.astype(np.float64) for part in (data.X[chosen], data.X_test))
    return Dataset(name, X, data.y[chosen], X_test, data.y_test)


def estimator(label: str, **parameters):
    """One of `MACHINES`; what is not given is the default."""
    machine, loss = MACHINES[label]
    common = {"random_state": 0} | parameters
    if machine == "maxent":
        return polymargin.MaxEnt(**common)
    return polymargin.LinearSVM(machine, loss=loss, **common)


def facts(build, data: Dataset) -> dict:
    """Train, and say how it ended."""
    model = build()
    seconds, _ = timed(lambda: model.fit(data.X, data.y))
    found = {
        "seconds": seconds,
        "accuracy": float(model.score(data.X_test, data.y_test)),
    }
    if hasattr(model, "dual_gap_"):
        found |= {
            "gap": float(model.dual_gap_),
            "status": model.status_,
            "solver": getattr(model, "solver_", ""),
            "iterations": int(model.n_iter_),
        }
    return found


def in_turns(label: str, builds: dict, data: Dataset, repeats: int) -> dict:
    """All entrants in turns, the quickest run of each."""
    tasks = {name: partial(facts, build, data) for name, build in builds.items()}
    done = interleave(label, tasks, repeats)
    return {name: quickest(runs) for name, runs in done.items()}


def measure_raw(name: str, run: Run) -> dict:
    """Every machine with default parameters on features as they come."""
    data = rows_of(name, scaled=False)
    builds = {PEER: lambda: LinearSVC(random_state=0)}
    builds |= {label: partial(estimator, label) for label in MACHINES}
    return {"shape": data.shape, "fits": in_turns(name, builds, data, run.repeats)}


def measure_regret(name: str, run: Run) -> dict:
    """Both methods and the automatic choice, on raw or on scaled features."""
    first, _, C = name.partition(", C = ")
    data = rows_of(first, scaled=bool(C))
    builds = {
        solver: partial(
            estimator,
            "cs",
            solver=solver,
            C=float(C or 1),
            max_iter=1_000_000,
            max_time=LIMIT,
        )
        for solver in SOLVERS
    }
    return {"shape": data.shape, "fits": in_turns(name, builds, data, run.repeats)}


def measure_gaps(name: str, run: Run) -> dict:
    """The default solver to smaller and smaller gaps."""
    data = rows_of(name, scaled=False)
    builds = {f"{tol:g}": partial(estimator, "cs", tol=tol) for tol in GAPS}
    return {"shape": data.shape, "fits": in_turns(name, builds, data, run.repeats)}


def thinned(history) -> dict:
    """Seconds and gaps at `POINTS` moments at most, evenly apart on a scale of logs."""
    epochs = len(history["seconds"])
    chosen = np.unique(np.geomspace(1, epochs, POINTS).astype(int)) - 1
    return {
        key: [float(history[key][place]) for place in chosen]
        for key in ("seconds", "gap")
    }


def measure_curves(name: str, run: Run) -> dict:
    """Gap against time of both methods and the automatic choice."""
    first, _, C = name.partition(", C = ")
    data = rows_of(first, scaled=bool(C))
    curves = {}
    for solver in SOLVERS:
        model = estimator(
            "cs",
            solver=solver,
            C=float(C or 1),
            tol=1e-6,
            max_iter=1_000_000,
            max_time=LIMIT,
            history=True,
        )
        timed(lambda model=model: model.fit(data.X, data.y))
        curves[solver] = thinned(model.history_)
    return {"curves": curves}


def _cell(run: dict) -> str:
    """Seconds, with a mark if it did not converge."""
    reached = run.get("status", "converged") in ("converged", "precision")
    return digits(run["seconds"]) + ("" if reached else f" {LIMITED}")


def _seconds(label: str):
    return lambda record: _cell(record["fits"][label])


def raw_table(records: list[dict]) -> list[str]:
    """Seconds, accuracies and verdicts of default parameters."""
    ratios = {
        label: {
            one["data"]: one["fits"][label]["seconds"] / one["fits"][PEER]["seconds"]
            for one in records
        }
        for label in MACHINES
    }
    failed = [
        f"{one['data']} {label} ({one['fits'][label]['gap']:.1e})"
        for one in records
        for label in MACHINES
        if one["fits"][label]["status"] != "converged"
    ]
    total = len(records) * len(MACHINES)
    columns = {"data set": data_name, PEER: _seconds(PEER)}
    accuracy = {"data set": data_name} | {
        label: lambda record, label=label: share(record["fits"][label]["accuracy"])
        for label in (PEER, *MACHINES)
    }
    means = {label: geometric_mean(ratios[label].values()) for label in MACHINES}
    return [
        "Features as they come, default parameters (C = 1, with intercept, a relative "
        "duality gap of 1e-3), one thread, double precision; seconds of `fit`. Runs in "
        f"turns, the shortest is shown; {LIMITED}: not converged.",
        table_of(records, columns | {label: _seconds(label) for label in MACHINES}),
        "Accuracy on the test part:",
        table_of(records, accuracy),
        f"Converged: {total - len(failed)} of {total} fits; not: {listed(failed)}.",
        "\n".join(
            [
                *worst_bar(
                    "ovr squared hinge over LinearSVC(), largest",
                    ratios["ovr squared"],
                    1,
                    at_least=False,
                ),
                *worst_bar(
                    "cs over LinearSVC(), largest", ratios["cs"], 3, at_least=False
                ),
                *(
                    bar(
                        f"{label} over LinearSVC(), geometric mean",
                        mean,
                        1 if label in ("cs", "ovr squared") else None,
                        at_least=False,
                    )
                    for label, mean in means.items()
                ),
            ]
        ),
    ]


def regret(record: dict) -> float:
    """Time of the automatic choice over that of the better method that converged."""
    fits = record["fits"]
    able = [
        fits[solver]["seconds"]
        for solver in ("dual", "newton")
        if fits[solver]["status"] == "converged"
    ]
    return fits["auto"]["seconds"] / min(able, default=LIMIT)


def regret_table(records: list[dict]) -> list[str]:
    """Both methods beside the automatic choice."""
    regrets = {one["data"]: regret(one) for one in records}
    goals = []
    for (name, C), goal in SECONDS.items():
        for one in records:
            if one["data"] == f"{name}, C = {C:g}":
                seconds = one["fits"]["auto"]["seconds"]
                goals.append(
                    bar(f"{one['data']}, seconds", seconds, goal, at_least=False)
                )
    columns = {
        "data set": data_name,
        **{f"{solver} s": _seconds(solver) for solver in SOLVERS},
        "regret": lambda record: times(regret(record)),
        "what auto did": lambda record: record["fits"]["auto"]["solver"],
    }
    return [
        "Crammer-Singer to a relative duality gap of 1e-3: raw features with C = 1, "
        "and scaled features with the C that is named. Regret is the time of "
        '`solver="auto"` over that of the better of its two methods. '
        f"{LIMITED}: stopped after {LIMIT:g} s.",
        table_of(records, columns),
        "\n".join(
            [
                *worst_bar("Largest regret", regrets, 1.3, at_least=False),
                bar(
                    "Geometric mean",
                    geometric_mean(regrets.values()),
                    1.1,
                    at_least=False,
                ),
                *goals,
            ]
        ),
    ]


def gaps_table(records: list[dict]) -> list[str]:
    """What smaller gaps cost."""
    least, most = f"{GAPS[0]:g}", f"{GAPS[-1]:g}"
    growths = {
        one["data"]: one["fits"][most]["seconds"] / one["fits"][least]["seconds"]
        for one in records
    }
    columns = {"data set": data_name}
    columns |= {f"{tol:g}": _seconds(f"{tol:g}") for tol in GAPS}
    columns["reached"] = lambda record: f"{record['fits'][most]['gap']:.1e}"
    columns["growth"] = lambda record: times(growths[record["data"]])
    return [
        "Crammer-Singer on raw features, seconds to three relative duality gaps.",
        table_of(records, columns),
        "\n".join(worst_bar("Largest growth", growths, 1.5, at_least=False)),
    ]


def picture(records: list[dict]) -> list[str]:
    """Where `draw` has put the curves."""
    return [
        "Crammer-Singer by the sequential method, by Newton steps, and by the "
        "automatic choice of the two.",
        "![Relative duality gap against seconds on six data sets](newton-gap.png)",
    ]


def draw(records: Records, folder: Path) -> None:
    """Gap against time, one panel a data set."""
    found = records.of("curves", DRAWN)
    if not found:
        return
    with saved_figure(folder / "newton-gap.png", 2, 3, (11, 6.4)) as (_, panels):
        for panel, record in zip(panels.ravel(), found, strict=False):
            for solver, curve in record["curves"].items():
                gaps = np.maximum(curve["gap"], 1e-12)
                style = {"lw": 2.4, "ls": "--"} if solver == "auto" else {"lw": 1.6}
                panel.loglog(
                    np.maximum(curve["seconds"], 1e-4), gaps, label=solver, **style
                )
            panel.set_title(record["data"], fontsize=10)
            panel.axhline(1e-3, color="0.8", lw=0.8, zorder=0)
            panel.set_ylim(1e-8, 2)
        for panel in panels[-1]:
            panel.set_xlabel("seconds")
        for panel in panels[:, 0]:
            panel.set_ylabel("relative duality gap")
        panels[0, 0].legend(frameon=False)


REGRET = (*RAW, *(f"{name}, C = {C:g}" for name in SCALED for C in LARGE_CS))
CONTEST = Contest(
    "newton",
    "convergence on raw features and with large C, beside LinearSVC",
    (
        Page(
            "benchmarks-newton.md",
            "Convergence on raw data",
            {
                "curves": Table("Gap against time", measure_curves, DRAWN, picture),
                "raw": Table(
                    "Default parameters, raw features", measure_raw, RAW, raw_table
                ),
                "regret": Table(
                    "The automatic choice of the solver",
                    measure_regret,
                    REGRET,
                    regret_table,
                ),
                "gaps": Table("Smaller gaps", measure_gaps, SMALL, gaps_table),
            },
            draw=draw,
        ),
    ),
    packages=("scikit-learn",),
)
