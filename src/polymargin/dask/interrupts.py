"""Ctrl-C while futures come and go."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def remembered_interrupts() -> Iterator[Callable[[], None]]:
    """Give a function that raises KeyboardInterrupt if Ctrl-C was pressed before.

    Python drops an exception that comes while an object is finalised, and every round
    lets go of futures. So the signal is also written down.
    """
    last = signal.getsignal(signal.SIGINT)
    pressed: list[int] = []

    def note(number, frame):
        pressed.append(number)
        last(number, frame)

    def check() -> None:
        if pressed:
            raise KeyboardInterrupt

    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (in_main_thread and callable(last)):
        yield check
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, last)
