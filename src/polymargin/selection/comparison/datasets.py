"""Data sets of a comparison: scikit-learn's, files, arrays."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ...access.csr import check_compressed
from ...files.data import load_parts

TOYS = ("iris", "wine", "digits", "breast_cancer")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows, labels 0 .. k - 1, and where the test rows begin if there are any.

    Attributes
    ----------
    name : str
    X : ndarray or csr_matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    n_given_train : int or None
        The rows from here on came as test rows; None if the data set came undivided.
    """

    name: str
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    n_given_train: int | None = None

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def facts(self) -> dict:
        """Return what tells this data set from another, for the settings."""
        n, d = self.X.shape
        sparse = sp.issparse(self.X)
        parts = (self.X.indptr, self.X.indices, self.X.data) if sparse else (self.X,)
        digest = hashlib.sha256()
        for part in (*parts, self.y):
            digest.update(str(part.dtype).encode())
            digest.update(np.ascontiguousarray(part).data)
        return {
            "rows": n,
            "features": d,
            "classes": self.n_classes,
            "given_train_rows": self.n_given_train,
            "density": (self.X.nnz if sparse else np.count_nonzero(self.X)) / (n * d),
            "sha256": digest.hexdigest(),
        }


def load_datasets(sources) -> list[Dataset]:
    """Load data sets.

    Parameters
    ----------
    sources : str, Path, tuple, Dataset or sequence of them
        Names of scikit-learn's toy data sets ("iris", "wine", "digits",
        "breast_cancer"); files that `polymargin.load_data` reads: svmlight text or
        tables, with the test rows in a file of the same name and ``.t`` if there is
        one, or ``.npz`` files, perhaps with X_test, y_test or test_data, ...; or tuples
        (name, X, y) or (name, X, y, X_test, y_test).

    Returns
    -------
    datasets : list of Dataset
    """
    if _is_one(sources):
        sources = [sources]
    datasets = [_load(source) for source in sources]
    if not datasets:
        raise ValueError(f"datasets is empty; name one, such as {TOYS[0]!r}.")
    names = [dataset.name for dataset in datasets]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"datasets has {name!r} twice; give the second as a tuple with another "
                f"name, or rename its file."
            )
    return datasets


def _is_one(sources) -> bool:
    """Whether this is a data set, not a sequence of them."""
    if isinstance(sources, tuple) and len(sources) in (3, 5):
        return not isinstance(sources[1], (str, Path, tuple, Dataset))
    return isinstance(sources, (str, Path, Dataset))


def _load(source) -> Dataset:
    if isinstance(source, Dataset):
        return source
    if isinstance(source, tuple):
        return make_dataset(*source)
    if str(source) in TOYS:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{source}")(return_X_y=True)
        return make_dataset(str(source), X, y)
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(
            f"data set {str(source)!r} is neither a file nor one of {', '.join(TOYS)}."
        )
    parts = load_parts(path, dtype=None)
    if any(part.y is None for part in parts):
        raise ValueError(
            f"data set {str(source)!r} has no labels; a comparison needs y."
        )
    arrays = (array for part in parts for array in (part.X, part.y))
    return make_dataset(path.name.split(".")[0], *arrays)


def make_dataset(name: str, X, y, X_test=None, y_test=None) -> Dataset:
    """Check arrays and make a data set of them.

    Parameters
    ----------
    name : str
    X, X_test : array-like or sparse matrix
    y, y_test : array-like
        Labels of any kind.

    Returns
    -------
    dataset : Dataset
    """
    X, labels = _rows(name, X), _labels(name, y)
    n_train = None
    if X_test is not None and y_test is not None:
        n_train = X.shape[0]
        other = _rows(name, X_test)
        if other.shape[1] != X.shape[1]:
            raise ValueError(
                f"data set {name!r} has {X.shape[1]} features, but {other.shape[1]} "
                f"in its test rows; give both the same."
            )
        stack = sp.vstack if sp.issparse(X) else np.vstack
        X = stack([X, other])
        X = X.tocsr() if sp.issparse(X) else X
        labels = np.concatenate([labels, _labels(name, y_test)])
    if len(labels) != X.shape[0]:
        raise ValueError(
            f"data set {name!r} has {X.shape[0]} rows and {len(labels)} labels; give "
            f"one label for each row."
        )
    classes, y = np.unique(labels, return_inverse=True)
    if len(np.unique(y[:n_train])) < 2:
        raise ValueError(
            f"data set {name!r} has only the class {classes[y[0]]!s}; a comparison "
            f"needs at least two."
        )
    return Dataset(name, X, y, n_train)


def _rows(name: str, X):
    try:
        X = check_array(
            check_compressed(X), accept_sparse="csr", dtype=[np.float64, np.float32]
        )
    except ValueError as error:
        raise ValueError(f"data set {name!r}: {_one_line(error)}") from error
    return X


def _labels(name: str, y) -> np.ndarray:
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(
            f"data set {name!r} has labels of shape {y.shape}; give one for each row."
        )
    return y


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
