"""One table of a paper, carried out by `polymargin.compare`."""

from pathlib import Path

import numpy as np

from polymargin import compare
from polymargin.selection.comparison.datasets import TOYS, Dataset, load_datasets
from polymargin.selection.comparison.machine_names import find_machines
from polymargin.selection.comparison.report import Report
from polymargin.selection.comparison.splits import stratified_parts

from ..harness.data import file_of
from .configuration import Configuration, Entry

OF_A_FIT = ("accuracy", "train_seconds", "search_seconds", "parameters")


def load(entry: Entry) -> Dataset:
    """The rows of an entry, under its name."""
    name = entry.file or entry.name
    (data,) = load_datasets(name if name in TOYS else file_of(name))
    X, y, n_train = data.X, data.y, data.n_given_train
    if entry.rows is not None and entry.rows < len(y):
        share = entry.rows / len(y)
        rng = np.random.default_rng(0)
        rows, _ = stratified_parts(y, [share, 1 - share], rng)
        X, y, n_train = X[rows], y[rows], None
    return Dataset(entry.name, X, y, n_train)


def carry_out(configuration: Configuration, entry: Entry, folder: Path) -> dict:
    """Compare the machines on a data set; what was done before is not done again.

    Returns
    -------
    record : dict
        Every number of every split.
    """
    data = load(entry)
    machines = find_machines(list(configuration.machines))
    for machine in machines.values():
        machine.set_params(**entry.parameters)
    report = compare(
        data,
        machines,
        configuration.protocol_of(entry),
        folder / configuration.name / entry.name,
        prepare=entry.prepare,
    )
    n, d = data.X.shape
    return {
        "shape": {"n": n, "d": d, "k": data.n_classes},
        "lines": [_line(report, line) for line in report.summary.lines],
    }


def _line(report: Report, line: tuple) -> dict:
    """The fits of a line, by machine: a list of numbers for each quantity."""
    summary = report.summary
    for failure in summary.failures:
        raise RuntimeError(f"{failure['machine']}: {failure['error']}")
    return {
        "passes": line[1],
        "machines": {
            machine: {
                name: summary.values(line, machine, name).tolist() for name in OF_A_FIT
            }
            for machine in summary.machines
        },
    }
