"""The trust-region Newton method for one-vs-one machines: a driver for each pair.

The problems do not meet, so threads take whole problems. One epoch is one Newton step
of every pair that is not finished; a finished one is not touched again.
"""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from .machine import MACHINES, class_pairs
from .problem import Problem
from .tron import TronDriver


class TronPairs:
    """Trains all pairs of classes by Newton steps; see `solver` for the protocol.

    Parameters
    ----------
    rows, dtype, empty, problem, tol, violation_tol, threads
        As of `TronDriver`; a pair is finished when its own gap or gradient is small.
    """

    interrupted = False  # as in `TronDriver`

    def __init__(self, rows, dtype, empty, problem, tol, violation_tol, threads):
        self.problem = problem
        self.threads = threads
        by_class = np.argsort(problem.labels, kind="stable")
        sizes = np.bincount(problem.labels)
        self.members = np.split(by_class, np.cumsum(sizes)[:-1])
        self.classes = list(zip(*class_pairs(problem.n_columns), strict=True))
        binary = MACHINES["ovr", problem.machine.loss]
        self.pairs = []
        for first, second in self.classes:
            chosen = self._rows_of(first, second)
            labels = np.repeat([-1, 0], [sizes[first], sizes[second]])
            self.pairs.append(
                TronDriver(
                    rows.subset(chosen),
                    dtype,
                    empty[chosen],
                    Problem(binary, labels, 1, problem.caps[chosen]),
                    tol,
                    violation_tol,
                    1,
                )
            )

    def _rows_of(self, first, second):
        """Numbers of the rows of a pair, in the order of its driver."""
        return np.concatenate([self.members[first], self.members[second]])

    def epoch(self, seconds: float) -> dict:
        """Take one Newton step of every pair that is not finished."""
        end = perf_counter() + seconds
        left = [pair for pair in self.pairs if not pair.finished]
        reports = self._each(lambda pair: pair.epoch(end - perf_counter()), left)
        primal, dual, violation = self.certify()
        return {
            "visits": sum(report["visits"] for report in reports),
            "moves": sum(report["moves"] for report in reports),
            "violation": violation,
            "dual": dual,
            "primal_estimate": primal,
            "stopped": any(report["stopped"] for report in reports),
        }

    def _each(self, work, pairs) -> list:
        """The results of `work(pair)`, on all threads; those of no use help inside."""
        for pair in pairs:
            pair.threads = max(1, self.threads // len(pairs))
        workers = min(self.threads, len(pairs))
        if workers <= 1:
            return [work(pair) for pair in pairs]
        pool = ThreadPoolExecutor(workers)
        try:
            return list(pool.map(work, pairs))
        except BaseException:  # a signal: the others need not go on
            for pair in pairs:
                pair.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def rebuild(self) -> None:
        """Do nothing, as `TronDriver`."""

    def certify(self) -> tuple[float, float, float]:
        """Sums of primal and dual, and the largest entry of a gradient."""
        self._each(TronDriver.certify, [p for p in self.pairs if p.point is None])
        primal, dual, violation = np.transpose(
            [(*pair.objective, *pair.dual, *pair.violation) for pair in self.pairs]
        )
        return primal.sum(), dual.sum(), violation.max()

    def weights(self):
        """A copy of W, of shape (features, pairs)."""
        return np.array([pair.full_weights[:, 0] for pair in self.pairs]).T

    def release_weights(self):
        """W, as `weights`."""
        return self.weights()

    def duals(self):
        """The dual variables as (indptr, pairs, values)."""
        pulls = self._each(TronDriver.pulls, self.pairs)
        rows = np.concatenate([self._rows_of(*pair) for pair in self.classes])
        columns = np.repeat(np.arange(len(pulls)), [len(values) for values in pulls])
        values = np.concatenate(pulls)[:, 0]
        support = np.flatnonzero(values)
        blocks = sp.csr_array(
            (values[support], (rows[support], columns[support])),
            shape=(len(self.problem.labels), len(pulls)),
        )
        return blocks.indptr, blocks.indices, blocks.data

    def set_duals(self, indptr, pairs, values) -> None:
        """Start from the weights that belong to dual variables."""
        problem = self.problem
        shape = (len(problem.labels), problem.n_columns)
        duals = sp.csr_array((values, pairs, indptr), shape=shape)
        by_pair = problem.machine.coefficients(duals, problem.labels).tocsc()
        of_rows = np.zeros((shape[0], 1))
        for number, (pair, classes) in enumerate(
            zip(self.pairs, self.classes, strict=True)
        ):
            entries = slice(*by_pair.indptr[number : number + 2])
            support = by_pair.indices[entries]
            of_rows[support, 0] = by_pair.data[entries]
            pair.start_from(of_rows[self._rows_of(*classes)])
            of_rows[support] = 0
