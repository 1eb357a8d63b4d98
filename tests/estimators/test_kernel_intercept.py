"""`KernelSVM(fit_intercept=...)`: a constant that is added to the kernel."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import polymargin
from polymargin import KernelSVM, LinearSVM

TIGHT = {"tol": 1e-9, "max_iter": 10**6, "random_state": 0}
MACHINES = ("ovo", "ww", "cs", "llw", "ovr")


def plus_one(A, B):
    return np.asarray(A @ B.T) + 1


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_kernel_equals_the_linear_machine(machine, loss):
    """Whose constant feature is tested against other solvers."""
    X, y = make_problem(n=60, k=4)
    kernel = KernelSVM(machine, kernel="linear", loss=loss, **TIGHT).fit(X, y)
    linear = LinearSVM(machine, loss=loss, **TIGHT).fit(X, y)
    assert_allclose(kernel.objective_, linear.objective_, rtol=1e-7)
    if machine == "ovo":  # votes
        assert_array_equal(kernel.predict(X), linear.predict(X))
        return
    scores = linear.decision_function(X)
    assert_allclose(kernel.decision_function(X), scores, atol=1e-3)
    assert_allclose(kernel.intercept_, linear.intercept_, atol=1e-3)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("solver", ["auto", "block", "newton", "s2do"])
def test_a_constant_is_added(make, solver):
    X, y = make_problem(n=50, k=3)
    parameters = TIGHT | {"solver": solver, "tol": 1e-7, "violation_tol": 1e-8}
    asked = KernelSVM("ww", kernel="linear", fit_intercept=True, **parameters)
    asked.fit(make(X), y)
    given = KernelSVM("ww", kernel=plus_one, fit_intercept=False, **parameters)
    given.fit(X, y)
    assert asked.dual_gap_ <= 1e-7
    found = asked.decision_function(make(X))
    assert_allclose(found, given.decision_function(X), atol=1e-4)


def test_kernels_of_products_have_one_unasked():
    X, y = make_problem(n=60, k=3)
    for kernel in ("rbf", "laplacian", plus_one):
        assert not KernelSVM(kernel=kernel).fit(X, y).intercept_.any()
    for kernel in ("linear", "poly", "sigmoid"):
        assert KernelSVM(kernel=kernel).fit(X, y).intercept_.any()
    assert (
        not KernelSVM(kernel="linear", fit_intercept=False).fit(X, y).intercept_.any()
    )
    assert KernelSVM(fit_intercept=True).fit(X, y).intercept_.any()
    with pytest.raises(AttributeError, match="after fit"):
        KernelSVM().intercept_  # noqa: B018


def test_iris_needs_it():
    """Its classes are on both sides of the mean, where rows are zero."""
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert KernelSVM(kernel="linear").fit(X, y).score(X, y) > 0.95
    without = KernelSVM(kernel="linear", fit_intercept=False).fit(X, y)
    assert without.score(X, y) < 0.9


@pytest.mark.parametrize(
    "parameters",
    [
        {"machine": "ww"},
        {"machine": "ovo"},
        {"kernel": "linear"},
        {"kernel": "poly"},
        {"approximation": "nystroem", "rank": 20},
        {"probability": True, "cv": 2},
    ],
)
def test_copies_and_files_keep_it(parameters, tmp_path):
    X, y = make_problem(n=60, k=3)
    model = KernelSVM(fit_intercept=True, random_state=0, **parameters).fit(X, y)
    path = tmp_path / "model"
    polymargin.save(model, path)
    for copy in (polymargin.load(path), pickle.loads(pickle.dumps(model))):
        assert copy.fit_intercept is True
        assert_array_equal(copy.intercept_, model.intercept_)
        assert_array_equal(copy.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_onnx(kernel, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = make_problem(n=60, k=3)
    model = KernelSVM("ww", kernel=kernel, fit_intercept=True).fit(X, y)
    path = tmp_path / "model.onnx"
    polymargin.export_onnx(model, path)
    session = onnxruntime.InferenceSession(str(path))
    rows = {session.get_inputs()[0].name: X.astype(_input_type(session))}
    assert_array_equal(session.run(None, rows)[0], model.predict(X))


def _input_type(session):
    double = "double" in session.get_inputs()[0].type
    return np.float64 if double else np.float32


def test_precomputed_matrices_stay_as_they_are():
    X, y = make_problem(n=50, k=3)
    K = X @ X.T
    before = K.copy()
    model = KernelSVM("ww", kernel="precomputed", fit_intercept=True, **TIGHT)
    found = model.fit(K, y).decision_function(K)
    linear = KernelSVM("ww", kernel="linear", **TIGHT).fit(X, y)
    assert_allclose(found, linear.decision_function(X), atol=1e-4)
    assert_array_equal(K, before)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_tuning_sees_it(kernel):
    X, y = make_problem(n=90, k=3)
    folds, Cs = StratifiedKFold(3), [0.1, 1.0, 10.0]
    machine = KernelSVM("ww", kernel=kernel, fit_intercept=True, gamma=0.5, **TIGHT)
    tuning = polymargin.tune(X, y, machine, Cs=Cs, gammas="keep", cv=folds)
    search = GridSearchCV(machine, {"C": Cs}, cv=folds).fit(X, y)
    found = {point.parameters["C"]: point.mean for point in tuning.points}
    expected = dict(zip(Cs, search.cv_results_["mean_test_score"], strict=True))
    for C, score in found.items():
        assert_allclose(score, expected[C], atol=1e-12)
