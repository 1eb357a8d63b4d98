"""Reduced features in an estimator: formats, warm starts and what is refused."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import BINARY_LOSSES, ENTROPY, LOSSES, make_model, rotated
from reduced import (
    REDUCIBLE,
    fit_reduced,
    model_weights,
    reduced_weights,
    separate_problem,
    shown,
)
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM, MaxEnt


def expected_failures(estimator):
    return {
        "check_class_weight_balanced_linear_classifier": "compares coef_ as an array"
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        estimator(features="reduced", violation_tol=1e-11, max_iter=3000)
        for estimator in (LinearSVM, MaxEnt)
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [LinearSVM, MaxEnt])
def test_balanced_classes(estimator):
    """The check of scikit-learn that is expected to fail, for a sparse `coef_`."""
    X, y = separate_problem(k=3)
    counts = np.bincount(y)
    by_class = dict(enumerate(len(y) / (3 * counts)))
    assert len(set(counts)) > 1
    one, other, plain = (
        estimator(features="reduced", class_weight=weight, random_state=0).fit(X, y)
        for weight in ("balanced", by_class, None)
    )
    assert_allclose(model_weights(one), model_weights(other), rtol=1e-9, atol=1e-12)
    assert not np.allclose(model_weights(one), model_weights(plain), atol=1e-3)


def assert_identical(one, other):
    assert_array_equal(model_weights(one), model_weights(other))
    assert_array_equal(one.coef_.indptr, other.coef_.indptr)
    assert_array_equal(one.coef_.indices, other.coef_.indices)
    assert_array_equal(one.dual_coef_.toarray(), other.dual_coef_.toarray())
    assert one.objective_ == other.objective_
    assert one.n_parameters_ == other.n_parameters_
    assert one.n_iter_ == other.n_iter_


# Formats


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 4, 70]))
def test_input_formats(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    model = fit_reduced(machine, loss, X, y, tol=1e-7)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
    assert_identical(fit_reduced(machine, loss, wide, y, tol=1e-7), model)
    scale = np.abs(model_weights(model)).max()
    dense = X.toarray()
    for other in (dense, np.asfortranarray(dense), sp.csr_matrix(X), sp.csc_array(X)):
        found = fit_reduced(machine, loss, other, y, tol=1e-7)
        assert found.n_parameters_ == model.n_parameters_
        assert_allclose(found.objective_, model.objective_, rtol=2e-7)
        assert_allclose(
            model_weights(found), model_weights(model), rtol=0, atol=3e-3 * scale
        )
    single = fit_reduced(machine, loss, X.astype(np.float32), y, tol=1e-4)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.n_parameters_ == model.n_parameters_
    assert_allclose(single.objective_, model.objective_, rtol=3e-4)


def test_zeros_that_are_stored_do_not_count():
    X, y = separate_problem(k=3)
    rows, columns = np.nonzero(X.toarray() == 0)
    stored = sp.csr_array(
        (
            np.concatenate([X.data, np.zeros(len(rows))]),
            (np.concatenate([X.tocoo().row, rows]), np.append(X.indices, columns)),
        ),
        shape=X.shape,
    )
    assert stored.nnz == np.prod(X.shape)
    model, other = (fit_reduced("cs", "hinge", x, y, tol=1e-6) for x in (X, stored))
    assert other.n_parameters_ == model.n_parameters_
    assert_allclose(other.objective_, model.objective_, rtol=2e-6)


def test_rows_without_features():
    X, y = separate_problem(k=3)
    X = sp.csr_array(sp.diags_array(1.0 * (np.arange(len(y)) % 5 > 0)) @ X)
    X.eliminate_zeros()
    for machine, loss in REDUCIBLE:
        model = fit_reduced(machine, loss, X, y, fit_intercept=False, tol=1e-3)
        empty = np.arange(0, len(y), 5)
        assert model.dual_coef_[empty].nnz == 0
        assert model.dual_gap_ <= 1e-3


# What a fitted model does


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), REDUCIBLE)
def test_predictions(machine, loss, k):
    X, y = separate_problem(k=k)
    names = np.array([f"class {m}" for m in range(k)])
    model = fit_reduced(machine, loss, X, names[y], tol=1e-4)
    assert isinstance(model.coef_, sp.csr_matrix)
    assert model.coef_.shape == (1 if k == 2 else k, X.shape[1])
    weights = model_weights(model)
    scores = X @ weights[:, :-1].T + weights[:, -1]
    winners = (scores[:, 0] > 0).astype(int) if k == 2 else scores.argmax(axis=1)
    for x in (X, X.toarray()):
        found = model.decision_function(x)
        assert isinstance(found, np.ndarray)
        assert_allclose(found, scores[:, 0] if k == 2 else scores, atol=1e-12)
        assert_array_equal(model.predict(x), names[winners])
    if loss in ENTROPY:
        positive = expit(scores)
        expected = positive / positive.sum(axis=1, keepdims=True)
        if k == 2:
            expected = np.hstack([1 - positive, positive])
        elif loss == "log":
            expected = softmax(scores, axis=1)
        p = model.predict_proba(X)
        assert_allclose(p, expected, atol=1e-12)
        assert_allclose(model.predict_log_proba(X), np.log(p), atol=1e-9)
    expected = model.decision_function(X)
    for other in (model.densify(), model.sparsify(), model.densify()):
        assert_allclose(other.decision_function(X), expected, atol=1e-12)
    assert isinstance(model.coef_, np.ndarray)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 4, 70]))
def test_pickle_and_clone(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    model = fit_reduced(machine, loss, X, y, tol=1e-4, warm_start=True)
    copy = pickle.loads(pickle.dumps(model))
    assert_identical(copy, model)
    assert copy.n_parameters_.kept == model.n_parameters_.kept
    assert_array_equal(copy.decision_function(X), model.decision_function(X))
    fresh = clone(model)
    assert fresh.features == "reduced"
    assert not hasattr(fresh, "coef_")
    assert_identical(fresh.fit(X, y), model)
    assert_identical(copy.fit(X, y), model.fit(X, y))  # both go on where they were


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("machine", "loss"), REDUCIBLE)
def test_number_of_threads(machine, loss):
    """Enough classes and values in a row for the threads to share its scores."""
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(200), 2)
    density = np.where(np.arange(300) < 220, 0.9, 0.05)  # whole rows, and lists
    X = sp.csr_array(rng.normal(size=(400, 300)) * (rng.random((400, 300)) < density))
    parameters = {"tol": 1e-2, "C": 0.01, "max_iter": 5}
    one = fit_reduced(machine, loss, X, y, n_jobs=1, **parameters)
    for n_jobs in (2, 3):
        assert_identical(
            fit_reduced(machine, loss, X, y, n_jobs=n_jobs, **parameters), one
        )


# Warm starts


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 4, 70]))
def test_warm_start(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    parameters = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0}
    warm = make_model(
        machine, loss, features="reduced", warm_start=True, **parameters
    ).fit(X, y)
    needed = warm.n_iter_
    assert warm.set_params(tol=1e-5).fit(X, y).n_iter_ <= max(needed / 4, 2)
    warm.set_params(tol=1e-6)
    for C in (3.0, 0.3):
        warm.set_params(C=C).fit(X, y)
        cold = fit_reduced(machine, loss, X, y, C=C, tol=1e-6)
        assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
        W = shown(reduced_weights(warm, X, y, np.ones(len(y))))
        assert_allclose(model_weights(warm), W, atol=1e-9 * np.abs(W).max())


@pytest.mark.parametrize(("machine", "loss"), REDUCIBLE)
def test_warm_start_with_other_pairs(machine, loss):
    """The dual variables stay feasible; their weights are those of the new pairs."""
    X, y = separate_problem(k=3)
    weight = np.ones(len(y))
    weight[3::3] = 0
    warm = fit_reduced(machine, loss, X, y, tol=1e-6, warm_start=True)
    for features in ("full", "reduced"):
        warm.set_params(features=features).fit(X, y, weight)
        cold = make_model(machine, loss, features=features, random_state=0)
        cold.set_params(tol=1e-6, max_iter=100_000).fit(X, y, weight)
        assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
        assert warm.n_parameters_ == cold.n_parameters_
        assert sp.issparse(warm.coef_) == (features == "reduced")


# What is refused


@pytest.mark.parametrize(
    ("machine", "loss"),
    [("llw", loss) for loss in LOSSES] + [("ovo", loss) for loss in BINARY_LOSSES],
)
def test_machines_without_reduced_features(machine, loss):
    X, y = separate_problem(k=3)
    with pytest.raises(ValueError, match="features='reduced'") as caught:
        fit_reduced(machine, loss, X, y)
    message = str(caught.value)
    assert f"machine={machine!r}" in message
    assert "cs, ww, ovr" in message
    assert "features='full'" in message


@pytest.mark.parametrize(
    ("machine", "loss", "solver"),
    [
        ("ovr", "squared_hinge", "tron"),
        ("cs", "hinge", "exponentiated_gradient"),
        ("cs", "hinge", "cutting_plane"),
    ],
)
def test_solvers_without_reduced_features(machine, loss, solver):
    X, y = separate_problem(k=3)
    with pytest.raises(ValueError, match="features='reduced'") as caught:
        fit_reduced(machine, loss, X, y, solver=solver)
    assert f"solver={solver!r}" in str(caught.value)
    assert "'dual'" in str(caught.value)


def test_auto_is_dual_even_where_newton_pays():
    X, y = separate_problem(n=2000, d=30, k=3)
    parameters = {"C": 100.0, "tol": 1e-1, "max_iter": 100_000}
    full = LinearSVM("ovr", loss="squared_hinge", **parameters).fit(X, y)
    assert full.solver_ == "dual+newton"
    assert fit_reduced("ovr", "squared_hinge", X, y, **parameters).solver_ == "dual"


def test_unknown_features():
    X, y = separate_problem(k=3)
    for estimator in (LinearSVM, MaxEnt):
        with pytest.raises(ValueError, match="'features' parameter"):
            estimator(features="some").fit(X, y)


@pytest.mark.parametrize("estimator", [LinearSVM, MaxEnt])
def test_partial_fit(estimator):
    X, y = separate_problem(k=3)
    model = estimator(features="reduced")
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y, classes=[0, 1, 2])
    assert "features='reduced'" in str(caught.value.__cause__)
    assert "features='full'" in str(caught.value.__cause__)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("estimator", [LinearSVM, MaxEnt])
def test_partial_fit_goes_on_from_reduced_features(estimator, k):
    X, y = separate_problem(k=k)
    model = estimator(features="reduced", random_state=0).fit(X, y)
    dense = pickle.loads(pickle.dumps(model)).densify()
    for one in (model, dense):
        one.set_params(features="full").partial_fit(X, y)
    assert_array_equal(model.coef_, dense.coef_)
