"""How training divides the memory it may use."""

from dataclasses import dataclass

from .._core import core
from .sizes import in_words
from .store import RowStore

# Of W there are three copies while a certificate is computed: the model, the one that
# is summed up from the dual variables, and that of the driver.
_COPIES = 3
_PIECES = 16  # of a group
_LEAST_ROWS = 16  # of a piece
_ROOM = 0.8  # of the limit is planned with: allocators need some room too
_DENSE_CLASSES = 64  # up to here the core keeps all dual variables of a row
_SUPPORT = 8  # dual variables of a row that are not zero, where classes are many
_OF_A_ROW = 96  # label, cap, loss, curvature, preference, place in a round


@dataclass(frozen=True)
class Plan:
    """Rows of a piece, pieces of a group, and bytes of states to keep in memory."""

    piece_rows: int
    group_size: int
    state_bytes: float


def plan_memory(
    store: RowStore, n_columns: int, fills_blocks: bool, bias: bool
) -> Plan:
    """Divide the memory limit of a store among weights, a piece of rows and states.

    Parameters
    ----------
    store : RowStore
    n_columns : int
        Columns of W.
    fills_blocks : bool
        Whether nearly all dual variables of the machine end above zero.
    bias : bool
        Whether W has a row for a constant feature.
    """
    real = store.dtype.itemsize
    lanes = core.vector_bytes // real
    stride = 1 if n_columns == 1 else -(-n_columns // lanes) * lanes
    weights = _COPIES * (store.n_features + bias) * stride * real
    dense = fills_blocks or n_columns <= _DENSE_CLASSES
    support = n_columns if dense else min(n_columns, _SUPPORT)
    of_driver = stride * real if dense else 64 + support * 2 * real
    # Dual variables come from the last visit, are read in float64, and go again.
    of_state = 16 + support * (2 * (4 + real) + 8)
    row = store.nbytes / len(store) + _OF_A_ROW + of_driver + of_state
    room = _ROOM * store.memory_limit - weights
    least = min(_PIECES * _LEAST_ROWS, len(store)) * row
    if room < 2 * least:
        needed = (weights + 2 * least) / _ROOM
        raise ValueError(
            f"memory_limit is {in_words(store.memory_limit)}, but {in_words(needed)} "
            f"are needed for the weights of {store.n_features:,} features in "
            f"{n_columns:,} columns and a few rows; raise it, or leave out features."
        )
    most = room / 2 / row
    return Plan(max(int(most / _PIECES), 1), _PIECES, room / 2)
