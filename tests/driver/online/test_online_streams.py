"""Streams as they come: late classes, few classes and many, odd rows and weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from online_problems import METHODS, assert_same_model, check_state, online
from problems import make_problem
from sklearn.datasets import load_digits

X, y = make_problem(n=240, d=4, k=4, noise=0.1)
CLASSES = np.arange(4)


@pytest.mark.parametrize("method", METHODS)
def test_one_pass_over_digits(method):
    data, labels = load_digits(return_X_y=True)
    model = online(C=10, gamma="scale", **method)
    for start in range(0, 1200, 150):
        chunk = slice(start, start + 150)
        model.partial_fit(data[chunk], labels[chunk], np.arange(10))
    assert model.n_seen_ == 1200
    assert model.score(data[1200:], labels[1200:]) > 0.92


@pytest.mark.parametrize("method", METHODS)
def test_a_class_first_seen_late(method):
    early = y < 3
    model = online(**method).partial_fit(X[early], y[early], CLASSES)
    assert not (model.predict(X) == 3).any()
    assert model.n_support_[3] == 0
    model.partial_fit(X[~early], y[~early])
    assert (model.predict(X[~early]) == 3).mean() > 0.5
    assert model.n_support_.sum() == len(model.support_vectors_)
    check_state(model)


def test_a_stream_of_one_class():
    model = online()
    for start in range(0, 60, 20):
        rows = X[start : start + 20]
        model.partial_fit(rows, np.zeros(20, dtype=int), [0, 1])
    assert (model.predict(X[:60]) == 0).all()
    check_state(model)


def test_chunks_do_not_matter():
    """Steps are the same if they do not depend on places, which GaLa's order does."""

    def dyadic(A, B):  # without rounding, in whatever order it is summed
        return np.asarray(np.round(16 * A) @ np.round(16 * B).T) / 256

    whole, single = (
        online(kernel=dyadic, C=0.25, selection="random") for _ in range(2)
    )
    whole.partial_fit(X, y, CLASSES)
    for row in range(len(y)):
        single.partial_fit(X[row : row + 1], y[row : row + 1], CLASSES)
    np.testing.assert_allclose(single.dual_coef_.sum(), 0, atol=1e-9)
    assert single.n_steps_ == whole.n_steps_
    assert single.dual_objective_ == pytest.approx(whole.dual_objective_, rel=1e-9)


def test_duplicates_and_contradictions():
    rows = np.repeat(X[:20], 6, axis=0)
    # More than half of each point: of half, weights of zero were as good as any.
    labels = np.tile([0, 0, 1, 0, 3, 0], 20)
    model = online(epochs=30).fit(rows, labels)
    check_state(model)
    assert (model.predict(X[:20]) == 0).all()  # the most frequent label
    assert model.gap(rows, labels) < 1e-2


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_zero_rows(kernel):
    model = online(kernel=kernel, C=2.0)
    model.partial_fit(np.zeros((30, 4)), np.arange(30) % 4, CLASSES)
    assert np.isfinite(model.decision_function(X)).all()
    model.partial_fit(X, y)
    assert np.isfinite(model.dual_objective_)
    assert model.score(X, y) > 0.4


def test_rows_without_weight_are_passed_over():
    weight = np.ones(len(y))
    weight[::2] = 0
    parts = online().partial_fit(X, y, CLASSES, sample_weight=weight)
    half = online().partial_fit(X[1::2], y[1::2], CLASSES)
    assert parts.n_seen_ == 2 * half.n_seen_
    assert parts.n_steps_ == half.n_steps_
    assert parts.dual_objective_ == pytest.approx(half.dual_objective_, rel=1e-9)
    nothing = online().partial_fit(X, y, CLASSES, sample_weight=np.zeros(len(y)))
    assert len(nothing.support_) == nothing.n_steps_["new"] == 0


def test_weights_multiply_C():
    by_class = {0: 1.0, 1: 3.0, 2: 0.5, 3: 2.0}
    weight = np.array([by_class[label] for label in y])
    one = online(class_weight=by_class).partial_fit(X, y, CLASSES)
    two = online().partial_fit(X, y, CLASSES, sample_weight=weight)
    assert_same_model(one, two)
    plain = online().partial_fit(X, y, CLASSES)
    assert plain.dual_objective_ != one.dual_objective_
    high = one.dual_coef_.max(axis=1)
    labels = one._driver.patterns()[1]
    assert all(high[labels == c].max() == by_class[c] for c in by_class)


@pytest.mark.parametrize("method", METHODS)
def test_two_classes(method):
    model = online(**method).fit(X, y % 2)
    assert model.dual_coef_.shape[1] == 2
    assert model.decision_function(X).shape == (len(y),)
    np.testing.assert_array_equal(
        model.predict(X), (model.decision_function(X) > 0).astype(int)
    )
    check_state(model)


@pytest.mark.parametrize("method", METHODS)
def test_many_classes(method):
    rows, labels = make_problem(n=900, d=10, k=300, scale=1.0, noise=0.0)
    model = online(C=10, gamma=0.05, steps=(1, 10), **method).fit(rows, labels)
    assert model.decision_function(rows[:7]).shape == (7, 300)
    assert model.score(rows, labels) > 0.5
    labels_seen = model._driver.patterns()[1]
    np.testing.assert_array_equal(
        model.n_support_, np.bincount(labels_seen, minlength=300)
    )


@pytest.mark.parametrize("first", [np.asarray, sp.csr_array])
def test_layouts_and_formats_may_change_between_chunks(first):
    kinds = [first, np.float32, sp.csr_array, np.asfortranarray]
    mixed, plain = online(), online()
    for kind, start in zip(kinds, range(0, 240, 60), strict=True):
        chunk = slice(start, start + 60)
        mixed.partial_fit(kind(X[chunk]), y[chunk], CLASSES)
        plain.partial_fit(X[chunk], y[chunk], CLASSES)
    assert sp.issparse(mixed.support_vectors_) == (first is sp.csr_array)
    assert mixed.support_vectors_.dtype == np.float64
    assert mixed.dual_objective_ == pytest.approx(plain.dual_objective_, rel=0.05)
    check_state(mixed)


def test_a_stream_goes_on_after_fit():
    model = online(epochs=2).fit(X[:150], y[:150])
    assert (model.support_ >= 0).all()
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    before = model.dual_objective_
    model.partial_fit(X[150:], y[150:])
    assert model.dual_objective_ > before
    assert (model.support_ == -1).any()
    old = model.support_ >= 0
    np.testing.assert_array_equal(model.support_vectors_[old], X[model.support_[old]])
    fresh = online(epochs=2).fit(X[:150], y[:150])
    model.fit(X[:150], y[:150])  # from scratch
    assert_same_model(model, fresh)
