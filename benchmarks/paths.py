"""Paths of C and their peers: ``python -m benchmarks.paths --help``.

A path with warm starts against a cold fit for every C, and the choice of C by
cross-validation: `polymargin.tune` against scikit-learn's GridSearchCV over LinearSVC.
"""

import sys
import warnings
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

import polymargin
from polymargin import LinearSVM

from .data import Dataset, load
from .markdown import bar, digits, markdown_table, share, times
from .measure import geometric_mean, interleave, spread
from .one_table import OneTable
from .page import machines

TABLE = "paths"
NAMES = ("satimage", "letter", "reuters_r52", "ohsumed23", "news20_bydate", "clinc150")
MACHINES = ("cs", "ww", "ovr")
CS = tuple(2.0**power for power in range(-5, 4))
FOLDS = 5
REPEATS = 3


def timed(task) -> tuple[float, object]:
    """Seconds of a task, and what it returns."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = task()
    return perf_counter() - start, result


def walk(data: Dataset, machine: str) -> dict:
    """The path with warm starts."""
    seconds, models = timed(
        lambda: polymargin.path(
            data.X, data.y, CS, machine, random_state=0, max_iter=10_000
        )
    )
    return _facts(seconds, models)


def start_again(data: Dataset, machine: str) -> dict:
    """A cold fit for every C."""

    def fits():
        return [
            LinearSVM(machine, C=C, random_state=0, max_iter=10_000).fit(data.X, data.y)
            for C in CS
        ]

    return _facts(*timed(fits))


def _facts(seconds: float, models) -> dict:
    return {
        "seconds": seconds,
        "epochs": int(sum(model.n_iter_ for model in models)),
        "gap": max(float(model.dual_gap_) for model in models),
        "objectives": [float(model.objective_) for model in models],
    }


def choose_with_tune(data: Dataset) -> dict:
    """C of Crammer-Singer by `tune`, every point tried."""
    seconds, tuning = timed(
        lambda: polymargin.tune(
            data.X,
            data.y,
            "cs",
            Cs=CS,
            cv=_folds(),
            grow=False,
            patience=None,
            random_state=0,
            max_iter=10_000,
        )
    )
    return {
        "seconds": seconds,
        "C": tuning.best.parameters["C"],
        "validation": tuning.best.mean,
        "accuracy": tuning.model.score(data.X_test, data.y_test),
    }


def choose_with_grid(data: Dataset) -> dict:
    """The same by GridSearchCV over LinearSVC, at its own tolerance."""
    peer = LinearSVC(
        multi_class="crammer_singer",
        fit_intercept=False,
        random_state=0,
        max_iter=10_000,
    )
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


def measure(name: str) -> dict:
    """The record of a data set."""
    data = load(name)
    paths = {}
    for machine in MACHINES:
        tasks = {
            "warm": lambda machine=machine: walk(data, machine),
            "cold": lambda machine=machine: start_again(data, machine),
        }
        runs = interleave(f"{name}, {machine}", tasks, REPEATS)
        paths[machine] = {
            kind: done[0] | spread([run["seconds"] for run in done])
            for kind, done in runs.items()
        }
    tasks = {
        "tune": lambda: choose_with_tune(data),
        "grid": lambda: choose_with_grid(data),
    }
    runs = interleave(name, tasks, REPEATS, once=["grid"])
    searches = {
        kind: done[0] | spread([run["seconds"] for run in done])
        for kind, done in runs.items()
    }
    return {"shape": data.shape, "paths": paths, "searches": searches}


def render(records: list[dict]) -> str:
    """The whole page."""
    parts = [
        "# Paths of C",
        "Written by `make bench-paths`.",
        *machines(records),
        "## Warm starts against cold fits",
        f"`polymargin.path` over {len(CS)} values of C, from 2^-5 to 2^3, against a "
        "`fit` for each of them; every model to a relative duality gap of 1e-3, "
        "float32 rows, one thread. Runs in turns, the shortest is shown; spread is the "
        "longest over the shortest, of the two whichever is larger.",
        _paths(records),
        "## The choice of C",
        f"Crammer-Singer, {FOLDS} folds, the same {len(CS)} values, then a fit on all "
        "rows. `polymargin.tune` at its default gap of 1e-3, all points tried; "
        "`GridSearchCV` over `LinearSVC(multi_class='crammer_singer', "
        "fit_intercept=False)` at its default tolerance, run once. One thread.",
        _searches(records),
    ]
    return "\n\n".join(parts) + "\n"


def _paths(records: list[dict]) -> str:
    header = ["data set", "machine", "warm s", "cold s", "ratio"]
    header += ["epochs warm", "epochs cold", "spread"]
    rows, ratios = [], []
    for record in records:
        for machine, runs in record["paths"].items():
            warm, cold = runs["warm"], runs["cold"]
            ratios.append(cold["seconds"] / warm["seconds"])
            largest = max(warm["spread"], cold["spread"])
            rows.append(
                [
                    record["data"],
                    machine,
                    digits(warm["seconds"]),
                    digits(cold["seconds"]),
                    times(ratios[-1]),
                    f"{warm['epochs']:,}",
                    f"{cold['epochs']:,}",
                    f"{largest:.2f}",
                ]
            )
    return f"{markdown_table(header, rows)}\n\n{_verdict(ratios, 2)}"


def _searches(records: list[dict]) -> str:
    header = ["data set", "tune s", "GridSearchCV s", "ratio"]
    header += ["C", "C there", "test accuracy", "there"]
    rows, ratios = [], []
    for record in records:
        ours, theirs = record["searches"]["tune"], record["searches"]["grid"]
        ratios.append(theirs["seconds"] / ours["seconds"])
        rows.append(
            [
                record["data"],
                digits(ours["seconds"]),
                digits(theirs["seconds"]),
                times(ratios[-1]),
                f"{ours['C']:g}",
                f"{theirs['C']:g}",
                share(ours["accuracy"]),
                share(theirs["accuracy"]),
            ]
        )
    return f"{markdown_table(header, rows)}\n\n{_verdict(ratios, 8)}"


def _verdict(ratios: list[float], goal: float) -> str:
    mean = bar("Geometric mean of the ratios", geometric_mean(ratios), goal)
    return f"{mean}\n{bar('Least ratio', min(ratios), goal)}"


main = OneTable(TABLE, NAMES, measure, render).main

if __name__ == "__main__":
    sys.exit(main())
