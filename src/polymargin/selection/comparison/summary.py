"""Rows of fits become arrays: one number for each data set and machine."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..protocols import Protocol
from .scores import find_score
from .tasks import Task, task_of


class Summary:
    """The fits of a comparison, sorted.

    Parameters
    ----------
    settings : dict
        As kept in the results folder.

    tasks : sequence of Task
        The fits to sum up; others that the folder may have are left out.

    rows : sequence of dict
        The results. Of a fit that failed and was done again, the last counts.

    Attributes
    ----------
    machines : list of str
    lines : list of (str, int or None)
        A data set and its number of passes, for each line of the tables.
    fits : list of dict
        Successful fits of all kinds.
    failures : list of dict
    sessions : list of dict
        Where and when it was run.
    """

    def __init__(
        self, settings: dict, tasks: Sequence[Task], rows: Sequence[dict]
    ) -> None:
        self.settings = settings
        self.protocol = Protocol(**settings["protocol"])
        self.score = find_score(settings.get("score", "accuracy"))
        self.machines = list(settings["machines"])
        self.datasets = list(settings["datasets"])
        passes = self.protocol.passes or (None,)
        self.lines = [(name, count) for name in self.datasets for count in passes]
        self.sessions = [r["environment"] for r in rows if r["kind"] == "session"]
        last = {task_of(row): row for row in rows if row["kind"] != "session"}
        found = [last[task] for task in tasks if task in last]
        self.fits = [row for row in found if "error" not in row]
        self.failures = [row for row in found if "error" in row]
        self._wanted = Counter(
            (task.dataset, task.passes, task.machine)
            for task in tasks
            if task.kind == "fit"
        )

    def of_kind(self, kind: str, **where) -> list[dict]:
        """Return fits of a kind, of a data set or machine if named."""
        return [
            row
            for row in self.fits
            if row["kind"] == kind
            and all(row[name] == value for name, value in where.items())
        ]

    def values(self, line: tuple, machine: str, name: str) -> np.ndarray:
        """Return a number for each split, in their order."""
        dataset, passes = line
        rows = self.of_kind("fit", dataset=dataset, machine=machine, passes=passes)
        rows = sorted(rows, key=lambda row: row["split"])
        return np.array([row[name] for row in rows])

    def gains(self, line: tuple, machine: str) -> np.ndarray:
        """Return what machines are judged by for each split: more is better."""
        return self.score.sign * self.values(line, machine, self.score.key)

    def complete(self, line: tuple, machine: str) -> bool:
        """Return whether no fit of a cell is missing."""
        count = len(self.values(line, machine, self.score.key))
        return count > 0 and count == self._wanted[(*line, machine)]

    def table(self, name: str) -> np.ndarray:
        """Return the mean or median over splits; NaN where fits are missing."""
        sum_up = np.median if self.protocol.summary == "median" else np.mean
        return np.array(
            [
                [
                    sum_up(self.values(line, machine, name))
                    if self.complete(line, machine)
                    else np.nan
                    for machine in self.machines
                ]
                for line in self.lines
            ]
        )

    def line_name(self, line: tuple) -> str:
        """Return what a line of the tables is called."""
        dataset, passes = line
        if passes is None:
            return dataset
        return f"{dataset}, {passes} pass{'es' if passes > 1 else ''}"

    def for_tests(self) -> np.ndarray:
        """Return scores to test over data sets: one line each, none missing.

        More is better.

        Of several numbers of passes only the last counts: lines of the same data set
        would not be independent.
        """
        scores = self.score.sign * self.table(self.score.key)
        last = self.protocol.passes[-1] if self.protocol.passes else None
        kept = [
            at
            for at, (_, passes) in enumerate(self.lines)
            if passes == last and np.isfinite(scores[at]).all()
        ]
        return scores[kept]
