"""What a file holds: rows, labels, names of features."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class Data:
    """Rows with their labels, as read from a file.

    Attributes
    ----------
    X : ndarray or csr_matrix of shape (n_samples, n_features)
        Sparse if it came from svmlight text or from the parts of a CSR matrix.
    y : ndarray of shape (n_samples,) or None
        Labels: int64 if all are whole numbers, else float64 if all are numbers, else
        strings; None if the file has none.
    feature_names : list of str or None
        From the header of a table; None if there is none.
    """

    X: np.ndarray | sp.csr_matrix
    y: np.ndarray | None = None
    feature_names: list[str] | None = None
