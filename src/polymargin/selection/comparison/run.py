"""Data sets x machines x protocol: carried out, kept, summed up."""

import os
import re
from numbers import Integral
from typing import Any

from ..protocols import Protocol, find_protocol
from .datasets import load_datasets
from .environment import environment
from .fits import PREPARATIONS, Fitter
from .machine_names import describe, find_machines
from .report import Report
from .results_folder import ResultsFolder
from .scores import find_score
from .task_progress import make_progress
from .tasks import all_tasks, task_of


def compare(
    datasets: Any,
    machines: Any = ("cs", "ww", "ovr"),
    protocol: str | Protocol = "holdout",
    folder: str | os.PathLike[str] | None = None,
    *,
    prepare: str = "none",
    seed: int = 0,
    score: str = "accuracy",
    convergence: bool = True,
    scaling: bool = True,
    verbose: bool | None = None,
) -> Report:
    """Compare machines on data sets, with tables, tests and plots.

    Every result is written to a folder as soon as a fit is done. If the comparison is
    killed and started again, it continues where it was. If you add data sets or
    machines, it trains only the new ones.

    Parameters
    ----------
    datasets : str, path, tuple or sequence of them
        Names of scikit-learn's toy data sets ("iris", "wine", "digits",
        "breast_cancer"), ``.npz`` and svmlight files, tuples (name, X, y) or
        (name, X, y, X_test, y_test).

    machines : str, estimator, mapping or sequence, default=("cs", "ww", "ovr")
        Names such as "cs", "ovr-squared_hinge", "kernel-ww", "maxent" or
        "sklearn.svm.LinearSVC", with parameters as in "cs:order=permuted,C=0.1" and a
        name for the tables as in "SDM=cs:order=permuted"; estimators; pairs (name,
        estimator); or a mapping of names to estimators.

    protocol : {"holdout", "passes", "single-split", "nested"} or Protocol
        How rows are divided and parameters chosen; see `polymargin.protocols`.

    folder : path or None, default=None
        Where fits and reports are kept; None keeps nothing.

    prepare : {"none", "standard", "maxabs", "unit"}, default="none"
        Scale every feature to variance 1 (and mean 0, if rows are dense) or to at most
        1, or every row to length 1, as learned from the rows to train with.

    seed : int, default=0
        Of the splits and of the machines that were given no `random_state`.

    score : {"accuracy", "cost"}, default="accuracy"
        What machines and parameters are judged by. "cost": by how many places a
        prediction is off in the order of the classes, on average.

    convergence : bool, default=True
        Whether to train every machine once more while looking at it.

    scaling : bool, default=True
        Whether to train on samples with fewer classes too, where there are at least 5.

    verbose : bool or None, default=None
        Show the progress: None, on a terminal only.

    Returns
    -------
    report : Report
        Its text has the tables; `report.accuracy` is an array. The folder then has
        ``fits.jsonl``, ``results.csv``, ``report.md`` and ``report.html``.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from polymargin import compare
    >>> from polymargin.protocols import PROTOCOLS
    >>> quick = replace(PROTOCOLS["holdout"], repeats=2, grid={"C": [0.1, 1.0]})
    >>> report = compare("iris", ["cs", "ww"], quick, convergence=False)
    >>> report.accuracy.shape
    (1, 2)
    """
    if prepare not in PREPARATIONS:
        raise ValueError(
            f"prepare={prepare!r} is not known; choose one of "
            f"{', '.join(PREPARATIONS)}."
        )
    given: object = seed  # NumPy's whole numbers, too
    if not isinstance(given, Integral) or given < 0:
        raise ValueError(f"seed={seed!r} must be a whole number, not negative.")
    judged_by = find_score(score)
    protocol, machines = find_protocol(protocol), find_machines(machines)
    datasets = load_datasets(datasets)
    by_name = {dataset.name: dataset for dataset in datasets}
    fitter = Fitter(by_name, machines, protocol, prepare, int(seed), judged_by)
    settings = {
        "protocol": protocol.as_dict(),
        "prepare": prepare,
        "seed": int(seed),
        "score": score,
        "datasets": {name: dataset.facts() for name, dataset in by_name.items()},
        "machines": {
            # Functions and the like show where in memory they are: leave that out.
            name: re.sub(r" at 0x[0-9a-f]+", "", describe(machine))
            for name, machine in machines.items()
        },
    }
    tasks = all_tasks(datasets, machines, protocol, convergence, scaling)
    with ResultsFolder(folder, settings) as results:
        _work(fitter, tasks, results, verbose)
        report = Report(settings, tasks, results.rows)
        if folder is not None:
            for name, text in report.files().items():
                results.write(name, text)
    return report


def _work(
    fitter: Fitter, tasks: list[Any], results: ResultsFolder, verbose: bool | None
) -> None:
    """Carry out the tasks that have not been, or have failed."""
    rows = [row for row in results.rows if row["kind"] != "session"]
    done = {task_of(row) for row in rows if "error" not in row}
    left = [task for task in tasks if task not in done]
    if not left:
        return
    results.append({"kind": "session", "environment": environment()})
    progress = make_progress(tasks, rows, verbose)
    try:
        for task in left:
            progress.begin(task)
            row = fitter.run(task, results.rows, progress.tell)
            results.append(row)
            progress.end(row)
    finally:
        progress.close()
