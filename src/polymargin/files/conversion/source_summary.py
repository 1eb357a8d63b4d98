"""What is known of all rows of a source when the last one has come."""

from dataclasses import dataclass

import numpy as np

from ...access.row_store.segment_layout import SegmentLayout
from ...access.rows import dense_is_faster
from .label_codes import LabelCodes


@dataclass
class SourceSummary:
    """Grows with every chunk.

    Attributes
    ----------
    rows, nonzeros, width : int
    dtype : dtype or None
    dtype_given : bool
        Whether the user has said so.
    sparse, weighted : bool
    first_column : int
        What is counted as the first feature: 1 for svmlight text without an index 0.
    labels : LabelCodes or None
    """

    rows: int = 0
    nonzeros: int = 0
    width: int = 0
    dtype: np.dtype | None = None
    dtype_given: bool = False
    sparse: bool = False
    weighted: bool = False
    first_column: int = 0
    labels: LabelCodes | None = None

    def widen(self, n_features: int) -> None:
        """Have so many features, of which the last may not occur."""
        found = self.width - self.first_column
        if found > n_features:
            raise ValueError(
                f"n_features={n_features}, but source has {found}; give that, or None."
            )
        self.width = n_features + self.first_column

    def layout(self, kind: str) -> SegmentLayout:
        """How to store them; "auto" is what the core is fastest with."""
        n_features = max(self.width - self.first_column, 1)
        sparse = kind == "csr"
        if kind == "auto":
            sparse = not dense_is_faster(self.nonzeros, self.rows * n_features)
        large = n_features > np.iinfo(np.int32).max
        return SegmentLayout(
            sparse,
            np.dtype(self.dtype),
            np.dtype("<i8" if large else "<i4"),
            n_features,
            self.labels is not None,
            self.weighted,
        )
