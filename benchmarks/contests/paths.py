"""Paths of C and searches for C.

A path with warm starts against a cold fit for every C, and the choice of C by
cross-validation: `polymargin.tune` against scikit-learn's GridSearchCV over LinearSVC.
"""

from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

import polymargin
from polymargin import LinearSVM

from ..harness.contest import Contest, Run, Table
from ..harness.data import Dataset, load
from ..harness.figure import dots
from ..harness.markdown import bar, digits, share, table_of, times
from ..harness.records import Records
from ..harness.timing import geometric_mean, interleave, quickest, timed

NAMES = ("satimage", "ohsumed23")
MORE = ("letter", "reuters_r52", "news20_bydate", "clinc150")
MACHINES = ("cs", "ww", "ovr")
PATH = "A path, speed-up over one fit after the other"
SEARCH = "`tune`, speed-up over GridSearchCV"
CS = tuple(2.0**power for power in range(-5, 4))
FOLDS = 5
SAME = {"random_state": 0, "max_iter": 10_000}


def walk(data: Dataset, machine: str) -> dict:
    """The path with warm starts."""
    return _facts(lambda: polymargin.path(data.X, data.y, CS, machine, **SAME))


def start_again(data: Dataset, machine: str) -> dict:
    """A cold fit for every C."""
    return _facts(
        lambda: [LinearSVM(machine, C=C, **SAME).fit(data.X, data.y) for C in CS]
    )


def _facts(task) -> dict:
    seconds, models = timed(task)
    return {
        "seconds": seconds,
        "epochs": int(sum(model.n_iter_ for model in models)),
        "gap": max(float(model.dual_gap_) for model in models),
        "objectives": [float(model.objective_) for model in models],
    }


def choose_with_tune(data: Dataset) -> dict:
    """C of Crammer-Singer by `tune`, every point tried."""
    every = {"grow": False, "patience": None, "cv": _folds(), "Cs": CS}
    seconds, tuning = timed(
        lambda: polymargin.tune(data.X, data.y, "cs", **every, **SAME)
    )
    return {
        "seconds": seconds,
        "C": tuning.best.parameters["C"],
        "validation": tuning.best.mean,
        "accuracy": tuning.model.score(data.X_test, data.y_test),
    }


def choose_with_grid(data: Dataset) -> dict:
    """The same by GridSearchCV over LinearSVC, at its own tolerance."""
    peer = LinearSVC(multi_class="crammer_singer", fit_intercept=False, **SAME)
    X = data.X.astype(np.float64)  # what LinearSVC copies to otherwise, in every fit
    search = GridSearchCV(peer, {"C": list(CS)}, cv=_folds())
    seconds, search = timed(lambda: search.fit(X, data.y))
    return {
        "seconds": seconds,
        "C": search.best_params_["C"],
        "validation": float(search.best_score_),
        "accuracy": search.score(data.X_test, data.y_test),
    }


def _folds() -> StratifiedKFold:
    return StratifiedKFold(FOLDS, shuffle=True, random_state=0)


def measure(name: str, run: Run) -> dict:
    """The record of a data set."""
    data = load(name)

    def turns(label: str, tasks: dict, once=()) -> dict:
        done = interleave(label, tasks, run.repeats, once)
        return {kind: quickest(runs) for kind, runs in done.items()}

    paths = {
        machine: turns(
            f"{name}, {machine}",
            {
                "warm": lambda machine=machine: walk(data, machine),
                "cold": lambda machine=machine: start_again(data, machine),
            },
        )
        for machine in MACHINES
    }
    searches = {
        "tune": lambda: choose_with_tune(data),
        "grid": lambda: choose_with_grid(data),
    }
    found = turns(name, searches, once=["grid"])
    return {"shape": data.shape, "paths": paths, "searches": found}


def tables(records: list[dict]) -> list[str]:
    """Both sections."""
    walks = [(one["data"], *item) for one in records for item in one["paths"].items()]
    finds = [(one["data"], one["searches"]) for one in records]

    def gain(slow: str, fast: str):
        return lambda row: times(row[-1][slow]["seconds"] / row[-1][fast]["seconds"])

    def value(kind: str, key: str, form=digits):
        return lambda row: form(row[-1][kind][key])

    def largest_spread(row: tuple) -> str:
        return f"{max(run['spread'] for run in row[-1].values()):.2f}"

    return [
        f"`polymargin.path` over {len(CS)} values of C, from 2^-5 to 2^3 (warm), and a "
        "`fit` for each of them (cold). Every model has a relative duality gap of "
        "1e-3. float32 rows, one thread. Spread is the longest run by the shortest.",
        table_of(
            walks,
            {
                "data set": lambda row: row[0],
                "machine": lambda row: row[1],
                "warm s": value("warm", "seconds"),
                "cold s": value("cold", "seconds"),
                "ratio": gain("cold", "warm"),
                "epochs warm": value("warm", "epochs", "{:,}".format),
                "epochs cold": value("cold", "epochs", "{:,}".format),
                "spread": largest_spread,
            },
        ),
        f"Crammer-Singer, {FOLDS} folds, the same {len(CS)} values, then a fit on all "
        "rows, on one thread. `polymargin.tune` tries all points at its default gap of "
        "1e-3. `GridSearchCV` searches over `LinearSVC(multi_class='crammer_singer', "
        "fit_intercept=False)` at its default tolerance, and was run once.",
        table_of(
            finds,
            {
                "data set": lambda row: row[0],
                "tune s": value("tune", "seconds"),
                "GridSearchCV s": value("grid", "seconds"),
                "ratio": gain("grid", "tune"),
                "C": value("tune", "C", "{:g}".format),
                "C there": value("grid", "C", "{:g}".format),
                "test accuracy": value("tune", "accuracy", share),
                "there": value("grid", "accuracy", share),
            },
        ),
    ]


def verdict(records: Records) -> list[str]:
    """The bars."""
    found = records.of("paths", NAMES)
    walks = [runs for one in found for runs in one["paths"].values()]
    gains = [runs["cold"]["seconds"] / runs["warm"]["seconds"] for runs in walks]
    finds = [one["searches"] for one in found]
    ratios = [runs["grid"]["seconds"] / runs["tune"]["seconds"] for runs in finds]
    return [
        "A *path* trains for nine values of C, each from the solution before. Beside "
        "it are nine fits from scratch. `tune` chooses C by cross-validation; beside "
        "it is `GridSearchCV` over `LinearSVC`.",
        "\n".join(
            [
                bar(f"{PATH}, mean", geometric_mean(gains), 3),
                bar(f"{SEARCH}, mean", geometric_mean(ratios), 8),
            ]
        ),
    ]


def draw(records: Records, path: Path) -> None:
    """Paths and searches."""
    found = records.of("paths", NAMES)
    walks = [
        (
            f"{one['data']}, {machine}",
            {kind: run["seconds"] for kind, run in runs.items()},
        )
        for one in found
        for machine, runs in one["paths"].items()
    ]
    searches = [
        (
            one["data"],
            {
                "tune": one["searches"]["tune"]["seconds"],
                "GridSearchCV": one["searches"]["grid"]["seconds"],
            },
        )
        for one in found
    ]
    groups = {"A path of C": walks, "The choice of C": searches}
    dots(path, groups, peers=("cold", "GridSearchCV"))


CONTEST = Contest(
    "paths",
    "Paths of C",
    {"paths": Table("", measure, NAMES, tables, MORE)},
    verdict,
    draw,
    packages=("scikit-learn",),
)
