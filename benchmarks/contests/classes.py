"""Training time as the number of classes grows, on generated sparse rows."""

from functools import partial
from pathlib import Path

from sklearn.svm import LinearSVC

from polymargin import LinearSVM

from ..harness.contest import Contest, Run, Table
from ..harness.data import GENERATED, load
from ..harness.figure import lines
from ..harness.markdown import NONE, digits, ratio
from ..harness.race import seconds_of, seconds_table, train_all
from ..harness.records import Records

CLASSES = (10, 30, 100, 300, 1000)
PEER, PEER_CLASSES = "LinearSVC (one-vs-rest)", 100  # above that it takes minutes
SAME = {"fit_intercept": False, "random_state": 0}


def measure(name: str, run: Run) -> dict:
    """The record of a number of classes."""
    data = load(name)
    builds = {
        machine: partial(LinearSVM, machine, n_jobs=1, **SAME)
        for machine in ("cs", "ww", "ovr")
    }
    if data.n_classes <= PEER_CLASSES:
        builds[PEER] = partial(LinearSVC, loss="hinge", **SAME)
    return train_all(data, builds, run.repeats)


def body(records: list[dict]) -> list[str]:
    """Seconds by classes."""
    return [
        "Seconds. 20,000 rows with about 20 of 20,000 features each, hinge loss, C = "
        "1, no intercept, each program at its default tolerance. "
        f"{PEER} has up to {PEER_CLASSES} classes.",
        seconds_table(records),
    ]


def verdict(records: Records) -> list[str]:
    """By how much time grows from the fewest to the most classes."""
    found = records.of("classes", [f"{GENERATED}{k}" for k in CLASSES])
    few, many = found[0], found[-1]
    grown = many["shape"]["k"] / few["shape"]["k"]
    told = [
        f"{name} {digits(growth) if growth else NONE} times"
        for name in ("cs", "ww", "ovr")
        for growth in [ratio(seconds_of(many, name), seconds_of(few, name))]
    ]
    return [
        f"With {grown:g} times the classes, training takes {', '.join(told)} as long."
    ]


def draw(records: Records, path: Path) -> None:
    """Seconds against classes."""
    found = records.of("classes", [f"{GENERATED}{k}" for k in CLASSES])
    curves = {}
    for name in ("cs", "ww", "ovr", PEER):
        known = [one for one in found if seconds_of(one, name)]
        sizes = [one["shape"]["k"] for one in known]
        curves[name] = sizes, [seconds_of(one, name) for one in known]
    axes = {"xlabel": "classes", "ylabel": "seconds of training"}
    title = "20,000 sparse rows, one thread"
    lines(path, {title: curves}, axes | {"xscale": "log", "yscale": "log"})


CONTEST = Contest(
    "classes",
    "Many classes",
    {"classes": Table("", measure, tuple(f"{GENERATED}{k}" for k in CLASSES), body)},
    verdict,
    draw,
    trial=(f"{GENERATED}10",),
    packages=("scikit-learn",),
    repeats=1,
)
