"""Temperature scaling, against grids, known models and its promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem
from scipy.special import log_expit, log_softmax
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_predict
from sklearn.svm import SVC

from polymargin import LinearSVM
from polymargin.prediction.calibration import (
    fit_temperature,
    out_of_fold_scores,
    probabilities,
)


def draw(n, k, temperature, seed=0, scale=1.0):
    """Scores, and labels drawn from the softmax of them."""
    rng = np.random.default_rng(seed)
    scores = scale * rng.normal(size=(n, k))
    p = np.exp(log_softmax(temperature * scores, axis=1))
    labels = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return scores, np.minimum(labels, k - 1)


def loss(t, scores, labels, weights, aside):
    """Negative logarithm of the likelihood, of smoothed labels."""
    if scores.ndim == 1:
        logs = np.column_stack([log_expit(-t * scores), log_expit(t * scores)])
    else:
        logs = log_softmax(t * scores, axis=1)
    k = logs.shape[1]
    targets = np.full(logs.shape, aside / (k - 1))
    targets[np.arange(len(labels)), labels] = 1 - aside
    return -weights @ (targets * logs).sum(axis=1)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e5])
@pytest.mark.parametrize("k", [1, 2, 3, 20])
def test_against_a_grid(k, scale):
    scores, labels = draw(300, max(k, 2), 1.7 / scale, scale=scale)
    scores = scores[:, 1] - scores[:, 0] if k == 1 else scores
    weights = np.random.default_rng(1).random(300)
    found = fit_temperature(scores, labels, weights)
    grid = found * np.exp(np.linspace(-3, 3, 2001))
    aside = 1 / (weights.sum() + 2)
    values = [loss(t, scores, labels, weights, aside) for t in grid]
    assert abs(np.argmin(values) - 1000) <= 1
    assert loss(found, scores, labels, weights, aside) <= min(values) + 1e-12


@pytest.mark.parametrize("temperature", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("k", [2, 5])
def test_recovers_the_model(k, temperature):
    scores, labels = draw(40_000, k, temperature)
    assert fit_temperature(scores, labels) == pytest.approx(temperature, abs=0.03)
    if k == 2:
        found = fit_temperature(scores[:, 1] - scores[:, 0], labels)
        assert found == pytest.approx(fit_temperature(scores, labels))


def test_weights_are_repetitions():
    scores, labels = draw(80, 4, 1.0)
    weights = np.random.default_rng(0).integers(4, size=80)
    repeated = np.repeat(np.arange(80), weights)
    assert fit_temperature(scores, labels, weights) == pytest.approx(
        fit_temperature(scores[repeated], labels[repeated])
    )


def test_follows_the_unit_of_the_scores():
    scores, labels = draw(100, 3, 1.0)
    found = fit_temperature(scores, labels)
    for unit in (1e-200, 1e-3, 1e7, 1e200):
        assert fit_temperature(scores * unit, labels) == pytest.approx(found / unit)


def test_nothing_on_the_wrong_side():
    """Mistakes have the share 1 / (n + 2) of the margins, and t grows with n."""
    found = []
    for n in (10, 100, 1000):
        scores = np.random.default_rng(0).normal(size=n)
        labels = (scores > 0).astype(int)
        found.append(fit_temperature(scores, labels))
        mistakes = 1 - probabilities(scores, found[-1])[np.arange(n), labels]
        share = mistakes @ np.abs(scores) / np.abs(scores).sum()
        assert share == pytest.approx(1 / (n + 2))
    assert found[0] < found[1] < found[2] < 100


def test_scores_that_mislead():
    scores, labels = draw(300, 3, 1.0)
    p = probabilities(scores, fit_temperature(-scores, labels))
    assert_allclose(p, 1 / 3, rtol=0.01)


def test_without_anything_to_learn():
    labels = np.array([0, 1, 2])
    assert fit_temperature(np.ones((3, 3)), labels) == 1
    assert fit_temperature(np.full((3, 3), np.nan), labels) == 1
    assert fit_temperature(np.eye(3), labels, np.zeros(3)) == 1
    assert fit_temperature(np.zeros(2), np.array([0, 1])) == 1


def test_rows_without_scores_do_not_count():
    scores, labels = draw(50, 3, 1.0)
    more = np.vstack([scores, np.full((2, 3), np.nan)])
    found = fit_temperature(more, np.append(labels, [0, 1]))
    assert found == fit_temperature(scores, labels)


scores_of_rows = st.sampled_from([np.float32, np.float64]).flatmap(
    lambda dtype: arrays.arrays(
        dtype,
        st.tuples(st.integers(1, 6), st.integers(2, 5)),
        elements=st.one_of(
            st.floats(allow_nan=False, allow_infinity=False, width=32),
            st.sampled_from([0.0, 1.0, float(np.nextafter(np.float32(1), 2)), -1.0]),
        ),
    )
)


@settings(deadline=None, max_examples=300)
@given(scores_of_rows, st.floats(-200, 200))
def test_the_most_probable_class_has_the_largest_score(scores, power):
    t = 10.0**power
    p = probabilities(scores, t)
    assert p.dtype == scores.dtype
    assert_array_equal(p.argmax(axis=1), scores.argmax(axis=1))
    assert_allclose(p.sum(axis=1), 1, rtol=1e-6)
    assert (p >= 0).all()
    p = probabilities(scores[:, 0], t)
    assert p.shape == (len(scores), 2)
    assert_array_equal(p.argmax(axis=1), scores[:, 0] > 0)
    assert_allclose(p.sum(axis=1), 1, rtol=1e-6)


def test_the_largest_numbers():
    huge = np.finfo(float).max
    scores = np.array([[huge, -huge, np.nextafter(huge, 0)], [-huge, -huge, huge]])
    for t in (1e-300, 1.0, 1e300):
        p = probabilities(scores, t)
        assert_array_equal(p.argmax(axis=1), [0, 2])
        assert np.isfinite(p).all()
    assert fit_temperature(scores, np.array([0, 2])) > 0


def test_probabilities_are_a_softmax():
    scores, _ = draw(30, 4, 1.0)
    assert_allclose(
        probabilities(scores, 2.5), np.exp(log_softmax(2.5 * scores, axis=1))
    )
    assert_allclose(
        probabilities(scores[:, 0], 2.5)[:, 1], np.exp(log_expit(2.5 * scores[:, 0]))
    )


@pytest.mark.parametrize("k", [2, 4])
def test_scores_are_those_of_the_folds(k):
    X, y = make_problem(120, 5, k)
    labels = np.array(["d", "b", "a", "c"])[y]
    model = LinearSVM(random_state=0)
    folds = KFold(4, shuffle=True, random_state=3)
    found = out_of_fold_scores(model, X, labels, cv=folds)
    expected = cross_val_predict(model, X, labels, cv=folds, method="decision_function")
    assert_array_equal(found, expected)
    assert out_of_fold_scores(model, X, labels).shape == expected.shape


def test_weights_go_to_the_folds():
    X, y = make_problem(60, 5, 3)
    weights = np.random.default_rng(0).integers(1, 4, size=60).astype(float)
    folds = list(KFold(3).split(X))
    found = out_of_fold_scores(LinearSVM(tol=1e-6), X, y, weights, folds)
    for training, test in folds:
        model = LinearSVM(tol=1e-6).fit(X[training], y[training], weights[training])
        assert_allclose(found[test], model.decision_function(X[test]), atol=1e-3)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_kernel_matrices_are_split_on_both_sides():
    X, y = make_problem(90, 5, 3)
    linear, matrix = SVC(kernel="linear"), SVC(kernel="precomputed")
    found = out_of_fold_scores(matrix, X @ X.T, y, cv=3)
    assert_allclose(found, out_of_fold_scores(linear, X, y, cv=3), atol=1e-6)


def test_classes_with_few_rows():
    X, y = make_problem(60, 5, 3, noise=0)
    y[:] = np.arange(60) % 2
    y[7], y[20], y[41] = 2, 3, 3  # one row of 2, two of 3
    scores = out_of_fold_scores(LinearSVM(), X, y, cv=5)
    assert scores.shape == (60, 4)
    assert_array_equal(np.flatnonzero(np.isnan(scores).any(axis=1)), [7])
    assert np.isnan(scores[7]).all()
    assert fit_temperature(scores, y) > 0


def test_nothing_but_single_rows():
    scores = out_of_fold_scores(LinearSVM(), np.eye(4), np.arange(4))
    assert np.isnan(scores).all()
    assert fit_temperature(scores, np.arange(4)) == 1


def test_rows_that_no_fold_tests():
    X, y = make_problem(60, 5, 3)
    splits = ShuffleSplit(1, test_size=0.25, random_state=0)
    scores = out_of_fold_scores(LinearSVM(), X, y, cv=splits)
    ((_, test),) = splits.split(X)
    assert_array_equal(np.flatnonzero(np.isfinite(scores[:, 0])), np.sort(test))


@pytest.mark.parametrize("machine", ["cs", "ww", "llw", "ovr", "ovo"])
def test_probabilities_of_a_machine_say_how_often_it_is_right(machine):
    X, y = make_problem(3000, 10, 4, noise=0, seed=2)
    model = LinearSVM(machine, random_state=0)
    t = fit_temperature(out_of_fold_scores(model, X[:1500], y[:1500]), y[:1500])
    model.fit(X[:1500], y[:1500])
    p = probabilities(model.decision_function(X[1500:]), t)
    predicted = model.classes_[p.argmax(axis=1)]
    assert_array_equal(predicted, model.predict(X[1500:]))
    assert p.max(axis=1).mean() == pytest.approx(
        (predicted == y[1500:]).mean(), abs=0.05
    )
