"""Training on rows that are read in groups of pieces (see `solver` for the protocol).

Block coordinate ascent on the one dual problem of all rows (Yu, Hsieh, Chang and Lin,
2010, Large linear classification when data cannot fit in memory): W stays in memory;
some of the rows get a sequential driver with that W and their own dual variables, and
leave both as they are after an epoch. As this is done one after the other and not side
by side, every step gains what it would gain in memory.

With the same blocks in every pass the method is slow where rows are many for the
features: each block then says nearly the same of W, and they correct each other in
small steps (digits in two blocks: four to twenty times the passes of all rows
together). So blocks are cut into pieces, and every pass groups them anew, at random. If
pieces were single rows, a pass would be a random permutation of all rows.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from sklearn.utils import check_random_state

from .._core import core
from ..access import csr_rows
from ..row_parts import PartState, part_driver
from ..solver import constant_feature
from .optimism import Optimism
from .pieces import Buffers, LoadedRows
from .plan import Plan
from .problem import StoredProblem
from .states import PieceStates
from .store import RowStore


class PieceDriver:
    """Trains on a row store.

    Parameters
    ----------
    settings : estimator
        With the parameters of `LinearSVM`.
    store : RowStore
    problem : StoredProblem
    plan : Plan
    """

    _SLACK = 1.5  # dual variables may become more

    def __init__(self, settings, store: RowStore, problem: StoredProblem, plan: Plan):
        self.settings, self.store, self.problem = settings, store, problem
        self.bias = constant_feature(settings)
        self.pieces = store.pieces(plan.piece_rows)
        self.plan = plan
        self.states = PieceStates(plan.state_bytes)
        self._buffers = Buffers()  # of one group at a time
        seed = check_random_state(settings.random_state).randint(2**31)
        self._random = np.random.default_rng(seed)
        # Drivers of no rows, of which only W counts: the model, and perhaps what the
        # dual variables sum up to, where the model is older.
        self._keeper = self._keeper_of_zeros()
        self._rebuilt = None
        self._losses = np.zeros(len(self.pieces))
        self._terms = np.zeros(len(self.pieces))
        self._optimism = Optimism()
        self.interrupted = False

    def epoch(self, seconds: float) -> dict:
        """Train on every piece once, in random groups."""
        end = perf_counter() + seconds
        self._go_on_from_rebuilt()
        report = {"visits": 0, "moves": 0, "violation": 0.0, "stopped": False}
        for numbers in self._groups(self._random.permutation(len(self.pieces))):
            if perf_counter() > end:
                report["stopped"] = True
                break
            done = self._train(numbers, end)
            report["visits"] += done["visits"]
            report["moves"] += done["moves"]
            report["violation"] = max(report["violation"], done["violation"])
            if done["stopped"]:
                report["stopped"] = True
                break
        half_norm = self._keeper.squared_norm() / 2
        missed = self._optimism.next_pass()
        return report | {
            "dual": float(self._terms.sum()) - half_norm,
            "primal_estimate": float(self._losses.sum()) + missed + half_norm,
        }

    def _train(self, numbers, end: float) -> dict:
        """Train on a group of pieces, which are gone from memory afterwards."""
        seed = int(self._random.integers(2**31))
        driver, caps, sizes = self._driver(numbers, seed)
        report = driver.round(end - perf_counter())
        state = PartState.of(driver)
        self.interrupted |= driver.interrupted
        # Of a group only the sum is known: it is the first piece's.
        self._losses[numbers] = self._terms[numbers] = 0
        self._losses[numbers[0]] = np.sum(caps * state.losses)
        self._terms[numbers[0]] = driver.dual_terms()
        for number, part in zip(numbers, state.split(sizes), strict=True):
            self.states.put(number, part)
        return report

    def _driver(self, numbers, seed: int):
        """A driver of pieces with their dual variables, C_i, and rows of each."""
        pieces = [self.pieces[number] for number in numbers]
        loaded = self.store.read(pieces, self._buffers)
        driver, caps = self._make(loaded, seed, self._keeper)
        states = [self.states.get(number) for number in numbers]
        if states[0] is not None:
            PartState.join(states).restore(driver)
        sizes = [piece.stop - piece.start for piece in pieces]
        return driver, caps, sizes

    def _keeper_of_zeros(self):
        return self._make(self.store.read([]), 0)[0]

    def _make(self, loaded: LoadedRows, seed: int, weights_of=None):
        make_rows = csr_rows if self.store.sparse else core.dense_rows
        rows = make_rows(loaded.X, self.bias)
        problem = self.problem.of(loaded)
        dtype = self.store.dtype
        driver = part_driver(self.settings, rows, dtype, problem, seed, weights_of)
        return driver, problem.caps

    def _groups(self, order) -> Iterator[np.ndarray]:
        """Numbers of pieces; the next group is on its way from disk meanwhile."""
        support = self._SLACK * self.states.support / len(self.store)
        kept = self.plan.state_bytes
        if support == 0:  # before the first pass nothing is known of it
            support = self.plan.support
        elif not self.states.spilled:
            kept = min(self._SLACK * self.states.kept_bytes, kept)
        count = -(-len(order) // self.plan.group_size(support, kept))
        groups = np.array_split(np.asarray(order), count)
        for group, following in zip(groups, [*groups[1:], []], strict=True):
            pieces = [self.pieces[number] for number in following]
            self.store.reader.ask_for(pieces)
            yield group

    def rebuild(self) -> None:
        """Sum up W from the dual variables: removes the drift of many additions."""
        rebuilt = self._keeper_of_zeros()
        for numbers in self._groups(range(len(self.pieces))):
            self._add_to(rebuilt, self._driver(numbers, 0)[0])
        self._keeper, self._rebuilt = rebuilt, None

    def certify(self) -> tuple[float, float, float] | None:
        """Return (primal, dual, violation), in one pass over all pieces.

        The primal is that of the weights as they are, the dual that of the weights
        that the dual variables sum up to, which the next epoch goes on from. Each
        bounds the optimum, whatever the other is.
        """
        self._go_on_from_rebuilt()
        losses = terms = violation = 0.0
        rebuilt = self._keeper_of_zeros()
        for numbers in self._groups(range(len(self.pieces))):
            sums = self._measure(numbers, rebuilt)
            if sums is None:
                return None
            losses, terms = losses + sums[0], terms + sums[1]
            violation = max(violation, sums[2])
        self._rebuilt = rebuilt
        primal = losses + self._keeper.squared_norm() / 2
        self._optimism.learn(losses - float(self._losses.sum()), primal)
        return primal, terms - rebuilt.squared_norm() / 2, violation

    def _measure(self, numbers, rebuilt) -> tuple[float, float, float] | None:
        """Losses, dual terms and violation of a group, whose W is added to another."""
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
            self._keeper, self._rebuilt = self._rebuilt, None

    def weights(self) -> np.ndarray:
        """Return a copy of W."""
        return self._keeper.weights()

    def release_weights(self) -> np.ndarray:
        """Return W; the driver is of no use afterwards."""
        self._rebuilt = None
        return self._keeper.release_weights()

    def close(self) -> None:
        """Remove what is on disk for the time of training."""
        self.states.close()
        self.store.reader.close()
