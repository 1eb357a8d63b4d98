"""The same fit on one thread and on two: the same model, and how much sooner."""

from functools import partial
from pathlib import Path

import polymargin

from ..harness.contest import Contest, Run, Table
from ..harness.data import Dataset, load
from ..harness.figure import dots
from ..harness.kernel_settings import SETTINGS, load_kernel_data
from ..harness.markdown import bar, table_of, times
from ..harness.race import cell, facts, gain, race
from ..harness.records import Records
from ..harness.timing import geometric_mean

THREADS = {"1 thread": 1, "2 threads": 2}
# What is trained: a kernel machine, or a linear one that has parts to share.
TASKS = {
    "KernelSVM ww": ("ww", ("usps", "letter", "mnist_5000")),
    "KernelSVM cs": ("cs", ("usps", "letter", "mnist_5000")),
    "LinearSVM ovr": ("ovr", ("mnist", "usps")),
    "LinearSVM cs": ("cs", ("mnist", "usps", "debian_maintainer", "debian_source")),
    "LinearSVM ww": ("ww", ("mnist", "usps", "debian_maintainer", "debian_source")),
    "LinearSVM ovo": ("ovo", ("news20_bydate", "letter")),
}


def build(task: str, name: str, threads: int):
    """The estimator of a task on so many threads."""
    machine, same = TASKS[task][0], {"n_jobs": threads, "random_state": 0}
    if task.startswith("Kernel"):
        setting = SETTINGS[name]
        return polymargin.KernelSVM(machine, C=setting.C, gamma=setting.gamma, **same)
    return polymargin.LinearSVM(machine, C=0.1, fit_intercept=False, **same)


def rows_of(task: str, name: str) -> Dataset:
    return (load_kernel_data if task.startswith("Kernel") else load)(name)


def measure(key: str, run: Run) -> dict:
    """A cell "data set, task"."""
    name, _, task = key.partition(", ")
    task = task or "KernelSVM ww"
    data = rows_of(task, name)
    tasks = {
        label: partial(facts, partial(build, task, name, threads), data)
        for label, threads in THREADS.items()
    }
    return {"shape": data.shape, "task": task, "fits": race(key, tasks, run.repeats)}


def body(records: list[dict]) -> list[str]:
    """Seconds on one thread and on two."""
    one, two = THREADS
    columns = {"data set and machine": lambda record: record["data"]}
    columns |= {
        label: lambda record, label=label: cell(record["fits"][label])
        for label in THREADS
    }
    columns["ratio"] = lambda record: times(gain(record, one, two))
    return [
        "Seconds of `fit` at the default tolerance, on two cores. C = 0.1 for linear "
        "machines; kernel machines are set as in the comparison with SVC.",
        table_of(records, columns),
    ]


def verdict(records: Records) -> list[str]:
    """How much two threads help."""
    one, two = THREADS
    mean = geometric_mean(gain(record, one, two) for record in records.of("threads"))
    same = "The model is the same for any number of threads, to the last bit."
    return [same, bar("Speed-up of two threads over one, mean", mean, None)]


def draw(records: Records, path: Path) -> None:
    """A row for each fit."""
    rows = [
        (one["data"], {name: fit["seconds"] for name, fit in one["fits"].items()})
        for one in records.of("threads")
    ]
    dots(path, {"One thread and two": rows})


CONTEST = Contest(
    "threads",
    "Threads",
    {
        "threads": Table(
            "",
            measure,
            tuple(
                f"{name}, {task}" for task, (_, them) in TASKS.items() for name in them
            ),
            body,
        )
    },
    verdict,
    draw,
)
