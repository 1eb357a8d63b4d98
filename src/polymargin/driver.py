"""Who picks the next example, and when it is enough: epochs, certificates, stopping.

The visits themselves are C++; what happens between two epochs is here.
"""

from collections.abc import Callable
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


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch; `gap` is an estimate until it is certified."""

    number: int
    seconds: float
    gap: float
    violation: float


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


def run_epochs(
    driver,
    stopping: Stopping,
    *,
    history: bool = False,
    on_epoch: Callable[[Epoch], bool] | None = None,
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
    on_epoch : callable or None
        Called after every epoch; returns True to stop.
    """
    record: dict[str, list[float]] | None = (
        {name: [] for name in HISTORY_FIELDS} if history else None
    )
    start = perf_counter()
    excused = 0.0  # seconds spent for the history alone
    certificate = None
    next_check = idle = number = 0
    status = "max_iter"

    def seconds() -> float:
        return perf_counter() - start - excused

    while number < stopping.max_iter:
        left = float("inf")
        if stopping.max_time is not None:
            left = stopping.max_time - seconds()
            if left <= 0:
                status = "max_time"
                break
        report = driver.epoch(left)
        certificate = None
        if report["stopped"]:
            status = "interrupted" if driver.interrupted else "max_time"
            break
        number += 1
        gap = relative_gap(report["primal_estimate"], report["dual"])
        violation = report["violation"]
        idle = 0 if report["moves"] else idle + 1

        if record is not None:
            now = perf_counter()
            certificate = certified(driver)
            excused += perf_counter() - now
        elif number >= next_check and (stopping.enough(gap, violation) or idle > 1):
            certificate = certified(driver)
            next_check = number + max(1, number // 10)
        if driver.interrupted:
            status = "interrupted"
            break
        if certificate is not None:
            gap, violation = certificate.gap, certificate.violation
        if record is not None:
            values = (
                number,
                seconds(),
                certificate.primal,
                certificate.dual,
                gap,
                violation,
                report["visits"],
                report["moves"],
            )
            for name, value in zip(HISTORY_FIELDS, values, strict=True):
                record[name].append(value)

        stop = on_epoch is not None and on_epoch(
            Epoch(number, seconds(), gap, violation)
        )
        if certificate is not None and stopping.enough(gap, violation):
            status = "converged"
            break
        if stop:
            status = "callback"
            break
        if idle > 1 and certificate is not None:
            status = "precision"
            break

    # Who pressed Ctrl-C does not wait for another pass over the data.
    if certificate is None and status == "interrupted":
        certificate = UNCERTIFIED
    elif certificate is None:
        certificate = certified(driver)
        if driver.interrupted:
            status = "interrupted"
        elif status == "max_iter" and stopping.enough(
            certificate.gap, certificate.violation
        ):
            status = "converged"
    return Run(certificate, number, status, seconds(), record)


def certified(driver) -> Certificate:
    """Certify a driver; a signal that comes in between leaves nothing certified."""
    result = driver.certify()
    return UNCERTIFIED if result is None else Certificate(*result)
