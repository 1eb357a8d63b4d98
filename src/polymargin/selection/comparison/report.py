"""The report of a comparison: text, CSV, Markdown and HTML."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import report_page, result_tables
from .summary import Summary
from .tables import Table
from .tasks import Task
from .verdicts import judge_over_datasets, pairs_table, splits_table

_COLUMNS = (
    *Task.__dataclass_fields__,
    "accuracy",
    "cost",
    "parameters",
    "validation_accuracy",
    "validation_cost",
    "points",
    "search_seconds",
    "train_seconds",
    "test_seconds",
    "train_rows",
    "test_rows",
    "objective",
    "dual_gap",
    "n_iter",
    "status",
    "solver",
    "warning",
    "error",
)


class Report:
    """What a comparison found.

    Parameters
    ----------
    settings : dict
        Protocol, data sets, machines, seed and preparation.

    tasks : sequence of Task
        The fits that were asked for.

    rows : sequence of dict
        What was found, a row for each fit.

    Attributes
    ----------
    accuracy, train_seconds : ndarray of shape (n_lines, n_machines)
        Mean or median over the splits, as the protocol says; NaN where a fit failed.
        A line is a data set, or a data set and a number of passes.
    lines, machines : list of str
        What the lines and the columns are.
    tests : Tests
        Tests over data sets.
    """

    def __init__(
        self,
        settings: dict[str, Any],
        tasks: Sequence[Task],
        rows: Sequence[dict[str, Any]],
    ) -> None:
        self.summary = Summary(settings, tasks, rows)
        self.tests = judge_over_datasets(self.summary)
        self.machines = self.summary.machines
        self.lines = [self.summary.line_name(line) for line in self.summary.lines]
        self.accuracy: np.ndarray = self.summary.table("accuracy")
        self.train_seconds: np.ndarray = self.summary.table("train_seconds")

    def tables(self) -> list[Table]:
        """Return all tables that have something to say, in the order of the report."""
        summary, tests = self.summary, self.tests
        tables = [
            result_tables.score_table(summary, tests),
            result_tables.beside_table(summary),
            pairs_table(summary, tests) if tests.pairs else None,
            splits_table(summary),
            result_tables.time_table(summary),
            result_tables.parameters_table(summary),
            result_tables.troubles_table(summary),
            result_tables.datasets_table(summary),
            result_tables.machines_table(summary),
            result_tables.environment_table(summary),
        ]
        return [table for table in tables if table is not None]

    def __str__(self) -> str:
        shown = (
            self.summary.score.key,
            "beside",
            "pairs",
            "time",
            "parameters",
            "troubles",
        )
        texts = [table.as_text() for table in self.tables() if table.key in shown]
        return "\n\n".join([*texts, self.tests.sentence])

    def as_markdown(self) -> str:
        """Return the tables in Markdown."""
        first, *rest = (table.as_markdown() for table in self.tables())
        heading = report_page.title(self.summary)
        how = report_page.protocol_text(self.summary)
        head = [f"# {heading}\n", f"{how}\n"]
        return "\n".join([*head, first, f"{self.tests.sentence}\n", *rest])

    def as_csv(self) -> str:
        """Return one line for each fit."""
        text = io.StringIO()
        writer = csv.DictWriter(
            text, _COLUMNS, extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        for row in [*self.summary.fits, *self.summary.failures]:
            parameters = row.get("parameters") or {}
            words = " ".join(f"{name}={value:g}" for name, value in parameters.items())
            writer.writerow(row | {"parameters": words})
        return text.getvalue()

    def as_html(self) -> str:
        """Return one page with tables and plots that needs nothing else."""
        return report_page.render(self.summary, self.tests, self.tables())

    def files(self) -> dict[str, str]:
        """Return the texts of all files by name."""
        return {
            "results.csv": self.as_csv(),
            "report.md": self.as_markdown(),
            "report.html": self.as_html(),
        }
