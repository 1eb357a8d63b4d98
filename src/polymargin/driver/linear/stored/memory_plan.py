"""How training divides the memory it may use."""

from dataclasses import dataclass

from ...._core import core
from ....access.row_store.store import RowStore
from ....base.byte_counts import format_bytes

# While a certificate is computed there are two matrices W: the model, and what the dual
# variables sum up to.
_COPIES = 2
_RANGES = 4  # of a batch, as long as the support of the rows is not known
_LEAST_ROWS = 64  # of a range
# Of the limit: allocators keep what was freed.
PLANNED_SHARE = 0.6
_DENSE_CLASSES = 64  # up to here the core keeps all dual variables of a row
_SUPPORT = 8  # dual variables of a row that are not zero, where classes are many
_OF_A_ROW = 96  # label, C_i, loss, curvature, preference, place in a round


@dataclass(frozen=True)
class MemoryPlan:
    """How many rows are read at once.

    Attributes
    ----------
    room : float
        Bytes for rows, what is computed with them, and what is kept of the others.
    row_bytes : float
        Of a row, its label and weight, and what a driver has for it, without duals.
    dual_bytes : float
        Of a dual variable that is not zero: it comes from the last visit, is read in
        float64, and goes again.
    support : float
        Dual variables of a row that are not zero, at most.
    range_rows : int
        Rows of a range.
    """

    room: float
    row_bytes: float
    dual_bytes: float
    support: float
    range_rows: int

    @property
    def state_bytes(self) -> float:
        """Bytes of what may be kept in memory of rows that are not at hand."""
        return self.room / 2

    def batch_size(self, support: float, kept: float) -> int:
        """Ranges to read at once.

        Parameters
        ----------
        support : float
            Dual variables of a row that are not zero, in the mean.
        kept : float
            Bytes of the states that are in memory.
        """
        row = self.row_bytes + min(support, self.support) * self.dual_bytes
        return max(int((self.room - kept) / (row * self.range_rows)), 1)


def _stride(store: RowStore, n_columns: int) -> int:
    """Columns of W with those that fill up its vectors."""
    lanes = core.vector_bytes // store.dtype.itemsize
    return 1 if n_columns == 1 else -(-n_columns // lanes) * lanes


def weight_bytes(store: RowStore, n_columns: int, bias: bool) -> int:
    """Bytes of all matrices W that training needs."""
    columns = _stride(store, n_columns) * store.dtype.itemsize
    return _COPIES * (store.n_features + bias) * columns


def plan_memory(
    store: RowStore, n_columns: int, fills_dual_blocks: bool, bias: bool
) -> MemoryPlan:
    """Divide the memory limit of a store among weights, rows and what is kept of them.

    Parameters
    ----------
    store : RowStore
    n_columns : int
        Columns of W.
    fills_dual_blocks : bool
        Whether nearly all dual variables of the machine end above zero.
    bias : bool
        Whether W has a row for a constant feature.
    """
    real, stride = store.dtype.itemsize, _stride(store, n_columns)
    weights = weight_bytes(store, n_columns, bias)
    dense = fills_dual_blocks or n_columns <= _DENSE_CLASSES
    support = n_columns if dense else min(n_columns, _SUPPORT)
    of_driver = stride * real if dense else 64 + support * 2 * real
    row_bytes = store.nbytes / len(store) + _OF_A_ROW + of_driver
    dual_bytes = 2 * (4 + real) + 8
    row = row_bytes + support * dual_bytes
    room = PLANNED_SHARE * store.memory_limit - weights
    least = min(_RANGES * _LEAST_ROWS, len(store)) * row
    if room < 2 * least:
        needed = (weights + 2 * least) / PLANNED_SHARE
        raise ValueError(
            f"memory_limit is {format_bytes(store.memory_limit)}, but "
            f"{format_bytes(needed)} are needed for the weights of "
            f"{store.n_features:,} features in {n_columns:,} columns and a few rows; "
            f"raise it, or leave out features."
        )
    range_rows = max(int(room / 2 / row / _RANGES), 1)
    return MemoryPlan(room, row_bytes, dual_bytes, support, range_rows)
