"""Fits side by side on a data set: in turns, the shortest run of each, as a record.

A record has "shape" and, by the name of an entrant, "fits": seconds, spread, accuracy
and, of polymargin, gap, status and iterations.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from .data import Dataset
from .markdown import LIMITED, NONE, SIZES, data_name, digits, ratio, share, table_of
from .timing import geometric_mean, interleave, quickest, timed

LONG = 10.0  # seconds: what takes longer is not run again


def facts(build: Callable, data: Dataset) -> dict:
    """Train, and say how it ended."""
    model = build()
    seconds, _ = timed(lambda: model.fit(data.X, data.y))
    return {"seconds": seconds, **outcome(model, data)}


def outcome(model, data: Dataset) -> dict:
    """What there is to know of a model."""
    found = {"accuracy": float(model.score(data.X_test, data.y_test))}
    if hasattr(model, "dual_gap_"):
        found |= {
            "gap": float(model.dual_gap_),
            "status": model.status_,
            "solver": getattr(model, "solver_", ""),
            "iterations": int(model.n_iter_),
        }
    return found


def race(
    label: str,
    tasks: dict[str, Callable[[], dict]],
    repeats: int,
    once: Collection[str] = (),
) -> dict[str, dict]:
    """Run tasks that return facts in turns; the shortest run of each counts."""
    runs = interleave(label, tasks, 1)
    short = {
        name: task
        for name, task in tasks.items()
        if name not in once and runs[name][0]["seconds"] < LONG
    }
    for name, more in interleave(label, short, repeats - 1).items():
        runs[name] += more
    return {name: quickest(found) for name, found in runs.items()}


def train_all(data: Dataset, builds: dict[str, Callable], repeats: int) -> dict:
    """The record of a data set on which estimators are trained."""
    tasks = {name: partial(facts, build, data) for name, build in builds.items()}
    return {"shape": data.shape, "fits": race(data.name, tasks, repeats)}


def seconds_of(record: dict, name: str) -> float | None:
    """Seconds of an entrant, if it took part."""
    return record["fits"].get(name, {}).get("seconds")


def gain(record: dict, slow: str, fast: str) -> float | None:
    """How often as fast one entrant is as another."""
    return ratio(seconds_of(record, slow), seconds_of(record, fast))


def mean_gain(records: Iterable[dict], slow: str, fast: str) -> float | None:
    """Geometric mean of that over data sets."""
    return geometric_mean(gain(record, slow, fast) for record in records)


def entrants(records: Iterable[dict]) -> list[str]:
    """All names, in the order of their first record."""
    return [*dict.fromkeys(name for record in records for name in record["fits"])]


def cell(fit: dict | None) -> str:
    """Seconds; a mark if a fit ended before it converged, or never got there."""
    if not fit:
        return NONE
    if "at_least" in fit:
        return f"> {digits(fit['at_least'])}"
    reached = fit.get("status", "converged") in ("converged", "precision", "complete")
    return digits(fit["seconds"]) + ("" if reached else f" {LIMITED}")


def seconds_table(
    records: Sequence[dict], names: Sequence[str] = (), more: dict | None = None
) -> str:
    """Seconds of all entrants on all data sets."""
    sizes = SIZES if all(record.get("shape") for record in records) else {}
    columns = {"data set": data_name, **sizes}
    for name in names or entrants(records):
        columns[name] = lambda record, name=name: cell(record["fits"].get(name))
    return table_of(records, columns | (more or {}))


def accuracy_table(records: Sequence[dict], names: Sequence[str] = ()) -> str:
    """Test accuracies of all entrants on all data sets."""
    columns = {"data set": data_name}
    for name in names or entrants(records):
        columns[name] = lambda record, name=name: share(
            record["fits"].get(name, {}).get("accuracy")
        )
    return table_of(records, columns)
