"""What a long command shows on standard error: a bar on a terminal, lines elsewhere."""

import shutil
import sys
from time import monotonic
from typing import TextIO

from ..base.durations import in_words

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
