"""The loop of training: its time, its history, who is told, and why it ends.

A step is an epoch of a driver (`epochs`), or a chunk of a stream (`online.stream`).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol


class Progress(Protocol):
    """What is known after a step, as a line to print."""

    @property
    def number(self) -> int:
        """How many steps there were."""

    def __str__(self) -> str: ...


class Reporter:
    """Is told about every step; this one does not care.

    Attributes
    ----------
    watches : bool
        Whether it has to be told of every epoch; otherwise several may be one step.
    """

    watches = False

    def begin(self) -> None:
        """Take note that a step begins."""

    def end(self, progress: Progress) -> bool:
        """Take note that it has ended, and say whether to stop."""
        return False


@dataclass(frozen=True)
class Stopping:
    """When to stop: the first of these that holds.

    Attributes
    ----------
    tol : float
        Relative duality gap.
    violation_tol : float or None
        Largest violation of the optimality conditions; replaces `tol`.
    max_iter : int
        Steps.
    max_time : float or None
        Seconds; None and infinity are no limit.
    """

    tol: float
    violation_tol: float | None = None
    max_iter: int = 1000
    max_time: float | None = None

    def enough(self, gap: float, violation: float) -> bool:
        if self.violation_tol is not None:
            return violation <= self.violation_tol
        return gap <= self.tol


class OutOfTime(Exception):
    """The time is over before there is something to train."""


class Clock:
    """The seconds of a run.

    Parameters
    ----------
    max_time : float or None
        Most of them, counted or not.

    Attributes
    ----------
    reserved : float
        How many of the last ones are for what has to be done at the end.
    """

    def __init__(self, max_time: float | None = None):
        self.limit = float("inf") if max_time is None else max_time
        self.reserved = 0.0
        self._start = perf_counter()
        self._not_counted = 0.0

    def seconds(self) -> float:
        """Return the seconds so far, but for those that are not counted."""
        return perf_counter() - self._start - self._not_counted

    def left(self) -> float:
        """Return the seconds that are left, whatever was counted."""
        return self.limit - (perf_counter() - self._start) - self.reserved

    def check(self) -> None:
        """Raise `OutOfTime` if no time is left."""
        if self.left() <= 0:
            raise OutOfTime

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Do not count what happens in this context; the time it takes is over."""
        start = perf_counter()
        try:
            yield
        finally:
            self._not_counted += perf_counter() - start


class History:
    """What was known after every step, by name.

    Parameters
    ----------
    columns : dict of lists
        Of a history that goes on.
    """

    def __init__(self, columns: dict[str, list]):
        self.columns = columns

    @classmethod
    def of(cls, names: Iterable[str]) -> "History":
        """Return a history without steps."""
        return cls({name: [] for name in names})

    def add(self, *values) -> None:
        """Add a step, with a value for each name."""
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)


@dataclass(frozen=True)
class Outcome:
    """How a step ended.

    Attributes
    ----------
    progress : Progress or None
        None if the step was cut short: then nobody is told.
    status : str or None
        Why to stop after it, if there is a reason.
    """

    progress: Progress | None
    status: str | None = None


def cut_short(driver) -> Outcome:
    """How a step ended that a driver did not bring to its end."""
    return Outcome(None, "interrupted" if driver.interrupted else "max_time")


def run_steps(
    steps: Iterable[Callable[[float], Outcome]],
    clock: Clock,
    reporter: Reporter,
    at_the_end: str,
) -> str:
    """Run one step after the other, and say why it ended.

    Parameters
    ----------
    steps : iterable of callables
        Each takes the seconds that are left.
    clock : Clock
    reporter : Reporter
        May stop the run.
    at_the_end : str
        What to say after the last step.

    Returns
    -------
    status : str
    """
    for step in steps:
        left = clock.left()
        if left <= 0:
            return "max_time"
        reporter.begin()
        outcome = step(left)
        asked = outcome.progress is not None and reporter.end(outcome.progress)
        # Who asks to stop a run that has just converged does not spoil that.
        if outcome.status is not None and not (asked and outcome.status == "precision"):
            return outcome.status
        if asked:
            return "callback"
    return at_the_end
