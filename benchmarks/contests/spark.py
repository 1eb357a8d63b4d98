"""Fits of Spark MLlib in a process of its own, with ever more iterations.

``python -m benchmarks.contests.spark ESTIMATOR DATA ACCURACY EVENTS`` appends a line of
JSON to the file of events when a fit begins and one when it has ended, and stops as
soon as the test accuracy is reached.
"""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep

import numpy as np
import scipy.sparse as sp

from polymargin import save_data

from ..harness.data import Dataset, load
from ..harness.process import ROOT
from ..harness.timing import progress

ITERATIONS = (5, 10, 20, 50, 100, 200, 500)
LIMIT = 600.0  # seconds of a fit
PAUSE = 0.5
CORES = 2
ESTIMATORS = LINEAR_SVC, LOGISTIC = "OneVsRest(LinearSVC)", "LogisticRegression"
CONFIGURATION = {
    "spark.driver.memory": "8g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark's linear algebra is faster with it, as its guide says.
    "spark.driver.extraJavaOptions": "--add-modules=jdk.incubator.vector",
    "spark.log.level": "ERROR",
}


def fit_until(peer: str, name: str, goal: float, limit: float = LIMIT) -> list[dict]:
    """Run this module; returns its fits, the last perhaps not finished.

    A fit that takes longer than the limit is ended with its process and has no
    accuracy, and as seconds the limit.
    """
    if find_spec("pyspark") is None:
        raise ImportError(
            "Spark is not installed; pip install --group bench-scale, or leave it out "
            "with --tables partitions overhead."
        )
    with TemporaryDirectory() as folder:
        events, log = Path(folder) / "events", Path(folder) / "log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", __name__, peer, name, repr(goal), str(events)],
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


def estimator(name: str, n_rows: int, iterations: int):
    """Spark's estimator of this name.

    Spark minimises mean_i loss_i + regParam/2 |W|^2, we minimise
    C sum_i loss_i + 1/2 |W|^2 with C = 1.
    """
    from pyspark.ml.classification import LinearSVC, LogisticRegression, OneVsRest

    same = {"regParam": 1 / n_rows, "maxIter": iterations, "tol": 0.0}
    same |= {"fitIntercept": False, "standardization": False}
    if name == LOGISTIC:
        return LogisticRegression(family="multinomial", **same)
    return OneVsRest(classifier=LinearSVC(**same), parallelism=CORES)


def score(model, data: Dataset) -> float:
    """Test accuracy, computed outside Spark: predictions are not timed."""
    if hasattr(model, "models"):
        W = np.stack([one.coefficients.toArray() for one in model.models], axis=1)
    else:
        W = model.coefficientMatrix.toArray().T
    scores = np.asarray(data.X_test @ W)
    return float(np.mean(np.argmax(scores, axis=1) == data.y_test))


def frame_of(spark, data: Dataset, folder: Path):
    """The training rows in Spark's memory, in a partition for each core."""
    path = folder / "train.svm"
    order = np.random.RandomState(0).permutation(len(data.y))
    save_data(sp.csr_matrix(data.X)[order], data.y[order], path)
    reader = spark.read.format("libsvm").option("numFeatures", data.X.shape[1])
    frame = reader.load(str(path)).repartition(CORES).cache()
    if frame.count() != len(data.y):
        raise RuntimeError(f"Spark did not read all rows of {data.name}")
    return frame


def run(name: str, data: Dataset, goal: float, events: Path) -> None:
    """Fit with more and more iterations until the accuracy is reached."""
    from pyspark.sql import SparkSession

    def tell(**event) -> None:
        with events.open("a") as file:
            file.write(json.dumps(event) + "\n")

    builder = SparkSession.builder.master(f"local[{CORES}]").appName("polymargin")
    with TemporaryDirectory() as folder:
        for key, value in {**CONFIGURATION, "spark.local.dir": folder}.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        frame, n_rows = frame_of(spark, data, Path(folder)), len(data.y)
        # Java compiles what will be used: a fit of two classes on all rows.
        two = frame.withColumn("label", (frame["label"] > 0).cast("double"))
        estimator(name, n_rows, ITERATIONS[0]).fit(two)
        for iterations in ITERATIONS:
            tell(begins=iterations)
            start = perf_counter()
            model = estimator(name, n_rows, iterations).fit(frame)
            seconds = perf_counter() - start
            accuracy = score(model, data)
            tell(iterations=iterations, seconds=seconds, accuracy=accuracy)
            if accuracy >= goal:
                break
        spark.stop()


if __name__ == "__main__":
    run(sys.argv[1], load(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
