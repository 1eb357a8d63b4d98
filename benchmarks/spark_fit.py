"""Fit a classifier of Spark MLlib in a process of its own, with ever more iterations.

``python -m benchmarks.spark_fit <estimator> <data> <accuracy> <events>`` appends a line
of JSON to the file of events when a fit begins and one when it has ended, and stops as
soon as the test accuracy is reached.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from polymargin import save_data

from .data import Dataset, load

ITERATIONS = (5, 10, 20, 50, 100, 200, 500)
CORES = 2
MEMORY = "8g"
# Spark's linear algebra is faster with it, as its guide says.
VECTORS = "--add-modules=jdk.incubator.vector"
LINEAR_SVC, LOGISTIC = "OneVsRest(LinearSVC)", "LogisticRegression"
C = 1.0


def settings(n_rows: int, iterations: int) -> dict:
    """Parameters that make Spark's objective ours, divided by C n.

    Spark minimises mean_i loss_i + regParam/2 |W|^2, we minimise
    C sum_i loss_i + 1/2 |W|^2.
    """
    return {
        "regParam": 1 / (C * n_rows),
        "maxIter": iterations,
        "tol": 0.0,  # as many iterations as are asked for
        "fitIntercept": False,
        "standardization": False,
    }


def estimator(name: str, n_rows: int, iterations: int):
    """Spark's estimator of this name."""
    from pyspark.ml.classification import LinearSVC, LogisticRegression, OneVsRest

    same = settings(n_rows, iterations)
    if name == LOGISTIC:
        return LogisticRegression(family="multinomial", **same)
    return OneVsRest(classifier=LinearSVC(**same), parallelism=CORES)


def coefficients(model) -> np.ndarray:
    """W of a fitted model, features by classes."""
    if hasattr(model, "models"):
        return np.stack([one.coefficients.toArray() for one in model.models], axis=1)
    return model.coefficientMatrix.toArray().T


def score(model, data: Dataset) -> float:
    """Test accuracy, computed outside Spark: predictions are not timed."""
    scores = data.X_test @ coefficients(model)
    return float(np.mean(np.argmax(np.asarray(scores), axis=1) == data.y_test))


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


def warm_up(name: str, frame, n_rows: int) -> None:
    """Have Java compile what will be used: a fit of two classes on all rows."""
    two = frame.withColumn("label", (frame["label"] > 0).cast("double"))
    estimator(name, n_rows, ITERATIONS[0]).fit(two)


def run(name: str, data: Dataset, goal: float, events: Path) -> None:
    """Fit with more and more iterations until the accuracy is reached."""
    from pyspark.sql import SparkSession

    def tell(**event) -> None:
        with events.open("a") as file:
            file.write(json.dumps(event) + "\n")

    builder = SparkSession.builder.master(f"local[{CORES}]").appName("polymargin")
    builder = builder.config("spark.driver.memory", MEMORY)
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.extraJavaOptions", VECTORS)
    builder = builder.config("spark.log.level", "ERROR")
    with TemporaryDirectory() as folder:
        builder = builder.config("spark.local.dir", folder)
        spark = builder.getOrCreate()
        frame = frame_of(spark, data, Path(folder))
        n_rows = len(data.y)
        warm_up(name, frame, n_rows)
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
