"""The model of the last round that ended, whatever happens in the next."""

from time import perf_counter

import numpy as np
from distributed import Future

from ..certify.certificate import UNCERTIFIED, Certificate
from ..driver.loop import Clock
from .tasks import OutOfTime, Tasks


class PatientClock(Clock):
    """A clock with all the time there is until there is a model to end with."""

    has_model = False

    def left(self) -> float:
        return super().left() if self.has_model else float("inf")


class LatestModel:
    """Comes to this process while the next round goes on.

    Parameters
    ----------
    tasks : Tasks
    weights : ndarray
        To be had as long as no round has ended.

    Attributes
    ----------
    number : int
        Rounds that led to the model that is here.
    certificate : Certificate
        Of this model.
    weights : ndarray
    """

    def __init__(self, tasks: Tasks, weights: np.ndarray):
        self.tasks = tasks
        self.number, self.certificate, self.weights = 0, UNCERTIFIED, weights
        self._coming: tuple[int, Certificate, Future] | None = None

    def expect(self, number: int, certificate: Certificate, weights: Future) -> None:
        """Let this be the model to come."""
        self._coming = number, certificate, weights

    def fetch(self) -> np.ndarray:
        """Wait for a model that is on its way; return the weights of the latest."""
        if self._coming is not None:
            number, certificate, weights = self._coming
            self.weights = self.tasks.gather([weights])[0]
            self.number, self.certificate = number, certificate
            self._coming = None
        return self.weights

    def fetch_within(self, seconds: float | None) -> bool:
        """Wait so long, or as long as it takes if None; False after Ctrl-C."""
        tasks = self.tasks
        tasks.deadline = None if seconds is None else perf_counter() + seconds
        try:
            self.fetch()
        except OutOfTime:
            pass  # the model before it is here
        except KeyboardInterrupt:
            return False
        finally:
            tasks.deadline = None
        return True
