"""`tune` beside GridSearchCV over the same machines, on the same grids and folds."""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import KernelSVM, LinearSVM, MaxEnt, tune

from ..harness.contest import Run
from ..harness.data import choose_rows, pooled
from ..harness.markdown import bar, digits, table_of
from ..harness.raw_tables import CANCER
from ..harness.timing import geometric_mean, interleave

DATA = ("wine", "glass", "vehicle", "vowel", CANCER)
MOST_ROWS = 1000
CS, KERNEL_CS = 2.0 ** np.arange(-3, 6), 4.0 ** np.arange(-1, 4)
GAMMAS = np.array([0.25, 1.0, 4.0])  # times one over the features
FOLDS = 5
GRID, OURS = "GridSearchCV", "tune"

MACHINES = {
    "cs, linear": LinearSVM("cs", random_state=0),
    "ovr, squared hinge": LinearSVM("ovr", loss="squared_hinge", random_state=0),
    "maxent": MaxEnt(random_state=0),
    "ww, rbf": KernelSVM("ww", random_state=0),
    "ovo, rbf": KernelSVM("ovo", random_state=0),
}


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of classes that every fold has, and their labels."""
    if name == CANCER:
        return load_breast_cancer(return_X_y=True)
    X, y = pooled(name)
    chosen = choose_rows(len(y), MOST_ROWS)
    X, y = np.asarray(X, dtype=float)[chosen], y[chosen]
    kept = np.bincount(y)[y] >= FOLDS
    return X[kept], y[kept]


def measure(data: str, run: Run, clocked: Callable[[Callable], dict]) -> dict:
    """Seconds of both for every machine, behind a scaler that each fold fits."""
    X, y = rows_of(data)
    found: dict[str, dict] = {}
    for name, machine in MACHINES.items():
        pipeline = make_pipeline(StandardScaler(), machine)
        prefix = f"{type(machine).__name__.lower()}__"
        grid = {"C": CS}
        if isinstance(machine, KernelSVM):
            grid = {"C": KERNEL_CS, "gamma": GAMMAS / X.shape[1]}
        named = {prefix + parameter: values for parameter, values in grid.items()}
        plural = {f"{parameter}s": values for parameter, values in grid.items()}
        search = GridSearchCV(pipeline, named, cv=FOLDS)
        whole = {"cv": FOLDS, "grow": False, "patience": None}  # the whole grid
        tasks = {
            GRID: partial(clocked, partial(search.fit, X, y)),
            OURS: partial(clocked, partial(tune, X, y, pipeline, **plural, **whole)),
        }
        runs = interleave(f"{data}, {name}", tasks, run.repeats)
        found[name] = {
            who: min(one["seconds"] for one in each) for who, each in runs.items()
        }
    return {"rows": len(y), "searches": found}


def ratios(record: dict) -> dict[str, float]:
    """How often as fast `tune` is, by machine."""
    return {name: one[GRID] / one[OURS] for name, one in record["searches"].items()}


def body(records: list[dict]) -> list[str]:
    """The table."""
    if not records:
        return []
    return [
        f"`tune` on the grid of GridSearchCV over the same pipeline, a scaler and one "
        f"of our machines ({len(CS)} values of C, or {len(KERNEL_CS)} and "
        f"{len(GAMMAS)} of gamma; {FOLDS} folds; one thread): how often as fast.",
        table_of(
            records,
            {
                "data set": lambda one: one["data"],
                "rows": lambda one: f"{one['rows']:,}",
                **{
                    name: lambda one, name=name: digits(ratios(one)[name])
                    for name in MACHINES
                },
            },
        ),
    ]


def verdict(records: list[dict]) -> list[str]:
    """The bars."""
    found = [value for record in records for value in ratios(record).values()]
    if not found:
        return []
    what = "`tune`, speed-up over GridSearchCV"
    return [
        bar(f"{what}, mean", geometric_mean(found), 3),
        bar(f"{what}, least", min(found), 3),
    ]
