"""Callbacks of fits: they show how far a fit is, and end it on Ctrl-C."""

import signal
import threading
from contextlib import contextmanager
from math import isfinite, log

from ..selection.stopping import Watch
from .progress_display import Progress


class EpochWatch(Watch):
    """Shows the epochs of one fit: the share of the way that the gap has come."""

    def __init__(self, progress: Progress):
        super().__init__()
        self.progress = progress
        self.first_gap = None

    def on_fit_task_end(self, estimator, context):
        epoch = getattr(context, "epoch", None)
        if epoch is not None:
            known = isfinite(epoch.gap)
            gap = f"gap {epoch.gap_text if known else 'not yet known'}"
            gap += f" (tol {estimator.tol:.0e})"
            self.progress.show(
                self.share(estimator, epoch),
                f"epoch {epoch.number}, {gap}, {epoch.seconds:.1f} s",
            )
        return super().on_fit_task_end(estimator, context)

    def share(self, estimator, epoch) -> float:
        """How near the end is: by the gap, which falls geometrically, or by limits."""
        shares = [epoch.number / estimator.max_iter]
        if estimator.max_time is not None:
            shares.append(epoch.seconds / estimator.max_time)
        if isfinite(epoch.gap) and epoch.gap > 0:
            self.first_gap = self.first_gap or max(epoch.gap, 1.0)
            if 0 < estimator.tol < self.first_gap:
                gone = log(self.first_gap / epoch.gap)
                shares.append(gone / log(self.first_gap / estimator.tol))
        return min(max(shares), 1.0)


class FoldWatch(Watch):
    """Shows how many folds are done."""

    def __init__(self, progress: Progress, folds: int):
        super().__init__()
        self.progress, self.folds = progress, folds
        self.done = 0
        self.lock = threading.Lock()

    def on_fit_task_end(self, estimator, context):
        if context.parent is None:  # the fit itself
            with self.lock:
                self.done += 1
                words = f"cross-validation, {self.done} of {self.folds} folds"
                self.progress.show(self.done / self.folds, words)
        return super().on_fit_task_end(estimator, context)


@contextmanager
def stopping_on_ctrl_c(watch: Watch):
    """Tell fits on other threads of Ctrl-C, which Python tells the main one only."""
    listening = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not listening:
        yield
        return

    def stop(number, frame):
        watch.stop.set()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
