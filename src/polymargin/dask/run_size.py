"""How large a run is, and what follows for the work of a round."""

from dataclasses import dataclass

import numpy as np

from .adaptation import EPOCHS_ALONE, share_of_epoch


@dataclass(frozen=True)
class RunSize:
    """How large the problem and its parts are.

    Attributes
    ----------
    n_features : int
        Rows of W.
    n_columns : int
    largest : int
        Non-zeros of the largest partition.
    parts : int
        Partitions that have rows.
    dtype, travels : dtype
        Number format of the rows, and that of the matrices that travel.
    """

    n_features: int
    n_columns: int
    largest: int
    parts: int
    dtype: np.dtype
    travels: np.dtype

    @classmethod
    def of(
        cls,
        n_features: int,
        n_columns: int,
        n_rows: list[int],
        nonzeros: list[int],
        has_bias: bool,
        dtype: np.dtype,
        travels: np.dtype,
    ) -> "RunSize":
        """Add a constant feature, if there is one, to what partitions have."""
        return cls(
            n_features + has_bias,
            n_columns,
            max(np.add(nonzeros, np.multiply(n_rows, has_bias)).tolist()),
            sum(rows > 0 for rows in n_rows),
            dtype,
            travels,
        )

    def epochs(self, bytes_sent: int) -> float:
        """Return the epochs for a round of this traffic."""
        if self.parts < 2:
            return EPOCHS_ALONE
        return share_of_epoch(self.largest * self.n_columns, bytes_sent)
