"""The run of all rounds: measure, learn, stop."""

from dataclasses import replace
from time import perf_counter

import numpy as np
from distributed import Future

from ..certify import UNCERTIFIED, Certificate
from ..driver import Stopping
from .adaptation import Pace
from .changes import add_messages
from .consensus import advance
from .interrupts import remembered_interrupts
from .lineage import Lineage
from .local_round import Order, message_of, rebuild, run_round
from .model import begin_from, best_of, first_model, publish, with_weights
from .partition import features_of
from .progress import Progress, Report, Round, Size, report_of
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
    size : Size
        What has to be known of all partitions.
    pace : Pace
        Of the first round.
    features : Future
        Of the `Features` of all partitions.
    seed : int
    stopping : Stopping
        `max_iter` counts rounds.
    watcher : DaskTraining
        Told about every round that begins and ends; may stop the run.
    checkpoint : Checkpoint or None
    """

    def __init__(
        self,
        tasks: Tasks,
        partitions: list,
        size: Size,
        pace: Pace,
        features: Future,
        seed: int,
        stopping: Stopping,
        watcher,
        checkpoint,
    ):
        self.tasks = tasks
        self.partitions = partitions
        self.size = size
        self.stopping = stopping
        self.watcher = watcher
        self.checkpoint = checkpoint
        self.lineage = Lineage(tasks, partitions)
        # Where a partition needs few rows of W, no others travel to it.
        needed = tasks.each(features_of, partitions)
        compact = tasks.gather(tasks.each(is_not_none, needed))
        self.features = [
            future if few else None for future, few in zip(needed, compact, strict=True)
        ]
        self.start = self.clock = perf_counter()
        self.rounded = size.travels == np.float32
        self.results: list = [None] * len(partitions)
        self.pace = pace
        self.model = tasks.one(
            first_model, features, size.n_columns, size.travels, pace
        )
        whole = 3 * size.n_features * size.n_columns * size.travels.itemsize
        self.progress = Progress(seed, size.epochs(whole))
        # The model of the last round that ended, whatever happens in the next: here,
        # with its certificate and number, or on its way.
        zeros = np.zeros((size.n_features, size.n_columns), size.travels)
        self.certified = 0, UNCERTIFIED, zeros
        self.coming: tuple | None = None

    def run(self) -> tuple[str, Certificate, np.ndarray]:
        """Run rounds until one of the reasons to stop holds.

        Returns
        -------
        status : str
        certificate : Certificate
        weights : ndarray
        """
        if self.checkpoint is not None:
            self._resume()
        status, patience = None, None
        try:
            with remembered_interrupts() as check:
                while status is None:
                    status = self._round_and_save()
                    check()
        except OutOfTime:
            # The first model is waited for: there is no other.
            status, patience = "max_time", LAST_SECONDS if self.certified[0] else None
        except KeyboardInterrupt:
            status, patience = "interrupted", LAST_SECONDS
        if not self._last_call(patience):
            status = "interrupted"
        number, certificate, best = self.certified
        del self.progress.history[number:]
        return status, certificate, best

    def _last_call(self, patience: float | None) -> bool:
        """Wait so long for a model that is on its way; False after Ctrl-C."""
        tasks = self.tasks
        tasks.deadline = None if patience is None else perf_counter() + patience
        try:
            self.best()
        except OutOfTime:
            pass  # the model before it is here
        except KeyboardInterrupt:
            return False
        finally:
            tasks.deadline = None
        return True

    def best(self) -> np.ndarray:
        """Return the best weights of the last round that ended."""
        if self.coming is not None:
            number, certificate, best = self.coming
            self.certified = number, certificate, self.tasks.gather([best])[0]
            self.coming = None
        return self.certified[-1]

    def _round_and_save(self) -> str | None:
        """Run a round; return why to stop after it, or None."""
        self.watcher._begin_round()
        certificate, best = self._round()
        self.coming = self.progress.number, certificate, best
        if self.stopping.max_time is not None:
            self.tasks.deadline = self.start + self.stopping.max_time
        stop = self.watcher._end_round(self.progress.history[-1])
        if self._enough(certificate):
            return "converged"
        status = "callback" if stop else self._why_stop()
        if status is None:
            self._save()
        return status

    def _why_stop(self) -> str | None:
        progress, limit = self.progress, self.stopping.max_time
        if progress.number >= self.stopping.max_iter:
            return "max_iter"
        if limit is not None and perf_counter() - self.start > limit:
            return "max_time"
        return "precision" if progress.idle > IDLE_ROUNDS else None

    def _enough(self, certificate: Certificate) -> bool:
        return self.stopping.enough(certificate.gap, certificate.violation)

    def _round(self) -> tuple:
        """Run a round; return a certificate, and its model as a future."""
        progress = self.progress
        progress.number += 1
        results = self._submit()
        messages = self.tasks.each(message_of, results)
        total = self.tasks.add_up(messages, add_messages)
        model, report, best = self._advance(total)
        self.best()  # of the last round, while this one goes on
        report = self.tasks.gather([report], results)[0]
        certificate = self._certificate(report)
        if self.rounded and self._enough(certificate):
            self.model = self._exact_weights()  # of the beginning of the round
            model, report, best = self._advance(total)
            report = self.tasks.gather([report], results)[0]
            certificate = self._certificate(report)
        sums = report.sums
        progress.history.append(
            Round(
                progress.number,
                perf_counter() - self.clock,
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
        self.results, self.model, self.pace = results, model, report.pace
        progress.idle = 0 if sums.moves else progress.idle + 1
        progress.epochs = self.size.epochs(sums.bytes // len(self.partitions))
        if progress.idle:  # less than an epoch may miss what still moves
            progress.epochs = max(progress.epochs, 1.0)
        return certificate, best

    def _submit(self) -> list:
        """Let all partitions run a round; return their results."""
        order = Order(
            self.progress.number,
            self.progress.seed,
            self.progress.epochs,
            self.size.travels,
        )
        whole = None if all(self.features) else self.tasks.one(publish, self.model)
        starts = [
            self.tasks.one(publish, self.model, features) if features else whole
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
        """Return the next model, what it tells, and its best weights, as futures."""
        latest = self.stopping.violation_tol is not None
        model = self.tasks.one(advance, self.model, total, latest)
        return model, self.tasks.one(report_of, model), self.tasks.one(best_of, model)

    def _certificate(self, report: Report) -> Certificate:
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
        own = self.tasks.each(rebuild, self.partitions, self.results, dtype=dtype)
        return self.tasks.add_up(own, add_messages)

    def _exact_weights(self):
        """Return the model with a W that was not added up over rounds."""
        return self.tasks.one(with_weights, self.model, self._own_weights())

    def _save(self) -> None:
        """Rebuild W, write a checkpoint or cut the lineage, if it is time to."""
        number = self.progress.number
        if self.rounded and number % REBUILD_EVERY == 0:
            self.model = self._exact_weights()
        if self.checkpoint is not None:
            if self.checkpoint.is_due(number):
                self.checkpoint.write(
                    self.progress, self.pace, self.tasks, self.model, self.results
                )
                self._read_back()
        elif self.lineage.is_due(number):
            *self.results, self.model = self.lineage.cut(
                number, [*self.results, self.model]
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
            best = self.tasks.one(best_of, self.model)
            self.coming = done.number, certificate, best
            # Seconds go on too; only `max_time` is that of this run.
            self.clock = perf_counter() - self.progress.history[-1].seconds

    def _read_back(self) -> None:
        """Let what was written be what the next round begins from."""
        checkpoint = self.checkpoint
        self.results = checkpoint.results(self.tasks, self.partitions)
        self.model = checkpoint.model(self.tasks, self.partitions)

    def begin_from(self, results: list, consensus: np.ndarray, sigma: float) -> None:
        """Let the first round begin with these results, this Z and this sigma."""
        self.results = results
        self.pace = replace(self.pace, sigma=min(sigma, self.pace.largest))
        self.model = self.tasks.one(
            begin_from, self.model, self._own_weights(), consensus, self.pace
        )
