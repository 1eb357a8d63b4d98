"""Epochs of a driver until a certificate says it is enough.

The visits themselves are mostly C++; what happens between two epochs is here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil, isfinite, isinf, log
from time import perf_counter

from ..base.counted import counted
from ..certify.certificate import UNCERTIFIED, Certificate, relative_gap
from .loop import Clock, History, Outcome, Reporter, Stopping, cut_short, run_steps
from .protocol import Driver, EpochReport

HISTORY_FIELDS = (
    "epoch",
    "seconds",
    "objective",
    "dual_objective",
    "gap",
    "violation",
    "visits",
    "moves",
)


# W is rebuilt from the dual variables at least this often, a certificate rebuilds it
# too: it removes the drift of many small additions, which float32 feels, and costs a
# fraction of an epoch.
REBUILD_EVERY = 10


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch.

    Unless it is `certified`, the gap is an estimate by losses as they were last seen.
    It may be below the truth, and nothing is known of it where that makes it zero.
    """

    number: int
    seconds: float
    gap: float
    violation: float
    certified: bool = True

    @property
    def gap_text(self) -> str:
        """The gap in few words, with what it is worth."""
        if self.certified:
            return f"{self.gap:.2e}"
        return f"about {self.gap:.0e}" if self.gap > 0 else "not known yet"

    def __str__(self) -> str:
        known = isfinite(self.violation)  # Newton steps do not look at it
        violation = f"violation {self.violation:9.3e}" if known else f"{'':19}"
        return (
            f"epoch {self.number:5d}  gap {self.gap_text:13}  {violation}  "
            f"{self.seconds:8.2f} s"
        )


@dataclass(frozen=True)
class Run:
    """How a run ended.

    Attributes
    ----------
    certificate : Certificate
    iterations : int
        Epochs, or what the driver counts in their place.
    status : str
    seconds : float
    history : dict of lists or None
        By name, with an entry for each epoch.
    newton_steps : int
        How many of the iterations were Newton steps.
    unit : str
        What the others were.
    """

    certificate: Certificate
    iterations: int
    status: str
    seconds: float
    history: dict[str, list[float]] | None = field(default=None)
    newton_steps: int = 0
    unit: str = "epochs"

    @property
    def tried(self) -> str:
        """What was done, in few words."""
        others = self.iterations - self.newton_steps
        parts = [counted(others, self.unit)] if others or not self.newton_steps else []
        if self.newton_steps:
            parts.append(counted(self.newton_steps, "Newton steps"))
        return " and ".join(parts)


