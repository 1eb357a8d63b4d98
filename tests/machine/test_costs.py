"""Class costs: tables and rules, and machines with them against a convex solver."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem
from unified import margins, unified_optimum

from polymargin import (
    KernelSVM,
    LinearSVM,
    load,
    mean_cost,
    path,
    save,
    tree_distance,
)
from polymargin.machine.costs import cost_table
from polymargin.machine.registry import find_machine, names_of

WITH_COSTS = names_of(lambda row: row.costs)
PAIRS = [(name, loss) for name in WITH_COSTS for loss in ("hinge", "squared_hinge")]


def random_costs(k, seed=0):
    """Costs from 0 to 3, some of them zero."""
    rng = np.random.default_rng(seed)
    costs = rng.uniform(0.2, 3, size=(k, k)) * (rng.random((k, k)) > 0.2)
    np.fill_diagonal(costs, 0)
    return costs


def frame(labels):
    """Costs of ten times the place of the label and that of the prediction."""
    places = np.arange(len(labels))
    table = (10 * places[:, None] + places) * (places[:, None] != places)
    return pd.DataFrame(table, index=list(labels), columns=list(labels))


def objectives(name, loss, scores, labels, loss_weights, costs, half_norm):
    """The primal objective, from the definition of the margins."""
    total = half_norm
    for s, y, C in zip(scores, labels, loss_weights, strict=True):
        h = [max(t - form @ s, 0) for form, t in margins(name, y, len(costs), costs)]
        h = [max(h)] if name in ("cs", "adm") else h
        total += C * sum(x**2 if loss == "squared_hinge" else x for x in h)
    return total


def test_the_machines_that_have_costs():
    assert WITH_COSTS == ("cs", "ww", "llw", "adm")


def test_rules():
    assert_array_equal(
        cost_table("ordinal", [10, 20, 70]), [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    )
    assert_array_equal(
        cost_table("tree", ["a/b", "a/c", "d"]), [[0, 2, 3], [2, 0, 3], [3, 3, 0]]
    )
    by_function = cost_table(lambda y, m: 10 * y + m, [1, 2])
    assert_array_equal(by_function, [[0, 12], [21, 0]])
    by_dicts = cost_table({"a": {"b": 5}}, ["a", "b", "c"])
    assert_array_equal(by_dicts, [[0, 5, 1], [1, 0, 1], [1, 1, 0]])


def test_frames_are_read_by_their_names():
    """Whatever their order; labels that are no classes do not matter."""
    expected = cost_table(frame("abc").to_numpy(), list("abc"))
    turned = frame("abc").loc[list("cab"), list("bca")]
    assert_array_equal(cost_table(turned, list("abc")), expected)
    assert_array_equal(cost_table(frame("abcd"), list("abc")), expected)
    unnamed = pd.DataFrame(expected)
    assert_array_equal(cost_table(unnamed, list("abc")), expected)
    assert_array_equal(cost_table(unnamed[::-1], [0, 1, 2]), expected)


def test_tree_distance():
    assert tree_distance("a/b/c", "a/b/c") == 0
    assert tree_distance("a/b/c", "a/b") == 1
    assert tree_distance("a/b/c", "a/d/c") == 4
    assert tree_distance("a", "b") == 2
    assert tree_distance("a.b", "a.c", separator=".") == 2


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.zeros((2, 2)), r"shape \(2, 2\), but there are 3 classes"),
        ([[0, 1, 1], [1, 0, -1], [1, 1, 0]], "'c' in place of 'b' is -1.0"),
        ([[0, 1, 1], [1, 0, np.nan], [1, 1, 0]], "'c' in place of 'b' is nan"),
        ([[0, 1, 1], [1, 2, 1], [1, 1, 0]], "'b' in place of itself is 2.0"),
        ({"a": {"z": 1}}, "an entry for 'z', which is not one of the classes"),
        ({"a": 3}, r"costs\['a'\] is 3; give a dict"),
        ({("a", "b"): 3}, r"for each label, e.g. \{'a': \{'c': 2.0\}\}"),
        ({"a": {"b": "much"}}, "'b' in place of 'a' is 'much'; give a number"),
        (lambda y, m: None, "'b' in place of 'a' is None; give a number"),
        ([[0, 1], [1, 0, 1], [1, 1, 0]], "not a table of numbers"),
        ([["x"] * 3] * 3, "not a table of numbers"),
        (frame("abd"), "the index of costs must name each class once, and 'c'"),
        (frame("abcc"), "'c' is there 2 times"),
        (lambda y, m: float("inf"), "costs must be finite"),
    ],
)
def test_tables_that_are_wrong(costs, message):
    with pytest.raises(ValueError, match=message):
        cost_table(costs, np.array(["a", "b", "c"]))


def test_mean_cost():
    costs = [[0, 2], [5, 0]]
    assert mean_cost([0, 0, 1, 1], [0, 1, 0, 1], costs) == 7 / 4
    assert mean_cost([0, 1], [1, 0], costs, sample_weight=[3, 1]) == 11 / 4
    assert mean_cost(["b", "a"], ["a", "a"], costs, classes=["b", "a"]) == 1
    assert mean_cost([1, 5], [5, 5], "ordinal", classes=range(1, 6)) == 2
    with pytest.raises(ValueError, match=r"y_true has the shape \(2,\) and y_pred"):
        mean_cost([0, 1], [0, 1, 1], costs)
    with pytest.raises(ValueError, match="at least one"):
        mean_cost([], [], costs)
    with pytest.raises(ValueError, match="'c' is not one of the classes"):
        mean_cost(["b", "c"], ["a", "a"], costs, classes=["b", "a"])


@pytest.mark.parametrize("solver", ["dual", "newton"])
@pytest.mark.parametrize(("name", "loss"), PAIRS)
def test_linear_machines_reach_the_optimum(name, loss, solver):
    X, y = make_problem(n=40, d=4, k=4, seed=3)
    X[5] = 0  # whose loss is fixed
    rng = np.random.default_rng(1)
    sample_weight = rng.uniform(0.2, 3, size=len(y))
    sample_weight[7] = 0
    costs, used = random_costs(4), sample_weight > 0
    model = LinearSVM(
        name,
        loss=loss,
        costs=costs,
        C=0.7,
        fit_intercept=False,
        solver=solver,
        tol=1e-8,
        max_iter=100_000,
        random_state=0,
    ).fit(X, y, sample_weight=sample_weight)
    loss_weights = 0.7 * sample_weight
    best = unified_optimum(name, loss, X[used], y[used], loss_weights[used], 4, costs)
    assert model.status_ == "converged"
    assert_allclose(model.objective_, best, rtol=1e-7)
    scores, half_norm = X @ model.coef_.T, np.sum(model.coef_**2) / 2
    primal = objectives(name, loss, scores, y, loss_weights, costs, half_norm)
    assert_allclose(model.objective_, primal, rtol=1e-7)
    assert model.dual_objective_ <= best * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["block", "newton"])
@pytest.mark.parametrize(("name", "loss"), PAIRS)
def test_kernel_machines_reach_the_optimum(name, loss, solver):
    X, y = make_problem(n=36, d=3, k=3, seed=5)
    costs = random_costs(3, seed=2)
    model = KernelSVM(
        name, loss=loss, costs=costs, C=2.0, solver=solver, tol=1e-8, random_state=0
    ).fit(X, y)
    gram = np.exp(-model.gamma_ * ((X[:, None] - X) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(values, 0))
    best = unified_optimum(name, loss, features, y, np.full(len(y), 2.0), 3, costs)
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(model.dual_objective_, best, rtol=1e-6)


def test_bisection_as_printed_has_no_costs():
    X, y = make_problem(n=40, d=4, k=4, seed=3)
    model = LinearSVM(costs=random_costs(4), restricted="bisection_printed")
    with pytest.raises(
        ValueError, match="'bisection_printed' is not for costs; choose"
    ):
        model.fit(X, y)


@pytest.mark.parametrize(
    "restricted",
    [
        name
        for name in find_machine("cs", "hinge").restricted
        if name != "bisection_printed"
    ],
)
def test_restricted_solvers(restricted):
    X, y = make_problem(n=40, d=4, k=4, seed=3)
    costs = random_costs(4)
    parameters = {"costs": costs, "solver": "dual", "random_state": 0}
    parameters |= {"tol": 1e-5, "restricted_tol": 1e-8, "fit_intercept": False}
    model = LinearSVM("cs", restricted=restricted, **parameters).fit(X, y)
    best = unified_optimum("cs", "hinge", X, y, np.ones(len(y)), 4, costs)
    assert_allclose(model.objective_, best, rtol=2e-5)


@pytest.mark.parametrize("name", ["cs", "ww"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_visits_of_a_part_of_the_classes(name, dtype):
    """With more than 64 classes, blocks are of the classes in their support."""
    k = 70
    X, y = make_problem(n=3 * k, d=6, k=k, seed=1)
    X, costs = X.astype(dtype), cost_table("ordinal", np.arange(k)) / 10
    parameters = {"costs": costs, "tol": 1e-4, "random_state": 0}
    model = LinearSVM(name, solver="dual", fit_intercept=False, **parameters).fit(X, y)
    assert model.status_ == "converged"
    scores = X @ model.coef_.T.astype(np.float64)
    half_norm = np.sum(model.coef_.astype(np.float64) ** 2) / 2
    weights = np.ones(len(y))
    primal = objectives(name, "hinge", scores, y, weights, costs, half_norm)
    assert_allclose(model.objective_, primal, rtol=1e-5)
    newton = LinearSVM(name, solver="newton", fit_intercept=False, **parameters)
    assert_allclose(newton.fit(X, y).objective_, primal, rtol=2e-4)


@pytest.mark.parametrize("name", WITH_COSTS)
def test_costs_of_one_change_nothing(name):
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    ones = 1 - np.eye(3)
    parameters = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0}
    for make in (LinearSVM, KernelSVM):
        plain = make(name, **parameters).fit(X, y).decision_function(X)
        with_costs = make(name, costs=ones, **parameters).fit(X, y)
        assert_allclose(with_costs.decision_function(X), plain, atol=2e-3)


def test_costs_scale_weights():
    """Twice the costs with half of C: twice the weights."""
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    costs = random_costs(3)
    parameters = {"tol": 1e-10, "max_iter": 100_000, "random_state": 0}
    once = LinearSVM(costs=costs, C=1.0, **parameters).fit(X, y)
    twice = LinearSVM(costs=2 * costs, C=2.0, **parameters).fit(X, y)
    assert_allclose(twice.coef_, 2 * once.coef_, atol=1e-3)
    assert_allclose(twice.objective_, 4 * once.objective_, rtol=1e-8)


def test_dear_mistakes_are_avoided():
    """Of classes that overlap, the one that is dear to miss wins."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.array(["fine", "fault"])[rng.integers(2, size=600)]
    for make in (LinearSVM, KernelSVM):
        model = make("cs", costs={"fault": {"fine": 50}}, random_state=0).fit(X, y)
        missed = np.mean(model.predict(X)[y == "fault"] == "fine")
        assert missed < 0.1
        assert mean_cost(y, model.predict(X), model.costs_, model.classes_) < 2


