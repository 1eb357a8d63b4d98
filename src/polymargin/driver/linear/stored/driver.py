"""Training on rows that are read in batches of ranges (driver/protocol.py: `Driver`).

Block coordinate ascent on the one dual problem of all rows (Yu, Hsieh, Chang and Lin,
2010, Large linear classification when data cannot fit in memory): W stays in memory;
some of the rows get a sequential driver with that W and their own dual variables, and
leave both as they are after an epoch. As this is done one after the other and not side
by side, every step gains what it would gain in memory.

With the same batches in every pass the method is slow where rows are many for the
features: each batch then says nearly the same of W, and they correct each other in
small steps (digits in two batches: four to twenty times the passes of all rows
together). So batches are put together anew in every pass, at random, from ranges of
neighbouring rows. If these were single rows, a pass would be a random permutation of
all rows.
"""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from ...._core import core
from ....access.row_store.range_reader import LoadedRows
from ....access.row_store.reused_buffers import ReusedBuffers
from ....access.row_store.store import RowStore
from ....access.rows import csr_rows
from ...options import LinearOptions
from ...protocol import EpochReport
from ..row_parts import DriverState, part_driver
from .loss_shortfall import LossShortfall
from .memory_plan import MemoryPlan, plan_memory
from .problem import StoredProblem
from .state_cache import StateCache


def stored_driver(
    store: RowStore, problem: StoredProblem, options: LinearOptions
) -> "StoredDriver":
    """Return a driver whose rows, weights and states share the memory of a store."""
    fills_dual_blocks = problem.machine.bound == "share"
    plan = plan_memory(store, problem.n_columns, fills_dual_blocks, options.bias != 0)
    return StoredDriver(store, problem, options, plan)


