"""Kernel machines against scikit-learn's and Intel's SVC.

All get the same kernel and 1,000 MB for their caches, and stop at their default
tolerance: ours at a relative duality gap of 1e-3, the peers, which solve one-vs-one
with a bias, at a violation of 1e-3 of each binary problem. Every data set is there with
the C that is best for SVC, and with 100 times as much. Ours stop after a minute.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

import polymargin

from ..harness.contest import Contest, Run, Table
from ..harness.data import FALLBACK
from ..harness.figure import dots
from ..harness.kernel_settings import (
    BESIDE_SVC,
    CACHE_MB,
    LARGE,
    LIMIT,
    SETTINGS,
    load_kernel_data,
    settings_columns,
    with_large_C,
)
from ..harness.markdown import bar, megabytes, table_of, worst_bar
from ..harness.process import fresh, trained
from ..harness.race import accuracy_table, gain, mean_gain, race, seconds_table
from ..harness.records import Records

PEERS = ("SVC", "intelex SVC")
MACHINES = ("ovo", "ww", "cs")  # the first is the default
GOALS = {"ovo": (3.0, 1.2), "ww": (2.5, 1.0), "cs": (2.5, 1.0)}  # mean, least
ENTRANTS = (*MACHINES, *PEERS)
NAMES = (*BESIDE_SVC, *(with_large_C(name) for name in BESIDE_SVC))
MORE = tuple(name for name in SETTINGS if name not in (*NAMES, LARGE, FALLBACK))


def build(entrant: str, name: str, n_classes: int, threads: int):
    """Make the estimator of an entrant."""
    setting = SETTINGS[name]
    common = {"C": setting.C, "gamma": setting.gamma, "cache_size": CACHE_MB}
    if entrant == "SVC":
        return SVC(**common)
    if entrant == "intelex SVC":
        from sklearnex.svm import SVC as IntelexSVC

        return IntelexSVC(**common, n_jobs=threads)
    common["C"] = setting.machine_C(entrant, n_classes)
    common |= {"max_time": LIMIT, "n_jobs": threads, "random_state": 0}
    return polymargin.KernelSVM(entrant, **common)


def train(entrant: str, name: str, threads: int) -> dict:
    """Train an entrant and look at its model: for a fresh process."""
    dtype = np.float64 if entrant == "SVC" else np.float32  # as LIBSVM computes
    found, model = trained(
        lambda n_classes: build(entrant, name, n_classes, threads),
        load_kernel_data(name),
        dtype,
    )
    if hasattr(model, "dual_gap_"):
        found |= {"gap": float(model.dual_gap_), "status": model.status_}
    return found


def measure(name: str, run: Run) -> dict:
    """The record of a data set: every entrant in turns, each in a fresh process."""
    able = [one for one in ENTRANTS if one != "intelex SVC" or find_spec("sklearnex")]
    fits = race(name, {one: fresh(train, one, name, 1) for one in able}, run.repeats)
    return {"shape": fits[able[0]]["shape"], "fits": fits}


def body(records: list[dict]) -> list[str]:
    """Seconds, accuracies, memory, settings."""
    memory = {"data set": lambda record: record["data"]}
    for name in ENTRANTS:
        memory[name] = lambda record, name=name: megabytes(
            record["fits"].get(name, {}).get("peak_bytes")
        )
    return [
        "Seconds of `fit`. Every fit has a fresh process, which trains on a small data "
        "set first. Our rows are float32. SVC needs float64: the change is made "
        "before, and not counted.",
        seconds_table(records),
        "Test accuracy:",
        accuracy_table(records),
        "Memory that training needs beside the data, MB:",
        table_of(records, memory),
        "Settings: kernel `exp(-gamma |x - z|^2)`.",
        table_of(records, settings_columns(), numbers=False),
    ]


def verdict(records: Records) -> list[str]:
    """How often as fast as SVC."""
    found, lines = records.of("kernel", NAMES), []
    for machine in MACHINES:
        mean = mean_gain(found, "SVC", machine)
        gains = {one["data"]: gain(one, "SVC", machine) for one in found}
        if mean:
            of_mean, of_least = GOALS[machine]
            lines.append(bar(f"{machine}, speed-up over SVC, mean", mean, of_mean))
            lines += worst_bar(f"{machine}, speed-up over SVC, least", gains, of_least)
    said = "Seconds of `fit`, each program at its default tolerance."
    return [said, "\n".join(lines)]


def draw(records: Records, path: Path) -> None:
    """A row for each data set."""
    rows = [
        (one["data"], {name: fit["seconds"] for name, fit in one["fits"].items()})
        for one in records.of("kernel", NAMES)
    ]
    dots(path, {"Gaussian kernel, one thread": rows}, peers=PEERS)


CONTEST = Contest(
    "kernel",
    "Kernel machines beside SVC",
    {"kernel": Table("", measure, NAMES, body, MORE)},
    verdict,
    draw,
    packages=("scikit-learn", "scikit-learn-intelex"),
)