def test_labels_are_those_of_the_costs():
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    names = np.array(["x/a", "x/b", "y"])[y]
    model = LinearSVM(costs="tree", random_state=0).fit(X, names)
    assert_array_equal(model.costs_, [[0, 2, 3], [2, 0, 3], [3, 3, 0]])
    again = LinearSVM(costs=model.costs_, random_state=0).fit(X, y)
    assert_array_equal(again.coef_, model.coef_)
    assert not hasattr(LinearSVM().fit(X, y), "costs_")


def test_warm_start_from_other_costs():
    X, y = make_problem(n=80, d=4, k=3, seed=0)
    model = LinearSVM(warm_start=True, tol=1e-6, random_state=0).fit(X, y)
    model.set_params(costs="ordinal").fit(X, y)
    cold = LinearSVM(costs="ordinal", tol=1e-6, random_state=0).fit(X, y)
    assert_allclose(model.objective_, cold.objective_, rtol=2e-6)
    again = model.fit(X, y)
    assert again.n_iter_ <= 2


def test_costs_along_a_path():
    X, y = make_problem(n=80, d=4, k=3, seed=0)
    models = path(X, y, [0.1, 1], LinearSVM(costs="ordinal", tol=1e-6, random_state=0))
    direct = LinearSVM(costs="ordinal", C=1, tol=1e-6, random_state=0).fit(X, y)
    assert_allclose(models[-1].objective_, direct.objective_, rtol=2e-6)


