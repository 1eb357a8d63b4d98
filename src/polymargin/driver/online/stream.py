"""Chunks of a stream, one after the other: progress, history, and when to stop."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...machine.problem import Problem
from ..loop import Clock, History, Outcome, Reporter, cut_short, run_steps
from .driver import OnlineDriver
from .learned_patterns import ARRIVALS


@dataclass(frozen=True)
class LearnedChunk:
    """What is known after a chunk; but for the number, what the history keeps."""

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
    clock = Clock(max_time)
    record = None if history is None else History(history)

    def learn(number: int, chunk: np.ndarray, seconds: float) -> Outcome:
        complete = driver.learn(
            points.take(chunk),
            problem.labels[chunk],
            problem.loss_weights[chunk],
            chunk if may_come_again else None,
            seconds,
        )
        known = (
            driver.n_seen,
            clock.seconds(),
            driver.dual,
            driver.n_patterns,
            driver.work,
        )
        if record is not None:
            record.add(*known)
        return Outcome(LearnedChunk(number, *known)) if complete else cut_short(driver)

    steps = (partial(learn, number, chunk) for number, chunk in enumerate(chunks, 1))
    return run_steps(steps, clock, reporter or Reporter(), "complete")


def in_chunks(order: np.ndarray):
    """Return pieces of `order`, as long as a chunk should be."""
    return (order[start : start + ARRIVALS] for start in range(0, len(order), ARRIVALS))
