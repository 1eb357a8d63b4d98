"""The run of all rounds: measure, learn, stop."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from ..certify import UNCERTIFIED, Certificate
from ..driver import Stopping
from .adaptation import EPOCHS_ALONE, Sigma, share_of_epoch
from .changes import Message, Sums
from .lineage import Lineage
from .local_round import Order, follow, rebuild, run_round
from .tasks import OutOfTime, Tasks

# Where changes are rounded to float32, W is rebuilt from the dual variables so often.
REBUILD_EVERY = 10
# Rounds in which nothing moved anywhere, after which nothing will.
IDLE_ROUNDS = 2


@dataclass(frozen=True)
class Size:
    """How large the problem and its parts are.

    Attributes
    ----------
    n_features : int
        Rows of W.
    n_columns : int
    largest : int
        Non-zeros of the largest partition.
    parts : int
        Partitions that have rows.
    dtype, travels : dtype
        Number format of the rows, and that in which changes of W travel.
    """

    n_features: int
    n_columns: int
    largest: int
    parts: int
    dtype: np.dtype
    travels: np.dtype

    def epochs(self, bytes_sent: int) -> float:
        """Return the epochs for a round of this traffic."""
        if self.parts < 2:
            return EPOCHS_ALONE
        return share_of_epoch(self.largest * self.n_columns, bytes_sent)


@dataclass
class Round:
    """What is known after a round; of the model, what it was at the beginning."""

    round: int
    seconds: float
    objective: float
    dual_objective: float
    gap: float
    violation: float
    sigma: float
    epochs: float
    visits: int
    moves: int
    bytes: int

    @property
    def number(self) -> int:
        return self.round

    def __str__(self) -> str:
        return (
            f"round {self.round:4d}  gap {self.gap:9.3e}  "
            f"violation {self.violation:9.3e}  {self.bytes / 1e6:9.3f} MB  "
            f"{self.seconds:8.2f} s"
        )


@dataclass
class Progress:
    """What a run goes on from, beside matrices and the states of the partitions.

    Attributes
    ----------
    seed : int
    sigma : Sigma
    epochs : float
        Of the next round, in a partition: perhaps less than one.
    number : int
        Rounds so far.
    theta, push : float
        Of the next round, as in `Order`.
    idle : int
        Rounds since anything moved.
    primal, dual : float
        The smallest objective and the largest dual objective so far.
    history : list of Round
    """

    seed: int
    sigma: Sigma
    epochs: float
    number: int = 0
    theta: float = 0.0
    push: float = 0.0
    idle: int = 0
    primal: float = float("inf")
    dual: float = float("-inf")
    history: list[Round] = field(default_factory=list)


class Rounds:
    """Rounds on partitions that are futures.

    Parameters
    ----------
    tasks : Tasks
    partitions : list of Future
    size : Size
        What has to be known of all partitions.
    seed : int
    stopping : Stopping
        `max_iter` counts rounds.
    watcher : DaskTraining
        Told about every round that begins and ends; may stop the run.
    checkpoint : Checkpoint or None
    """

    def __init__(
        self, tasks: Tasks, partitions, size: Size, seed, stopping, watcher, checkpoint
    ):
        self.tasks = tasks
        self.partitions = partitions
        self.size = size
        self.stopping: Stopping = stopping
        self.watcher = watcher
        self.checkpoint = checkpoint
        self.lineage = Lineage(tasks, partitions)
        self.start = self.clock = perf_counter()
        self.rounded = size.travels == np.float32
        self.results: list = [None] * len(partitions)
        self.arrived = None  # the change that the next round adds to W
        shape = (size.n_features, size.n_columns)
        # W with that change, Z without, and the Z with the smallest objective.
        self.weights, self.consensus = np.zeros(shape), np.zeros(shape)
        self.best = self.consensus
        whole = size.n_features * size.n_columns * size.travels.itemsize
        sigma = Sigma(size.parts, size.parts)
        self.progress = Progress(seed, sigma, size.epochs(whole))

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
        # The model of the last round that ended, whatever happens in the next.
        self.certified = UNCERTIFIED, self.best
        status = None
        try:
            while status is None:
                status = self._round_and_save()
        except OutOfTime:
            status = "max_time"
        except KeyboardInterrupt:
            status = "interrupted"
        self.tasks.deadline = None
        return status, *self.certified

    def _round_and_save(self) -> str | None:
        """Run a round; return why to stop after it, or None."""
        self.watcher._begin_round()
        certificate = self._round()
        self.certified = certificate, self.best
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

    def _round(self) -> Certificate:
        """Run a round; return the certificate of the model with which it began."""
        progress, last = self.progress, self.consensus
        progress.number += 1
        self.consensus = follow(last, self.weights, progress.theta)
        results, arrived, message = self._submit(progress)
        sums = message.sums
        objective = sums.losses + np.sum(self.consensus**2) / 2
        if objective < progress.primal or self.stopping.violation_tol is not None:
            progress.primal, self.best = float(objective), self.consensus
        certificate = self._certificate(sums)
        if self.rounded and self._enough(certificate):
            self._rebuild()  # from the dual variables with which the round began
            certificate = self._certificate(sums)
        sigma = progress.sigma
        progress.history.append(
            Round(
                progress.number,
                perf_counter() - self.clock,
                float(objective),
                self._dual(sums),
                certificate.gap,
                certificate.violation,
                sigma.value,
                progress.epochs,
                sums.visits,
                sums.moves,
                sums.bytes + message.change.nbytes * len(self.partitions),
            )
        )
        progress.sigma.watch(self._dual(sums))
        self.results, self.arrived = results, arrived
        self.weights = self.weights + message.change.rows(None)
        self._learn(message)
        return certificate

    def _learn(self, message: Message) -> None:
        progress, sums = self.progress, message.sums
        sigma, used = progress.sigma, progress.sigma.value
        progress.idle = 0 if sums.moves else progress.idle + 1
        average = sums.bytes // len(self.partitions)
        progress.epochs = self.size.epochs(message.change.nbytes + average)
        if self.size.parts < 2:  # Z is W
            progress.theta = 1.0
            return
        progress.theta = used / (self.size.parts + used)
        ahead = progress.theta * np.linalg.norm(self.weights - self.consensus)
        sigma.balance(
            float(np.linalg.norm(self.weights)),
            float(ahead),
            sums.change_squares**0.5,
            sums.own_squares**0.5,
        )
        progress.push = sigma.value / used

    def _submit(self, progress: Progress):
        """Run a round; return its results, the sum of its messages, and that sum."""
        order = Order(
            progress.number,
            progress.seed,
            progress.sigma.value,
            progress.theta,
            progress.push,
            progress.epochs,
            self.size.travels,
        )
        results = self.tasks.each(
            run_round,
            range(len(self.partitions)),
            self.partitions,
            self.results,
            arrived=self.arrived,
            order=order,
        )
        arrived = self.tasks.add_up(results)
        return results, arrived, self.tasks.gather([arrived], results)[0]

    def _dual(self, sums: Sums) -> float:
        """Of the dual variables with which the round began."""
        return sums.terms - float(np.sum(self.weights**2)) / 2

    def _certificate(self, sums: Sums) -> Certificate:
        """Of the best Z and the best dual variables so far.

        If W is rounded only a dual objective counts that can still be made exact.
        """
        progress, dual = self.progress, self._dual(sums)
        progress.dual = dual if self.rounded else max(progress.dual, dual)
        return Certificate(progress.primal, progress.dual, sums.violation)

    def _rebuild(self) -> None:
        """Replace W by what the dual variables say."""
        dtype = self.size.dtype
        results = self.tasks.each(rebuild, self.partitions, self.results, dtype=dtype)
        arrived = self.tasks.add_up(results)
        message = self.tasks.gather([arrived], results)[0]
        self.results, self.arrived = results, arrived
        self.weights = message.change.rows(None)

    def _save(self) -> None:
        """Rebuild W, write a checkpoint or cut the lineage, if it is time to."""
        number = self.progress.number
        saving = self.checkpoint is not None and self.checkpoint.is_due(number)
        if saving:
            matrices = {"consensus": self.consensus, "best": self.best}
            self.checkpoint.write(self.progress, matrices, self.tasks, self.results)
            self.results = self.checkpoint.results(self.tasks, self.partitions)
        if saving or (self.rounded and number % REBUILD_EVERY == 0):
            self._rebuild()
        if self.checkpoint is None and self.lineage.is_due(number):
            self.results, self.arrived = self.lineage.cut(
                number, self.results, self.arrived
            )

    def _resume(self) -> None:
        """Go on from a checkpoint, if there is one."""
        found = self.checkpoint.read(len(self.partitions))
        if found is not None:
            self.progress, matrices = found
            results = self.checkpoint.results(self.tasks, self.partitions)
            self.begin_from(results, matrices["consensus"])
            self.best = matrices["best"]
            # Seconds go on too; only `max_time` is that of this run.
            self.clock = perf_counter() - self.progress.history[-1].seconds

    def begin_from(self, results: list, consensus: np.ndarray) -> None:
        """Let the next round begin with these results and this Z."""
        self.results, self.consensus, self.best = results, consensus, consensus
        self._rebuild()