def test_chunks():
    X, y = make_problem(n=80, d=4, k=3, seed=0)
    chunks = LinearSVM(costs="ordinal", random_state=0)
    plain = LinearSVM(random_state=0)
    for part in (slice(0, 40), slice(40, 80)):
        chunks.partial_fit(X[part], y[part], classes=[0, 1, 2])
        plain.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert np.abs(chunks.coef_ - plain.coef_).max() > 1e-3


@pytest.mark.parametrize("make", [LinearSVM, KernelSVM])
@pytest.mark.parametrize(
    "costs", ["ordinal", {0: {2: 3.0}}, [[0, 1, 2], [1, 0, 1], [2, 1, 0]]]
)
def test_files_and_pickles(make, costs, tmp_path):
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    # The best weights and dual variables of Newton steps are not of one point: going on
    # from the latter would take some epochs.
    solver = {"solver": "dual"} if make is LinearSVM else {}
    model = make("ww", costs=costs, warm_start=True, random_state=0, **solver).fit(X, y)
    save(model, tmp_path / "model.safetensors", training=True)
    for again in (
        load(tmp_path / "model.safetensors"),
        pickle.loads(pickle.dumps(model)),
    ):
        assert_array_equal(again.decision_function(X), model.decision_function(X))
        assert_array_equal(again.costs_, model.costs_)
        assert_array_equal(cost_table(again.costs, [0, 1, 2]), model.costs_)
        assert again.fit(X, y).n_iter_ <= 2


