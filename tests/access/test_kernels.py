"""Kernels of points, against scikit-learn and against their formulas."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from polymargin.access.kernels import make_kernel
from polymargin.access.precomputed import check_precomputed

DTYPES = [np.float32, np.float64]
LAYOUTS = [np.ascontiguousarray, np.asfortranarray, sp.csr_array]
PARAMETERS = {
    "rbf": {"gamma": 0.3},
    "linear": {},
    "poly": {"gamma": 0.3, "degree": 3, "coef0": 0.5},
    "sigmoid": {"gamma": 0.1, "coef0": -0.2},
    "laplacian": {"gamma": 0.2},
}


def tolerance(dtype):
    return {"rtol": 100 * np.finfo(dtype).eps, "atol": 100 * np.finfo(dtype).eps}


def make_rows(n=70, d=9, seed=0, density=0.7):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < density)


def make(kernel, X, gamma="scale", degree=3, coef0=0.0):
    made = make_kernel(kernel, gamma, degree, coef0, X)
    return made, made.points(X)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_as_in_sklearn(name, layout, dtype):
    X, Z = make_rows().astype(dtype), make_rows(33, seed=1).astype(dtype)
    X[7] = 0
    kernel, points = make(name, layout(X), **PARAMETERS[name])
    new = kernel.points(layout(Z))
    wide = X.astype(float), Z.astype(float)
    expected = pairwise_kernels(*wide, metric=name, **PARAMETERS[name])
    tile = kernel(points, new)
    assert tile.dtype == dtype
    assert tile.flags.c_contiguous
    assert_allclose(tile, expected, **tolerance(dtype))
    own = pairwise_kernels(wide[0], metric=name, **PARAMETERS[name])
    assert_allclose(kernel.diagonal(points), own.diagonal(), **tolerance(dtype))
    assert kernel.diagonal(points).dtype == dtype


@pytest.mark.parametrize(
    "chosen",
    [slice(3, 20), slice(1, 60, 7), np.array([5, 5, 2, 69]), np.arange(0), slice(5, 5)],
)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [*PARAMETERS, "precomputed", "callable"])
def test_tiles_are_parts_of_the_whole(name, layout, chosen):
    X = make_rows()
    if name == "precomputed":
        X, layout = X @ X.T, np.asarray
    if name == "callable":
        name = dot
    kernel, points = make(name, layout(X))
    whole = kernel(points, points)
    taken = points.take(chosen)
    rows = np.arange(70)[chosen]
    assert len(taken) == len(rows)
    assert_allclose(kernel(taken, points), whole[rows], **tolerance(float))
    assert_allclose(kernel(points, taken), whole[:, rows], **tolerance(float))
    assert_allclose(kernel(taken, taken.take(slice(2))), whole[np.ix_(rows, rows[:2])])
    assert_array_equal(kernel.diagonal(taken), kernel.diagonal(points)[rows])
    assert_array_equal(kernel(points, points.keep(chosen)), kernel(points, taken))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_gamma(gamma, layout):
    X = make_rows() * 3 + 1
    y = np.arange(70) % 3
    expected = SVC(gamma=gamma).fit(layout(X), y)._gamma
    for name in ("rbf", "laplacian", "poly", "sigmoid"):
        assert make(name, layout(X), gamma)[0].gamma_ == pytest.approx(expected)
    assert make("linear", layout(X), gamma)[0].gamma_ is None


@pytest.mark.parametrize("value", [0.0, 0.1, -3e5])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gamma_of_equal_values_is_one(value, layout):
    X = layout(np.full((50, 3), value))
    kernel, points = make("rbf", X)
    assert kernel.gamma_ == 1
    assert_array_equal(kernel(points, points), np.ones((50, 50)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_far_from_the_origin(dtype):
    # The values are those of the number format, so only the kernel can lose digits.
    far = (make_rows() + 1000).astype(dtype)
    kernel, points = make("rbf", far, 0.3)
    expected = np.exp(-0.3 * cdist(far.astype(float), far.astype(float), "sqeuclidean"))
    assert_allclose(kernel(points, points), expected, **tolerance(dtype))


def test_centring_only_where_it_helps():
    X = make_rows(density=1)
    kernel, points = make("rbf", X)
    assert np.shares_memory(points.rows, X)
    kernel, points = make("rbf", X + 10)
    assert np.abs(points.rows.mean(axis=0)).max() < 1e-6
    assert_array_equal(kernel.points(X[:3] + 10).rows, points.rows[:3])


@pytest.mark.parametrize("gamma", [1e-12, 1.0, 1e5])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_a_row_have_kernel_one(dtype, layout, name, gamma):
    for d in (1, 2, 37, 400):
        assert_kernel_one(dtype, layout, d, name, gamma)


def assert_kernel_one(dtype, layout, d, name, gamma):
    X = np.repeat(make_rows(40, d).astype(dtype), 3, axis=0)
    kernel, points = make(name, layout(X), gamma)
    tile = kernel(points, points)
    same = (X[:, None] == X[None]).all(axis=2)
    if name == "rbf" or layout is not sp.csr_array:
        assert_array_equal(tile[same], 1)
    else:
        assert_allclose(tile[same], 1)
    if d > 2 and gamma == 1e5:
        assert_array_equal(tile, same)
    if gamma == 1e-12:
        assert_allclose(tile, 1, rtol=1e-6)


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_no_numbers_below_the_normal_ones(name, dtype):
    X = np.linspace(0, 40, 2001, dtype=dtype)[:, None]
    kernel, points = make(name, X, 0.5)
    tile = kernel(points.take(slice(1)), points)
    assert (tile[tile > 0] >= np.finfo(dtype).tiny).all()
    assert (np.diff(tile) <= 0).all()


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 20),
    st.sampled_from(list(PARAMETERS)),
    st.sampled_from(LAYOUTS),
    st.sampled_from(DTYPES),
    st.floats(-6, 4),
    st.integers(0, 2**32 - 1),
)
def test_of_any_shape_and_scale(m, n, d, name, layout, dtype, power, seed):
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=(m + n, d)) * 10.0**power).astype(dtype)
    kernel, points = make(name, layout(rows), coef0=0.25)
    tile = kernel(points.take(slice(m)), points.take(np.arange(m, m + n)))
    rows = rows.astype(float)
    parameters = {} if name == "linear" else {"gamma": kernel.gamma_}
    if name in ("poly", "sigmoid"):
        parameters["coef0"] = 0.25
    expected = pairwise_kernels(rows[:m], rows[m:], metric=name, **parameters)
    scale = max(np.abs(expected).max(), kernel.diagonal(points).max())
    assert tile.shape == (m, n)
    assert_allclose(tile, expected, rtol=0, atol=200 * np.finfo(dtype).eps * scale)


def test_threads_see_the_same():
    kernel, points = make("rbf", make_rows(600, 30))
    starts = range(0, 600, 50)

    def tile(start):
        return kernel(points.take(slice(start, start + 50)), points)

    with ThreadPoolExecutor(4) as pool:
        assert_array_equal(list(pool.map(tile, starts)), [tile(s) for s in starts])


@pytest.mark.parametrize("name", [*PARAMETERS])
def test_new_points_are_stored_like_those_of_the_training(name):
    X, new = make_rows(), make_rows(5, seed=3)
    for trained in (X, sp.csr_array(X), X.astype(np.float32)):
        kernel, points = make(name, trained)
        expected = kernel(kernel.points(new), points)
        for layout in (new, sp.csr_matrix(new), sp.coo_array(new).astype(np.float32)):
            found = kernel(kernel.points(layout), points)
            assert found.dtype == trained.dtype
            assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_repeated_indices_are_summed():
    X = sp.csr_array(
        (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 2]), np.array([0, 2, 3])), (2, 3)
    )
    kernel, points = make("rbf", X, 0.1)
    expected = np.exp(-0.1 * cdist(X.toarray(), X.toarray(), "sqeuclidean"))
    assert_allclose(kernel(points, points), expected)
    assert X.nnz == 3  # and X is as it was


@pytest.mark.parametrize("name", PARAMETERS)
def test_broken_csr(name):
    X = sp.csr_array(make_rows())
    X.indices[3] = 1_000_000
    with pytest.raises(ValueError, match="not a valid CSR matrix: a column index"):
        make(name, X)


def test_pickle():
    kernel, points = make("rbf", make_rows() + 4)
    again, kept = pickle.loads(pickle.dumps((kernel, points.keep([1, 2]))))
    assert_array_equal(again(points, kept), kernel(points, points.take([1, 2])))


def dot(A, B):
    return A @ B.T


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_callable(layout, dtype):
    X = make_rows(200).astype(dtype)
    shapes = []

    def intersect(A, B):
        shapes.append((A.shape[0], B.shape[0]))
        assert sp.issparse(A) == (layout is sp.csr_array)
        A, B = (x.toarray() if sp.issparse(x) else x for x in (A, B))
        return np.minimum(np.abs(A)[:, None], np.abs(B)[None]).sum(axis=2).tolist()

    kernel, points = make(intersect, layout(X))
    assert_allclose(kernel.diagonal(points), np.abs(X).sum(axis=1), rtol=1e-5)
    assert max(m * n for m, n in shapes) <= 64**2  # not all pairs for a diagonal
    tile = kernel(points.take(slice(7)), points)
    assert tile.dtype == dtype
    assert tile.shape == (7, 200)
    assert_allclose(tile[0, 0], np.abs(X[0]).sum(), rtol=1e-5)


def test_callable_that_is_no_kernel():
    X = make_rows()
    kernel, points = make(lambda A, B: dot(A, B).T, X)
    with pytest.raises(ValueError, match=r"shape \(70, 3\) for 3 and 70 rows"):
        kernel(points.take(slice(3)), points)
    kernel, points = make(lambda A, B: dot(A, B)[0], X)
    with pytest.raises(ValueError, match=r"shape \(64,\)"):
        kernel.diagonal(points)
    for value in (np.nan, -np.inf):
        kernel, points = make(lambda A, B, v=value: dot(A, B) + v, X)
        with pytest.raises(ValueError, match="infinite or not a number"):
            kernel(points, points)


@pytest.mark.parametrize("dtype", DTYPES)
def test_precomputed(dtype):
    X, new = make_rows(), make_rows(6, seed=1)
    K = (X @ X.T).astype(dtype)
    check_precomputed(K)
    kernel, points = make("precomputed", K)
    assert_array_equal(kernel(points, points), K)
    assert_array_equal(kernel.diagonal(points), K.diagonal())
    support = points.keep([3, 60, 9])
    assert support.matrix is None
    K_new = (new @ X.T).astype(dtype)
    tile = kernel(kernel.points(K_new), support)
    assert_array_equal(tile, K_new[:, [3, 60, 9]])
    assert tile.flags.c_contiguous


def test_precomputed_rounding_is_allowed():
    K = make_rows(1500, 4)
    K = K @ K.T
    K[1200, 3] += 9e-6 * np.abs(K).max()
    K[5] = K[:, 5] = 0
    K[5, 5] = -1e-12
    check_precomputed(K)
    kernel, points = make("precomputed", K)
    assert kernel.diagonal(points)[5] == 0


def test_precomputed_errors():
    K = make_rows(1500, 4)
    with pytest.raises(ValueError, match=r"shape \(1500, 4\).*square"):
        check_precomputed(K)
    K = K @ K.T
    for row, column in ((1200, 3), (2, 1499), (1100, 1101), (0, 1)):
        wrong = K.copy()
        wrong[row, column] += 2e-5 * np.abs(K).max()
        at = rf"X\[{max(row, column)}, {min(row, column)}\]"
        other = rf"X\[{min(row, column)}, {max(row, column)}\]"
        with pytest.raises(ValueError, match=f"symmetric.*({at}|{other}).*differ by"):
            check_precomputed(wrong)
    wrong = K.copy()
    wrong[1300, 1300] = -1
    with pytest.raises(ValueError, match="-1 at row 1300 of its diagonal"):
        check_precomputed(wrong)
    with pytest.raises(ValueError, match="sparse"):
        check_precomputed(sp.csr_array(K))
    with pytest.raises(ValueError, match="sparse"):
        make_kernel("precomputed", "scale", 3, 0, K).points(sp.csr_array(K))


def test_numbers_that_overflow():
    X = make_rows().astype(np.float32)
    with pytest.raises(ValueError, match=r"gamma=1e[+]39 is not a number of float32"):
        make("rbf", X, 1e39)
    with pytest.raises(ValueError, match=r"squared norms .* in float32; scale X"):
        make("rbf", X * np.float32(1e30), 1.0)
    kernel, points = make("poly", X * np.float32(1e15), 1.0)
    with pytest.raises(ValueError, match="with themselves is infinite"):
        kernel.diagonal(points)
    kernel, points = make("poly", X.astype(float) * 1e15, 1.0)
    assert kernel.diagonal(points).max() > 1e80


def test_unknown_kernel():
    able = "choose one of linear, rbf, poly"
    with pytest.raises(ValueError, match=f"'cosine' is not a kernel; {able}"):
        make("cosine", make_rows())


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_degrees(degree):
    X = make_rows()
    kernel, points = make("poly", X, 0.5, degree, -0.3)
    expected = pairwise_kernels(X, metric="poly", gamma=0.5, degree=degree, coef0=-0.3)
    assert_allclose(kernel(points, points), expected, **tolerance(float))
