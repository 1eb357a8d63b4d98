"""Training on rows that are read piece by piece (see `solver` for the protocol).

Block coordinate ascent on the one dual problem of all rows (Yu, Hsieh, Chang and Lin,
2010, Large linear classification when data cannot fit in memory): W stays in memory, a
piece of the rows gets a sequential driver with that W and the piece's own dual
variables, and leaves both as they are after an epoch. As pieces come one after the
other and not side by side, every step gains what it would gain in memory.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import perf_counter

import numpy as np
from sklearn.utils import check_random_state

from .._core import core
from ..access import csr_rows
from ..row_parts import PartState, part_driver
from ..solver import constant_feature
from .layout import MappedRows
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

    def __init__(self, settings, store: RowStore, problem: StoredProblem, plan: Plan):
        self.settings, self.store, self.problem = settings, store, problem
        self.bias = constant_feature(settings)
        self.pieces = store.pieces(plan.piece_rows)
        self.states = PieceStates(plan.state_bytes)
        seed = check_random_state(settings.random_state).randint(2**31)
        self._random = np.random.default_rng(seed)
        shape = store.n_features + (self.bias > 0), problem.n_columns
        self._weights = np.zeros(shape, store.dtype)
        # W as the dual variables have it, where the model is older.
        self._rebuilt: np.ndarray | None = None
        self._losses = np.zeros(len(self.pieces))
        self._terms = np.zeros(len(self.pieces))
        self.interrupted = False

    def epoch(self, seconds: float) -> dict:
        """Train on every piece, in a random order."""
        end = perf_counter() + seconds
        self._go_on_from_rebuilt()
        report = {"visits": 0, "moves": 0, "violation": 0.0, "stopped": False}
        seeds = self._random.integers(2**31, size=len(self.pieces))
        for number in self._in_turn(self._random.permutation(len(self.pieces))):
            if perf_counter() > end:
                report["stopped"] = True
                break
            with self._driver(number, int(seeds[number])) as (driver, caps):
                driver.set_weights(self._weights)
                done = driver.epoch(end - perf_counter())
                self._keep(number, driver, caps)
            report["visits"] += done["visits"]
            report["moves"] += done["moves"]
            report["violation"] = max(report["violation"], done["violation"])
            if done["stopped"]:
                report["stopped"] = True
                break
        half_norm = _half_norm(self._weights)
        return report | {
            "dual": float(self._terms.sum()) - half_norm,
            "primal_estimate": float(self._losses.sum()) + half_norm,
        }

    def _keep(self, number: int, driver, caps: np.ndarray) -> None:
        """Take from a driver what is to stay; W is replaced when all is there.

        A signal in between leaves the weights of the piece before.
        """
        state = PartState.of(driver)
        self.interrupted |= driver.interrupted
        self.states.put(number, state)
        self._losses[number] = caps @ state.losses
        self._terms[number] = driver.dual_terms()
        self._weights = driver.release_weights()

    @contextmanager
    def _driver(self, number: int, seed: int):
        """A driver of a piece with its dual variables, and C_i of its rows."""
        piece = self.store.mapped(self.pieces[number])
        X, dtype = piece.X, self.store.dtype
        rows = (
            csr_rows(X, self.bias)
            if piece.layout.sparse
            else core.dense_rows(X, self.bias)
        )
        problem = self.problem.of(piece)
        driver = part_driver(self.settings, rows, dtype, problem, seed)
        state = self.states.get(number)
        if state is not None:
            state.restore(driver)
        yield driver, problem.caps

    def _in_turn(self, order) -> Iterator[int]:
        """Numbers of pieces; the next one is on its way from disk meanwhile."""
        order = [int(number) for number in order]
        for number, following in zip(order, [*order[1:], None], strict=True):
            if following is not None:
                ask_for(self.store.mapped(self.pieces[following]))
            yield number

    def rebuild(self) -> None:
        """Sum up W from the dual variables: removes the drift of many additions."""
        rebuilt = np.zeros_like(self._weights)
        for number in self._in_turn(range(len(self.pieces))):
            with self._driver(number, 0) as (driver, _):
                driver.set_weights(rebuilt)
                driver.add_blocks()
                rebuilt = driver.release_weights()
        self._weights, self._rebuilt = rebuilt, None

    def certify(self) -> tuple[float, float, float] | None:
        """Return (primal, dual, violation), in one pass over all pieces.

        The primal is that of the weights as they are, the dual that of the weights
        that the dual variables sum up to, which the next epoch goes on from. Each
        bounds the optimum, whatever the other is.
        """
        self._go_on_from_rebuilt()
        losses = terms = violation = 0.0
        rebuilt = np.zeros_like(self._weights)
        for number in self._in_turn(range(len(self.pieces))):
            with self._driver(number, 0) as (driver, _):
                driver.set_weights(self._weights)
                sums = driver.partial_sums()
                self.interrupted |= driver.interrupted
                if sums is None:
                    return None
                losses, terms = losses + sums[0], terms + sums[1]
                violation = max(violation, sums[2])
                driver.set_weights(rebuilt)
                driver.add_blocks()
                rebuilt = driver.release_weights()
        self._rebuilt = rebuilt
        primal = losses + _half_norm(self._weights)
        return primal, terms - _half_norm(rebuilt), violation

    def _go_on_from_rebuilt(self) -> None:
        if self._rebuilt is not None:
            self._weights, self._rebuilt = self._rebuilt, None

    def weights(self) -> np.ndarray:
        """Return a copy of W."""
        return self._weights.copy()

    def release_weights(self) -> np.ndarray:
        """Return W."""
        return self._weights

    def close(self) -> None:
        """Remove what is on disk for the time of training."""
        self.states.close()


def _half_norm(W: np.ndarray) -> float:
    rows = np.einsum("ij,ij->i", W, W)
    return float(rows.sum(dtype=np.float64)) / 2


def ask_for(piece: MappedRows) -> None:
    """Tell the system that some rows will be read soon, where it listens."""
    if not hasattr(os, "posix_fadvise"):
        return
    with suppress(OSError):
        file = os.open(piece.path, os.O_RDONLY)
        try:
            for start, length in piece.ranges():
                os.posix_fadvise(file, start, length, os.POSIX_FADV_WILLNEED)
        finally:
            os.close(file)
