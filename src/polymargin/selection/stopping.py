"""How fits on threads are told to stop: Python tells the main thread only of Ctrl-C."""

from threading import Event
from typing import Any

from ..driver.loop import Progress, Reporter


class Watch:
    """A callback of scikit-learn's kind that ends fits when it is told to stop.

    It is shared by all fits of a search, which run on threads.
    """

    def __init__(self) -> None:
        self.stop = Event()

    def setup(self, estimator: Any, context: Any) -> None:
        """Do nothing when a fit begins."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing when a fit has ended."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing when an epoch begins."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Say after an epoch whether to stop."""
        return self.stop.is_set()


class StopReporter(Reporter):
    """The same for a run without an estimator."""

    def __init__(self, stop: Event):
        self.stop = stop

    def end(self, progress: Progress) -> bool:
        """Say after an epoch whether to stop."""
        return self.stop.is_set()
