"""What a long comparison shows: what runs, what is done, time left, who is ahead."""

import sys
from collections.abc import Sequence
from time import monotonic
from typing import TextIO

import numpy as np

from ...base.durations import in_words
from .tasks import Task, task_of

_SECONDS_BETWEEN_LINES = 2.0


class Progress:
    """Shows nothing, and keeps count; others show it.

    Parameters
    ----------
    tasks : sequence of Task
        All there are.
    rows : sequence of dict
        Those done already.
    """

    def __init__(self, tasks: Sequence[Task], rows: Sequence[dict]):
        wanted = set(tasks)
        self.waiting = dict.fromkeys(tasks)
        self.total = len(tasks)
        self.costs: dict[tuple, list[float]] = {}
        self.accuracy: dict[str, dict[str, list[float]]] = {}
        for row in rows:
            if task_of(row) in wanted and "error" not in row:
                self._count(row)

    @property
    def done(self) -> int:
        return self.total - len(self.waiting)

    def begin(self, task: Task) -> None:
        """Take note that a fit begins."""
        self.task = task
        self.begun = monotonic()
        self.show("")

    def tell(self, what: str) -> None:
        """Take note of what the fit is doing."""
        self.show(what)

    def end(self, row: dict) -> None:
        """Take note that it has ended."""
        self._count(row)
        self.show("done", last=not self.waiting)

    def show(self, what: str, last: bool = False) -> None:
        """Show it."""

    def close(self) -> None:
        """Show nothing any more."""

    def seconds_left(self) -> float | None:
        """Estimate the time left by what such fits have taken; None at the start.

        Fits that nobody knows anything about cost what all others have in the mean.
        """
        if not self.costs:
            return None
        means = {key: np.mean(values) for key, values in self.costs.items()}
        overall = float(np.mean(list(means.values())))
        left = sum(means.get(_sort_of(task), overall) for task in self.waiting)
        if getattr(self, "task", None) in self.waiting:
            spent = monotonic() - self.begun
            left -= min(spent, means.get(_sort_of(self.task), overall))
        return float(left)

    def leader(self, dataset: str) -> str:
        """Return who is ahead on a data set so far, in words."""
        means = {
            machine: np.mean(values)
            for machine, values in self.accuracy.get(dataset, {}).items()
        }
        if not means:
            return ""
        best = max(means, key=means.__getitem__)
        return f"best on {dataset}: {best} {100 * means[best]:.2f} %"

    def line(self, what: str) -> str:
        """Return everything on one line."""
        left = self.seconds_left()
        words = [
            f"[{self.done}/{self.total}] {self.task}" + (f": {what}" if what else ""),
            f"{in_words(left)} left" if left is not None and self.waiting else "",
            self.leader(self.task.dataset),
        ]
        return "; ".join(filter(None, words))

    def _count(self, row: dict) -> None:
        task = task_of(row)
        self.waiting.pop(task, None)
        self.costs.setdefault(_sort_of(task), []).append(row["seconds"])
        if "accuracy" in row and task.kind == "fit":
            machines = self.accuracy.setdefault(task.dataset, {})
            machines.setdefault(task.machine, []).append(row["accuracy"])


class PlainProgress(Progress):
    """Lines, at most one every few seconds, and the last."""

    def __init__(self, tasks, rows, stream: TextIO):
        super().__init__(tasks, rows)
        self.stream = stream
        self.next_line = 0.0

    def show(self, what: str, last: bool = False) -> None:
        now = monotonic()
        if last or now >= self.next_line:
            self.next_line = now + _SECONDS_BETWEEN_LINES
            print(self.line(what), file=self.stream, flush=True)


class RichProgress(Progress):
    """A bar and two lines that stay where they are."""

    def __init__(self, tasks, rows, console):
        from rich.live import Live
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.progress import Progress as Bar

        super().__init__(tasks, rows)
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bar = Bar(*columns, console=console, auto_refresh=False)
        self.of_bar = self.bar.add_task("", total=self.total, left="")
        self.live = Live(console=console, refresh_per_second=4, transient=True)
        self.live.start()

    def show(self, what: str, last: bool = False) -> None:
        from rich.console import Group
        from rich.text import Text

        left = self.seconds_left()
        words = "" if left is None else f"{in_words(left)} left"
        self.bar.update(self.of_bar, completed=self.done, left=words)
        now = f"{self.task}" + (f": {what}" if what else "")
        lines = [Text(now), Text(self.leader(self.task.dataset), style="dim")]
        self.live.update(Group(self.bar, *lines))

    def close(self) -> None:
        self.live.stop()


def make_progress(
    tasks: Sequence[Task], rows: Sequence[dict], verbose: bool | None = None
) -> Progress:
    """Make the display that fits the terminal.

    Parameters
    ----------
    tasks, rows : as in `Progress`

    verbose : bool or None
        False: show nothing. None: only if standard error is a terminal. True: also
        if it is not, as plain lines.
    """
    stream = sys.stderr
    terminal = stream.isatty()
    if verbose is False or (verbose is None and not terminal):
        return Progress(tasks, rows)
    if terminal:
        try:
            from rich.console import Console
        except ImportError:
            pass
        else:
            return RichProgress(tasks, rows, Console(file=stream))
    return PlainProgress(tasks, rows, stream)


def _sort_of(task: Task) -> tuple:
    """Fits that take about as long as each other."""
    return task.kind, task.dataset, task.machine, task.passes
