"""sample_weight, class_weight and C are one thing: C_i."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import (
    ALL_PAIRS,
    class_weights,
    few_classes,
    make_model,
    make_problem,
    rotated,
)
from sklearn.utils import compute_sample_weight

TIGHT = {"tol": 1e-8, "max_iter": 100_000, "random_state": 0, "C": 0.2}


def fit(machine, loss, X, y, sample_weight=None, **parameters):
    model = make_model(machine, loss, **(TIGHT | parameters))
    return model.fit(X, y, sample_weight=sample_weight)


def assert_same_optimum(a, b):
    """|W - W*|^2 / 2 is at most the gap, by strong convexity, for each of the two."""
    assert_allclose(a.objective_, b.objective_, rtol=2e-8)
    distance = np.linalg.norm(class_weights(a) - class_weights(b))
    assert distance <= 2 * np.sqrt(2 * 1e-8 * a.objective_)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_integer_weight_equals_repetition(machine, loss):
    X, y = make_problem()
    weight = np.random.default_rng(1).integers(1, 5, size=len(y))
    weighted = fit(machine, loss, X, y, weight)
    repeated = fit(machine, loss, np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same_optimum(weighted, repeated)
    assert abs(weighted.objective_ - fit(machine, loss, X, y).objective_) > 1


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [3, 70]))
def test_zero_weight_equals_removal(machine, loss, k):
    k = few_classes(machine, k)
    X, y = make_problem(n=40 + k, k=k)
    weight = np.ones(len(y))
    weight[k::3] = 0  # every class keeps its first row
    weighted = fit(machine, loss, X, y, weight)
    kept = weight > 0
    removed = fit(machine, loss, X[kept], y[kept])
    assert_same_optimum(weighted, removed)
    assert not weighted.dual_coef_[np.flatnonzero(~kept)].nnz
    assert np.isfinite(weighted.violation_)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_a_class_of_weight_zero_keeps_its_label(machine, loss):
    X, y = make_problem(k=3)
    model = fit(machine, loss, X, y, (y != 2).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape[0] == 3


def test_all_weights_zero_is_an_error():
    X, y = make_problem()
    with pytest.raises(ValueError, match=r"weights must contain .* non-zero"):
        fit("cs", "hinge", X, y, np.zeros(len(y)))


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_class_weight_equals_sample_weight_by_class(machine, loss):
    X, y = make_problem()
    by_class = {0: 0.5, 1: 3.0, 2: 1.0}
    weighted = fit(machine, loss, X, y, class_weight=by_class)
    by_row = fit(machine, loss, X, y, compute_sample_weight(by_class, y))
    assert np.array_equal(weighted.coef_, by_row.coef_)
    assert not np.array_equal(weighted.coef_, fit(machine, loss, X, y).coef_)


def test_class_weight_by_string_labels():
    X, y = make_problem()
    names = np.array(["ant", "bee", "cat"])
    by_name = fit("cs", "hinge", X, names[y], class_weight={"bee": 3.0})
    by_number = fit("cs", "hinge", X, y, class_weight={1: 3.0})
    assert np.array_equal(by_name.coef_, by_number.coef_)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_balanced(machine, loss):
    X, y = make_problem(n=60)
    y = np.where(np.arange(60) % 4 == 0, y, 0)
    balanced = fit(machine, loss, X, y, class_weight="balanced")
    counts = np.bincount(y)
    by_hand = dict(enumerate(len(y) / (3 * counts)))
    assert len(set(counts)) > 1
    assert_same_optimum(balanced, fit(machine, loss, X, y, class_weight=by_hand))


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_class_weight_and_sample_weight_multiply(machine, loss):
    X, y = make_problem()
    by_class = {0: 0.5, 1: 3.0, 2: 1.0}
    sample = np.random.default_rng(2).uniform(0.1, 2, size=len(y))
    both = fit(machine, loss, X, y, sample, class_weight=by_class)
    product = fit(machine, loss, X, y, sample * compute_sample_weight(by_class, y))
    assert_same_optimum(both, product)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_C_scales_the_weights(machine, loss):
    X, y = make_problem()
    by_C = fit(machine, loss, X, y, C=0.5)
    by_weight = fit(machine, loss, X, y, np.full(len(y), 0.5), C=1.0)
    assert np.array_equal(by_C.coef_, by_weight.coef_)


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_scaling_of_the_features(scale):
    """The hinge of t X with C / t^2 has the weights of X with C, over t."""
    X, y = make_problem()
    plain = fit("cs", "hinge", X, y, C=0.5, fit_intercept=False)
    scaled = fit("cs", "hinge", scale * X, y, C=0.5 / scale**2, fit_intercept=False)
    assert_allclose(scaled.objective_ * scale**2, plain.objective_, rtol=2e-8)
    distance = np.linalg.norm(scaled.coef_ * scale - plain.coef_)
    assert distance <= 2 * np.sqrt(2 * 1e-8 * plain.objective_)
