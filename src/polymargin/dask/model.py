"""The matrices of a run between two rounds, in the letters of consensus.py."""

from dataclasses import dataclass, field, replace

import numpy as np

from .adaptation import Pace
from .changes import Message, RowChange, Sums, add_messages
from .matrices import square
from .units import Features


@dataclass(frozen=True)
class Squares:
    """Of a model, sum W^2 / u and sum u Z^2: the squared norms without units."""

    weights: float = 0.0
    consensus: float = 0.0


@dataclass(frozen=True)
class Model:
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
    last : RowChange or None
        The sum of all dW_k of the last round; None for zeros.
    counts, units : ndarray of shape (n_features, 1)
        K and u of each feature.
    squares : Squares
    pace : Pace
    primal : float
    sums : Sums
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
    last: RowChange | None
    counts: np.ndarray
    units: np.ndarray
    squares: Squares
    pace: Pace
    primal: float = float("inf")
    sums: Sums = field(default_factory=Sums)
    objective: float = float("inf")
    dual: float = float("-inf")


@dataclass(frozen=True)
class Start:
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


def first_model(features: Features, n_columns: int, dtype, pace: Pace) -> Model:
    """All zeros."""
    zeros = np.zeros((len(features.counts), n_columns), dtype)
    columns = features.counts, features.units
    counts, units = (column.astype(dtype)[:, None] for column in columns)
    return Model(*[zeros] * 6, None, counts, units, Squares(), pace)


def begin_from(
    model: Model, messages: list[Message], consensus: np.ndarray, pace: Pace
) -> Model:
    """Return a model with the W that messages bring, this pace, and this Z.

    Z is without units.
    """
    dtype, units = model.weights.dtype, model.units
    weights = add_messages(messages).change.rows(None).astype(dtype, copy=False)
    consensus = consensus.astype(dtype) / np.sqrt(units)
    if is_alone(model):
        consensus = weights
    # The sum of all lambda_k is u Z.
    shift = (units * consensus - weights) / np.maximum(model.counts, 1)
    squares = Squares(square(weights, 1 / units), square(consensus, units))
    return replace(
        model,
        weights=weights,
        consensus=consensus,
        ahead=consensus,
        shift=shift,
        shift_ahead=shift,
        best=consensus,
        squares=squares,
        pace=pace,
    )


def with_weights(model: Model, messages: list[Message]) -> Model:
    """Return the model with the W that messages bring: without rounding."""
    weights = (
        add_messages(messages).change.rows(None).astype(model.weights.dtype, copy=False)
    )
    squares = replace(model.squares, weights=square(weights, 1 / model.units))
    if is_alone(model):
        squares = Squares(squares.weights, squares.weights)
        return replace(
            model, weights=weights, consensus=weights, ahead=weights, squares=squares
        )
    return replace(model, weights=weights, squares=squares)


def is_alone(model: Model) -> bool:
    """Whether there is one partition only, whose model Z is W."""
    return model.pace.largest < 2


def publish(model: Model, features: np.ndarray | None = None) -> Start:
    """Return what partitions are to know; of these features, or None for all."""
    rows = slice(None) if features is None else features
    start = model.ahead[rows]
    if not is_alone(model):
        start = (
            start
            - model.weights.dtype.type(model.pace.sigma) * (model.shift_ahead[rows])
        )
    return Start(
        model.consensus[rows],
        start,
        model.pace.sigma,
        model.pace.momentum,
        model.pace.measures_own,
    )


def best_of(model: Model) -> np.ndarray:
    """Return the best weights so far, without units."""
    return model.best * np.sqrt(model.units)
