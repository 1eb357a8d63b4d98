"""Row stores that earlier versions have written: they open, and can be trained on."""

import numpy as np
import pytest
import scipy.sparse as sp
from old_row_stores import FOLDER, make_rows

from polymargin import LinearSVM, open_rows

VERSIONS = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
STORES = [(version, name) for version in VERSIONS for name in ("dense", "sparse")]


def in_order(X, y, weights) -> list:
    """Return rows as tuples, in an order that does not depend on theirs."""
    X = X.toarray() if sp.issparse(X) else X
    return sorted(zip(X.tolist(), y.tolist(), weights.tolist(), strict=True))


@pytest.mark.parametrize(("version", "name"), STORES)
def test_rows(version, name):
    store = open_rows(FOLDER / version / f"{name}.rows")
    X, y, weights = make_rows(name)
    assert store.shape == X.shape
    assert store.dtype == X.dtype
    assert store.sparse == sp.issparse(X)
    assert store.classes.tolist() == np.unique(y).tolist()
    stored = store.load()
    known = np.ones(len(y)) if stored.weights is None else stored.weights
    assert in_order(stored.X, stored.y, known) == in_order(X, y, weights)


@pytest.mark.parametrize(("version", "name"), STORES)
def test_training(version, name):
    X, y, weights = make_rows(name)
    store = open_rows(FOLDER / version / f"{name}.rows")
    stored = LinearSVM(random_state=0, tol=1e-5).fit(store)
    loaded = LinearSVM(random_state=0, tol=1e-5).fit(X, y, weights)
    assert stored.status_ == "converged"
    assert stored.objective_ == pytest.approx(loaded.objective_, rel=3e-5)
