"""Odd and bad input of kernel machines, and the shapes of what they return."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_problems import (
    KERNEL_PAIRS,
    SOME_KERNEL_PAIRS,
    accurate,
    dual_coef,
    gaussian,
)
from problems import make_problem
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

from polymargin import KernelSVM, OnlineSVM
from polymargin.driver.kernel.working_sets import BlockDriver


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_shapes(machine, loss, k):
    X, y = make_problem(n=60, k=k)
    labels = np.array(["ant", "bee", "cow", "dog", "eel"])[y]
    model = KernelSVM(machine, loss=loss, random_state=0).fit(X, labels)
    n_support = len(model.support_)
    columns = {"ovo": k * (k - 1) // 2, "ovr": k if k > 2 else 1}.get(machine, k)
    assert model.dual_coef_.shape == (n_support, columns)
    assert model.support_vectors_.shape == (n_support, X.shape[1])
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert (np.diff(model.support_) > 0).all()
    counts = [np.sum(labels[model.support_] == label) for label in model.classes_]
    np.testing.assert_array_equal(model.n_support_, counts)
    assert dual_coef(model).any(axis=1).all()
    scores = model.decision_function(X)
    assert scores.shape == ((len(y), k) if k > 2 else (len(y),))
    winners = scores.argmax(axis=1) if k > 2 else (scores > 0).astype(int)
    np.testing.assert_array_equal(model.predict(X), model.classes_[winners])


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_scores_are_sums_of_kernels(machine, loss):
    X, y = make_problem(n=60, k=4)
    new = make_problem(n=30, k=4, seed=1)[0]
    model = KernelSVM(machine, loss=loss, gamma=0.2, random_state=0).fit(X, y)
    assert model.gamma_ == 0.2
    scores = gaussian(new, model.support_vectors_, 0.2) @ dual_coef(model)
    if machine == "ovo":
        won = np.zeros((len(new), 4))
        for score, (first, second) in zip(
            scores.T, np.transpose(np.triu_indices(4, 1)), strict=True
        ):
            won[:, first] += score <= 0
            won[:, second] += score > 0
        scores = np.floor(model.decision_function(new) + 0.5)
        np.testing.assert_array_equal(scores, won)
    else:
        np.testing.assert_allclose(model.decision_function(new), scores, atol=1e-9)


def test_two_classes_of_relative_machines_are_one_problem():
    """ww with two classes is the binary machine with weights of (-w / 2, w / 2)."""
    X, y = make_problem(n=80, k=2)
    relative = accurate("ww", C=1.0, gamma=0.3).fit(X, y)
    binary = accurate("ovr", C=2.0, gamma=0.3).fit(X, y)
    pairs = accurate("ovo", C=2.0, gamma=0.3).fit(X, y)
    expected = relative.decision_function(X)
    np.testing.assert_allclose(binary.decision_function(X), expected, atol=1e-3)
    np.testing.assert_allclose(pairs.decision_function(X), expected, atol=1e-3)
    assert binary.objective_ == pytest.approx(2 * relative.objective_, rel=1e-8)


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
@pytest.mark.parametrize("k", [2, 4])
def test_one_row_per_class(machine, loss, k):
    X = np.eye(k) * 3
    model = KernelSVM(machine, loss=loss, random_state=0, C=10).fit(X, np.arange(k))
    assert model.status_ == "converged"
    np.testing.assert_array_equal(model.predict(X), np.arange(k))


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_nothing_to_learn_from(machine, loss):
    """Rows of zeros with a linear kernel: no scores, and the loss of none."""
    X, y = np.zeros((6, 3)), np.arange(6) % 3
    model = KernelSVM(machine, loss=loss, kernel="linear", fit_intercept=False)
    model.fit(X, y)
    assert model.status_ == "converged"
    assert len(model.support_) == 0
    assert model.dual_gap_ == 0 < model.objective_
    assert not model.decision_function(np.ones((2, 3)))[:, 1:].any() or machine == "ovo"
    assert model.predict(np.ones((2, 3))).shape == (2,)


def test_rows_without_weight_alone_in_a_pair():
    """A pair of classes that has no weight at all has nothing to learn."""
    X, y = make_problem(n=40, k=3)
    model = KernelSVM("ovo", random_state=0).fit(X, y, (y == 0).astype(float))
    assert model.status_ == "converged"
    assert (y[model.support_] == 0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"machine": "maxent"}, "machine"),
        ({"loss": "logistic"}, "loss"),
        ({"C": 0}, "C"),
        ({"kernel": "cosine"}, "kernel"),
        ({"gamma": -1.0}, "gamma"),
        ({"degree": -1}, "degree"),
        ({"coef0": np.inf}, "coef0"),
        ({"cache_size": 0}, "cache_size"),
        ({"solver": "dual"}, "solver"),
        ({"approximation": "fourier"}, "approximation"),
        ({"rank": 0}, "rank"),
        ({"violation_tol": 0}, "violation_tol"),
        ({"cv": 1, "probability": True}, "cv"),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = make_problem()
    with pytest.raises(ValueError, match=f"'{message}'"):
        KernelSVM(**parameters).fit(X, y)


def test_one_class_only():
    with pytest.raises(ValueError, match="KernelSVM needs at least two classes"):
        KernelSVM().fit(np.eye(3), np.ones(3))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((4, 3)), "square"),
        (np.tri(4), "not symmetric"),
        (-np.eye(4), "cannot be negative"),
        (sp.csr_array(np.eye(4)), "sparse"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(ValueError, match=message):
        KernelSVM(kernel="precomputed").fit(matrix, [0, 1, 0, 1])


def test_new_rows_of_a_precomputed_kernel():
    X, y = make_problem(n=40, k=3)
    model = KernelSVM(kernel="precomputed").fit(gaussian(X, X, 0.3), y)
    assert model.support_vectors_.shape == (0, 0)
    assert model.gamma_ is None
    with pytest.raises(ValueError, match="39 features"):
        model.predict(gaussian(X, X[1:], 0.3))
    with pytest.raises(ValueError, match="sparse"):
        model.predict(sp.csr_array(gaussian(X, X, 0.3)))


def test_a_kernel_function_that_fails():
    X, y = make_problem()
    with pytest.raises(ValueError, match="one value per pair"):
        KernelSVM(kernel=lambda A, B: np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="infinite or not a number"):
        KernelSVM(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)
    with pytest.raises(ZeroDivisionError):
        KernelSVM(kernel=lambda A, B: 1 / 0, n_jobs=2).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ovr", "ovo"])
def test_an_indefinite_kernel_ends_with_a_model(machine):
    X, y = make_problem(n=100, k=3)
    model = KernelSVM(machine, kernel="sigmoid", gamma=1.0, coef0=-1.0, max_iter=200)
    assert model.fit(X, y).predict(X).shape == y.shape
    assert np.isfinite(dual_coef(model)).all()


def test_sums_of_dual_variables_beyond_all_numbers(monkeypatch):
    """Squared losses bound none of them, and with such a kernel they may run away."""
    X, y = make_problem(n=100, k=4)
    duals = BlockDriver.duals

    def huge(driver):
        indptr, indices, values = duals(driver)
        return indptr, indices, np.full_like(values, 1.7e308)

    monkeypatch.setattr(BlockDriver, "duals", huge)
    with pytest.raises(ValueError, match="no longer finite"):
        KernelSVM("ww", solver="block").fit(X, y)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_probabilities(machine, loss, k):
    X, y = make_problem(n=150, k=k, noise=0.2)
    new = make_problem(n=100, k=k, seed=1)[0]
    model = KernelSVM(machine, loss=loss, probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(new)
    assert p.shape == (100, k)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(new))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(new)), p)
    # It knows more than how often a class occurs, and is not sure of all it says.
    likelihood = np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean()
    assert likelihood > -np.log(k)
    assert p.max(axis=1).min() < 0.9


def test_probabilities_have_to_be_asked_for():
    X, y = make_problem()
    model = KernelSVM().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_log_proba(X)
    assert "fit it with probability=True" in str(caught.value.__cause__)


def test_probabilities_of_a_precomputed_kernel():
    X, y = make_problem(n=120, k=3)
    gram = gaussian(X, X, 0.2)
    by_name = KernelSVM(gamma=0.2, probability=True, random_state=0, tol=1e-6).fit(X, y)
    by_matrix = clone_of(by_name, kernel="precomputed").fit(gram, y)
    assert by_matrix.temperature_ == pytest.approx(by_name.temperature_, rel=1e-2)


def clone_of(model, **parameters):
    return KernelSVM(**{**model.get_params(), **parameters})


def test_as_accurate_as_one_vs_one_elsewhere():
    """scikit-learn's SVC has intercepts, and is otherwise the same with "ovo"."""
    X, y = make_problem(n=300, k=4, noise=0.05)
    ours = cross_val_score(KernelSVM("ovo", random_state=0), X, y, cv=3).mean()
    theirs = cross_val_score(SVC(), X, y, cv=3).mean()
    assert ours > theirs - 0.03


def test_in_a_search_over_a_precomputed_kernel():
    X, y = make_problem(n=90, k=3)
    search = GridSearchCV(KernelSVM(kernel="precomputed"), {"C": [0.1, 1.0]}, cv=3)
    assert search.fit(gaussian(X, X, 0.2), y).best_score_ > 0.6


def test_gamma_as_in_scikit_learn():
    X, y = make_problem(n=50, k=3)
    for gamma in ("scale", "auto", 0.7):
        assert KernelSVM(gamma=gamma).fit(X, y).gamma_ == pytest.approx(
            SVC(gamma=gamma).fit(X, y)._gamma
        )


def test_numbers_that_would_never_end():
    """As many folds as there are rows to hold out, and no power beyond reason."""
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3
    model = KernelSVM(probability=True, cv=2**63 - 1, random_state=0).fit(X, y)
    same = KernelSVM(probability=True, cv=4, random_state=0).fit(X, y)
    assert model.temperature_ == same.temperature_
    for make in (KernelSVM, OnlineSVM):
        with pytest.raises(ValueError, match="'degree' parameter"):
            make(kernel="poly", degree=3_000_000_000).fit(X, y)
