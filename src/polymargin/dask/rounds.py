"""The run of all rounds: measure, accept or take back, learn, stop."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from ..certify import Certificate
from ..driver import Stopping
from .adaptation import Sigma, epochs_for
from .changes import RowChange, Sums
from .local_round import Order, rebuild, run_round, sums_of
from .tasks import Tasks

# W is rebuilt from the dual variables so often, because rounding adds up.
REBUILD_EVERY = 10
# Rounds in which nothing moved anywhere, after which nothing will.
IDLE_ROUNDS = 2


@dataclass
class Round:
    """What is known after a round; the certificate is that of its beginning."""

    round: int
    seconds: float
    objective: float
    dual_objective: float
    gap: float
    violation: float
    sigma: float
    epochs: int
    visits: int
    moves: int
    bytes: int
    accepted: bool

    def __str__(self) -> str:
        return (
            f"round {self.round:4d}  gap {self.gap:9.3e}  "
            f"violation {self.violation:9.3e}  {self.bytes / 1e6:9.3f} MB  "
            f"{self.seconds:8.2f} s" + ("" if self.accepted else "  taken back")
        )


@dataclass
class Progress:
    """What a run goes on from, beside the states of the partitions.

    Attributes
    ----------
    seed : int
    number : int
        Rounds so far.
    sigma : float
    epochs : int
        Of the next round, in a partition.
    idle : int
        Rounds since anything moved.
    history : list of Round
    """

    seed: int
    number: int
    sigma: float
    epochs: int
    idle: int = 0
    history: list[Round] = field(default_factory=list)


class Rounds:
    """Rounds of CoCoA+ on partitions that are futures.

    Parameters
    ----------
    tasks : Tasks
    partitions : list of Future
    size : Size
        What has to be known of all partitions.
    seed : int
    stopping : Stopping
        `max_iter` counts rounds.
    report : callable
        Told about every `Round`.
    checkpoint : Checkpoint or None
    """

    def __init__(
        self, tasks: Tasks, partitions, size, seed, stopping: Stopping, report, checkpoint
    ):
        self.tasks = tasks
        self.partitions = partitions
        self.size = size
        self.stopping = stopping
        self.report = report
        self.checkpoint = checkpoint
        self.start = perf_counter()
        self.results: list = [None] * len(partitions)
        self.arrived = None  # the change that the next round adds to W
        self.squared_norm = 0.0  # of W, with that change
        self.exact = True  # whether W is what the dual variables say
        safe = max(size.parts_with_rows, 1)
        self.progress = Progress(
            seed=seed,
            number=0,
            sigma=safe,
            epochs=epochs_for(size.largest * size.n_columns, size.bytes_of_weights),
        )

    def run(self) -> tuple[str, Certificate, RowChange]:
        """Run rounds until one of the reasons to stop holds.

        Returns
        -------
        status : str
        certificate : Certificate
        weights : RowChange
            W itself.
        """
        if self.checkpoint is not None:
            self._resume()
        while True:
            status = self._why_stop()
            if status is not None:
                certificate = self._certify()
                if status == "enough" and not self._enough(certificate):
                    self.candidate = False
                    continue
                enough = self._enough(certificate)
                status = "converged" if enough else status
                return status, certificate, self.tasks.gather([self.arrived])[0].change
            self._round()

    candidate = False  # whether the last round began with a gap that is small enough

    def _why_stop(self) -> str | None:
        progress, limit = self.progress, self.stopping.max_time
        if self.candidate:
            return "enough"
        if progress.number >= self.stopping.max_iter:
            return "max_iter"
        if limit is not None and perf_counter() - self.start > limit:
            return "max_time"
        return "precision" if progress.idle > IDLE_ROUNDS else None

    def _enough(self, certificate: Certificate) -> bool:
        return self.stopping.enough(certificate.gap, certificate.violation)

    def _round(self) -> None:
        progress = self.progress
        sigma = Sigma(max(self.size.parts_with_rows, 1), progress.sigma)
        progress.number += 1
        results, arrived = self._submit(sigma.value, progress.epochs)
        sums, change_squares, change_bytes = self._sums(results, arrived)
        certificate = self._certificate(sums)
        squared_norm = self.squared_norm + 2 * sums.inner + change_squares
        new_dual = sums.new_terms - squared_norm / 2
        accepted = sigma.accepts(certificate.dual, new_dual)
        done = Round(
            progress.number,
            perf_counter() - self.start,
            certificate.primal,
            certificate.dual,
            certificate.gap,
            certificate.violation,
            sigma.value,
            progress.epochs,
            sums.visits,
            sums.moves,
            sums.bytes + change_bytes * len(self.partitions),
            accepted,
        )
        if accepted:
            self.results, self.arrived = results, arrived
            self.squared_norm, self.exact = squared_norm, False
            sigma.follow(change_squares, sums.squares)
        else:
            sigma.retreat()
        progress.sigma = sigma.value
        progress.idle = 0 if sums.moves else progress.idle + 1
        traffic = change_bytes + sums.bytes // len(self.partitions)
        progress.epochs = epochs_for(self.size.largest * self.size.n_columns, traffic)
        progress.history.append(done)
        self.candidate = self._enough(certificate)
        self.report(done)
        saving = self.checkpoint is not None and self.checkpoint.is_due(progress.number)
        if saving or progress.number % REBUILD_EVERY == 0:
            self._rebuild()
        if saving:
            self.checkpoint.write(progress, self.tasks, self.results)

    def _submit(self, sigma: float, epochs: int):
        """Start a round; return its results and the sum of its messages."""
        progress, travels = self.progress, self.size.travels
        order = Order(progress.number, progress.seed, sigma, epochs, travels)
        results = self.tasks.each(
            run_round,
            range(len(self.partitions)),
            self.partitions,
            self.results,
            arrived=self.arrived,
            order=order,
        )
        return results, self.tasks.add_up(results)

    def _sums(self, results, arrived) -> tuple[Sums, float, int]:
        return self.tasks.gather([self.tasks.one(sums_of, arrived)], results)[0]

    def _certificate(self, sums: Sums) -> Certificate:
        half = self.squared_norm / 2
        return Certificate(sums.losses + half, sums.terms - half, sums.violation)

    def _rebuild(self) -> None:
        """Replace W by what the dual variables say."""
        if self.exact:
            return
        dtype = self.size.dtype
        results = self.tasks.each(rebuild, self.partitions, self.results, dtype=dtype)
        arrived = self.tasks.add_up(results)
        _, self.squared_norm, _ = self._sums(results, arrived)
        self.results, self.arrived, self.exact = results, arrived, True

    def _certify(self) -> Certificate:
        """Measure the W that the dual variables say."""
        self._rebuild()
        results, arrived = self._submit(1.0, epochs=0)
        return self._certificate(self._sums(results, arrived)[0])

    def _resume(self) -> None:
        """Go on from a checkpoint, if there is one."""
        found = self.checkpoint.read(self.tasks, len(self.partitions))
        if found is not None:
            self.progress, self.results = found
            self.exact = False
            self._rebuild()


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
    parts_with_rows : int
    dtype, travels : dtype
        Number format of the rows, and that in which changes of W travel.
    """

    n_features: int
    n_columns: int
    largest: int
    parts_with_rows: int
    dtype: np.dtype
    travels: np.dtype

    @property
    def bytes_of_weights(self) -> int:
        return self.n_features * self.n_columns * self.travels.itemsize
