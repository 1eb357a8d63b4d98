"""Who picks the next example, and when it is enough: epochs, certificates, stopping.

The visits themselves are C++; what happens between two epochs is here.
"""

from dataclasses import dataclass, field
from time import perf_counter

from .certify import UNCERTIFIED, Certificate, relative_gap

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
    """What is known after an epoch; `gap` is an estimate until it is certified."""

    number: int
    seconds: float
    gap: float
    violation: float

    def __str__(self) -> str:
        return (
            f"epoch {self.number:5d}  gap {self.gap:9.3e}  "
            f"violation {self.violation:9.3e}  {self.seconds:8.2f} s"
        )


class Reporter:
    """Is told about every epoch; this one does not care."""

    def begin(self) -> None:
        """Take note that an epoch begins."""

    def end(self, epoch: Epoch) -> bool:
        """Take note that it has ended, and say whether to stop."""
        return False


@dataclass
class Stopping:
    """When to stop: the first of these that holds.

    Attributes
    ----------
    tol : float
        Relative duality gap.
    violation_tol : float or None
        Largest violation of the optimality conditions; replaces `tol`.
    max_iter : int
        Epochs.
    max_time : float or None
        Seconds.
    """

    tol: float
    violation_tol: float | None = None
    max_iter: int = 1000
    max_time: float | None = None

    def enough(self, gap: float, violation: float) -> bool:
        if self.violation_tol is not None:
            return violation <= self.violation_tol
        return gap <= self.tol


@dataclass
class Run:
    """How a run ended: its certificate, its length, its status and its history."""

    certificate: Certificate
    epochs: int
    status: str
    seconds: float
    history: dict[str, list[float]] | None = field(default=None)


class _Loop:
    """The state of a run: one method per thing that happens between two epochs."""

    def __init__(self, driver, stopping: Stopping, reporter: Reporter, history: bool):
        self.driver = driver
        self.stopping = stopping
        self.reporter = reporter
        self.history: list[tuple[float, ...]] | None = [] if history else None
        self.start = perf_counter()
        self.excused = 0.0  # seconds spent for the history alone
        self.epochs = 0
        self.next_check = 0
        self.rebuilt = 0  # after so many epochs, the last time
        self.idle = 0  # epochs in which nothing moved, since W was rebuilt
        self.certificate: Certificate | None = None

    def seconds(self) -> float:
        return perf_counter() - self.start - self.excused

    def run(self) -> str:
        """Run epochs until one of the reasons to stop holds; return its name."""
        while self.epochs < self.stopping.max_iter:
            left = float("inf")
            if self.stopping.max_time is not None:
                left = self.stopping.max_time - self.seconds()
                if left <= 0:
                    return "max_time"
            self.reporter.begin()
            self.certificate = None
            report = self.driver.epoch(left)
            if report["stopped"]:
                return "interrupted" if self.driver.interrupted else "max_time"
            status = self.after_epoch(report)
            if status is not None:
                return status
        return "max_iter"

    def after_epoch(self, report: dict) -> str | None:
        """Certify if it is time to, tell the reporter, say whether to stop and why."""
        self.epochs += 1
        gap = relative_gap(report["primal_estimate"], report["dual"])
        violation = report["violation"]
        stuck = not report["moves"] and self.idle > 0
        self.idle = 0 if report["moves"] else self.idle + 1

        if self.history is not None:
            now = perf_counter()
            self.certify()
            self.excused += perf_counter() - now
        elif self.epochs >= self.next_check and (
            stuck or self.stopping.enough(gap, violation)
        ):
            self.certify()
            self.next_check = self.epochs + max(1, self.epochs // 10)
        elif self.idle or self.epochs >= self.rebuilt + REBUILD_EVERY:
            self.driver.rebuild()
            self.rebuilt = self.epochs
        if self.driver.interrupted:
            return "interrupted"

        certificate = self.certificate
        if certificate is not None:
            gap, violation = certificate.gap, certificate.violation
            if self.history is not None:
                self.history.append(
                    (
                        self.epochs,
                        self.seconds(),
                        certificate.primal,
                        certificate.dual,
                        gap,
                        violation,
                        report["visits"],
                        report["moves"],
                    )
                )
        stop = self.reporter.end(Epoch(self.epochs, self.seconds(), gap, violation))
        if certificate is not None and self.stopping.enough(gap, violation):
            return "converged"
        if stop:
            return "callback"
        # Nothing moved, W was rebuilt, and again nothing moved.
        return "precision" if stuck and certificate is not None else None

    def certify(self) -> None:
        """Compute the certificate; a signal in between leaves the model uncertified."""
        result = self.driver.certify()
        self.rebuilt = self.epochs
        self.certificate = UNCERTIFIED if result is None else Certificate(*result)

    def finish(self, status: str) -> Run:
        """Certify the model if that has not been done, and sum up the run."""
        # Who pressed Ctrl-C does not wait for another pass over the data.
        if status == "interrupted":
            self.certificate = self.certificate or UNCERTIFIED
        elif self.certificate is None:
            self.certify()
            certificate = self.certificate
            if self.driver.interrupted:
                status = "interrupted"
            elif status == "max_iter" and self.stopping.enough(
                certificate.gap, certificate.violation
            ):
                status = "converged"
        history = None
        if self.history is not None:
            columns = zip(*self.history, strict=True) if self.history else ()
            history = {name: [] for name in HISTORY_FIELDS}
            history.update(zip(HISTORY_FIELDS, map(list, columns), strict=False))
        return Run(self.certificate, self.epochs, status, self.seconds(), history)


def run_epochs(
    driver,
    stopping: Stopping,
    *,
    history: bool = False,
    reporter: Reporter | None = None,
) -> Run:
    """Run epochs of a core driver until a certificate says it is enough.

    The losses seen during an epoch give an estimate of the gap for nothing. Only when
    it is small enough is the certificate computed, from weights rebuilt from the dual
    variables, and never more often than costs a tenth of the time.

    Parameters
    ----------
    driver : core object
    stopping : Stopping
    history : bool
        Compute the certificate after every epoch and keep it; that time is not
        counted.
    reporter : Reporter or None
        Told about every epoch; may stop the run.

    Returns
    -------
    run : Run
    """
    loop = _Loop(driver, stopping, reporter or Reporter(), history)
    try:
        return loop.finish(loop.run())
    except KeyboardInterrupt:  # it came while Python was running
        return loop.finish("interrupted")