def test_frames_keep_their_names_in_files(tmp_path):
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    names, turned = np.array(list("abc"))[y], frame("abc").loc[list("cab")]
    model = LinearSVM(costs=turned, random_state=0).fit(X, names)
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert_array_equal(cost_table(again.costs, list("abc")), model.costs_)


def test_functions_are_not_written(tmp_path):
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    model = LinearSVM(costs=lambda y, m: 2.0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"set_params\(costs=model.costs_\)"):
        save(model, tmp_path / "model.safetensors")
    save(model.set_params(costs=model.costs_), tmp_path / "model.safetensors")
    assert_array_equal(load(tmp_path / "model.safetensors").costs, model.costs_)


@pytest.mark.parametrize("name", ["ovr", "ovo", "atm", "mmr"])
def test_machines_without_costs(name):
    X, y = make_problem(n=30, d=4, k=3, seed=0)
    for make in (LinearSVM, KernelSVM):
        with pytest.raises(ValueError, match="choose one of cs, ww, llw, adm"):
            make(name, costs="ordinal").fit(X, y)


def test_solvers_without_costs():
    X, y = make_problem(n=30, d=4, k=3, seed=0)
    with pytest.raises(ValueError, match=r"'smo' does not train .* and costs; choose"):
        KernelSVM("ww", costs="ordinal", solver="smo").fit(X, y)
    with pytest.raises(ValueError, match=r"'cutting_plane' does not .* and costs"):
        LinearSVM("cs", costs="ordinal", solver="cutting_plane").fit(X, y)
