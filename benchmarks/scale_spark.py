"""Spark MLlib beside polymargin: seconds to the same test accuracy."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from .data import Dataset
from .fresh import ROOT
from .measure import progress
from .scale_cluster import PROCESSES
from .scale_machines import HINGE, MAXENT, SQUARED
from .scale_partitions import ALONE, Limits, measure_row
from .spark_fit import LINEAR_SVC, LOGISTIC

TABLE = "spark"
# Spark's estimator, our machine with the same objective, and others beside it.
PEERS = {LINEAR_SVC: (HINGE, SQUARED), LOGISTIC: (MAXENT,)}
WITHIN = 1e-3  # of our accuracy: what it means to have reached it
# Spark is run with more and more iterations until it has the accuracy, and so are we
# with smaller and smaller gaps.
GAPS = (0.3, 0.1, 0.03, 0.01)
LIMIT = 600.0  # seconds of a fit of Spark
PAUSE = 0.5


def measure(data: Dataset, peer: str, limits: Limits, limit: float = LIMIT) -> dict:
    """The record of a data set and an estimator of Spark.

    Parameters
    ----------
    data : Dataset
    peer : str
    limits : Limits
        Of our fits.
    limit : float
        Seconds of a fit of Spark.
    """
    if find_spec("pyspark") is None:
        raise ImportError(
            "Spark is not installed; pip install --group bench-scale, or leave it out "
            "with --table partitions overhead."
        )
    ours = {
        machine: {
            str(parts): record
            for parts, record in measure_row(data, machine, (ALONE, PROCESSES), limits)
        }
        for machine in PEERS[peer]
    }
    machine = PEERS[peer][0]
    goal = ours[machine][str(ALONE)]["accuracy"] - WITHIN
    ladder = gaps_until(data, machine, goal, limits)
    progress(f"{data.name}: {peer} of Spark, to an accuracy of {goal:.4f}")
    return {
        "shape": data.shape,
        "ours": ours,
        "goal": goal,
        "ladder": ladder,
        "limit": limit,
        "fits": fit_until(peer, data.name, goal, limit),
    }


def gaps_until(data: Dataset, machine: str, goal: float, limits: Limits) -> list[dict]:
    """Fits on partitions to smaller and smaller gaps, until one has the accuracy."""
    fits: list[dict] = []
    for tol in GAPS:
        [(_, record)] = measure_row(
            data, machine, (PROCESSES,), replace(limits, tol=tol)
        )
        fits.append(record)
        if record["accuracy"] >= goal:
            break
    return fits


def fit_until(peer: str, name: str, goal: float, limit: float) -> list[dict]:
    """Run `benchmarks.spark_fit`; returns its fits, the last perhaps not finished.

    A fit that takes longer than the limit is ended with its process and has no
    accuracy, and as seconds the limit.
    """
    with TemporaryDirectory() as folder:
        events, log = Path(folder) / "events", Path(folder) / "log"
        command = [sys.executable, "-m", "benchmarks.spark_fit"]
        with log.open("w") as file:
            process = subprocess.Popen(
                [*command, peer, name, repr(goal), str(events)],
                cwd=ROOT,
                stdout=file,
                stderr=file,
                start_new_session=True,  # with Java, which it starts
            )
        try:
            late = _wait(process, events, limit)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        fits = [event for event in _read(events) if "seconds" in event]
        if late is not None:
            fits.append({"iterations": late, "seconds": limit, "accuracy": None})
        elif process.returncode:
            reason = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"{peer} of Spark failed on {name}: {reason}")
    return fits


def _wait(process, events: Path, limit: float) -> int | None:
    """Wait for the end; returns the iterations of a fit that took too long."""
    seen, since = 0, monotonic()
    while process.poll() is None:
        sleep(PAUSE)
        told = _read(events)
        if len(told) > seen:
            seen, since = len(told), monotonic()
            progress(f"  {told[-1]}")
        elif told and "begins" in told[-1] and monotonic() - since > limit:
            return told[-1]["begins"]
    return None


def _read(events: Path) -> list[dict]:
    """The events so far; a line that is being written is left for later."""
    if not events.exists():
        return []
    *lines, _ = events.read_text().split("\n")
    return [json.loads(line) for line in lines]


def our_time_to_goal(record: dict) -> dict | None:
    """Our cheapest fit on partitions that reached the accuracy; None if none did."""
    machine = PEERS[record["peer"]][0]
    fits = [*record["ladder"], record["ours"][machine][str(PROCESSES)]]
    reached = [fit for fit in fits if fit["accuracy"] >= record["goal"]]
    return min(reached, key=lambda fit: fit["seconds"], default=None)


def time_to_goal(record: dict) -> tuple[dict, bool]:
    """The cheapest fit that reached the accuracy, else the longest; and whether."""
    reached = [
        fit
        for fit in record["fits"]
        if fit["accuracy"] is not None and fit["accuracy"] >= record["goal"]
    ]
    if reached:
        return min(reached, key=lambda fit: fit["seconds"]), True
    return max(record["fits"], key=lambda fit: fit["seconds"]), False


def best_accuracy(record: dict) -> float | None:
    known = [fit["accuracy"] for fit in record["fits"] if fit["accuracy"] is not None]
    return max(known, default=None)
