"""Low-rank features, against the kernel they approximate."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from polymargin import LinearSVM
from polymargin.access.kernels import make_kernel
from polymargin.access.landmarks import choose_means, choose_rows
from polymargin.access.nystroem import NystroemFeatures

DTYPES = [np.float32, np.float64]


def cubes(A, B):
    A, B = (x.toarray() if sp.issparse(x) else x for x in (A, B))
    return (A @ B.T / 10 + 1) ** 3


KERNELS = ["rbf", "laplacian", "linear", "poly", "precomputed", cubes]


def make(kernel="rbf", n=90, d=6, layout=np.asarray, dtype=np.float64):
    """A kernel, X, and the kernel of its rows."""
    X = layout(make_problem(n, d)[0].astype(dtype))
    made = make_kernel(kernel, 0.1, 3, 1.0, X)
    if kernel == "precomputed":
        X = X @ X.T
        made = make_kernel(kernel, 0.1, 3, 1.0, X)
    points = made.points(X)
    return made, X, made(points, points)


def approximated(kernel, X, rank, seed=0):
    features = NystroemFeatures(kernel, rank, seed).fit(X)
    Z = features.transform(X)
    assert Z.shape == (X.shape[0], features.rank_)
    assert Z.dtype == kernel.dtype
    return Z.astype(float) @ Z.T.astype(float), features


@pytest.mark.parametrize("rank", [90, 1000])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_rows_give_the_kernel(dtype, kernel, layout, rank):
    if kernel == "precomputed":
        layout = np.asarray
    kernel, X, K = make(kernel, layout=layout, dtype=dtype)
    found, _ = approximated(kernel, X, rank)
    # Eigenvalues that were dropped are missing.
    missing = 500 * np.finfo(dtype).eps * K.max()
    assert_allclose(found, K, rtol=0, atol=missing)


@pytest.mark.parametrize("kernel", KERNELS)
def test_never_larger_than_the_kernel_and_closer_with_rank(kernel):
    kernel, X, K = make(kernel)
    last = np.inf
    for rank in (2, 5, 15, 40, 89):
        found, features = approximated(kernel, X, rank)
        assert 0 < features.rank_ <= rank
        values = np.linalg.eigvalsh(K - found)
        assert values[0] > -1e-9 * K.diagonal().sum()
        assert values.sum() < last or values.sum() < 1e-9 * K.diagonal().sum()
        last = values.sum()


def test_one_landmark():
    kernel, X, _ = make()
    found, features = approximated(kernel, X, 1)
    left = kernel(kernel.points(X), features.landmarks_)
    assert_allclose(found, left @ left.T)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_add_no_features(dtype):
    X = np.repeat(make_problem(20, 6)[0].astype(dtype), 5, axis=0)
    kernel = make_kernel("rbf", 0.5, 3, 0, X)
    found, features = approximated(kernel, X, 100)
    assert features.rank_ == 20
    points = kernel.points(X)
    assert_allclose(found, kernel(points, points), atol=500 * np.finfo(dtype).eps)
    assert approximated(kernel, X, 30)[1].rank_ <= 20


def test_rank_of_a_linear_kernel_is_that_of_the_rows():
    kernel, X, K = make("linear")
    found, features = approximated(kernel, X, 30)
    assert features.rank_ == 6
    assert_allclose(found, K, atol=1e-9)


def test_the_seed_decides():
    kernel, X, _ = make()
    first = NystroemFeatures(kernel, 10, 3).fit(X).transform(X)
    assert_array_equal(NystroemFeatures(kernel, 10, 3).fit(X).transform(X), first)
    assert (NystroemFeatures(kernel, 10, 4).fit(X).transform(X) != first).any()
    state = np.random.RandomState(3)
    assert_array_equal(NystroemFeatures(kernel, 10, state).fit(X).transform(X), first)


@pytest.mark.parametrize("kernel", KERNELS)
def test_blocks_and_points(kernel, monkeypatch):
    kernel, X, _ = make(kernel)
    features = NystroemFeatures(kernel, 10, 0).fit(X)
    whole = features.transform(X)
    prepared = kernel.points(X)
    again = NystroemFeatures(kernel, 10, 0).fit(prepared).transform(prepared)
    assert_array_equal(again, whole)
    monkeypatch.setattr("polymargin.access.nystroem._BLOCK", 70)  # seven rows
    assert_allclose(features.transform(X), whole, atol=1e-9)
    assert_allclose(features.transform(prepared), whole, atol=1e-9)
    assert features.transform(X[:0]).shape == (0, features.rank_)


def test_new_rows_of_a_precomputed_kernel():
    X = make_problem(90, 6)[0]
    matrix = X[:60] @ X[:60].T
    features = NystroemFeatures(make_kernel("precomputed", 1, 3, 0, matrix), 20, 0)
    features.fit(matrix)
    assert features.landmarks_.matrix is None  # a model need not keep it
    Z, Z_new = features.transform(matrix), features.transform(X[60:] @ X[:60].T)
    assert_allclose(Z_new @ Z.T, X[60:] @ X[:60].T, atol=1e-9)


def test_sparse_rows_stay_sparse():
    kernel, X, _ = make(layout=sp.csr_array)
    features = NystroemFeatures(kernel, 10, 0).fit(X)
    assert sp.issparse(features.landmarks_.rows)
    dense = NystroemFeatures(make_kernel("rbf", 0.1, 3, 0, X.toarray()), 90, 0)
    full = NystroemFeatures(kernel, 90, 0).fit(X).transform(X)
    expected = dense.fit(X.toarray()).transform(X.toarray())
    assert_allclose(full @ full.T, expected @ expected.T, atol=1e-9)


def test_indefinite_kernels_lose_what_is_negative():
    matrix = np.diag([3.0, 2.0, -1.0, 1.0])
    kernel = make_kernel("precomputed", 1, 3, 0, matrix)
    found, features = approximated(kernel, matrix, 4)
    assert features.rank_ == 3
    assert_allclose(found, np.diag([3.0, 2.0, 0.0, 1.0]), atol=1e-12)
    kernel = make_kernel("precomputed", 1, 3, 0, -np.eye(3))
    with pytest.raises(ValueError, match="no positive eigenvalue"):
        NystroemFeatures(kernel, 2).fit(-np.eye(3))


def test_pickle():
    kernel, X, _ = make()
    features = NystroemFeatures(kernel, 10, 0).fit(X)
    again = pickle.loads(pickle.dumps(features))
    assert_array_equal(again.transform(X), features.transform(X))


def test_rows_are_different():
    rng = np.random.default_rng(0)
    rows = choose_rows(50, 30, rng)
    assert len(np.unique(rows)) == 30
    assert rows.min() >= 0
    assert rows.max() < 50
    assert_array_equal(choose_rows(5, 30, rng), np.arange(5))


def test_means_are_the_centres_of_clusters():
    rng = np.random.default_rng(0)
    centres = 100 * rng.normal(size=(3, 4))
    X = np.repeat(centres, 30, axis=0) + rng.normal(size=(90, 4))
    kernel = make_kernel("rbf", 0.1, 3, 0, X)
    points = kernel.points(X)
    means = choose_means(points, 12, rng)
    nearest = np.square(points.rows[:, None] - means[None]).sum(axis=2).min(axis=1)
    assert nearest.mean() < 4  # less than around the centres


def test_as_good_as_the_kernel_machine_with_enough_landmarks():
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    exact = SVC(gamma=0.03, C=10).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    accuracy = []
    for rank in (10, 300):
        kernel = make_kernel("rbf", 0.03, 3, 0, X[:1000])
        features = NystroemFeatures(kernel, rank, 0).fit(X[:1000])
        model = LinearSVM(C=10, fit_intercept=False, random_state=0)
        model.fit(features.transform(X[:1000]), y[:1000])
        accuracy.append(model.score(features.transform(X[1000:]), y[1000:]))
    assert accuracy[0] < exact - 0.03
    assert accuracy[1] > exact - 0.01
