"""A round in one partition: the tasks that workers run, without side effects.

What is computed, and why, is at the head of consensus.py.
"""

from dataclasses import dataclass

import numpy as np

from ..driver.linear.row_parts import DriverState
from .consensus_state import RoundStart
from .partition import Partition
from .round_messages import RoundMessage, RoundSums
from .weight_changes import (
    WeightChange,
    no_change,
    pack_change,
)


@dataclass(frozen=True)
class RoundOrder:
    """What to do in a round.

    Attributes
    ----------
    number : int
        Of the round.
    seed : int
    epochs : float
        As many visits as this times the number of rows.
    dtype : dtype
        Number format in which changes travel.
    """

    number: int
    seed: int
    epochs: float
    dtype: np.dtype

    def seed_of(self, partition: int) -> int:
        sequence = np.random.SeedSequence((self.seed, self.number, partition))
        return int(sequence.generate_state(1, np.uint32)[0])


@dataclass(frozen=True)
class PartitionResult:
    """The state of a partition after a round, and what the others are to know.

    The state is None if all dual variables are zero.
    """

    state: DriverState | None
    message: RoundMessage


def run_round(
    number: int,
    partition: Partition,
    previous: PartitionResult | None,
    start: RoundStart,
    order: RoundOrder,
) -> PartitionResult:
    """Measure the Z that all agree on, then solve the partition's own problem.

    Parameters
    ----------
    number : int
        Of the partition.
    partition : Partition
    previous : PartitionResult or None
        Of the last round.
    start : RoundStart
        Only with the rows of `partition.features`, if these are not None.
    order : RoundOrder
    """
    state = None if previous is None else previous.state
    if partition.n_rows == 0:
        return PartitionResult(
            state, RoundMessage(_nothing(partition, order.dtype), RoundSums())
        )
    dtype = partition.X.dtype
    begin, last = start.start.astype(dtype, copy=False), None
    if previous is not None and start.momentum:
        last = previous.message.change.rows(partition.features)
        begin = begin - dtype.type(start.sigma * start.momentum) * last

    driver = partition.driver(order.seed_of(number))
    if state is not None:
        state.restore(driver)
    driver.set_weights(start.consensus.astype(dtype, copy=False))
    losses, terms, violation = driver.partial_sums()
    driver.set_weights(begin)
    driver.set_scale(start.sigma)
    report = driver.epoch(float("inf"), order.epochs)
    state = DriverState(driver.duals(), driver.schedule_memory())
    values = driver.weights() if start.measures_own else driver.release_weights()
    values -= begin
    values /= dtype.type(start.sigma)
    change = pack_change(values, partition.features, partition.n_features, order.dtype)
    # What counts is what the others get, rounded as it may be.
    sent = change.rows(partition.features)
    sums = RoundSums(
        losses=losses,
        terms=terms,
        violation=violation,
        moved_squares=_moved_square(sent, last, start.momentum),
        own_squares=_own_square(driver) if start.measures_own else 0.0,
        visits=report.visits,
        moves=report.moves,
        bytes=change.nbytes + start.nbytes,
    )
    return PartitionResult(state, RoundMessage(change, sums))


def _own_square(driver) -> float:
    """|W_k|^2 of what the dual variables of the driver add to W; changes the driver."""
    driver.rebuild()
    own = driver.release_weights()
    return _product(own, own)


def _moved_square(sent: np.ndarray, last: np.ndarray | None, momentum: float) -> float:
    """|dW_k - beta (dW_k before)|^2, without a matrix for the difference."""
    square = _product(sent, sent)
    if last is not None:
        square += momentum * (
            momentum * _product(last, last) - 2 * _product(sent, last)
        )
    return max(square, 0.0)


def _product(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.vdot(a, b))


def _nothing(partition: Partition, dtype) -> WeightChange:
    return no_change(partition.n_features, partition.problem.n_columns, dtype)


def rebuilt_weights(
    partition: Partition, previous: PartitionResult | None, dtype
) -> RoundMessage:
    """What the dual variables of a partition add to W, without any rounding before."""
    if previous is None or previous.state is None:
        change = _nothing(partition, dtype)
    else:
        driver = partition.driver(seed=0)
        previous.state.restore(driver)
        driver.rebuild()
        own = driver.release_weights()
        change = pack_change(own, partition.features, partition.n_features, dtype)
    return RoundMessage(change, RoundSums(bytes=change.nbytes))


def message_of(result: PartitionResult) -> RoundMessage:
    """What of a result travels."""
    return result.message
