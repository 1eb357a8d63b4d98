"""svmlight text into a CSR matrix."""

import io

import numpy as np
from sklearn.datasets import load_svmlight_file

from .data import Data
from .labels import tidy_labels


def read_svmlight(
    text: memoryview,
    name: str,
    *,
    label=None,
    n_features: int | None = None,
    dtype=None,
    zero_based: bool | str = "auto",
    threads: int = 1,
) -> Data:
    """Read svmlight text.

    Parameters
    ----------
    text : memoryview of bytes
    name : str
        Of the source, for messages.
    label, n_features, dtype, zero_based
        As in `load_data`.
    threads : int

    Returns
    -------
    data : Data
    """
    X, y = load_svmlight_file(
        io.BytesIO(text),
        n_features=n_features,
        dtype=dtype or np.float64,
        zero_based=zero_based,
    )
    return Data(X, None if label is False else tidy_labels(y))
