"""What partitions agree on: the method of multipliers, on the worker that adds up.

Partition k has the losses f_k of its rows and a model X_k of its own; all are to equal
the consensus Z, which has the regulariser 1/2 |Z|^2. With multipliers lambda_k and the
penalty 1/sigma, a round is

    X_k  minimises f_k(X) + <lambda_k, X> + 1/(2 sigma) |X - Z^|^2,
    Z    = Z^ + sigma / (K + sigma) (W - Z^),
    O    = (Z^ - Z) / sigma,      lambda_k = W_k + O,

where W_k is what the dual variables of partition k add to W, the sum of them all, and
X_k = Z^ + sigma (W_k - lambda^_k). So the first line is the sequential driver on the
rows of the partition, with steps and curvatures scaled by sigma, that begins from

    Y_k = Z^ - sigma (lambda^_k - W_k) = S - sigma beta dW_k,      S = Z^ - sigma H,

dW_k being what it changed in the last round. Z^, lambda^ and H are Z, lambda and O
extrapolated with momentum beta: Z^ = Z + beta (Z - the Z before), and so on. Without
momentum, and with sigma the number of partitions, Y_k is W for all, and this is CoCoA+
with its safe sigma' (Ma, Smith, Jaggi, Jordan, Richtarik and Takac, 2015, Adding vs.
averaging in distributed primal-dual optimization); any other sigma converges as well.
K is counted for each feature: of the partitions in which it occurs. Features have units
(units.py), in which the regulariser is 1/2 sum u Z^2: then

    Z    = Z^ + sigma / (K + sigma u) (W - u Z^),

and the lambda_k add up to u Z.

Z is the model whose losses are measured. Dual variables bound the optimum from below
whatever Z is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from .adaptation import Pace, Residuals
from .changes import Message, RowChange, Sums, add_messages
from .units import Features

# Numbers of a matrix that are worked on at a time, so that they stay in a cache.
CACHED_NUMBERS = 2**15


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
    squares = Squares(_square(weights, 1 / units), _square(consensus, units))
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
    squares = replace(model.squares, weights=_square(weights, 1 / model.units))
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


def advance(model: Model, messages: list[Message], latest: bool) -> Model:
    """Return the model after a round.

    Parameters
    ----------
    model : Model
        With which the round began.
    messages : list of Message
        Of the round, to be added.
    latest : bool
        Take the latest Z for the best.
    """
    message = add_messages(messages)
    sums, squares = message.sums, model.squares
    objective = sums.losses + squares.consensus / 2
    dual = sums.terms - squares.weights / 2
    primal, best = model.primal, model.best
    if objective < primal or latest:
        primal, best = objective, model.consensus
    moved = _alone(model, message) if is_alone(model) else _together(model, message)
    return replace(
        moved,
        best=best,
        last=message.change,
        primal=primal,
        sums=sums,
        objective=objective,
        dual=dual,
    )


def _alone(model: Model, message: Message) -> Model:
    weights = model.weights + message.change.rows(None)
    square = _square(weights, model.units)
    return replace(
        model,
        weights=weights,
        consensus=weights,
        ahead=weights,
        squares=Squares(square, square),
    )


def _together(model: Model, message: Message) -> Model:
    """The lines of the head of this file, in two sweeps over the rows of W."""
    sums, pace = message.sums, model.pace
    change = message.change.rows(None)
    last = None if pace.momentum == 0 or model.last is None else model.last.rows(None)
    kind = model.weights.dtype.type
    sigma, momentum = kind(pace.sigma), kind(pace.momentum)
    weights, consensus, shift = (np.empty_like(model.weights) for _ in range(3))
    products = np.zeros(6)  # W W / u, u Z Z, and the others with counts of features
    for rows in _slices(weights):
        count, unit, ahead, pulled = (
            part[rows]
            for part in (model.counts, model.units, model.ahead, model.shift_ahead)
        )
        W = np.add(model.weights[rows], change[rows], out=weights[rows])
        O = np.divide(  # noqa: E741
            unit * ahead - W, count + sigma * unit, out=shift[rows]
        )
        Z = np.subtract(ahead, sigma * O, out=consensus[rows])
        moved = change[rows] if last is None else change[rows] - momentum * last[rows]
        shifted = O - pulled
        Z_Z, by_count, by_unit = _row_squares(Z), count.ravel(), unit.ravel()
        products += [
            (_row_squares(W) / by_unit).sum(),
            by_unit @ Z_Z,
            by_count @ Z_Z,
            by_count @ _row_products(O, O),
            _row_products(2 * moved + count * shifted, shifted).sum(),
            _row_products(count * pulled - 2 * moved, pulled).sum(),
        ]
    W_W, Z_Z, counted, consensus_moved, with_shift, with_pull = products.tolist()
    pace = pace.after(
        Residuals(
            multipliers=max(sums.moved_squares + with_shift, 0.0),
            consensus=pace.sigma**2 * consensus_moved,
            apart=max(sums.moved_squares + with_pull, 0.0),
            model=counted,
            own=sums.own_squares,
        )
    )
    ahead, shift_ahead = consensus, shift
    if pace.momentum:
        momentum = kind(pace.momentum)
        ahead, shift_ahead = np.empty_like(consensus), np.empty_like(shift)
        for rows in _slices(ahead):
            for new, now, before in (
                (ahead, consensus, model.consensus),
                (shift_ahead, shift, model.shift),
            ):
                step = now[rows] - before[rows]
                np.add(now[rows], momentum * step, out=new[rows])
    return replace(
        model,
        weights=weights,
        consensus=consensus,
        ahead=ahead,
        shift=shift,
        shift_ahead=shift_ahead,
        squares=Squares(W_W, Z_Z),
        pace=pace,
    )


def _slices(matrix: np.ndarray) -> Iterator[slice]:
    step = max(1, CACHED_NUMBERS // matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield slice(start, start + step)


def _row_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Inner products of rows, each as precise as the numbers, their sums more."""
    return np.einsum("ij,ij->i", a, b).astype(np.float64)


def _row_squares(matrix: np.ndarray) -> np.ndarray:
    """In double precision: a certificate is made of them."""
    wide = matrix.astype(np.float64, copy=False)
    return _row_products(wide, wide)


def _square(matrix: np.ndarray, units: np.ndarray) -> float:
    """The sum of u m^2."""
    return sum(
        float(units[rows].ravel() @ _row_squares(matrix[rows]))
        for rows in _slices(matrix)
    )


def best_of(model: Model) -> np.ndarray:
    """Return the best weights so far, without units."""
    return model.best * np.sqrt(model.units)
