"""Chunks of a stream, one after the other: progress, history, and when to stop."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .driver import Reporter
from .online import ARRIVALS, OnlineDriver
from .problem import Problem


@dataclass(frozen=True)
class Progress:
    """What is known after a chunk."""

    number: int
    examples: int
    seconds: float
    dual: float
    n_support: int
    work: float

    def __str__(self) -> str:
        return (
            f"{self.examples:9,d} examples  dual {self.dual:12.6g}  "
            f"{self.n_support:7,d} support patterns  {self.seconds:8.2f} s"
        )


HISTORY_FIELDS = ("examples", "seconds", "dual", "n_support", "work")


def learn_chunks(
    driver: OnlineDriver,
    points,
    problem: Problem,
    chunks,
    *,
    may_come_again: bool = False,
    max_time: float | None = None,
    reporter: Reporter | None = None,
    history: dict[str, list] | None = None,
) -> str:
    """Learn from chunks of examples, and say how it ended.

    Parameters
    ----------
    driver : OnlineDriver
    points : Points or Positions
        All of them.
    problem : Problem
        Their labels and C_i.
    chunks : iterable of ndarray of int
        Positions in `points`.
    may_come_again : bool
        Whether the points may be given again; support patterns are passed over then.
    max_time : float or None
        Most seconds.
    reporter : Reporter or None
        Told about every chunk; may stop the run.
    history : dict of lists or None
        Takes what is known after every chunk.

    Returns
    -------
    status : {"complete", "interrupted", "max_time", "callback"}
    """
    reporter = reporter or Reporter()
    start = perf_counter()
    limit = float("inf") if max_time is None else max_time
    for number, chunk in enumerate(chunks, 1):
        left = limit - (perf_counter() - start)
        if left <= 0:
            return "max_time"
        reporter.begin()
        complete = driver.learn(
            points.take(chunk),
            problem.labels[chunk],
            problem.caps[chunk],
            chunk if may_come_again else None,
            left,
        )
        progress = Progress(
            number,
            driver.n_seen,
            perf_counter() - start,
            driver.dual,
            driver.n_patterns,
            driver.work,
        )
        if history is not None:
            for name in HISTORY_FIELDS:
                history[name].append(getattr(progress, name))
        if not complete:
            return "interrupted" if driver.interrupted else "max_time"
        if reporter.end(progress):
            return "callback"
    return "complete"


def in_chunks(order: np.ndarray):
    """Return pieces of `order`, as long as a chunk should be."""
    return (order[start : start + ARRIVALS] for start in range(0, len(order), ARRIVALS))
