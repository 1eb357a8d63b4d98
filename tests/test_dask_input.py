"""What cannot be trained on gets one sentence, and leaves nothing on the cluster."""

import dask
import dask.array as da
import numpy as np
import pytest

pytest.importorskip("distributed")

from dask_cluster import as_arrays, as_parts, assert_nothing_left, easy_problem
from distributed import Client, LocalCluster

from polymargin.dask import DaskLinearSVM, DaskMaxEnt

X, y = easy_problem(40)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def nothing_left(client):
    yield
    assert_nothing_left(client)


def unknown_chunks(array):
    return array[array[:, 0] > -1e9]


def test_chunks_along_the_features():
    with pytest.raises(ValueError, match=r"X has 2 chunks along the features; .*rech"):
        DaskLinearSVM().fit(da.from_array(X, chunks=(20, 3)), da.from_array(y))


def test_other_chunks_of_labels():
    DX = da.from_array(X, chunks=(20, 6))
    for chunks in (40, (10, 30)):
        with pytest.raises(ValueError, match=r"y is not divided like X"):
            DaskLinearSVM().fit(DX, da.from_array(y, chunks=(chunks,)))


def test_unknown_chunks():
    DX = unknown_chunks(da.from_array(X, chunks=(20, 6)))
    with pytest.raises(ValueError, match=r"sizes are unknown; call compute_chunk_siz"):
        DaskLinearSVM().fit(DX, da.from_array(y, chunks=10))
    # As many chunks as labels have: their sizes show when they are read.
    model = DaskMaxEnt(random_state=0, tol=1e-2).fit(DX, da.from_array(y, chunks=20))
    assert model.dual_gap_ <= 1e-2
    with pytest.raises(RuntimeError, match=r"partition 0 of 2 raised ValueError: Fou"):
        DaskLinearSVM().fit(DX, da.from_array(y, chunks=((15, 25),)))


def fail():
    raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (dask.delayed(fail)(), "partition 1 of 2 raised OSError: the disk is gone"),
        (dask.delayed(X), r"partition 1 of 2 raised ValueError: a delayed partition"),
        (dask.delayed((X * np.nan, y)), "partition 1 of 2 raised ValueError: Input X"),
        (dask.delayed((X, y, y - 9.0)), "partition 1 .* finite and not negative"),
    ],
)
def test_partition_that_raises_names_itself(part, message):
    with pytest.raises(RuntimeError, match=message):
        DaskLinearSVM().fit([dask.delayed((X, y)), part])


def test_partitions_that_do_not_fit_together():
    parts = [dask.delayed((X, y)), dask.delayed((X[:, :4], y))]
    with pytest.raises(ValueError, match="partition 1 has 4 features, partition 0 ha"):
        DaskLinearSVM().fit(parts)


@pytest.mark.parametrize(
    ("labels", "message"), [(y[:0], "no partition has rows"), (y * 0, "one class only")]
)
def test_not_enough(labels, message):
    with pytest.raises(ValueError, match=message):
        DaskLinearSVM().fit(as_parts(X[: len(labels)], labels, sizes=(len(labels), 0)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"machine": "ovo"}, "machine='ovo' is not trained on partitions; choose one"),
        ({"solver": "tron", "machine": "ovr"}, "solver='tron' is not possible on"),
        ({"features": "reduced"}, "features='reduced' is not possible on"),
        ({"warm_start": True}, "warm_start=True is not possible on"),
        ({"class_weight": {9: 1.0}}, "class_weight has a weight for 9"),
        ({"traffic": "half"}, "'traffic' parameter of DaskLinearSVM must be"),
        ({"C": -1.0}, "'C' parameter of DaskLinearSVM must be"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        DaskLinearSVM(**parameters).fit(as_parts(X, y, sizes=(20, 20)))


def test_what_is_no_collection():
    with pytest.raises(TypeError, match="X is of type ndarray; give a Dask array"):
        DaskLinearSVM().fit(X, y)
    with pytest.raises(TypeError, match="y is of type ndarray; give a Dask array"):
        DaskLinearSVM().fit(da.from_array(X), y)
    with pytest.raises(TypeError, match="y is None; give the labels"):
        DaskLinearSVM().fit(da.from_array(X))
    with pytest.raises(TypeError, match="must be None if X is a list of delayed"):
        DaskLinearSVM().fit(as_parts(X, y, sizes=(40,)), da.from_array(y))
    with pytest.raises(ValueError, match="X is a list without partitions"):
        DaskLinearSVM().fit([])


def test_rounds_run_out():
    """The model so far is kept, with its certificate."""
    arrays = as_arrays(X, y, chunks=(20, 20))
    with pytest.warns(match="stopped after 2 rounds at a relative duality gap"):
        model = DaskLinearSVM(C=10, max_iter=2, random_state=0).fit(*arrays)
    assert model.status_ == "max_iter"
    assert model.objective_ >= model.dual_objective_
    assert (model.to_local().predict(X) == y).mean() > 0.5
