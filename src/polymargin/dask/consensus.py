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
(feature_units.py), in which the regulariser is 1/2 sum u Z^2: then

    Z    = Z^ + sigma / (K + sigma u) (W - u Z^),

and the lambda_k add up to u Z.

Z is the model whose losses are measured. Dual variables bound the optimum from below
whatever Z is.
"""

from dataclasses import replace

import numpy as np

from .adaptation import Residuals
from .consensus_state import ConsensusState, SquaredNorms, is_alone
from .matrix_sums import row_products, row_squares, slices, square
from .round_messages import RoundMessage, add_messages


def advance(
    state: ConsensusState, messages: list[RoundMessage], latest: bool
) -> ConsensusState:
    """Return the state after a round.

    Parameters
    ----------
    state : ConsensusState
        With which the round began.
    messages : list of RoundMessage
        Of the round, to be added.
    latest : bool
        Take the latest Z for the best.
    """
    message = add_messages(messages)
    sums, squares = message.sums, state.squares
    objective = sums.losses + squares.consensus / 2
    dual = sums.terms - squares.weights / 2
    primal, best = state.primal, state.best
    if objective < primal or latest:
        primal, best = objective, state.consensus
    advanced = _advance_alone if is_alone(state) else _advance_together
    return replace(
        advanced(state, message),
        best=best,
        last=message.change,
        primal=primal,
        sums=sums,
        objective=objective,
        dual=dual,
    )


def _advance_alone(state: ConsensusState, message: RoundMessage) -> ConsensusState:
    weights = state.weights + message.change.rows(None)
    squared = square(weights, state.units)
    return replace(
        state,
        weights=weights,
        consensus=weights,
        ahead=weights,
        squares=SquaredNorms(squared, squared),
    )


def _advance_together(state: ConsensusState, message: RoundMessage) -> ConsensusState:
    """The lines of the head of this file, in two sweeps over the rows of W."""
    sums, pace = message.sums, state.pace
    change = message.change.rows(None)
    last = None if pace.momentum == 0 or state.last is None else state.last.rows(None)
    kind = state.weights.dtype.type
    sigma, momentum = kind(pace.sigma), kind(pace.momentum)
    weights, consensus, shift = (np.empty_like(state.weights) for _ in range(3))
    products = np.zeros(6)  # W W / u, u Z Z, and the others with counts of features
    for rows in slices(weights):
        count, unit, ahead, shift_before = (
            part[rows]
            for part in (state.counts, state.units, state.ahead, state.shift_ahead)
        )
        W = np.add(state.weights[rows], change[rows], out=weights[rows])
        O = np.divide(  # noqa: E741
            unit * ahead - W, count + sigma * unit, out=shift[rows]
        )
        Z = np.subtract(ahead, sigma * O, out=consensus[rows])
        moved = change[rows] if last is None else change[rows] - momentum * last[rows]
        shifted = O - shift_before
        Z_Z, by_count, by_unit = row_squares(Z), count.ravel(), unit.ravel()
        products += [
            (row_squares(W) / by_unit).sum(),
            by_unit @ Z_Z,
            by_count @ Z_Z,
            by_count @ row_products(O, O),
            row_products(2 * moved + count * shifted, shifted).sum(),
            row_products(count * shift_before - 2 * moved, shift_before).sum(),
        ]
    W_W, Z_Z, counted, consensus_moved, with_shift, with_last_shift = products.tolist()
    pace = pace.after(
        Residuals(
            multipliers=max(sums.moved_squares + with_shift, 0.0),
            consensus=pace.sigma**2 * consensus_moved,
            apart=max(sums.moved_squares + with_last_shift, 0.0),
            model=counted,
            own=sums.own_squares,
        )
    )
    ahead, shift_ahead = consensus, shift
    if pace.momentum:
        momentum = kind(pace.momentum)
        ahead, shift_ahead = np.empty_like(consensus), np.empty_like(shift)
        for rows in slices(ahead):
            for new, now, before in (
                (ahead, consensus, state.consensus),
                (shift_ahead, shift, state.shift),
            ):
                step = now[rows] - before[rows]
                np.add(now[rows], momentum * step, out=new[rows])
    return replace(
        state,
        weights=weights,
        consensus=consensus,
        ahead=ahead,
        shift=shift,
        shift_ahead=shift_ahead,
        squares=SquaredNorms(W_W, Z_Z),
        pace=pace,
    )
