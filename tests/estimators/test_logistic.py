"""One-vs-rest logistic regression and its probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    augmented,
    class_weights,
    draw_softmax,
    losses,
    make_problem,
    slacks,
)
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from polymargin import LinearSVM


def fit(X, y, machine="ovr", **parameters):
    parameters = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0} | parameters
    return LinearSVM(machine, loss="logistic", **parameters).fit(X, y)


def problem_named(name):
    if name == "iris":
        X, y = load_iris(return_X_y=True)
        return StandardScaler().fit_transform(X), y
    return make_problem(n=80, d=5, k=2 if name == "binary" else 4, seed=2, noise=0.2)


def check_same_optimum(model, W, X, y):
    """`W` is another solver's, one row per binary problem."""
    features, ours = augmented(model, X), class_weights(model)
    assert W.shape == ours.shape
    h = slacks("ovr", "logistic", features @ W.T, y)
    loss = losses("ovr", "logistic", h, y).sum()
    assert_allclose(model.objective_, np.sum(W**2) / 2 + model.C * loss, rtol=1e-7)
    assert_allclose(ours, W, rtol=0, atol=1e-3 * np.abs(W).max())


@pytest.mark.parametrize("C", [0.05, 1.0, 10.0])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", ["binary", "generated", "iris"])
@pytest.mark.parametrize("solver", [0, 7])
def test_liblinear(solver, name, intercept, C):
    """Its primal (-s 0) and its dual (-s 7) method, for each class against the rest."""
    liblinearutil = pytest.importorskip("liblinear.liblinearutil")
    X, y = problem_named(name)
    options = f"-s {solver} -c {C} -e 1e-9 -q" + (" -B 1" if intercept else "")
    W = []
    for m in range(y.max() + 1) if name != "binary" else [1]:
        other = liblinearutil.train(np.where(y == m, 1.0, -1.0), X, options)
        weights, bias = other.get_decfun()  # positive for its first label
        sign = 1 if other.get_labels()[0] == 1 else -1
        W.append(sign * np.array([*weights, bias] if intercept else weights))
    check_same_optimum(fit(X, y, C=C, fit_intercept=intercept), np.array(W), X, y)


@pytest.mark.parametrize("C", [0.05, 1.0, 10.0])
@pytest.mark.parametrize("name", ["binary", "generated", "iris"])
def test_logistic_regression(name, C):
    X, y = problem_named(name)
    others = [
        LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(
            X, y == m
        )
        for m in (range(y.max() + 1) if name != "binary" else [1])
    ]
    model = fit(X, y, C=C, fit_intercept=False)
    check_same_optimum(model, np.vstack([one.coef_ for one in others]), X, y)
    sigmoids = np.column_stack([one.predict_proba(X)[:, 1] for one in others])
    if name == "binary":
        expected = np.column_stack([1 - sigmoids, sigmoids])
    else:
        expected = sigmoids / sigmoids.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-3)


# Probabilities


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 3, 12])
def test_probabilities_are_normalised_sigmoids(k, dtype):
    X, y = make_problem(n=60 + k, d=5, k=k)
    X = X.astype(dtype)
    names = np.array([f"class {m:02}" for m in range(k)])
    model = fit(X, names[y], tol=1e-3)
    p = model.predict_proba(X)
    assert p.shape == (len(y), k)
    assert p.dtype == dtype
    sigmoids = 1 / (1 + np.exp(-model.decision_function(X).astype(np.float64)))
    if k == 2:
        expected = np.column_stack([1 - sigmoids, sigmoids])
    else:
        expected = sigmoids / sigmoids.sum(axis=1, keepdims=True)
    rounding = 20 * np.finfo(dtype).eps
    assert_allclose(p, expected, rtol=10 * rounding)
    assert_allclose(p.sum(axis=1), 1, rtol=rounding)
    assert_array_equal(names[p.argmax(axis=1)], model.predict(X))
    assert_allclose(
        model.predict_log_proba(X), np.log(expected), rtol=0, atol=10 * rounding
    )


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # Improbable in every class: the odds are what is left.
        ([-1000.0, -1001.0, -1002.0], np.exp([0.0, -1.0, -2.0])),
        ([1000.0, 1001.0, 1002.0], np.ones(3)),
        ([800.0, -800.0, 0.0], np.array([1.0, 0.0, 0.5])),
    ],
)
def test_probabilities_of_extreme_scores(scores, expected):
    model = fit(*make_problem(k=3), tol=1e-3, fit_intercept=False)
    model.coef_ = np.zeros_like(model.coef_)
    model.coef_[:, 0] = scores
    row = np.eye(1, model.coef_.shape[1])
    p, logs = model.predict_proba(row)[0], model.predict_log_proba(row)[0]
    assert_allclose(p, expected / expected.sum(), rtol=1e-9)
    assert np.isfinite(logs).all()
    assert_allclose(np.exp(logs), p, rtol=1e-9)
    assert model.predict(row)[0] == np.argmax(scores)


def test_logarithms_of_two_classes_where_probabilities_underflow():
    X, y = make_problem(k=2)
    model = fit(X, y, tol=1e-3)
    far = X * (1e4 / np.abs(model.decision_function(X)).max())
    logs = model.predict_log_proba(far)
    assert (model.predict_proba(far) == 0).any()
    assert_allclose(logs[:, 1] - logs[:, 0], model.decision_function(far), rtol=1e-9)


def test_calibrated_on_a_logistic_model():
    """With enough rows the probabilities are those the labels were drawn from."""
    X, y, p = draw_softmax(n=20_000, d=4, k=2)
    found = fit(X, y, C=10.0, tol=1e-6).predict_proba(X)
    assert np.abs(found - p).mean() < 0.01
    assert np.abs(p - 0.5).mean() > 0.1  # the truth is not what nothing would say
    for low in np.arange(0, 1, 0.2):
        rows = (found[:, 0] >= low) & (found[:, 0] < low + 0.2)
        noise = 4 * 0.5 / np.sqrt(rows.sum())
        assert abs((y[rows] == 0).mean() - found[rows, 0].mean()) < noise


@pytest.mark.parametrize("machine", ["ovr", "ovo"])
@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_other_losses_have_no_probabilities(loss, name, machine):
    X, y = make_problem()
    model = LinearSVM(machine, loss=loss, random_state=0)
    for _ in range(2):  # before and after the fit
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=name) as caught:
            getattr(model, name)
        reason = str(caught.value.__cause__)
        assert f"loss='{loss}'" in reason
        assert "loss='logistic'" in reason and "MaxEnt" in reason
        model.fit(X, y)
    model.set_params(loss="logistic").fit(X, y)
    assert getattr(model, name)(X).shape == (len(y), 3)


@pytest.mark.parametrize("machine", ["cs", "ww", "llw"])
def test_only_binary_problems_are_logistic(machine):
    with pytest.raises(ValueError, match="loss='logistic'") as caught:
        LinearSVM(machine, loss="logistic").fit(*make_problem())
    message = str(caught.value)
    assert f"machine={machine!r}" in message
    assert message.endswith("choose one of hinge, squared_hinge.")
