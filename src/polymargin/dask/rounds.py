"""The run of all rounds: measure, learn, stop.

A round is a step of the loop that all training has (driver/loop.py), which keeps the
time, tells who wants to know, and says why it ends. A round is no epoch of a driver
(driver/epochs.py): its certificate comes with every round at no cost, its model is on
its way to this process while the next one goes on, and what makes a run restartable
happens between two rounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isfinite
from time import perf_counter

import numpy as np
from distributed import Future

from ..certify.certificate import Certificate
from ..driver.epochs import Run
from ..driver.loop import Outcome, Reporter, Stopping, run_steps
from .adaptation import Pace
from .consensus import advance
from .consensus_state import (
    best_weights,
    round_start,
    state_with,
    with_weights,
    zero_state,
)
from .interrupts import remembered_interrupts
from .latest_model import LatestModel, PatientClock
from .local_round import RoundOrder, message_of, rebuilt_weights, run_round
from .partition import needed_features
from .recovery_points import RecoveryPoints
from .round_messages import add_messages
from .round_records import (
    RoundRecord,
    RunProgress,
    StateReport,
    columns_of,
    report_of,
)
from .run_size import RunSize
from .tasks import OutOfTime, Tasks

# Where changes are rounded to float32, W is rebuilt from the dual variables so often.
REBUILD_EVERY = 10
# Rounds in which nothing moved anywhere, after which nothing will.
IDLE_ROUNDS = 2
# To wait for the model of the last round when training was cut short.
LAST_SECONDS = 1.0


def is_not_none(value) -> bool:
    return value is not None


class Rounds:
    """Rounds on partitions that are futures.

    Parameters
    ----------
    tasks : Tasks
    partitions : list of Future
    size : RunSize
        What has to be known of all partitions.
    pace : Pace
        Of the first round.
    features : Future
        Of the `FeatureUnits` of all partitions.
    seed : int
    stopping : Stopping
        `max_iter` counts rounds.
    checkpoint : Checkpoint or None
    """

    def __init__(
        self,
        tasks: Tasks,
        partitions: list,
        size: RunSize,
        pace: Pace,
        features: Future,
        seed: int,
        stopping: Stopping,
        checkpoint,
    ):
        self.tasks = tasks
        self.partitions = partitions
        self.size = size
        self.stopping = stopping
        self.checkpoint = checkpoint
        self.recovery_points = RecoveryPoints(tasks, partitions)
        # Where a partition needs few rows of W, no others travel to it.
        needed = tasks.each(needed_features, partitions)
        compact = tasks.gather(tasks.each(is_not_none, needed))
        self.features = [
            future if few else None for future, few in zip(needed, compact, strict=True)
        ]
        self.clock = PatientClock(stopping.max_time)
        self.seconds_before = 0.0  # of the run that a checkpoint is from
        self.rounded = size.travels == np.float32
        self.results: list = [None] * len(partitions)
        self.pace = pace
        self.state = tasks.one(zero_state, features, size.n_columns, size.travels, pace)
        whole = 3 * size.n_features * size.n_columns * size.travels.itemsize
        self.progress = RunProgress(seed, size.epochs(whole))
        zeros = np.zeros((size.n_features, size.n_columns), size.travels)
        self.latest = LatestModel(tasks, zeros)

    def run(self, reporter: Reporter) -> tuple[Run, np.ndarray]:
        """Run rounds until one of the reasons to stop holds.

        Parameters
        ----------
        reporter : Reporter
            Told about every round that begins and ends; may stop the run.

        Returns
        -------
        run : Run
        weights : ndarray
        """
        if self.checkpoint is not None:
            self._resume()
        patience = None
        try:
            with remembered_interrupts() as check:
                status = run_steps(self._steps(check), self.clock, reporter, "max_iter")
                check()
        except OutOfTime:
            # The first model is waited for: there is no other.
            status, patience = "max_time", LAST_SECONDS if self.latest.number else None
        except KeyboardInterrupt:
            status, patience = "interrupted", LAST_SECONDS
        if not self.latest.fetch_within(patience):
            status = "interrupted"
        latest, records = self.latest, self.progress.history
        history = columns_of(records[: latest.number])
        seconds = self.clock.seconds()
        run = Run(
            latest.certificate, latest.number, status, seconds, history, unit="rounds"
        )
        return run, latest.weights

    def _steps(self, check: Callable[[], None]) -> Iterator[Callable]:
        """Rounds for `run_steps`; what is to be saved is, before another begins."""
        first = self.progress.number
        for number in range(first, max(self.stopping.max_iter, first + 1)):
            if number > first:
                check()
                self._save()
            yield self._round

    def _enough(self, certificate: Certificate) -> bool:
        return self.stopping.enough(certificate.gap, certificate.violation)

    def _round(self, seconds: float) -> Outcome:
        """Run a round in so many seconds; its model is then on its way."""
        self.tasks.deadline = perf_counter() + seconds if isfinite(seconds) else None
        progress = self.progress
        progress.number += 1
        results = self._submit()
        messages = self.tasks.each(message_of, results)
        total = self.tasks.add_up(messages, add_messages)
        state, report, best = self._advance(total)
        self.latest.fetch()  # of the last round, while this one goes on
        report = self.tasks.gather([report], results)[0]
        certificate = self._certificate(report)
        if self.rounded and self._enough(certificate):
            self.state = self._exact_weights()  # of the beginning of the round
            state, report, best = self._advance(total)
            report = self.tasks.gather([report], results)[0]
            certificate = self._certificate(report)
        sums = report.sums
        progress.history.append(
            RoundRecord(
                progress.number,
                self.seconds_before + self.clock.seconds(),
                report.objective,
                report.dual,
                certificate.gap,
                certificate.violation,
                self.pace.sigma,
                self.pace.momentum,
                progress.epochs,
                sums.visits,
                sums.moves,
                sums.bytes,
            )
        )
        self.results, self.state, self.pace = results, state, report.pace
        progress.idle = 0 if sums.moves else progress.idle + 1
        progress.epochs = self.size.epochs(sums.bytes // len(self.partitions))
        if progress.idle:  # less than an epoch may miss what still moves
            progress.epochs = max(progress.epochs, 1.0)
        self.latest.expect(progress.number, certificate, best)
        self.clock.has_model = True
        status = None
        if self._enough(certificate):
            status = "converged"
        elif progress.idle > IDLE_ROUNDS:
            status = "precision"
        return Outcome(progress.history[-1], status)

    def _submit(self) -> list:
        """Let all partitions run a round; return their results."""
        order = RoundOrder(
            self.progress.number,
            self.progress.seed,
            self.progress.epochs,
            self.size.travels,
        )
        whole = None if all(self.features) else self.tasks.one(round_start, self.state)
        starts = [
            self.tasks.one(round_start, self.state, features) if features else whole
            for features in self.features
        ]
        return self.tasks.each(
            run_round,
            range(len(self.partitions)),
            self.partitions,
            self.results,
            starts,
            order=order,
        )

    def _advance(self, total: list) -> tuple:
        """Return the next state, what it tells, and its best weights, as futures."""
        latest = self.stopping.violation_tol is not None
        state = self.tasks.one(advance, self.state, total, latest)
        return (
            state,
            self.tasks.one(report_of, state),
            self.tasks.one(best_weights, state),
        )

    def _certificate(self, report: StateReport) -> Certificate:
        """Of the best Z and the best dual variables so far.

        If W is rounded only a dual objective counts that can still be made exact.
        """
        progress = self.progress
        progress.primal = report.primal
        progress.dual = report.dual if self.rounded else max(progress.dual, report.dual)
        return Certificate(progress.primal, progress.dual, report.sums.violation)

    def _own_weights(self):
        """What the dual variables add to W, summed up."""
        dtype = self.size.travels
        own = self.tasks.each(
            rebuilt_weights, self.partitions, self.results, dtype=dtype
        )
        return self.tasks.add_up(own, add_messages)

    def _exact_weights(self):
        """Return the state with a W that was not added up over rounds."""
        return self.tasks.one(with_weights, self.state, self._own_weights())

    def _save(self) -> None:
        """Rebuild W, write a checkpoint or renew the recovery points, if it is time."""
        number = self.progress.number
        if self.rounded and number % REBUILD_EVERY == 0:
            self.state = self._exact_weights()
        if self.checkpoint is not None:
            if self.checkpoint.is_due(number):
                self.checkpoint.write(
                    self.progress, self.pace, self.tasks, self.state, self.results
                )
                self._read_back()
        elif self.recovery_points.is_due(number):
            *self.results, self.state = self.recovery_points.renew(
                number, [*self.results, self.state]
            )

    def _resume(self) -> None:
        """Go on from a checkpoint, if there is one."""
        found = self.checkpoint.read(len(self.partitions))
        if found is not None:
            self.progress, self.pace = found
            self._read_back()
            done = self.progress
            certificate = Certificate(
                done.primal, done.dual, done.history[-1].violation
            )
            best = self.tasks.one(best_weights, self.state)
            self.latest.expect(done.number, certificate, best)
            # Seconds go on too; only `max_time` is that of this run.
            self.seconds_before = done.history[-1].seconds

    def _read_back(self) -> None:
        """Let what was written be what the next round begins from."""
        checkpoint = self.checkpoint
        self.results = checkpoint.results(self.tasks, self.partitions)
        self.state = checkpoint.state(self.tasks, self.partitions)

    def begin_from(self, results: list, consensus: np.ndarray, sigma: float) -> None:
        """Let the first round begin with these results, this Z and this sigma."""
        self.results = results
        self.pace = replace(self.pace, sigma=min(sigma, self.pace.largest))
        self.state = self.tasks.one(
            state_with, self.state, self._own_weights(), consensus, self.pace
        )
