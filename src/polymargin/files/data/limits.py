"""What is plausible in a file: more must be asked for.

A few bytes can claim a feature with the number 2^60, or unpack to terabytes. What they
would make us allocate is refused in a sentence that says how to allow it.
"""

import scipy.sparse as sp

from ...base.byte_counts import half_of_free_memory, parse_bytes
from .data import Data

MOST_FEATURES = 2**31 - 1  # as in LIBLINEAR


def unpacked_bytes(limit) -> int:
    """Return the most bytes that content may have: half of the free memory if None."""
    if limit is None:
        return half_of_free_memory()
    return parse_bytes(limit, "unpacked_limit")


def check_features(data: Data, n_features: int | None, name: str) -> None:
    """Raise ValueError if there are more features than is plausible.

    Parameters
    ----------
    data : Data
    n_features : int or None
        What the user has asked for, which is then the limit.
    name : str
        Of the source.
    """
    if not sp.issparse(data.X):
        return  # a value of each is in the file
    found = data.X.shape[1]
    if found > max(n_features or 0, MOST_FEATURES):
        raise ValueError(
            f"{name} has {found} features, more than the {MOST_FEATURES} that are "
            f"plausible; correct it, or give n_features={found} if that is meant."
        )