class StoredDriver:
    """Trains on a row store.

    Parameters
    ----------
    store : RowStore
    problem : StoredProblem
    options : LinearOptions
    plan : MemoryPlan
    """

    _SLACK = 1.5  # dual variables may become more

    def __init__(
        self,
        store: RowStore,
        problem: StoredProblem,
        options: LinearOptions,
        plan: MemoryPlan,
    ):
        self.store, self.problem, self.options = store, problem, options
        self.ranges = store.row_ranges(plan.range_rows)
        self.plan = plan
        self.states = StateCache(plan.state_bytes)
        self._buffers = ReusedBuffers()  # of one batch at a time
        self._random = np.random.default_rng(options.seed)
        # Drivers of no rows, of which only W counts: the model, and perhaps what the
        # dual variables sum up to, where the model is older.
        self._weights_holder = self._zero_weights_holder()
        self._rebuilt = None
        self._losses = np.zeros(len(self.ranges))
        self._terms = np.zeros(len(self.ranges))
        self._shortfall = LossShortfall()
        self.interrupted = False

    def epoch(self, seconds: float) -> EpochReport:
        """Train on every range once, in random batches."""
        end = perf_counter() + seconds
        self._go_on_from_rebuilt()
        visits, moves, violation, stopped = 0, 0, 0.0, False
        for numbers in self._batches(self._random.permutation(len(self.ranges))):
            if perf_counter() > end:
                stopped = True
                break
            done = self._train(numbers, end)
            visits, moves = visits + done.visits, moves + done.moves
            violation = max(violation, done.violation)
            if done.stopped:
                stopped = True
                break
        half_norm = self._weights_holder.squared_norm() / 2
        missed = self._shortfall.expect_after_pass()
        return EpochReport(
            visits,
            moves,
            violation,
            float(self._terms.sum()) - half_norm,
            float(self._losses.sum()) + missed + half_norm,
            stopped,
        )

    def _train(self, numbers, end: float) -> EpochReport:
        """Train on a batch of ranges, which are gone from memory afterwards."""
        seed = int(self._random.integers(2**31))
        driver, loss_weights, sizes = self._driver(numbers, seed)
        report = driver.round(end - perf_counter())
        state = DriverState.of(driver)
        self.interrupted |= driver.interrupted
        # Of a batch only the sum is known: it is the first range's.
        self._losses[numbers] = self._terms[numbers] = 0
        self._losses[numbers[0]] = np.sum(loss_weights * state.losses)
        self._terms[numbers[0]] = driver.dual_terms()
        for number, part in zip(numbers, state.split(sizes), strict=True):
            self.states.put(number, part)
        return report

    def _driver(self, numbers, seed: int):
        """A driver of ranges with their dual variables, C_i, and rows of each."""
        ranges = [self.ranges[number] for number in numbers]
        loaded = self.store.read(ranges, self._buffers)
        driver, loss_weights = self._make(loaded, seed, self._weights_holder)
        states = [self.states.get(number) for number in numbers]
        if states[0] is not None:
            DriverState.join(states).restore(driver)
        sizes = [found.stop - found.start for found in ranges]
        return driver, loss_weights, sizes

    def _zero_weights_holder(self):
        return self._make(self.store.read([]), 0)[0]

    def _make(self, loaded: LoadedRows, seed: int, weights_of=None):
        make_rows = csr_rows if self.store.sparse else core.dense_rows
        rows = make_rows(loaded.X, self.options.bias)
        problem = self.problem.of(loaded)
        options = replace(self.options, seed=seed)
        driver = part_driver(rows, self.store.dtype, problem, options, weights_of)
        return driver, problem.loss_weights

    def _batches(self, order) -> Iterator[np.ndarray]:
        """Numbers of ranges; the next batch is on its way from disk meanwhile."""
        support = self._SLACK * self.states.support / len(self.store)
        kept = self.plan.state_bytes
        if support == 0:  # before the first pass nothing is known of it
            support = self.plan.support
        elif not self.states.spilled:
            kept = min(self._SLACK * self.states.kept_bytes, kept)
        count = -(-len(order) // self.plan.batch_size(support, kept))
        batches = np.array_split(np.asarray(order), count)
        for batch, following in zip(batches, [*batches[1:], []], strict=True):
            self.store.reader.ask_for([self.ranges[number] for number in following])
            yield batch

    def rebuild(self) -> None:
        """Sum up W from the dual variables: removes the drift of many additions."""
        rebuilt = self._zero_weights_holder()
        for numbers in self._batches(range(len(self.ranges))):
            self._add_to(rebuilt, self._driver(numbers, 0)[0])
        self._weights_holder, self._rebuilt = rebuilt, None

    def certify(self) -> tuple[float, float, float] | None:
        """Return (primal, dual, violation), in one pass over all rows.

        The primal is that of the weights as they are, the dual that of the weights
        that the dual variables sum up to, which the next epoch goes on from. Each
        bounds the optimum, whatever the other is.
        """
        self._go_on_from_rebuilt()
        losses = terms = violation = 0.0
        rebuilt = self._zero_weights_holder()
        for numbers in self._batches(range(len(self.ranges))):
            sums = self._measure(numbers, rebuilt)
            if sums is None:
                return None
            losses, terms = losses + sums[0], terms + sums[1]
            violation = max(violation, sums[2])
        self._rebuilt = rebuilt
        primal = losses + self._weights_holder.squared_norm() / 2
        self._shortfall.learn(losses - float(self._losses.sum()), primal)
        return primal, terms - rebuilt.squared_norm() / 2, violation

    def _measure(self, numbers, rebuilt) -> tuple[float, float, float] | None:
        """Losses, dual terms and violation of a batch, whose W is added to another."""
        driver, _, _ = self._driver(numbers, 0)
        sums = driver.partial_sums()
        self.interrupted |= driver.interrupted
        self._add_to(rebuilt, driver)
        return sums

    @staticmethod
    def _add_to(rebuilt, driver) -> None:
        driver.share_weights(rebuilt)
        driver.add_blocks()

    def _go_on_from_rebuilt(self) -> None:
        if self._rebuilt is not None:
            self._weights_holder, self._rebuilt = self._rebuilt, None

    def duals(self) -> None:
        """Return nothing: the dual variables of all rows may not find room."""

    def weights(self) -> np.ndarray:
        """Return a copy of W."""
        return self._weights_holder.weights()

    def release_weights(self) -> np.ndarray:
        """Return W; the driver is of no use afterwards."""
        self._rebuilt = None
        return self._weights_holder.release_weights()

    def close(self) -> None:
        """Remove what is on disk for the time of training."""
        self.states.close()
        self.store.reader.close()
