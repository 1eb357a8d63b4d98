"""What all partitions agree on between two rounds, in the letters of consensus.py."""

from dataclasses import dataclass, field, replace

import numpy as np

from .adaptation import Pace
from .feature_units import FeatureUnits
from .matrix_sums import square
from .round_messages import RoundMessage, RoundSums, add_messages
from .weight_changes import WeightChange


@dataclass(frozen=True)
class SquaredNorms:
    """Sum W^2 / u and sum u Z^2: squared norms without units."""

    weights: float = 0.0
    consensus: float = 0.0


@dataclass(frozen=True)
class ConsensusState:
    """The matrices of a run, each of the shape of W, between two rounds.

    Attributes
    ----------
    weights : ndarray
        W.
    consensus, ahead : ndarray
        Z, and Z^ with momentum.
    shift, shift_ahead : ndarray
        O and H.
    best : ndarray
        The Z with the smallest objective so far, which is `primal`.
    last : WeightChange or None
        The sum of all dW_k of the last round; None for zeros.
    counts, units : ndarray of shape (n_features, 1)
        K and u of each feature.
    squares : SquaredNorms
    pace : Pace
    primal : float
    sums : RoundSums
        Of the round that led here.
    objective, dual : float
        Of the Z and the W with which that round began.
    """

    weights: np.ndarray
    consensus: np.ndarray
    ahead: np.ndarray
    shift: np.ndarray
    shift_ahead: np.ndarray
    best: np.ndarray
    last: WeightChange | None
    counts: np.ndarray
    units: np.ndarray
    squares: SquaredNorms
    pace: Pace
    primal: float = float("inf")
    sums: RoundSums = field(default_factory=RoundSums)
    objective: float = float("inf")
    dual: float = float("-inf")


@dataclass(frozen=True)
class RoundStart:
    """What partitions begin a round from.

    Attributes
    ----------
    consensus, start : ndarray
        Z and S, perhaps only the rows that a partition needs.
    sigma, momentum : float
    measures_own : bool
    """

    consensus: np.ndarray
    start: np.ndarray
    sigma: float
    momentum: float
    measures_own: bool

    @property
    def nbytes(self) -> int:
        return self.consensus.nbytes + self.start.nbytes


def zero_state(
    features: FeatureUnits, n_columns: int, dtype, pace: Pace
) -> ConsensusState:
    """All zeros."""
    zeros = np.zeros((len(features.counts), n_columns), dtype)
    columns = features.counts, features.units
    counts, units = (column.astype(dtype)[:, None] for column in columns)
    return ConsensusState(*[zeros] * 6, None, counts, units, SquaredNorms(), pace)


def state_with(
    state: ConsensusState,
    messages: list[RoundMessage],
    consensus: np.ndarray,
    pace: Pace,
) -> ConsensusState:
    """Return a state with the W that messages bring, this pace, and this Z.

    Z is without units.
    """
    dtype, units = state.weights.dtype, state.units
    weights = add_messages(messages).change.rows(None).astype(dtype, copy=False)
    consensus = consensus.astype(dtype) / np.sqrt(units)
    if is_alone(state):
        consensus = weights
    # The sum of all lambda_k is u Z.
    shift = (units * consensus - weights) / np.maximum(state.counts, 1)
    squares = SquaredNorms(square(weights, 1 / units), square(consensus, units))
    return replace(
        state,
        weights=weights,
        consensus=consensus,
        ahead=consensus,
        shift=shift,
        shift_ahead=shift,
        best=consensus,
        squares=squares,
        pace=pace,
    )


def with_weights(state: ConsensusState, messages: list[RoundMessage]) -> ConsensusState:
    """Return the state with the W that messages bring: without rounding."""
    weights = (
        add_messages(messages).change.rows(None).astype(state.weights.dtype, copy=False)
    )
    squares = replace(state.squares, weights=square(weights, 1 / state.units))
    if is_alone(state):
        squares = SquaredNorms(squares.weights, squares.weights)
        return replace(
            state, weights=weights, consensus=weights, ahead=weights, squares=squares
        )
    return replace(state, weights=weights, squares=squares)


def is_alone(state: ConsensusState) -> bool:
    """Whether there is one partition only, whose model Z is W."""
    return state.pace.largest < 2


def round_start(
    state: ConsensusState, features: np.ndarray | None = None
) -> RoundStart:
    """Return what partitions are to know; of these features, or None for all."""
    rows = slice(None) if features is None else features
    start = state.ahead[rows]
    if not is_alone(state):
        start = (
            start
            - state.weights.dtype.type(state.pace.sigma) * (state.shift_ahead[rows])
        )
    return RoundStart(
        state.consensus[rows],
        start,
        state.pace.sigma,
        state.pace.momentum,
        state.pace.measures_own,
    )


def best_weights(state: ConsensusState) -> np.ndarray:
    """Return the best weights so far, without units."""
    return state.best * np.sqrt(state.units)
