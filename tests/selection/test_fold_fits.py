"""Fits of a search without estimators: the same models as with them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt
from polymargin.access.kernels import make_kernel
from polymargin.selection import fold_fits
from polymargin.selection.fold_fits import EstimatorFits, TrainerFits, begin_fits
from polymargin.selection.fold_kernel import ChosenKernel, kernel_of_all, points_of
from polymargin.selection.folds import Folds

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(240, 4))
y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
TIGHT = {"tol": 1e-8, "max_iter": 100_000, "random_state": 0}
SAME = {"grow": False, "patience": None, "refit": False, "cv": 3}

MACHINES = [
    LinearSVM("cs", **TIGHT),
    LinearSVM("ww", fit_intercept=False, **TIGHT),
    LinearSVM("ovr", loss="squared_hinge", class_weight="balanced", **TIGHT),
    LinearSVM("ovo", **TIGHT),
    LinearSVM("ovr", fit_intercept="free", **TIGHT),
    MaxEnt(fit_intercept="free", **TIGHT),
    LinearSVM("cs", costs=1 - np.eye(3), **TIGHT),
    MaxEnt(**TIGHT),
    KernelSVM("ww", **TIGHT),
    KernelSVM("ovo", loss="squared_hinge", **TIGHT),
    KernelSVM("ovr", class_weight={"a": 2.0}, **TIGHT),
    KernelSVM("cs", kernel="poly", degree=2, **TIGHT),
]


def folds_of(machine, rows=X, labels=y, scoring=None, weights=None):
    return Folds(machine, rows, labels, weights, 3, scoring, 1)


def no_limit():
    return float("inf")


@pytest.mark.parametrize("two", [False, True], ids=["three classes", "two classes"])
@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_the_models_are_those_of_estimators(machine, two):
    labels = np.where(y == "a", "a", "b") if two else y
    if two and getattr(machine, "costs", None) is not None:
        machine = clone(machine).set_params(costs=1 - np.eye(2))
    weights = RANDOM.uniform(0.5, 2, size=len(y))
    folds = folds_of(machine, labels=labels, weights=weights)
    fits = begin_fits(folds, None)
    assert isinstance(fits, TrainerFits)
    fits.fit(0.3, no_limit)
    fits.fit(3.0, no_limit)  # begins with the dual variables of the first
    for trainer, fold in zip(fits.trainers, folds, strict=True):
        gamma = {}
        if hasattr(machine, "kernel"):  # "scale" of all rows
            gamma["gamma"] = make_kernel("rbf", "scale", 3, 0.0, X).gamma_
        alone = clone(machine).set_params(C=3.0, **gamma)
        alone.fit(fold.rows(), fold.y, fold.weights)
        rows = fold.rows_held_out()
        confidence = trainer.confidence()
        np.testing.assert_allclose(confidence, alone.decision_function(rows), atol=2e-3)
        np.testing.assert_array_equal(
            trainer.labels_of(alone.decision_function(rows)), alone.predict(rows)
        )


@pytest.mark.parametrize("rows", [X.astype(np.float32), sp.csr_array(X)], ids=type)
@pytest.mark.parametrize("kind", [LinearSVM, KernelSVM])
def test_other_rows(rows, kind):
    machine = kind("ww", C=2.0, tol=1e-4, random_state=0)
    if kind is KernelSVM:
        machine.gamma = 0.2
    found = polymargin.tune(rows, y, machine, Cs=[2.0], gammas="keep", **SAME)
    alone = cross_val_score(machine, rows, y, cv=3)
    np.testing.assert_allclose(found.best.scores, alone, atol=1 / 80)


@pytest.mark.parametrize(
    ("scoring", "direct"),
    [
        (None, True),
        ("accuracy", True),
        ("f1_macro", True),
        ("balanced_accuracy", True),
        ("roc_auc", True),
        ("neg_log_loss", False),
        (lambda model, rows, labels: model.score(rows, labels), False),
    ],
)
def test_scorers(scoring, direct):
    labels = np.where(y == "a", "a", "b")
    machine = MaxEnt(C=2.0, **TIGHT)
    fits = begin_fits(folds_of(machine, labels=labels, scoring=scoring), None)
    assert isinstance(fits, TrainerFits if direct else EstimatorFits)
    scores = [outcome.score for outcome in fits.fit(2.0, no_limit)]
    alone = cross_val_score(machine, X, labels, cv=3, scoring=scoring)
    np.testing.assert_allclose(scores, alone, atol=1e-4)


@pytest.mark.parametrize(
    "machine",
    [
        LinearSVM("cs", verbose=1),
        LinearSVM("cs", features="reduced"),
        LinearSVM("cs", candidates=2),
        LinearSVM("cs", history=True),
        KernelSVM("cs", approximation="nystroem", rank=20),
        KernelSVM("cs", cache_size=0.1),  # megabytes: no room for a matrix
        type("Own", (LinearSVM,), {"__init__": LinearSVM.__init__})(),
    ],
)
def test_what_needs_an_estimator_has_it(machine):
    assert isinstance(begin_fits(folds_of(machine), None), EstimatorFits)


@pytest.mark.parametrize("machine", ["cs", "ovo"])
def test_matrices_that_are_not_kept(machine, monkeypatch):
    settings = {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0], **SAME}
    model = KernelSVM(machine, **TIGHT)
    kept = polymargin.tune(X, y, model, **settings)
    made = []

    def build(matrix, train, test, kept):
        made.append(kept)
        return ChosenKernel(matrix, train, test, kept)

    monkeypatch.setattr(fold_fits, "ChosenKernel", build)
    model.set_params(cache_size=0.6)  # megabytes: for one matrix
    copied = polymargin.tune(X, y, model, **settings)
    assert made == 6 * [False]
    for one, other in zip(kept.points, copied.points, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_a_precomputed_matrix():
    machine = KernelSVM("ww", gamma=0.5)
    n = len(X)
    matrix = np.ascontiguousarray(kernel_of_all(machine, X, 1)[:, :n])
    same = {"Cs": [1.0, 10.0], **SAME, **TIGHT}
    given = polymargin.tune(matrix, y, "ww", kernel="precomputed", **same)
    computed = polymargin.tune(X, y, "ww", kernel="rbf", gamma=0.5, **same)
    for one, other in zip(given.points, computed.points, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_threads_change_no_kernel():
    rows = RANDOM.normal(size=(1100, 3))  # more than two blocks
    machine = KernelSVM(gamma=0.5)
    one, two = (kernel_of_all(machine, rows, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_values_that_are_looked_up():
    matrix = RANDOM.normal(size=(30, 32))
    train, test = np.array([3, 4, 5, 20, 1]), np.array([0, 7])
    fold = ChosenKernel(matrix, train, test, kept=True)
    kernel, points = points_of(fold.between())
    np.testing.assert_array_equal(kernel(points, points), matrix[np.ix_(train, train)])
    some = points.take(np.array([0, 4]))
    np.testing.assert_array_equal(
        kernel(points, some), matrix[np.ix_(train, train[[0, 4]])]
    )
    np.testing.assert_array_equal(fold.held_out(), matrix[np.ix_(test, train)])


def test_a_fit_that_ends_early_says_so():
    with pytest.warns(ConvergenceWarning, match=r"LinearSVM stopped after 1 epoch "):
        polymargin.tune(X, y, "cs", Cs=[1e3], max_iter=1, tol=1e-9, **SAME)
    with pytest.warns(ConvergenceWarning, match=r"KernelSVM stopped after 1 epoch "):
        polymargin.tune(X, y, "cs", kernel="rbf", Cs=[1e3], max_iter=1, **TIGHT_OFF)


TIGHT_OFF = {"tol": 1e-9, "gammas": "keep", **SAME}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tol": -1.0}, "The 'tol' parameter of LinearSVM must be"),
        ({"class_weight": {"z": 1.0}}, "weight for 'z', which is not one of"),
        ({"costs": np.eye(2)}, "costs"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        polymargin.tune(X, y, "cs", **parameters, **SAME)


def test_negative_weights():
    weights = np.ones(len(y))
    weights[3] = -1
    with pytest.raises(ValueError, match="Negative values in data"):
        polymargin.tune(X, y, "cs", sample_weight=weights, **SAME)


def test_newton_steps_are_followed_by_newton_steps():
    """Raw features with a large C: no fit after the first begins with epochs again."""
    machine = LinearSVM("cs", random_state=0)
    rows = X * 10.0 ** np.arange(X.shape[1])
    fits = begin_fits(folds_of(machine, rows=rows), None)
    used = []
    for C in (1.0, 2.0, 4.0, 8.0):
        fits.fit(C, no_limit)
        used.append({trainer.machine.solver_ for trainer in fits.trainers})
    assert used == [{"dual+newton"}, {"newton"}, {"newton"}, {"newton"}]
