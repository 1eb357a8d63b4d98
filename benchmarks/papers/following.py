"""Training that is followed as in the papers' figures: a driver, looked at in between.

A look takes the dual objective, as the driver keeps it, and the test accuracy. Neither
is counted in the seconds, and no certificate is computed: seconds are processor time of
visits alone, on one thread. Work is counted in loops: evaluations of a derivative g_i^m
over k l (Keerthi et al., its footnote on effective loops).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import scipy.sparse as sp

from polymargin import LinearSVM
from polymargin.access.rows import Rows
from polymargin.driver.linear.solvers import linear_driver
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import Problem
from polymargin.machine.registry import find_machine

from ..harness.data import Dataset
from ..harness.records import Records
from ..harness.timing import progress

OPTIMUM = {"tol": 1e-5, "max_time": 300.0, "fit_intercept": False, "random_state": 0}
GROWTH = 1.1  # after the first loops, a look at every so many times later
FIRST = 4.0  # loops that are looked at in full


@dataclass(frozen=True)
class Method:
    """What is followed: a machine and how it is solved; how it is drawn."""

    machine: str = "cs"
    options: Mapping = field(default_factory=dict)  # of `LinearOptions`
    colour: str = "#000000"
    line: str = "-"
    loss: str = "hinge"

    def driver(self, X, y: np.ndarray, n_classes: int, C: float, seed: int):
        """The driver before its first visit, for rows without a constant feature."""
        problem = Problem(
            find_machine(
                self.machine, self.loss, self.options.get("restricted", "exact")
            ),
            y.astype(np.int64),
            n_classes,
            np.full(len(y), C),
        )
        options = LinearOptions(solver="dual", bias=0.0, seed=seed)
        options = LinearOptions(**(vars(options) | dict(self.options)))
        return linear_driver(Rows(X), problem, options)


@dataclass(frozen=True)
class Limits:
    """When a run that is followed ends."""

    seconds: float = 30.0
    loops: float = 500.0
    difference: float = 1e-4


@dataclass
class Look:
    """What is known after some visits."""

    seconds: float
    loops: float  # evaluations over k l
    passes: float  # visits over l
    dual: float


def looks(driver, n: int, n_classes: int, share: float) -> Iterator[Look]:
    """Visit a share of a loop at a time, for ever; only visits are counted."""
    takes_share = hasattr(driver, "set_schedule")  # the drivers in C++ do
    seconds = evaluations = visits = 0.0
    while True:
        start = process_time()
        report = driver.epoch(np.inf, share) if takes_share else driver.epoch(np.inf)
        seconds += process_time() - start
        visits += report.visits
        evaluations += report.evaluations or report.visits * n_classes
        yield Look(seconds, evaluations / (n * n_classes), visits / n, report.dual)


def weights_of(driver) -> np.ndarray:
    """Weights by feature and class, whole also where some pairs have none."""
    found = driver.weights()
    return found.toarray() if sp.issparse(found) else np.asarray(found)


def accuracy(driver, data: Dataset) -> float:
    """Share of the test rows whose label has the highest score."""
    scores = data.X_test @ weights_of(driver).astype(data.X_test.dtype)
    return float(np.mean(scores.argmax(axis=1) == data.y_test))


def follow(
    data: Dataset,
    method: Method,
    C: float,
    best: float | None,
    seed: int,
    limits: Limits,
    share: float = 1.0,
) -> dict[str, list[float]]:
    """A curve: seconds, loops, difference of the dual and test accuracy at each look.

    Parameters
    ----------
    best : float or None
        The optimal objective; None if differences are of no interest.
    share : float
        Of a loop, between two looks.
    """
    X = data.X.astype(np.float64)
    driver = method.driver(X, data.y, data.n_classes, C, seed)
    curve: dict[str, list[float]] = {
        name: [] for name in ("seconds", "loops", "difference", "accuracy")
    }
    begun = perf_counter()
    for look in looks(driver, len(data.y), data.n_classes, share):
        difference = 1.0 if best is None else abs(best - look.dual) / abs(best)
        last = (
            look.seconds > limits.seconds
            or look.loops > limits.loops
            or (best is not None and difference < limits.difference)
            or perf_counter() - begun > 4 * limits.seconds
        )
        due = not curve["loops"] or look.loops >= GROWTH * curve["loops"][-1]
        if last or due or look.loops <= FIRST:
            curve["seconds"].append(look.seconds)
            curve["loops"].append(look.loops)
            curve["difference"].append(difference)
            curve["accuracy"].append(accuracy(driver, data))
        if last:
            return curve
    return curve


def optimum(data: Dataset, machine: str, C: float, folder: Path) -> dict[str, float]:
    """The optimal objective and its certified gap, computed once in float64."""
    sizes = "x".join(str(size) for size in data.shape.values())
    optima, key = Records(folder / "optima.jsonl"), f"{data.name}/{sizes}/C={C:g}"
    if (machine, key) not in optima:
        progress(f"{data.name}: optimum of {machine}, C = {C:g}, once, in float64")
        model = LinearSVM(machine, C=C, **OPTIMUM)
        model.fit(data.X.astype(np.float64), data.y)
        found = {"objective": float(model.objective_), "gap": float(model.dual_gap_)}
        optima.add({"table": machine, "data": key, "optimum": found})
    return optima.get(machine, key)["optimum"]


def after_passes(
    data: Dataset, method: Method, C: float, passes: tuple[int, ...], seed: int
) -> dict[str, list[float]]:
    """Accuracy and seconds after so many passes each; the looks are not counted."""
    driver = method.driver(data.X, data.y, data.n_classes, C, seed)
    found: dict[str, list[float]] = {"accuracy": [], "seconds": []}
    for number, look in enumerate(looks(driver, len(data.y), data.n_classes, 1.0), 1):
        if number in passes:
            found["accuracy"].append(accuracy(driver, data))
            found["seconds"].append(look.seconds)
        if number >= max(passes):
            break
    return found


def median_to(curves: list[dict], level: float, axis: str) -> float:
    """Median over seeds of where the difference is at most `level` for good."""
    found = []
    for curve in curves:
        above = np.flatnonzero(np.asarray(curve["difference"]) > level)
        at = above[-1] + 1 if len(above) else 0
        found.append(curve[axis][at] if at < len(curve[axis]) else np.inf)
    return float(np.median(found))


def median_to_accuracy(curves: list[dict], axis: str, near: float = 0.005) -> float:
    """Median over seeds of where the accuracy stays near the last one."""
    found = []
    for curve in curves:
        values = np.asarray(curve["accuracy"])
        below = np.flatnonzero(values < values[-1] - near)
        found.append(curve[axis][below[-1] + 1 if len(below) else 0])
    return float(np.median(found))


def final_accuracy(curves: list[dict]) -> float:
    """Median over seeds of the accuracy at the end."""
    return float(np.median([curve["accuracy"][-1] for curve in curves]))
