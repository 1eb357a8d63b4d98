"""Rows of the kernel matrix in double precision, as many as there is room for."""

from collections.abc import Callable

import numpy as np

from ....access.gram import Gram
from ....base.threads import on_threads

_WIDTH = 1024  # columns that a thread works on at a time
_AT_A_TIME = 512  # rows that are computed between two looks at the time


class NoRoom(Exception):
    """More kernel rows are needed than there is room for."""


class KernelRows:
    """Rows of the kernel matrix, each computed when it is first needed.

    What a thread works on does not depend on how many there are, and neither does what
    sums are rounded to, as long as BLAS is on one thread.

    Parameters
    ----------
    gram : Gram
    capacity : int
        Most rows.
    threads : int
    poll : callable
        Called between long operations; may raise.

    Attributes
    ----------
    n_evaluations : int
        Kernel values computed so far.
    """

    def __init__(
        self, gram: Gram, capacity: int, threads: int, poll: Callable[[], None]
    ):
        self.gram, self.threads, self.poll = gram, threads, poll
        n = len(gram)
        self.rows = np.empty(
            (min(capacity, n), n)
        )  # memory that is not used is not had
        self.place = np.full(n, -1)
        self.count = 0
        self.n_evaluations = 0

    def fetch(self, examples: np.ndarray) -> None:
        """Compute the rows of these examples that are not there; raise `NoRoom`."""
        missing = examples[self.place[examples] < 0]
        if self.count + len(missing) > len(self.rows):
            raise NoRoom
        for begin in range(0, len(missing), _AT_A_TIME):
            self.poll()
            self._compute(missing[begin : begin + _AT_A_TIME])

    def _compute(self, examples) -> None:
        kernel, points = self.gram.kernel, self.gram.points
        left = points.take(examples)
        new = slice(self.count, self.count + len(examples))

        def fill(columns):
            self.rows[new, columns] = kernel(left, points.take(columns))

        self._each(fill)
        self.place[examples] = np.arange(new.start, new.stop)
        self.count = new.stop
        self.n_evaluations += len(examples) * len(points)

    def _each(self, work) -> None:
        n = len(self.gram)
        ranges = [slice(at, min(at + _WIDTH, n)) for at in range(0, n, _WIDTH)]
        on_threads(work, ranges, self.threads)

    def combine(self, examples: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Return the scores of all examples, if these ones have coefficients."""
        self.fetch(examples)
        n, k = len(self.gram), coefficients.shape[1]
        places = self.place[examples]
        if 3 * len(examples) > self.count:  # a copy would take longer
            chosen, weights = slice(0, self.count), np.zeros((self.count, k))
            weights[places] = coefficients
        else:
            chosen, weights = places, coefficients
        scores = np.empty((n, k))

        def product(columns):
            np.matmul(self.rows[chosen, columns].T, weights, out=scores[columns])

        self.poll()
        self._each(product)
        return scores

    def square(self, examples: np.ndarray) -> np.ndarray:
        """Return the kernel of these examples with each other."""
        self.fetch(examples)
        return self.rows[self.place[examples][:, None], examples]
