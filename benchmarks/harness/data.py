"""Data sets of the benchmarks: read from a folder, scaled, split, in float32."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

FOLDER_VARIABLE = "POLYMARGIN_DATA"
FALLBACK = "digits"  # shipped by scikit-learn, needs no folder
GENERATED = "generated_k"  # followed by the number of classes


@dataclass(frozen=True)
class Dataset:
    """A data set in two parts; labels are 0 .. n_classes - 1."""

    name: str
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    X_test: np.ndarray | sp.csr_matrix
    y_test: np.ndarray

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    @property
    def nonzeros(self) -> int:
        return self.X.nnz if sp.issparse(self.X) else np.count_nonzero(self.X)

    @property
    def shape(self) -> dict[str, int]:
        """Rows, features, classes and non-zeros of the training part."""
        n, d = self.X.shape
        return {"n": n, "d": d, "k": self.n_classes, "nnz": int(self.nonzeros)}


def load(name: str, scaled: bool = True) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        A file ``<name>.npz`` in the folder named by the environment variable
        ``POLYMARGIN_DATA``, or "digits", or "generated_k<classes>".
    scaled : bool
        Whether features of dense files are scaled; else they are as in the file.

    Returns
    -------
    dataset : Dataset

    Raises
    ------
    FileNotFoundError
        If the folder or the file is not there; the message says what to do.
    """
    if name == FALLBACK:
        X, y = load_digits(return_X_y=True)
        return split(name, (X / 16).astype(np.float32), y)
    if name.startswith(GENERATED):
        return generate(int(name.removeprefix(GENERATED)))
    with np.load(file_of(name)) as arrays:
        if "indptr" in arrays:
            return _sparse(name, arrays)
        data = _dense(name, arrays)
    return _scaled(data) if scaled else data


def generate(
    n_classes: int, *, n: int = 20_000, n_features: int = 20_000, seed: int = 0
) -> Dataset:
    """Generate sparse rows of many classes, about 20 non-zeros a row.

    Every class has 15 features of its own choice; a row shows each of them with
    probability 0.4, beside 14 features at random. Rows have length one. The test part
    has a quarter of the rows.
    """
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(n_features, size=(n_classes, 15))

    def part(rows: int):
        y = rng.permutation(np.arange(rows) % n_classes).astype(np.int32)
        noise = rng.integers(n_features, size=(rows, 14))
        indices = np.hstack([prototypes[y], noise])
        values = rng.uniform(0.5, 1.5, size=indices.shape)
        values[:, :15] *= rng.random((rows, 15)) < 0.4
        at = np.repeat(np.arange(rows), indices.shape[1])
        X = sp.csr_matrix((values.ravel(), (at, indices.ravel())), (rows, n_features))
        X.eliminate_zeros()
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sp.diags(1 / lengths) @ X
        return sp.csr_matrix(X, dtype=np.float32), y

    return Dataset(f"{GENERATED}{n_classes}", *part(n), *part(n // 4))


def file_of(name: str) -> Path:
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise FileNotFoundError(
            f"The data set {name!r} needs the environment variable {FOLDER_VARIABLE}; "
            f"set it to the folder that holds {name}.npz, or try --data {FALLBACK}."
        )
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            f"{FOLDER_VARIABLE} names a folder without {name}.npz; put the file there "
            f"or leave {name!r} out with --data."
        )
    return path


def _sparse(name: str, arrays) -> Dataset:
    def part(prefix: str):
        values = arrays[f"{prefix}data"].astype(np.float32)
        parts = (values, arrays[f"{prefix}indices"], arrays[f"{prefix}indptr"])
        return sp.csr_matrix(parts, shape=tuple(arrays[f"{prefix}shape"]))

    return Dataset(name, part(""), arrays["y"], part("test_"), arrays["y_test"])


def _dense(name: str, arrays) -> Dataset:
    X, y = arrays["X"].astype(np.float32), arrays["y"]
    if "X_test" in arrays:
        X_test = arrays["X_test"].astype(np.float32)
        return Dataset(name, X, y, X_test, arrays["y_test"])
    return split(name, X, y)


def split(name: str, X, y) -> Dataset:
    """Split at random, 80 to 20, the same way every time."""
    order = np.random.RandomState(0).permutation(len(y))
    train, test = np.split(order, [int(0.8 * len(y))])
    return Dataset(name, X[train], y[train], X[test], y[test])


def choose_rows(n: int, wanted: int | None) -> np.ndarray:
    """Choose so many of n rows at random, the same way every time; all if None."""
    if wanted is None or wanted >= n:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).permutation(n)[:wanted])


def pooled(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All rows and labels of a dense data set, not scaled, both parts together."""
    if name == FALLBACK:
        X, y = load_digits(return_X_y=True)
        return X.astype(np.float32), y
    with np.load(file_of(name)) as arrays:
        parts = [part for part in ("", "_test") if f"X{part}" in arrays]
        X, y = (
            np.concatenate([arrays[f"{letter}{part}"] for part in parts])
            for letter in "Xy"
        )
    return X.astype(np.float32), y


def _scaled(dataset: Dataset) -> Dataset:
    """Scale dense features: pixels of mnist by 255, usps not, others to [0, 1]."""
    if dataset.name == "usps":
        return dataset
    low, width = np.float32(0), np.float32(255)
    if dataset.name != "mnist":
        low = dataset.X.min(axis=0)
        width = dataset.X.max(axis=0) - low
        width[width == 0] = 1
    X, X_test = (dataset.X - low) / width, (dataset.X_test - low) / width
    return Dataset(dataset.name, X, dataset.y, X_test, dataset.y_test)
