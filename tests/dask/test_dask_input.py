"""What cannot be trained on gets one sentence, and leaves nothing on the cluster."""

import asyncio

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_cluster import (
    WatchedSVM,
    as_arrays,
    as_parts,
    assert_nothing_left,
    connect,
    easy_problem,
)
from distributed import Client

from polymargin.dask import DaskLinearSVM, DaskMaxEnt

X, y = easy_problem(40)


pytestmark = pytest.mark.usefixtures("client")


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


def test_several_labels_a_row():
    X = da.zeros((6, 2), chunks=(3, 2))
    Y = da.zeros((6, 3), chunks=(3, 3), dtype=int)
    with pytest.raises(ValueError, match="y has 3 columns, and several labels a row"):
        DaskLinearSVM("ovr").fit(X, Y)


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


def test_an_error_that_is_kept_holds_nothing(client):
    """Its traceback has frames with futures; these were let go of."""
    with pytest.raises(RuntimeError) as caught:
        DaskLinearSVM().fit([dask.delayed((X, y)), dask.delayed(fail)()])
    assert_nothing_left(client)
    assert "the disk is gone" in str(caught.value)

    class Stopped(WatchedSVM):
        def end_round(self, done):
            raise OSError("a hook of the user")

    with pytest.raises(OSError) as caught:
        Stopped().fit(as_parts(X, y, sizes=(20, 20)))
    assert_nothing_left(client)
    assert caught.tb is not None


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
        ({"fit_intercept": "free"}, "fit_intercept='free' is not possible on"),
        ({"penalty": "l1"}, "penalty='l1' is not possible on partitions"),
        ({"candidates": 16}, "candidates=16 is not possible on partitions"),
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


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        (["ash"] * 20, ["hornbeam"] * 20, ["ash", "hornbeam"]),  # <U3 and <U8
        (np.array(["ash"] * 20, object), ["oak"] * 20, ["ash", "oak"]),
        ([1, 2] * 10, [2.0, 3.0] * 10, [1.0, 2.0, 3.0]),
        ([True] * 20, [False] * 20, [False, True]),
    ],
)
def test_labels_of_different_types(first, second, classes):
    parts = [dask.delayed((X[:20], first)), dask.delayed((X[20:], second))]
    model = DaskMaxEnt(C=0.1, tol=1e-2, random_state=0).fit(parts)
    assert model.classes_.tolist() == classes
    assert set(model.to_local().predict(X)) <= set(classes)


@pytest.mark.parametrize("other", [["1"] * 20, np.array(["1"] * 20, object)])
def test_labels_that_cannot_be_compared(other):
    parts = [dask.delayed((X[:20], [1] * 20)), dask.delayed((X[20:], other))]
    with pytest.raises(ValueError, match=r"of partition 1 are text, .* 0 numbers;"):
        DaskMaxEnt().fit(parts)


def test_categories_and_columns():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    names = pd.Series(np.array(["ash", "birch", "hornbeam", "oak"])[y])
    lazy = dd.from_pandas(frame, npartitions=2)
    for labels in (names.astype("category"), names.astype(object)):
        model = DaskMaxEnt(C=0.1, tol=1e-2, random_state=0)
        model.fit(lazy, dd.from_pandas(labels, npartitions=2))
        assert model.classes_.tolist() == ["ash", "birch", "hornbeam", "oak"]
        expected = (model.to_local().predict(frame) == names).mean()
        assert model.score(lazy, dd.from_pandas(labels, npartitions=2)) == expected
    # Said at once, not when a partition is read.
    for call in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match="feature names should match"):
            call(lazy[list("fedcba")])
        with pytest.raises(ValueError, match="feature names should match"):
            call(lazy[list("abc")])
        with pytest.raises(ValueError, match="X has 3 features, but MaxEnt is exp"):
            call(da.from_array(X[:, :3]))


def test_weights_that_are_zero():
    weights = np.where(np.arange(40) < 20, 0.0, 1.0)
    model = DaskMaxEnt(C=0.1, tol=1e-3, random_state=0)
    model.fit(as_parts(X, y, weights, sizes=(20, 20)))
    alone = DaskMaxEnt(C=0.1, tol=1e-3, random_state=0)
    alone.fit(as_parts(X[20:], y[20:], sizes=(10, 10)))
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-3)
    with pytest.raises(ValueError, match="sample_weight is zero in all partitions"):
        model.fit(as_parts(X, y, 0 * weights, sizes=(20, 20)))


def test_clients_that_cannot_be_used(cluster):
    closed = connect(cluster)
    closed.close()
    with pytest.raises(ValueError, match="client is closed; give one that is connect"):
        DaskMaxEnt(client=closed).fit(as_parts(X, y, sizes=(20, 20)))

    async def ask():
        async with Client(cluster.scheduler_address, asynchronous=True) as client:
            with pytest.raises(ValueError, match="client is asynchronous, and fit"):
                DaskMaxEnt(client=client).fit(as_parts(X, y, sizes=(20, 20)))

    asyncio.run(ask())


def test_a_failed_refit_changes_nothing():
    model = DaskLinearSVM(random_state=0, tol=1e-2).fit(
        *as_arrays(X, y, chunks=(20, 20))
    )
    before = dict(vars(model))
    with pytest.raises(ValueError, match="one class only"):
        model.fit(*as_arrays(X[:, :3], np.full(len(y), 7), chunks=(20, 20)))
    after = {name: value for name, value in vars(model).items() if name in before}
    assert all(after[name] is value for name, value in before.items())
    assert model.n_features_in_ == X.shape[1]
