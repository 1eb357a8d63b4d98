"""A round in one partition: the tasks that workers run, without side effects.

In CoCoA+ (Ma, Smith, Jaggi, Jordan, Richtarik and Takac, 2015, Adding vs. averaging in
distributed primal-dual optimization) partition k maximises, with W fixed,

    sum of its dual terms - <W, dW_k> - sigma/2 |dW_k|^2

over its own dual variables, by the sequential driver whose steps and curvatures are
scaled by sigma; then all changes dW_k are added to W. With K partitions, sigma = K is
safe, and slow. But for sigma = K this is also the alternating direction method of
multipliers with the penalty 1/K, written in dual variables, and that method converges
with any penalty 1/sigma. It has a second matrix, the consensus Z, which follows W:

    Z' = Z + theta (W - Z),  theta = sigma / (K + sigma),

and partitions start from Y = Z' + (sigma'/sigma)(Z' - Z) in the place of W, where
sigma' is that of the next round: with sigma = K always, Y is W. Z is smoother than W,
and the better model: losses are those of Z, while dual variables bound the optimum from
below whatever Z is.
"""

from dataclasses import dataclass

import numpy as np

from .changes import Message, Sums, as_change, no_change
from .partition import Partition, State


@dataclass(frozen=True)
class Order:
    """What to do in a round.

    Attributes
    ----------
    number : int
        Of the round.
    seed : int
    sigma : float
    theta, push : float
        How far Z goes to W, and how far Y is ahead of Z.
    epochs : float
        As many visits as this times the number of rows.
    dtype : dtype
        Number format in which changes travel.
    """

    number: int
    seed: int
    sigma: float
    theta: float
    push: float
    epochs: float
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
    if partition.n_rows == 0:
        shape = partition.n_features, partition.problem.n_columns
        return Result(state, Message(no_change(*shape, order.dtype), Sums()))
    W = _or_zeros(state.weights, partition)
    if arrived is not None:
        W = W + arrived.change.rows(partition.features)
    last = _or_zeros(state.consensus, partition)
    Z = follow(last, W, order.theta)
    Y = (Z + order.push * (Z - last)).astype(partition.X.dtype)

    driver = partition.driver(order.seed_of(number))
    if state.duals is not None:
        driver.set_duals(*_doubles(state.duals), rebuild=False)
    driver.recall_schedule(state.memory)
    driver.set_weights(Z.astype(partition.X.dtype))
    losses, terms, violation = driver.partial_sums()
    driver.set_weights(Y)
    driver.set_scale(order.sigma)
    report = driver.epoch(float("inf"), order.epochs)
    duals, memory = driver.duals(), driver.schedule_memory()
    change = (driver.release_weights() - Y) / Y.dtype.type(order.sigma)
    change = as_change(change, partition.features, partition.n_features, order.dtype)
    # What counts is what the others get, rounded as it may be.
    own = _or_zeros(state.own, partition) + change.rows(partition.features)
    sums = Sums(
        losses=losses,
        terms=terms,
        violation=violation,
        change_squares=change.squared_norm(),
        own_squares=float(np.sum(own**2)),
        visits=report["visits"],
        moves=report["moves"],
        bytes=change.nbytes,
    )
    return Result(State(duals, memory, W, Z, own), Message(change, sums))


def follow(Z: np.ndarray, W: np.ndarray, theta: float) -> np.ndarray:
    """Z', which every partition and the driver of the run compute alike."""
    return Z + theta * (W - Z)


def _or_zeros(matrix: np.ndarray | None, partition: Partition) -> np.ndarray:
    if matrix is not None:
        return matrix
    return np.zeros((partition.n_own_features, partition.problem.n_columns))


def _doubles(duals) -> tuple[np.ndarray, ...]:
    indptr, classes, values = duals
    return indptr, classes, values.astype(np.float64)


def rebuild(partition: Partition, previous: Result | None, dtype) -> Result:
    """Forget W and send what the dual variables say it is: removes all rounding."""
    state = State() if previous is None else previous.state
    if state.duals is None:
        shape = partition.n_features, partition.problem.n_columns
        change, own = no_change(*shape, dtype), None
    else:
        driver = partition.driver(seed=0)
        driver.set_duals(*_doubles(state.duals))
        own = driver.release_weights()
        change = as_change(own, partition.features, partition.n_features, dtype)
        own = own.astype(np.float64)
    state = State(state.duals, state.memory, None, state.consensus, own)
    return Result(state, Message(change, Sums(bytes=change.nbytes)))


def message_of(result: Result) -> Message:
    """What of a result travels."""
    return result.message
