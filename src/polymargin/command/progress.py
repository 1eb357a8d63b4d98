"""What a long command shows on standard error: a bar on a terminal, lines elsewhere."""

import shutil
import signal
import sys
import threading
from contextlib import contextmanager
from math import isfinite, log
from time import monotonic
from typing import TextIO

_SECONDS_BETWEEN_LINES = 2.0
_SECONDS_BETWEEN_BARS = 0.1
_BAR = 24  # characters
_TOO_EARLY = 0.02  # to say how long it will take


class Progress:
    """Shows nothing; others show it."""

    def show(self, share: float, what: str) -> None:
        """Say how much is done, as a number from 0 to 1, and what."""

    def clear(self) -> None:
        """Make room for other output."""


class _Shown(Progress):
    """Now and then a line on a stream, with the time left."""

    def __init__(self, stream: TextIO, pause: float, first_pause: float):
        self.stream, self.pause, self.first_pause = stream, pause, first_pause
        self._begin()

    def show(self, share: float, what: str) -> None:
        now = monotonic()
        if now >= self.next:
            self.next = now + self.pause
            self.write(share, what + self.time_left(share, now - self.start))

    def write(self, share: float, line: str) -> None:
        raise NotImplementedError

    @staticmethod
    def time_left(share: float, seconds: float) -> str:
        from ..comparison.progress import in_words

        if share < _TOO_EARLY:
            return ""
        return f", about {in_words(seconds * (1 - share) / share)} left"

    def _begin(self) -> None:
        self.start = monotonic()
        self.next = self.start + self.first_pause

    def clear(self) -> None:
        self._begin()  # whatever comes next


class Lines(_Shown):
    """Plain lines, one every two seconds."""

    def __init__(self, stream: TextIO):
        super().__init__(stream, _SECONDS_BETWEEN_LINES, _SECONDS_BETWEEN_LINES)

    def write(self, share: float, line: str) -> None:
        print(f"{100 * share:3.0f} %  {line}", file=self.stream, flush=True)


class Bar(_Shown):
    """A bar that stays where it is."""

    def __init__(self, stream: TextIO):
        super().__init__(stream, _SECONDS_BETWEEN_BARS, 0.0)

    def write(self, share: float, line: str) -> None:
        bar = "#" * round(_BAR * min(share, 1))
        width = shutil.get_terminal_size().columns - 1
        text = f"[{bar:.<{_BAR}}] {line}"[:width]
        self.stream.write(f"\r{text}\x1b[K")
        self.stream.flush()

    def clear(self) -> None:
        super().clear()
        self.stream.write("\r\x1b[K")
        self.stream.flush()


def make_progress(quiet: bool) -> Progress:
    """Return the display that fits standard error."""
    if quiet:
        return Progress()
    return Bar(sys.stderr) if sys.stderr.isatty() else Lines(sys.stderr)


class Watch:
    """A callback of scikit-learn's kind that ends fits when it is told to stop.

    It is shared by all fits of a search, which run on threads.
    """

    def __init__(self):
        self.stop = threading.Event()

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        return self.stop.is_set()


class EpochWatch(Watch):
    """Shows the epochs of one fit: the share of the way that the gap has come."""

    def __init__(self, progress: Progress):
        super().__init__()
        self.progress = progress
        self.first_gap = None

    def on_fit_task_end(self, estimator, context):
        epoch = getattr(context, "epoch", None)
        if epoch is not None:
            gap = f"gap {epoch.gap:.1e} (tol {estimator.tol:.0e})"
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
