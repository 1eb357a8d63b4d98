"""Training on partitions ends at the objective of the local machine, certified."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask_cluster import (
    as_arrays,
    as_parts,
    easy_problem,
    make_dask_model,
    optimum,
)
from problems import (
    as_hard,
    make_problem,
    make_sparse_problem,
    primal_objective,
)
from sklearn.base import clone

from polymargin import LinearSVM
from polymargin.dask import DaskLinearSVM, DaskMaxEnt
from polymargin.machine.registry import MACHINES

TOL = 3e-3
# All that the registry promises.
PAIRS = [pair for pair, found in MACHINES.items() if found.formulation.partitions]


def check(model, X, y, machine, loss, sample_weight=None):
    """The certificate holds: of the primal itself, and against the optimum."""
    loss_weights = (
        np.full(len(y), model.C) if sample_weight is None else model.C * sample_weight
    )
    assert model.status_ == "converged"
    assert model.dual_gap_ <= model.tol
    exact = primal_objective(model.to_local(), X, y, loss_weights)
    assert model.objective_ == pytest.approx(exact, rel=1e-9)
    best = optimum(machine, loss, X, y, sample_weight, C=model.C)
    assert model.dual_objective_ <= best * (1 + 1e-9)
    assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 1.01 * model.tol)


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_same_objective_as_local(client, machine, loss):
    X, y = easy_problem()
    C = as_hard(machine, loss, 4, 0.1)
    model = make_dask_model(
        machine, loss, C=C, tol=TOL, random_state=0, client=client
    ).fit(*as_arrays(X, y, chunks=(100, 80, 60)))
    check(model, X, y, machine, loss)


@pytest.mark.parametrize("sizes", [(240,), (1, 150, 0, 7, 82), (60, 60, 60, 60)])
def test_odd_partitions(client, sizes):
    """One, unequal ones, an empty one, and in order of class: one class in each."""
    X, y = easy_problem()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = DaskLinearSVM(C=0.1, tol=TOL, random_state=0, client=client)
    check(model.fit(as_parts(X, y, sizes=sizes)), X, y, "cs", "hinge")


def test_two_classes_and_no_intercept(client):
    X, y = make_problem(n=120, d=5, k=2)
    y = np.array(["no", "yes"])[y]
    model = DaskLinearSVM(
        "ovr", loss="logistic", fit_intercept=False, random_state=0, client=client
    ).fit(as_parts(X, y, sizes=(50, 70)))
    assert model.coef_.shape == (1, 5)
    assert model.classes_.tolist() == ["no", "yes"]
    exact = primal_objective(model.to_local(), X, y, np.ones(120))
    assert model.objective_ == pytest.approx(exact, rel=1e-9)
    assert model.dual_gap_ <= 1e-3


def test_sparse_partitions_send_only_what_they_touch(client):
    X, y = make_sparse_problem(n=200, d=2000, k=3, nonzeros=6)
    settings = {"C": 0.1, "tol": TOL, "random_state": 0, "client": client}
    model = DaskLinearSVM(**settings).fit(as_parts(X, y, sizes=(100, 100)))
    check(model, X, y, "cs", "hinge")
    whole = 4 * 2001 * 3 * 8  # twice up, twice down
    assert (model.history_["bytes"] < 0.75 * whole).all()
    half = DaskLinearSVM(**settings, traffic="float32").fit(
        as_parts(X, y, sizes=(100, 100))
    )
    check(half, X, y, "cs", "hinge")
    assert half.history_["bytes"].mean() < 0.6 * model.history_["bytes"].mean()


def test_float32_rows(client):
    X, y = easy_problem()
    model = DaskMaxEnt(tol=TOL, random_state=0, client=client)
    model.fit(as_parts(X.astype(np.float32), y, sizes=(120, 120)))
    assert model.coef_.dtype == np.float32
    best = optimum("maxent", "log", X, y)
    assert model.objective_ == pytest.approx(best, rel=TOL)


def test_weights_equal_repetition(client):
    X, y = easy_problem(120)
    counts = np.arange(120) % 3
    settings = {"C": 0.1, "tol": 1e-3, "random_state": 0, "client": client}
    weighted = DaskMaxEnt(**settings).fit(
        as_parts(X, y, counts.astype(float), sizes=(40, 80))
    )
    check(weighted, X, y, "maxent", "log", counts.astype(float))
    repeated = np.repeat(np.arange(120), counts)
    again = DaskMaxEnt(**settings).fit(
        as_parts(X[repeated], y[repeated], sizes=(60, 60))
    )
    assert again.objective_ == pytest.approx(weighted.objective_, rel=2e-3)


def test_balanced_classes_are_counted_over_all_partitions(client):
    X, y = easy_problem()
    model = DaskMaxEnt(class_weight="balanced", tol=TOL, random_state=0, client=client)
    model.fit(as_parts(X, y, sizes=(100, 140)))
    best = optimum("maxent", "log", X, y, class_weight="balanced")
    assert model.objective_ == pytest.approx(best, rel=TOL)


def test_same_seed_same_model(client):
    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(100, 140))
    model = DaskLinearSVM(C=0.1, tol=TOL, random_state=3, client=client).fit(parts)
    again = clone(model)
    assert again.client is client
    again.fit(parts)
    assert np.array_equal(model.coef_, again.coef_)
    assert model.history_["gap"].tolist() == again.history_["gap"].tolist()


def test_data_frames_and_lazy_predictions(client):
    X, y = easy_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    lazy = dd.from_pandas(frame, npartitions=3)
    labels = dd.from_pandas(pd.Series(y), npartitions=3)
    model = DaskMaxEnt(C=0.1, random_state=0, client=client).fit(lazy, labels)
    assert model.feature_names_in_.tolist() == list("abcdef")
    local = model.to_local()
    predicted = client.compute(model.predict(lazy), sync=True)
    assert predicted.index.equals(frame.index)
    assert np.array_equal(predicted, local.predict(frame))
    shares = client.compute(model.predict_proba(lazy), sync=True)
    assert np.allclose(shares, local.predict_proba(frame))
    assert np.array_equal(model.predict(frame), local.predict(frame))


@pytest.mark.parametrize("sparse", [False, True])
def test_lazy_predictions_on_arrays(client, sparse):
    X, y = easy_problem()
    model = DaskLinearSVM("ovr", loss="logistic", C=0.1, random_state=0, client=client)
    DX, Dy = as_arrays(X, y, chunks=(100, 140))
    if sparse:
        DX = DX.map_blocks(sp.csr_matrix)
    model.fit(DX, Dy)
    local = model.to_local()
    for method in ("predict", "decision_function", "predict_proba"):
        lazy = getattr(model, method)(DX)
        expected = getattr(local, method)(X)
        assert lazy.shape == expected.shape
        assert lazy.dtype == expected.dtype
        assert np.allclose(client.compute(lazy, sync=True), expected)


def test_costs(client):
    X, y = easy_problem()
    parameters = {"C": 0.1, "costs": "ordinal", "random_state": 0}
    model = make_dask_model("cs", "hinge", tol=TOL, client=client, **parameters)
    model.fit(*as_arrays(X, y, chunks=(100, 80, 60)))
    local = LinearSVM("cs", tol=1e-6, **parameters).fit(X, y)
    plain = LinearSVM("cs", C=0.1, tol=1e-6, random_state=0).fit(X, y)
    assert model.dual_gap_ <= TOL
    assert model.dual_objective_ <= local.objective_
    assert model.objective_ == pytest.approx(local.objective_, rel=1.01 * TOL)
    assert abs(plain.objective_ - local.objective_) > 0.1 * local.objective_
    assert np.array_equal(model.costs_, local.costs_)
