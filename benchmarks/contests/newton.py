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

from ..harness.contest import Contest, Run, Table
from ..harness.data import Dataset, choose_rows, load, split
from ..harness.figure import lines
from ..harness.markdown import LIMITED, bar, listed, times, worst_bar
from ..harness.race import accuracy_table, gain, seconds_table, train_all
from ..harness.records import Records
from ..harness.timing import geometric_mean, timed

RAW = (
    *("wine", "iris", "glass", "vehicle", "vowel", "segment", "satimage"),
    *("page_blocks", "abalone", "optdigits", "soybean", "breast_cancer", "digits"),
    *("shuttle", "letter", "usps", "covtype"),
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
SECONDS = {"letter": 1.0, "satimage": 0.25, "usps": 3.0}  # at most, for C = 100
SOLVERS = ("dual", "newton", "auto")
POINTS = 200  # of a curve
LIMIT = 10.0  # seconds, after which a fit ends
LIMIT_LARGE = 60.0  # the same, of a large C
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


def measure_raw(name: str, run: Run) -> dict:
    """Every machine with default parameters on features as they come."""
    data = rows_of(name, scaled=False)
    builds = {PEER: lambda: LinearSVC(random_state=0)}
    builds |= {label: partial(estimator, label) for label in MACHINES}
    return train_all(data, builds, run.repeats)


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
    return train_all(data, builds, run.repeats)


def measure_large(name: str, run: Run) -> dict:
    """The default solver with larger and larger C, on scaled features."""
    data = rows_of(name, scaled=True)
    builds = {
        f"C = {C:g}": partial(estimator, "cs", C=C, max_time=LIMIT_LARGE)
        for C in LARGE_CS
    }
    return train_all(data, builds, run.repeats)


def measure_gaps(name: str, run: Run) -> dict:
    """The default solver to smaller and smaller gaps."""
    data = rows_of(name, scaled=False)
    builds = {f"{tol:g}": partial(estimator, "cs", tol=tol) for tol in GAPS}
    return train_all(data, builds, run.repeats)


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


def raw_table(records: list[dict]) -> list[str]:
    """Seconds and accuracies of default parameters."""
    return [
        "Seconds of `fit` with default parameters: C = 1, an intercept, a relative "
        f"duality gap of 1e-3. Rows are float64. {LIMITED}: not converged.",
        seconds_table(records),
        "Test accuracy:",
        accuracy_table(records),
    ]


def raw_verdict(records: list[dict]) -> list[str]:
    """Whether all converged, and how long they took beside the peer."""
    fits = {
        f"{one['data']} {label}": fit
        for one in records
        for label, fit in one["fits"].items()
        if label != PEER
    }
    failed = [
        f"{name} ({fit['gap']:.1e})"
        for name, fit in fits.items()
        if fit["status"] != "converged"
    ]
    told = f"- Converged: {len(fits) - len(failed)} of {len(fits)} fits"
    lines_ = [f"{told}; not: {listed(failed)}." if failed else f"{told}."]
    for label, goal in {"ovr squared": 1.0, "cs": 1.0, "ww": None, "llw": None}.items():
        means = geometric_mean(gain(one, label, PEER) for one in records)
        if means is not None:
            what = f"{label}, seconds divided by those of {PEER}, mean"
            lines_.append(bar(what, means, goal, at_least=False))
    return lines_


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
    more = {
        "regret": lambda record: times(regret(record)),
        "what auto did": lambda record: record["fits"]["auto"]["solver"],
    }
    return [
        "Crammer-Singer to a relative duality gap of 1e-3. Where a C is named, "
        "features are scaled. Otherwise they are raw, and C = 1. "
        f"{LIMITED}: stopped after {LIMIT:g} s.",
        seconds_table(records, SOLVERS, more),
    ]


def regret_verdict(records: list[dict]) -> list[str]:
    """What the choice loses."""
    regrets = {one["data"]: regret(one) for one in records}
    if not regrets:
        return []
    mean = geometric_mean(regrets.values())
    return [
        *worst_bar('`solver="auto"`, largest regret', regrets, 1.3, at_least=False),
        bar('`solver="auto"`, mean regret', mean, 1.1, at_least=False),
    ]


def large_table(records: list[dict]) -> list[str]:
    """What a larger C costs."""
    more = {"growth": lambda record: times(gain(record, "C = 100", "C = 1"))}
    return [
        "Crammer-Singer on scaled features, other parameters by default, seconds to a "
        f"relative duality gap of 1e-3; how they grow from C = 1 to 100. {LIMITED}: "
        f"stopped after {LIMIT_LARGE:g} s.",
        seconds_table(records, [f"C = {C:g}" for C in LARGE_CS], more),
    ]


def large_verdict(records: list[dict]) -> list[str]:
    """Seconds beside those that were aimed at."""
    found = {one["data"]: one["fits"]["C = 100"]["seconds"] for one in records}
    return [
        bar(f"{name}, C = 100, seconds", found.get(name), goal, at_least=False)
        for name, goal in SECONDS.items()
        if name in found
    ]


def gaps_table(records: list[dict]) -> list[str]:
    """What smaller gaps cost."""
    least, most = f"{GAPS[0]:g}", f"{GAPS[-1]:g}"
    more = {
        "reached": lambda record: f"{record['fits'][most]['gap']:.1e}",
        "growth": lambda record: times(gain(record, most, least)),
    }
    names = [f"{tol:g}" for tol in GAPS]
    return [
        "Crammer-Singer on raw features, seconds to three relative duality gaps.",
        seconds_table(records, names, more),
    ]


def verdict(records: Records) -> list[str]:
    """The bars."""
    told = [
        *raw_verdict(records.of("raw")),
        *large_verdict(records.of("large")),
        *regret_verdict(records.of("regret")),
    ]
    return [
        "Raw features, default parameters. The plot shows Crammer-Singer: how the "
        "relative duality gap falls with coordinate steps (`dual`), with Newton steps, "
        "and with the automatic choice of the two. Training ends at 1e-3. *Regret* is "
        "the time of the automatic choice, divided by that of the better method. "
        "Below 1, changing over is better than either.",
        "\n".join(told),
    ]


def draw(records: Records, path: Path) -> None:
    """Gap against time, one panel a data set."""
    panels = {
        record["data"]: {
            solver: (np.maximum(curve["seconds"], 1e-4), np.maximum(curve["gap"], 1e-9))
            for solver, curve in record["curves"].items()
        }
        for record in records.of("curves", DRAWN)
    }
    axes = {"xlabel": "seconds", "ylabel": "relative duality gap"}
    if panels:
        lines(path, panels, axes | {"xscale": "log", "yscale": "log"})


_CHOICES = tuple(f"{name}, C = {C:g}" for name in SCALED for C in LARGE_CS)
REGRET = ("wine", "satimage", "letter", "letter, C = 100", "usps, C = 100")
MORE_REGRET = tuple(name for name in (*RAW, *_CHOICES) if name not in REGRET)
CONTEST = Contest(
    "newton",
    "Data as they come",
    {
        "raw": Table("Default parameters, raw features", measure_raw, RAW, raw_table),
        "large": Table("Large C", measure_large, SCALED, large_table),
        "curves": Table("", measure_curves, DRAWN),
        "regret": Table(
            "The automatic choice of the solver",
            measure_regret,
            REGRET,
            regret_table,
            MORE_REGRET,
        ),
        "gaps": Table("Smaller gaps", measure_gaps, SMALL, gaps_table),
    },
    verdict,
    draw,
    packages=("scikit-learn",),
)
