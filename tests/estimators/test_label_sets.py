"""Several labels a row: one-vs-rest on indicator matrices, dense and sparse."""

import pickle

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score

from polymargin import (
    KernelSVM,
    LinearSVM,
    MaxEnt,
    OnlineSVM,
    export_liblinear,
    load,
    save,
)
from polymargin.machine.registry import names_of
from polymargin.prediction.thresholds import f1_thresholds

LOSSES = ("hinge", "squared_hinge", "logistic")


def problem(n=60, d=5, k=4, seed=0):
    """Rows of which some have no label, and some all."""
    X, Y = make_multilabel_classification(
        n, d, n_classes=k, n_labels=2, random_state=seed
    )
    Y[0], Y[1] = 0, 1
    return X / X.max(), Y


def optimum(loss, X, positive, loss_weights):
    """Of one class against the rest, by a solver that is not ours."""
    (n, d), side = X.shape, np.where(positive, 1.0, -1.0)
    if loss == "logistic":

        def value(w):
            z = side * (X @ w)
            slope = -loss_weights * side / (1 + np.exp(z))
            return w @ w / 2 + loss_weights @ np.logaddexp(0, -z), w + X.T @ slope

        found = minimize(
            value, np.zeros(d), jac=True, options={"gtol": 1e-9, "maxiter": 10_000}
        )
        return found.fun
    squared = loss == "squared_hinge"
    P = np.concatenate([np.ones(d), 2 * loss_weights * squared])
    q = np.concatenate([np.zeros(d), loss_weights * (not squared)])
    A = np.block([[-side[:, None] * X, -np.eye(n)], [np.zeros((n, d)), -np.eye(n)]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags_array(P)),
        q,
        sp.csc_matrix(A),
        np.concatenate([-np.ones(n), np.zeros(n)]),
        [clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    return solver.solve().obj_val


def test_the_machines_that_take_several():
    assert names_of(lambda row: row.label_sets) == ("ovr",)


@pytest.mark.parametrize("solver", ["dual", "newton", "auto"])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_class_reaches_its_optimum(loss, solver):
    X, Y = problem()
    X[3] = 0  # whose loss is fixed
    weights = np.random.default_rng(0).uniform(0.2, 3, size=len(X))
    weights[5] = 0
    model = LinearSVM(
        "ovr",
        loss=loss,
        C=2.0,
        fit_intercept=False,
        solver=solver,
        tol=1e-8,
        max_iter=100_000,
        random_state=0,
    ).fit(X, Y, sample_weight=weights)
    used = weights > 0
    best = [optimum(loss, X[used], y[used], 2 * weights[used]) for y in Y.T]
    assert_allclose(model.objective_, sum(best), rtol=1e-6)
    assert_allclose(model.dual_objective_, sum(best), rtol=1e-6)
    assert_allclose(model.dual_coef_.T @ X, model.coef_, atol=2e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_one_label_a_row_is_the_usual_machine(loss):
    X, _ = problem()
    y = np.arange(len(X)) % 4
    parameters = {"loss": loss, "tol": 1e-9, "max_iter": 100_000, "random_state": 0}
    usual = LinearSVM("ovr", **parameters).fit(X, y)
    sets = LinearSVM("ovr", **parameters).fit(X, np.eye(4, dtype=int)[y])
    assert_allclose(sets.coef_, usual.coef_, atol=1e-3)
    assert_allclose(sets.objective_, usual.objective_, rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_classes(dtype):
    """With more than 64 classes, visits are of those in the support of a block."""
    X, Y = problem(n=150, d=20, k=80)
    X = sp.csr_array(X.astype(dtype))
    dual = LinearSVM("ovr", solver="dual", tol=1e-5, random_state=0).fit(X, Y)
    newton = LinearSVM("ovr", solver="newton", tol=1e-5, random_state=0).fit(X, Y)
    assert dual.status_ == "converged"
    assert_allclose(dual.objective_, newton.objective_, rtol=3e-5)
    side = 2 * Y - 1
    slack = np.maximum(1 - side * dual.decision_function(X), 0).sum()
    norm = np.sum(dual.coef_**2) + np.sum(dual.intercept_**2)
    assert_allclose(dual.objective_, norm / 2 + slack, rtol=1e-5)


def test_dense_and_sparse_labels_are_the_same():
    X, Y = problem()
    expected = LinearSVM("ovr", random_state=0).fit(X, Y)
    for labels in (sp.csr_array(Y), sp.csc_matrix(Y), Y.astype(bool), Y.astype(float)):
        model = LinearSVM("ovr", random_state=0).fit(X, labels)
        assert_array_equal(model.coef_, expected.coef_)
    assert_array_equal(expected.classes_, np.arange(4))
    assert expected.multilabel_ is True


def test_two_columns_are_two_problems():
    X, Y = problem(k=2)
    model = LinearSVM("ovr", loss="logistic", random_state=0).fit(X, Y)
    assert model.coef_.shape == (2, X.shape[1])
    assert model.predict(X).shape == model.predict_proba(X).shape == Y.shape
    assert_array_equal(model.predict(X), model.predict_proba(X) > 0.5)
    assert_allclose(np.log(model.predict_proba(X)), model.predict_log_proba(X))


def test_the_same_for_any_number_of_threads():
    X, Y = problem()
    one, two = (
        LinearSVM("ovr", n_jobs=jobs, random_state=0).fit(X, Y) for jobs in (1, 2)
    )
    assert_array_equal(one.coef_, two.coef_)


def test_best_thresholds():
    """Against all thresholds there are."""
    rng = np.random.default_rng(0)
    scores, Y = rng.normal(size=(40, 3)).round(1), rng.integers(2, size=(40, 3))
    Y[:, 2] = 0
    found = f1_thresholds(scores, sp.csr_array(Y))
    for m in range(2):
        tried = np.append(scores[:, m], [-9, 9]) - 1e-3
        best = max(f1_score(Y[:, m], scores[:, m] > t, zero_division=0) for t in tried)
        assert f1_score(Y[:, m], scores[:, m] > found[m]) == best
    assert found[2] == 0


def test_thresholds_help_rare_classes():
    X, Y = make_multilabel_classification(
        2000, 20, n_classes=12, n_labels=1, random_state=3
    )
    X = X / X.max()
    train, test = slice(0, 1200), slice(1200, None)
    plain = LinearSVM("ovr", random_state=0).fit(X[train], Y[train])
    tuned = LinearSVM("ovr", thresholds="f1", random_state=0).fit(X[train], Y[train])
    assert_array_equal(tuned.coef_, plain.coef_)
    assert_array_equal(plain.thresholds_, 0)
    scores = [
        f1_score(Y[test], model.predict(X[test]), average="macro", zero_division=0)
        for model in (plain, tuned)
    ]
    assert scores[1] > scores[0] + 0.05


def test_thresholds_of_a_few_rows_are_not_trusted():
    """Labels of one row, of three, of none and of all: none is seen everywhere."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    Y = np.column_stack([X[:, 0] > 1, np.zeros((300, 3)), np.ones(300)]).astype(int)
    Y[7, 1], Y[[20, 120, 220], 2] = 1, 1
    model = LinearSVM("ovr", thresholds="f1", random_state=0).fit(X, Y)
    assert_array_equal(model.thresholds_[1:4], 0)
    assert (model.predict(X).sum(axis=0)[1:4] <= 3).all()
    assert model.predict(X)[:, 4].all()
    assert model.thresholds_[0] != 0


def test_weights_count_in_thresholds():
    rng = np.random.default_rng(1)
    scores, Y = rng.normal(size=(40, 3)), rng.integers(2, size=(40, 3))
    weights = rng.integers(3, size=40)
    found = f1_thresholds(scores, Y, weights)
    repeated = np.repeat(np.arange(40), weights)
    assert_array_equal(found, f1_thresholds(scores[repeated], Y[repeated]))


def test_rows_without_weight_are_as_if_not_there():
    X, Y = problem(n=200)
    weights = np.repeat([1.0, 0.0], 100)
    parameters = {"thresholds": "f1", "tol": 1e-8, "random_state": 0}
    all_rows = LinearSVM("ovr", **parameters).fit(X, Y, sample_weight=weights)
    half = LinearSVM("ovr", **parameters).fit(X[:100], Y[:100])
    assert_allclose(all_rows.thresholds_, half.thresholds_, atol=1e-3)
    few = LinearSVM("ovr", **parameters)  # folds of rows without weight alone
    few.fit(X, Y, sample_weight=np.repeat([1.0, 0.0], [2, 198]))
    assert_array_equal(LinearSVM("ovr", **parameters).fit(X[:1], Y[:1]).thresholds_, 0)


def test_warm_start_and_files(tmp_path):
    X, Y = problem()
    parameters = {"thresholds": "f1", "warm_start": True, "random_state": 0}
    model = LinearSVM("ovr", **parameters).fit(X, Y)
    save(model, tmp_path / "model.safetensors", training=True)
    loaded = load(tmp_path / "model.safetensors")
    for again in (loaded, pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.predict(X), model.predict(X))
        assert again.fit(X, Y).n_iter_ <= 2
    other = Y.copy()
    other[2:20] = 1 - other[2:20]
    cold = LinearSVM("ovr", random_state=0).fit(X, other)
    assert_allclose(model.fit(X, other).objective_, cold.objective_, rtol=2e-3)


def test_back_to_one_label_a_row():
    X, Y = problem()
    y = np.arange(len(X)) % 3
    model = LinearSVM("ovr", random_state=0).fit(X, Y).fit(X, y)
    assert not hasattr(model, "multilabel_") and not hasattr(model, "thresholds_")
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LinearSVM("cs"), "machine='cs' of LinearSVM does not take; use LinearSVM"),
        (MaxEnt(), "of MaxEnt does not take"),
        (KernelSVM("ovr"), "of KernelSVM does not take"),
        (LinearSVM("ovr", class_weight="balanced"), "class_weight is for one label"),
        (LinearSVM("ovr", features="reduced"), "'reduced' is for one label a row"),
        (
            LinearSVM("ovr", loss="logistic", solver="tron"),
            "solver='tron' is for one label a row; choose one of auto, dual, newton",
        ),
    ],
)
def test_what_does_not_take_several(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*problem())


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (np.asarray, (-1, 1)),
        (np.asarray, (0, 2)),
        (np.asarray, (1, 2)),
        (sp.csr_array, (0, 2)),
    ],
)
def test_other_values_than_zero_and_one_are_no_labels(make, values):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"y has several columns and the value -?\d;"):
        LinearSVM("ovr").fit(X, make(np.where(Y, values[1], values[0])))


@pytest.mark.parametrize("make", [LinearSVM, MaxEnt, OnlineSVM])
def test_streams_take_one_label_a_row(make):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"shape \(60, 4\), several labels a row, and"):
        make().partial_fit(X, Y, classes=range(4))


def test_other_errors(tmp_path):
    X, Y = problem()
    with pytest.raises(ValueError, match=r"y has sets of labels, such as .1.; make"):
        LinearSVM("ovr").fit(X[:2], [{1}, {2, 3}])
    with pytest.raises(ValueError, match="forget_class is for one label a row"):
        LinearSVM("ovr").fit(X, Y).forget_class(1)
    with pytest.raises(ValueError, match="'f1' is for several labels a row"):
        LinearSVM("ovr", thresholds="f1").fit(X, Y[:, 0])
    model = LinearSVM("ovr", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="LIBLINEAR does not know"):
        export_liblinear(model, tmp_path / "model")
    with pytest.raises(ValueError, match="partial_fit takes one label a row"):
        model.partial_fit(X, Y[:, 0])
