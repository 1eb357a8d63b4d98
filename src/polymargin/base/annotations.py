"""Types that signatures of the public API name.

What scikit-learn's validation takes cannot be said as a type: an array is also a list,
a CSR matrix or somebody's data frame. `Rows` and `Labels` say what is meant.
"""

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # `polymargin --help` needs no NumPy
    import numpy as np

# An array-like, a CSR matrix, a data frame or a `RowStore`: (n_samples, n_features).
Rows: TypeAlias = Any
# An array-like of labels, (n_samples,), or None where rows bring theirs.
Labels: TypeAlias = Any
# An array-like of weights, (n_samples,), or None.
Weights: TypeAlias = Any
# A classifier of scikit-learn's kind, which is not typed.
Estimator: TypeAlias = Any

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Seed: TypeAlias = "int | np.random.RandomState | None"
ClassWeight: TypeAlias = dict[Any, float] | str | None
# A number of folds, a splitter of scikit-learn's kind, or pairs of positions.
CrossValidation: TypeAlias = Any
Kernel: TypeAlias = str | Callable[[Any, Any], Any]
FilePath: TypeAlias = str | PathLike[str]
