"""Kernel machines on partitions: the objective of the local ones, same landmarks."""

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from dask_cluster import as_arrays, as_parts
from problems import make_problem
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import polymargin
from polymargin import KernelSVM
from polymargin.dask import DaskKernelSVM

X, y = make_problem(n=240, d=3, k=3, seed=1)
SIZES = (100, 80, 60)
MACHINES = [
    ("cs", "hinge"),
    ("ww", "squared_hinge"),
    ("llw", "hinge"),
    ("ovr", "squared_hinge"),
]


def local(machine="ww", loss="hinge", **parameters):
    """To many digits."""
    model = KernelSVM(machine, loss=loss, approximation="nystroem", tol=1e-6)
    return model.set_params(random_state=0, fit_intercept=False, **parameters)


def check(model, best):
    assert model.status_ == "converged"
    assert model.dual_gap_ <= model.tol
    assert model.dual_objective_ <= best * (1 + 1e-9)
    assert best * (1 - 1e-5) <= model.objective_ <= best * (1 + 1.01 * model.tol)


@pytest.mark.parametrize(("machine", "loss"), MACHINES)
def test_same_objective_as_local(client, machine, loss):
    best = local(machine, loss, rank=20).fit(X, y)
    model = DaskKernelSVM(machine, loss=loss, rank=20, tol=1e-2, random_state=0)
    model.fit(*as_arrays(X, y, chunks=SIZES))
    # 20 times 20 rows are a sample of all, so landmarks are the same.
    landmarks = model.to_local()._expansion.points.rows
    np.testing.assert_allclose(landmarks, best._expansion.points.rows, rtol=1e-9)
    assert model.gamma_ == pytest.approx(best.gamma_, rel=1e-12)
    check(model, best.objective_)


@pytest.mark.parametrize("kernel", ["laplacian", "linear", "poly", rbf_kernel])
def test_kernels(client, kernel):
    settings = {"kernel": kernel, "gamma": 0.5, "coef0": 1.0, "degree": 2, "rank": 20}
    best = local(**settings).fit(X, y)
    model = DaskKernelSVM(**settings, tol=1e-2, random_state=0)
    check(model.fit(as_parts(X, y, sizes=SIZES)), best.objective_)


def test_sparse_rows_and_weights(client):
    rows = sp.csr_array(np.where(X > 0, X, 0.0))
    weights = np.random.default_rng(0).random(len(y))
    settings = {"rank": 30, "class_weight": "balanced"}
    best = local(**settings).fit(rows, y, weights)
    model = DaskKernelSVM(**settings, tol=1e-2, random_state=0)
    model.fit(as_parts(rows, y, weights, sizes=(100, 0, 140)))
    assert model.gamma_ == pytest.approx(best.gamma_, rel=1e-12)
    assert sp.issparse(model.to_local()._expansion.points.rows)
    check(model, best.objective_)
    parts = as_parts(rows, y, weights, sizes=(100, 140))
    parts[1] = dask.delayed((rows[100:].toarray(), y[100:], weights[100:]))
    check(model.fit(parts), best.objective_)  # one of them dense


def test_all_rows_are_landmarks(client):
    """The kernel of these is exact."""
    best = KernelSVM("ww", tol=1e-6, random_state=0).fit(X[:100], y[:100])
    model = DaskKernelSVM(rank=100, tol=1e-2, random_state=0)
    model.fit(as_parts(X[:100], y[:100], sizes=(60, 40)))
    assert model.objective_ == pytest.approx(best.objective_, rel=1e-2)


def test_landmarks_do_not_depend_on_workers(client):
    """The sample is drawn from all partitions: here 40 of 240 rows."""
    settings = {"rank": 2, "tol": 1e-2, "random_state": 0}
    model = DaskKernelSVM(**settings).fit(as_parts(X, y, sizes=SIZES))
    again = clone(model).fit(as_parts(X, y, sizes=SIZES))
    assert np.array_equal(model.dual_coef_, again.dual_coef_)
    moved = clone(model).fit(as_parts(X, y, sizes=(10, 230)))
    points = [m.to_local()._expansion.points.rows for m in (model, moved)]
    assert np.array_equal(*points)
    other = clone(model).set_params(random_state=1)
    other.fit(as_parts(X, y, sizes=SIZES))
    assert not np.array_equal(other.to_local()._expansion.points.rows, points[0])


def test_becomes_local_and_predicts_lazily(client, tmp_path):
    model = DaskKernelSVM(rank=20, tol=1e-2, random_state=0)
    DX, Dy = as_arrays(X, y, chunks=SIZES)
    model.fit(DX, Dy)
    twin = model.to_local()
    assert type(twin) is KernelSVM
    assert twin.get_params()["approximation"] == "nystroem"
    expected = twin.predict(X)
    assert (expected == y).mean() > 0.8
    assert np.array_equal(client.compute(model.predict(DX), sync=True), expected)
    scores = client.compute(model.decision_function(DX), sync=True)
    np.testing.assert_allclose(scores, twin.decision_function(X), rtol=1e-9, atol=1e-12)
    assert model.score(DX, Dy) == twin.score(X, y)
    polymargin.save(model, tmp_path / "model")
    loaded = polymargin.load(tmp_path / "model")
    assert np.array_equal(loaded.decision_function(X), twin.decision_function(X))
    assert loaded.dual_gap_ == model.dual_gap_


def test_warm_start_and_checkpoint(client, tmp_path):
    parts = as_parts(X, y, sizes=SIZES)
    model = DaskKernelSVM(rank=20, tol=1e-2, random_state=0, warm_start=True)
    needed = model.fit(parts).n_iter_
    assert model.fit(parts).n_iter_ <= needed / 2
    model = DaskKernelSVM(rank=20, tol=1e-2, random_state=0, checkpoint=tmp_path)
    rough = model.fit(parts).n_iter_
    model.set_params(tol=5e-3).fit(parts)
    assert model.n_iter_ > rough  # rounds of both
    assert model.dual_gap_ <= 5e-3


def test_what_is_not_possible(client):
    parts = as_parts(X, y, sizes=SIZES)
    with pytest.raises(ValueError, match="kernel='precomputed' is not possible on par"):
        DaskKernelSVM(kernel="precomputed").fit(parts)
    with pytest.raises(ValueError, match="machine='ovo' is not trained on partitions"):
        DaskKernelSVM("ovo").fit(parts)
    with pytest.raises(ValueError, match="random_state=None chooses other landmarks"):
        DaskKernelSVM(checkpoint="folder").fit(parts)
    with pytest.raises(TypeError, match="probability"):
        DaskKernelSVM(probability=True)
    assert not hasattr(DaskKernelSVM(), "predict_proba")
    with pytest.raises(ValueError, match="X has 2 chunks along the features"):
        DaskKernelSVM().fit(da.from_array(X, chunks=(240, 2)), da.from_array(y))
    broken = [parts[0], dask.delayed((X * np.nan, y))]
    with pytest.raises(RuntimeError, match="partition 1 of 2 raised ValueError: Input"):
        DaskKernelSVM().fit(broken)
