"""Number formats, index types and layouts: the same model, read in place."""

import numpy as np
import peak_memory
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import ALL_PAIRS, make_model, make_problem, make_sparse_problem, rotated

from polymargin import KernelSVM, LinearSVM, OnlineSVM


def fit(X, y, machine="cs", loss="hinge", **parameters):
    parameters = {"tol": 1e-7, "max_iter": 50_000, "random_state": 0, "C": 0.3} | (
        parameters
    )
    return make_model(machine, loss, **parameters).fit(X, y)


def with_indices(X, dtype):
    """The same CSR matrix with index arrays of another type, built by hand."""
    other = X.copy()
    other.indices, other.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return other


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 4, 70])
@pytest.mark.parametrize("layout", ["F", "strided", "reversed", "offset", "list"])
def test_dense_layouts(layout, k, dtype):
    X, y = make_problem(n=100, d=7, k=k)
    X = X.astype(dtype)
    other = {
        "F": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "offset": np.pad(X, ((0, 0), (1, 2)))[:, 1:-2],
        "list": X.tolist(),
    }[layout]
    if layout == "list":
        X = X.astype(np.float64)
    assert_array_equal(np.asarray(other), X)
    # Another layout is another order of summation: the optimum is what must agree.
    tol = 1e-7 if X.dtype == np.float64 else 1e-3
    expected, found = fit(X, y, tol=tol), fit(other, y, tol=tol)
    assert found.coef_.dtype == X.dtype
    assert_allclose(found.objective_, expected.objective_, rtol=2 * tol)
    distance = np.linalg.norm(found.coef_ - expected.coef_)
    assert distance <= 4 * np.sqrt(tol * expected.objective_)
    assert_array_equal(found.predict(other), found.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
def test_csr_formats(container, index, dtype):
    X, y = make_sparse_problem(n=150, d=60, k=6, dtype=dtype)
    expected = fit(X, y, tol=1e-3)
    Z = with_indices(container(X), index)
    assert Z.indices.dtype == Z.indptr.dtype == index
    found = fit(Z, y, tol=1e-3)
    assert found.coef_.dtype == found.intercept_.dtype == dtype
    assert_array_equal(found.coef_, expected.coef_)


@pytest.mark.parametrize("name", ["csc", "coo", "lil", "bsr"])
def test_other_sparse_formats(name):
    X, y = make_sparse_problem(n=100, d=40, k=4)
    assert_array_equal(fit(X.asformat(name), y).coef_, fit(X, y).coef_)


def test_mixed_index_types():
    X, y = make_sparse_problem(n=100, d=40, k=4)
    mixed = X.copy()
    mixed.indptr = X.indptr.astype(np.int64)
    mixed.indices = X.indices.astype(np.int32)
    assert_array_equal(fit(mixed, y).coef_, fit(X, y).coef_)


@pytest.mark.parametrize(
    ("machine", "loss", "density", "dtype"),
    rotated(ALL_PAIRS, [0.2, 0.9], [np.float32, np.float64]),
)
def test_dense_equals_csr(machine, loss, density, dtype):
    X, y = make_problem(n=80, d=10)
    X *= np.random.default_rng(0).random(X.shape) < density
    X = X.astype(dtype)
    tol = 1e-7 if dtype == np.float64 else 1e-4
    parameters = {"machine": machine, "loss": loss, "tol": tol}
    dense, sparse = fit(X, y, **parameters), fit(sp.csr_array(X), y, **parameters)
    assert_allclose(dense.objective_, sparse.objective_, rtol=2 * tol)
    assert_array_equal(dense.predict(X), dense.predict(sp.csr_array(X)))


@pytest.mark.parametrize("flag", ["asked", "not asked"])
def test_non_canonical_csr(flag):
    """Duplicates add up and order does not matter; the caller's arrays stay."""
    X, y = make_sparse_problem(n=100, d=40, k=4)
    half = X.copy()
    half.data /= 2
    rows = []
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        rows.append((np.tile(X.indices[part], 2)[::-1], np.tile(half.data[part], 2)))
    indices = np.concatenate([indices for indices, _ in rows])
    data = np.concatenate([values[::-1] for _, values in rows])
    twice = sp.csr_array((data, indices, 2 * X.indptr), shape=X.shape)
    if flag == "asked":
        assert not twice.has_canonical_format
    before = twice.data.copy(), twice.indices.copy()
    assert_allclose(fit(twice, y).coef_, fit(X, y).coef_, atol=1e-12)
    assert_array_equal(twice.data, before[0])
    assert_array_equal(twice.indices, before[1])


@pytest.mark.parametrize("how", ["C", "F", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_input_is_not_modified_and_may_be_read_only(how, dtype):
    X, y = make_problem(n=60, d=8)
    X = X.astype(dtype, order="F" if how == "F" else "C")
    arrays = [X, y]
    if how == "csr":
        X = sp.csr_array(X)
        arrays = [X.data, X.indices, X.indptr, y]
    weight = np.ones(len(y))
    arrays.append(weight)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    LinearSVM(random_state=0).fit(X, y, sample_weight=weight).predict(X)
    LinearSVM(random_state=0).partial_fit(X, y, np.unique(y), sample_weight=weight)
    for array, copy in zip(arrays, before, strict=True):
        assert_array_equal(array, copy)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.float16, ">f8"])
def test_other_number_formats_become_double(dtype):
    X = np.random.default_rng(0).integers(0, 2, size=(60, 6))
    y = np.arange(60) % 3
    found = fit(X.astype(dtype), y)
    assert found.coef_.dtype == np.float64
    assert_array_equal(found.coef_, fit(X.astype(np.float64), y).coef_)


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y = make_problem(d=3)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert_array_equal(model.coef_, fit(X, y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


IN_PLACE = """
    import sys
    import numpy as np, scipy.sparse as sp
    from peak_memory import peak
    from polymargin import LinearSVM

    kind, dtype = sys.argv[1:]
    rng = np.random.default_rng(0)
    n, d = 25_000, 120_000_000 // 25_000 // np.dtype(dtype).itemsize
    y = np.arange(n) % 3
    if kind == "csr":
        per_row = d // 2
        indices = np.tile(np.arange(per_row, dtype=np.int32), n)
        data = np.tile(rng.random(per_row).astype(dtype), n)
        X = sp.csr_array((data, indices, np.arange(n + 1) * per_row), shape=(n, d))
        X.has_canonical_format
        size = X.data.nbytes + X.indices.nbytes
    else:
        X = np.ones((n, d), dtype=dtype, order=kind)
        X[:, 0] = rng.random(n)
        size = X.nbytes
    # A small fit first, so that what libraries load once is not counted.
    LinearSVM(tol=1).fit(X[:100], y[:100])
    before = peak()
    LinearSVM(tol=1, max_iter=1).fit(X, y)
    print((peak() - before) / size)
"""


@pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("C", "float64"), ("F", "float32"), ("csr", "float32"), ("csr", "float64")],
)
def test_read_in_place(run_python, helpers_on_path, kind, dtype):
    """A copy of X would add one to the ratio, of its values alone a half."""
    assert float(run_python(IN_PLACE, kind, dtype, env=helpers_on_path)) < 0.1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("index", ["u8", ">u8", "u4", ">i8", "i2"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: LinearSVM(random_state=0),
        lambda: KernelSVM(random_state=0),
        lambda: KernelSVM(kernel="laplacian", random_state=0),
        lambda: OnlineSVM(random_state=0),
    ],
)
def test_index_types_that_nobody_else_reads(make, index):
    X, y = make_sparse_problem(n=60, d=20, k=3)
    model, other = make().fit(X, y), with_indices(X, index)
    assert_array_equal(model.decision_function(other), model.decision_function(X))
    again = make().fit(other, y)
    assert_array_equal(again.decision_function(X), model.decision_function(X))
