"""A round of CoCoA+ in one partition: the tasks that workers run, without side effects.

Ma, Smith, Jaggi, Jordan, Richtarik and Takac (2015), Adding vs. averaging in
distributed primal-dual optimization: with W fixed, partition k maximises

    sum of its dual terms - <W, dW_k> - sigma/2 |dW_k|^2

over its own dual variables, by the sequential driver whose steps and curvatures are
scaled by sigma; then all changes dW_k are added to W.
"""

from dataclasses import dataclass

import numpy as np

from .changes import Message, RowChange, Sums, as_change, no_change
from .partition import Partition, State

# An epoch that gains less than this share of the first one of the round is the last.
LEAST_GAIN = 0.1


@dataclass(frozen=True)
class Order:
    """What to do in a round.

    Attributes
    ----------
    number : int
        Of the round.
    seed : int
    sigma : float
    epochs : int
        At most; with none the round only measures.
    dtype : dtype
        Number format in which changes travel.
    """

    number: int
    seed: int
    sigma: float
    epochs: int
    dtype: np.dtype

    def seed_of(self, partition: int) -> int:
        sequence = np.random.SeedSequence((self.seed, self.number, partition))
        return int(sequence.generate_state(1, np.uint32)[0])


@dataclass(frozen=True)
class Result:
    """The state of a partition after a round, and what the others are to know."""

    state: State
    message: Message


def run_round(
    number: int,
    partition: Partition,
    previous: Result | None,
    arrived: Message | None,
    order: Order,
) -> Result:
    """Measure the W that all agree on, then solve the partition's own problem.

    Parameters
    ----------
    number : int
        Of the partition.
    partition : Partition
    previous : Result or None
        Of the last round.
    arrived : Message or None
        The sum of all changes of the last round.
    order : Order
    """
    state = State() if previous is None else previous.state
    W = _weights(partition, state, None if arrived is None else arrived.change)
    n_columns = partition.problem.n_columns
    if partition.n_rows == 0:
        nothing = no_change(partition.n_features, n_columns, order.dtype)
        return Result(State(weights=W), Message(nothing, Sums()))
    driver = partition.driver(order.seed_of(number))
    if state.duals is not None:
        indptr, classes, values = state.duals
        driver.set_duals(indptr, classes, values.astype(np.float64), rebuild=False)
    driver.recall_schedule(state.memory)
    driver.set_weights(W)
    losses, terms, violation = driver.partial_sums()

    driver.set_scale(order.sigma)
    visits, moves = _run_epochs(driver, order.epochs)
    new = State(driver.duals(), W, driver.schedule_memory())
    new_terms = driver.dual_terms()
    change = driver.release_weights()
    change = (change - W) / change.dtype.type(order.sigma)
    change = as_change(change, partition.features, partition.n_features, order.dtype)
    # What the others add up is what travels, rounded as it may be.
    own = change.rows(partition.features)
    sums = Sums(
        losses=losses,
        terms=terms,
        violation=violation,
        new_terms=new_terms,
        inner=float(np.vdot(W.astype(np.float64), own)),
        squares=change.squared_norm(),
        visits=visits,
        moves=moves,
        bytes=change.nbytes,
    )
    return Result(new, Message(change, sums))


def _weights(partition: Partition, state: State, change: RowChange | None):
    """The rows of W that the partition needs, after the change that has arrived."""
    shape = (partition.n_own_features, partition.problem.n_columns)
    W = np.zeros(shape) if state.weights is None else state.weights
    if change is not None:
        W = W + change.rows(partition.features)
    return np.ascontiguousarray(W, dtype=partition.X.dtype)


def _run_epochs(driver, most: int) -> tuple[int, int]:
    """Run epochs while they are worth it; return the visits and the moves."""
    visits = moves = 0
    before, first = driver.dual, 0.0
    for epoch in range(most):
        report = driver.epoch(float("inf"))
        visits += report["visits"]
        moves += report["moves"]
        gain, before = report["dual"] - before, report["dual"]
        if epoch == 0:
            first = gain
        elif gain <= LEAST_GAIN * first:
            break
    return visits, moves


def rebuild(partition: Partition, previous: Result, dtype) -> Result:
    """Forget W and send what the dual variables say it is: removes all rounding."""
    state = previous.state
    n_columns = partition.problem.n_columns
    if state.duals is None:
        change = no_change(partition.n_features, n_columns, dtype)
    else:
        driver = partition.driver(seed=0)
        indptr, classes, values = state.duals
        driver.set_duals(indptr, classes, values.astype(np.float64))
        W = driver.release_weights()
        change = as_change(W, partition.features, partition.n_features, dtype)
    sums = Sums(bytes=change.nbytes)
    return Result(State(state.duals, None, state.memory), Message(change, sums))


def message_of(result: Result) -> Message:
    """What of a result travels."""
    return result.message


def sums_of(message: Message) -> tuple[Sums, float, int]:
    """Return the sums, |dW|^2 of the change and its size."""
    return message.sums, message.change.squared_norm(), message.change.nbytes
