"""Agreement with LIBLINEAR and scikit-learn where they solve the same problem."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import (
    LOSSES,
    augmented,
    class_weights,
    losses,
    make_problem,
    primal_objective,
    slacks,
)
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from polymargin import LinearSVM


def problem_named(name):
    if name == "generated":
        return make_problem(n=80, d=5, k=4, seed=2)
    if name == "binary":
        return make_problem(n=80, d=5, k=2, seed=2, noise=0.2)
    load = {"iris": load_iris, "wine": load_wine}[name]
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(W, X, y, C):
    h = slacks("cs", "hinge", X @ W.T, y)
    return np.sum(W**2) / 2 + C * losses("cs", "hinge", h, y).sum()


def check_same_optimum(model, W, X, y):
    """`W` is the other solver's, with the constant feature if there is one."""
    other = objective(W, augmented(model, X), y, model.C)
    assert_allclose(model.objective_, other, rtol=1e-6)
    ours = class_weights(model)
    assert_allclose(W, ours, rtol=0, atol=1e-3 * np.abs(ours).max())


@pytest.mark.parametrize("C", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", ["generated", "iris", "wine"])
def test_liblinear(name, intercept, C):
    liblinearutil = pytest.importorskip("liblinear.liblinearutil")
    X, y = problem_named(name)
    options = f"-s 4 -c {C} -e 1e-9 -q" + (" -B 1" if intercept else "")
    other = liblinearutil.train(y.astype(float), X, options)
    labels = other.get_labels()
    W = np.empty((len(labels), X.shape[1] + intercept))
    for position, label in enumerate(labels):
        weights, bias = other.get_decfun(position)
        W[label] = [*weights, bias] if intercept else weights
    model = LinearSVM(
        C=C, fit_intercept=intercept, tol=1e-8, max_iter=100_000, random_state=0
    ).fit(X, y)
    check_same_optimum(model, W, X, y)


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("name", ["generated", "iris", "wine"])
def test_linear_svc(name, C):
    X, y = problem_named(name)
    other = LinearSVC(
        multi_class="crammer_singer",
        C=C,
        fit_intercept=False,
        tol=1e-9,
        max_iter=1_000_000,
        random_state=0,
    ).fit(X, y)
    model = LinearSVM(
        C=C, fit_intercept=False, tol=1e-8, max_iter=100_000, random_state=0
    ).fit(X, y)
    check_same_optimum(model, other.coef_, X, y)
    assert (model.predict(X) == other.predict(X)).mean() > 0.99


def fit_ovr(loss, X, y, **parameters):
    parameters = {"tol": 1e-9, "max_iter": 200_000, "random_state": 0} | parameters
    return LinearSVM("ovr", loss=loss, **parameters).fit(X, y)


def check_same_ovr(model, W, X, y):
    """Objectives, weights and scores; `W` has one row per binary problem."""
    loss_weights = np.full(len(y), model.C)
    ours, features = class_weights(model), augmented(model, X)
    assert W.shape == ours.shape
    h = slacks("ovr", model.loss, features @ W.T, y)
    other = np.sum(W**2) / 2 + np.sum(loss_weights * losses("ovr", model.loss, h, y))
    assert_allclose(model.objective_, other, rtol=1e-6)
    assert_allclose(primal_objective(model, X, y, loss_weights), other, rtol=1e-6)
    assert_allclose(W, ours, rtol=0, atol=1e-3 * np.abs(ours).max())
    scores = features @ W.T
    found = model.decision_function(X).reshape(scores.shape)
    assert_allclose(found, scores, rtol=0, atol=2e-3 * np.abs(scores).max())


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("name", ["binary", "generated", "iris", "wine"])
@pytest.mark.parametrize("loss", LOSSES)
def test_linear_svc_ovr(loss, name, C):
    X, y = problem_named(name)
    other = LinearSVC(
        loss=loss,
        dual=True,
        C=C,
        fit_intercept=False,
        tol=1e-8,
        max_iter=1_000_000,
        random_state=0,
    ).fit(X, y)
    model = fit_ovr(loss, X, y, C=C, fit_intercept=False)
    assert model.coef_.shape == other.coef_.shape
    check_same_ovr(model, other.coef_, X, y)
    assert_allclose(
        model.decision_function(X),
        other.decision_function(X),
        rtol=0,
        atol=2e-3 * np.abs(other.decision_function(X)).max(),
    )
    assert (model.predict(X) == other.predict(X)).mean() > 0.98


# LIBLINEAR ends after 1000 iterations, too few for the hinge with a larger C.
@pytest.mark.parametrize("C", [0.01, 0.05])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", ["binary", "generated", "iris"])
@pytest.mark.parametrize(("loss", "solver"), [("hinge", 3), ("squared_hinge", 1)])
def test_liblinear_ovr(loss, solver, name, intercept, C):
    liblinearutil = pytest.importorskip("liblinear.liblinearutil")
    X, y = problem_named(name)
    options = f"-s {solver} -c {C} -e 1e-8 -q" + (" -B 1" if intercept else "")
    other = liblinearutil.train(y.astype(float), X, options)
    labels = other.get_labels()
    W = np.empty((len(labels), X.shape[1] + intercept))
    for position, label in enumerate(labels):
        weights, bias = other.get_decfun(position)
        W[label] = [*weights, bias] if intercept else weights
    if name == "binary":  # LIBLINEAR has one vector, for its first label
        W = W[1:]
    check_same_ovr(fit_ovr(loss, X, y, C=C, fit_intercept=intercept), W, X, y)