class _Epochs:
    """The state of a run: one method per thing that happens between two epochs."""

    def __init__(
        self, driver: Driver, stopping: Stopping, history: bool, watched: bool
    ):
        self.driver = driver
        # Several epochs at once, if the driver can and nobody looks at each.
        self.several = None
        if not (history or watched):
            self.several = getattr(driver, "epochs_at_once", None)
        self.stopping = stopping
        self.history = History.of(HISTORY_FIELDS) if history else None
        self.clock = Clock(stopping.max_time)
        self.number = 0
        self.next_check = 0
        self.estimates: list[float] = [1.0]  # of the gap; of weights that are zero
        self.rebuilt = 0  # after so many epochs, the last time
        self.longest = 0.0  # seconds of a certificate
        self.idle = 0  # epochs in which nothing moved, since W was rebuilt
        self.certificate: Certificate | None = None

    def measure_certificate(self) -> None:
        """If time is limited, see how long the certificate at the end will take."""
        if not isinf(self.clock.limit):
            self.certify()

    def reserve_time(self) -> None:
        """Keep time for a certificate: what the driver says, or the longest so far."""
        ask = getattr(self.driver, "certificate_seconds", None)
        self.clock.reserved = self.longest if ask is None else ask()

    def steps(self) -> Iterator[Callable[[float], Outcome]]:
        """Go on as long as there are epochs left."""
        while self.number < self.stopping.max_iter:
            yield self.step

    def step(self, seconds: float) -> Outcome:
        """Run an epoch, or several."""
        self.certificate = None
        if self.several is None:
            report = self.driver.epoch(seconds)
        else:
            report = self.several(seconds, self.stopping.max_iter - self.number)
        self.reserve_time()
        self.number += report.epochs - report.stopped
        return cut_short(self.driver) if report.stopped else self.look_at(report)

    def look_at(self, report: EpochReport) -> Outcome:
        """Certify or rebuild if it is time to, and say whether to stop and why."""
        gap = relative_gap(report.primal_estimate, report.dual)
        violation = report.violation
        self.estimates += [gap] * (self.number + 1 - len(self.estimates))
        stuck = not report.moves and self.idle > 0
        self.idle = 0 if report.moves else self.idle + 1

        if self.history is not None:
            with self.clock.stopped():
                self.certify()
        elif self.number >= self.next_check and (
            stuck or self.stopping.enough(gap, violation)
        ):
            self.certify()
            self.next_check = self.number + self.epochs_to_wait()
        elif self.idle or self.number >= self.rebuilt + REBUILD_EVERY:
            self.driver.rebuild()
            self.rebuilt = self.number
        if self.driver.interrupted:
            return Outcome(None, "interrupted")

        certificate, status = self.certificate, None
        if certificate is not None:
            gap, violation = certificate.gap, certificate.violation
            self.keep(certificate, report)
            if self.is_enough(certificate):
                status = "converged"
            elif stuck:  # nothing moved, W was rebuilt, and again nothing moved
                status = "precision"
        certified = certificate is not None
        epoch = Epoch(self.number, self.clock.seconds(), gap, violation, certified)
        return Outcome(epoch, status)

    def epochs_to_wait(self) -> int:
        """Return after how many epochs the gap is small enough, if it falls as it did
        in the last half of them; at most a tenth of the epochs so far.
        """
        most = max(1, self.number // 10)
        if self.certificate is None or self.stopping.violation_tol is not None:
            return most
        gap, tol = self.certificate.gap, self.stopping.tol
        before, now = self.estimates[self.number // 2], self.estimates[self.number]
        if not (isfinite(gap) and 0 < tol < gap and 0 < now < before):
            return most
        rate = log(before / now) / (self.number - self.number // 2)
        return min(max(1, ceil(log(gap / tol) / rate)), most)

    def certify(self) -> None:
        """Compute the certificate; a signal in between leaves the model uncertified."""
        start = perf_counter()
        result = self.driver.certify()
        self.longest = max(self.longest, perf_counter() - start)
        self.reserve_time()
        self.rebuilt = self.number
        self.certificate = UNCERTIFIED if result is None else Certificate(*result)

    def is_enough(self, certificate: Certificate) -> bool:
        """Whether a certificate ends the run; what is not finite proves nothing."""
        return isfinite(certificate.gap) and self.stopping.enough(
            certificate.gap, certificate.violation
        )

    def keep(self, certificate: Certificate, report: EpochReport) -> None:
        if self.history is not None:
            self.history.add(
                self.number,
                self.clock.seconds(),
                certificate.primal,
                certificate.dual,
                certificate.gap,
                certificate.violation,
                report.visits,
                report.moves,
            )

    def finish(self, status: str) -> Run:
        """Certify the model if that has not been done, and sum up the run."""
        # Who pressed Ctrl-C does not wait for another pass over the data.
        if status == "interrupted":
            self.certificate = self.certificate or UNCERTIFIED
        elif self.certificate is None:
            self.certify()
            if self.driver.interrupted:
                status = "interrupted"
            elif status == "max_iter" and self.is_enough(self.certificate):
                status = "converged"
        history = self.history and self.history.columns
        iterations = getattr(self.driver, "iterations", self.number)
        return Run(
            self.certificate,
            iterations,
            status,
            self.clock.seconds(),
            history,
            getattr(self.driver, "newton_steps", 0),
            "iterations" if hasattr(self.driver, "iterations") else "epochs",
        )


def run_epochs(
    driver: Driver,
    stopping: Stopping,
    *,
    history: bool = False,
    reporter: Reporter | None = None,
) -> Run:
    """Run epochs of a driver until a certificate says it is enough.

    The losses seen during an epoch give an estimate of the gap for nothing. Only when
    it is small enough is the certificate computed, from weights rebuilt from the dual
    variables, and never more often than costs a tenth of the time.

    Parameters
    ----------
    driver : Driver
    stopping : Stopping
    history : bool
        Compute the certificate after every epoch and keep it; the seconds in the
        history are without it, but not those that are limited.
    reporter : Reporter or None
        Told about every epoch; may stop the run.

    Returns
    -------
    run : Run
    """
    reporter = reporter or Reporter()
    run = _Epochs(driver, stopping, history, reporter.watches)
    try:
        run.measure_certificate()
        status = run_steps(run.steps(), run.clock, reporter, "max_iter")
        return run.finish(status)
    except KeyboardInterrupt:  # it came while Python was running
        return run.finish("interrupted")
