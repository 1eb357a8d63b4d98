"""Streams: one exact dual step for every row of every chunk."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    ENTROPY,
    SOME_PAIRS,
    as_hard,
    class_weights,
    dual_objective,
    few_classes,
    make_model,
    make_problem,
    rotated,
)
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from polymargin import LinearSVM, MaxEnt

X, y = make_problem(n=120, d=6, k=4)
CLASSES = np.arange(4)


def chunks(X, y, size):
    for start in range(0, len(y), size):
        yield X[start : start + size], y[start : start + size]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "k", "order"),
    rotated(ALL_PAIRS, [2, 4, 70], ["acf", "permuted"]),
)
def test_one_chunk_is_one_pass(machine, loss, k, order):
    k = few_classes(machine, k)
    Z, labels = make_problem(n=150, k=k)
    parameters = {"order": order, "random_state": 3}
    stream = make_model(machine, loss, **parameters)
    stream.partial_fit(Z, labels, classes=np.arange(k))
    batch = make_model(machine, loss, max_iter=1, tol=0, **parameters)
    batch.fit(Z, labels)
    # fit rebuilds its weights from the dual variables, which changes their rounding.
    assert_allclose(stream.coef_, batch.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(stream.intercept_, batch.intercept_, rtol=1e-9, atol=1e-12)
    # A step with an entropy ends where Newton's method is within a percent of a step;
    # what it adds to the dual is known as if it were exact.
    rtol = 1e-5 if loss in ENTROPY else 1e-9
    assert_allclose(stream.dual_objective_, batch.dual_objective_, rtol=rtol)
    assert stream.n_iter_ == 1
    assert stream.status_ == "partial"


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [2, 4]))
def test_dual_objective_adds_up(machine, loss, k):
    """It is the dual of all rows seen: each step is an ascent on it."""
    Z, labels = make_problem(n=120, k=k)
    stream = make_model(machine, loss, C=0.3, random_state=0)
    seen = [0.0]
    weights = np.zeros(())
    for part in chunks(Z, labels, 25):
        stream.partial_fit(*part, classes=np.arange(k))
        seen.append(stream.dual_objective_)
        weights = class_weights(stream)
    assert (np.diff(seen) > 0).all()
    assert stream.n_iter_ == 5
    # No model of all the rows has an objective below a dual value.
    best = make_model(machine, loss, C=0.3, tol=1e-6, max_iter=20_000)
    assert seen[-1] <= best.fit(Z, labels).objective_
    assert seen[-1] > 0.1 * best.objective_
    assert np.isfinite(weights).all()


def test_dual_objective_of_the_first_chunk():
    stream = LinearSVM(C=0.3, random_state=0).partial_fit(X, y, CLASSES)
    batch = LinearSVM(C=0.3, random_state=0, max_iter=1, tol=1.0).fit(X, y)
    expected = dual_objective(batch, X, y, np.full(len(y), 0.3))
    assert stream.dual_objective_ == pytest.approx(expected)


# The others ask for absolute margins of weights that sum to zero, which linear scores
# of these few features do not have: their fits are no better than their streams.
ACCURATE = ("cs", "ww", "llw", "ovr", "ovo", "maxent")


@pytest.mark.parametrize(
    ("machine", "loss"), [pair for pair in ALL_PAIRS if pair[0] in ACCURATE]
)
def test_one_pass_over_digits_is_close_to_a_fit(machine, loss):
    data = train_test_split(*load_digits(return_X_y=True), random_state=0)
    train_X, test_X, train_y, test_y = (
        part / 16 if part.ndim == 2 else part for part in data
    )
    C = as_hard(machine, loss, 10, 1.0)
    stream = make_model(machine, loss, C=C, random_state=0)
    for part in chunks(train_X, train_y, 100):
        stream.partial_fit(*part, classes=np.arange(10))
    full = make_model(machine, loss, C=C, random_state=0).fit(train_X, train_y)
    # Few features for so absolute a margin: llw is the weakest linear machine here.
    enough, lost = (0.6, 0.2) if machine == "llw" else (0.93, 0.07)
    assert full.score(test_X, test_y) > enough
    assert stream.score(test_X, test_y) > full.score(test_X, test_y) - lost


def test_classes_are_required_at_the_first_call():
    with pytest.raises(ValueError, match="classes must be passed"):
        LinearSVM().partial_fit(X, y)


def test_classes_may_be_repeated_but_not_changed():
    model = LinearSVM(random_state=0).partial_fit(X, y, CLASSES)
    model.partial_fit(X, y, CLASSES).partial_fit(X, y)
    with pytest.raises(ValueError, match="classes="):
        model.partial_fit(X, y, np.arange(5))


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="classes must name at least two") as caught:
        LinearSVM().partial_fit(X, np.zeros(len(y)), classes=[0])
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("label", [9, -1])
def test_unknown_label(label):
    model = LinearSVM(random_state=0).partial_fit(X, y, CLASSES)
    before = model.coef_.copy()
    labels = y.copy()
    labels[7] = label
    with pytest.raises(ValueError, match=f"label .*{label}") as caught:
        model.partial_fit(X, labels)
    assert str(caught.value).endswith(".")
    assert_array_equal(model.coef_, before)


def test_a_class_may_come_late():
    early = y < 3
    model = LinearSVM(random_state=0).partial_fit(X[early], y[early], CLASSES)
    assert not (model.predict(X) == 3).any()
    for _ in range(3):
        model.partial_fit(X[~early], y[~early])
    assert (model.predict(X[~early]) == 3).mean() > 0.5


def test_a_chunk_of_one_row_and_of_one_class():
    model = LinearSVM(random_state=0).partial_fit(X[:1], y[:1], CLASSES)
    for row in range(1, 40):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert model.n_iter_ == 40
    assert model.score(X, y) > 0.4


def test_balanced_is_refused():
    model = LinearSVM(class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight='balanced'") as caught:
        model.partial_fit(X, y, CLASSES)
    assert str(caught.value).endswith(".")


def test_class_weight_and_sample_weight():
    by_class = {0: 1.0, 1: 3.0, 2: 0.5, 3: 2.0}
    parameters = {"C": 0.01, "random_state": 0}
    one = LinearSVM(class_weight=by_class, **parameters).partial_fit(X, y, CLASSES)
    weight = np.array([by_class[label] for label in y])
    two = LinearSVM(**parameters).partial_fit(X, y, CLASSES, sample_weight=weight)
    assert_array_equal(one.coef_, two.coef_)
    plain = LinearSVM(**parameters).partial_fit(X, y, CLASSES)
    assert not np.array_equal(one.coef_, plain.coef_)


def test_class_weight_of_a_class_that_is_not_in_the_chunk():
    model = LinearSVM(class_weight={3: 2.0}, random_state=0)
    early = y < 3
    model.partial_fit(X[early], y[early], CLASSES)
    model.partial_fit(X[~early], y[~early])
    assert model.n_iter_ == 2


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(SOME_PAIRS, [2, 4]))
def test_pickling_in_between(machine, loss, k):
    Z, labels = make_problem(n=120, k=k)
    straight = make_model(machine, loss, random_state=0)
    broken = make_model(machine, loss, random_state=0)
    for part in chunks(Z, labels, 30):
        straight.partial_fit(*part, classes=np.arange(k))
        broken.partial_fit(*part, classes=np.arange(k))
        broken = pickle.loads(pickle.dumps(broken))
    assert_array_equal(straight.coef_, broken.coef_)
    assert straight.dual_objective_ == broken.dual_objective_


def test_number_formats_and_layouts_may_change_between_chunks():
    plain = LinearSVM(C=0.1, random_state=0)
    mixed = LinearSVM(C=0.1, random_state=0)
    kinds = [np.asarray, np.float32, sp.csr_array, np.asfortranarray]
    for kind, part in zip(kinds, chunks(X, y, 30), strict=True):
        plain.partial_fit(*part, classes=CLASSES)
        mixed.partial_fit(kind(part[0]), part[1], classes=CLASSES)
    assert mixed.coef_.dtype == np.float64
    assert_allclose(mixed.coef_, plain.coef_, atol=1e-4)


def test_single_precision_stream():
    model = LinearSVM(random_state=0)
    for part in chunks(X.astype(np.float32), y, 30):
        model.partial_fit(*part, classes=CLASSES)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(SOME_PAIRS, [2, 4]))
def test_after_fit_a_stream_goes_on(machine, loss, k):
    labels = y % k
    model = make_model(machine, loss, C=0.1, random_state=0).fit(X, labels)
    before = model.coef_.copy()
    model.partial_fit(X, labels)
    assert model.coef_.shape == before.shape
    assert not np.array_equal(model.coef_, before)
    assert_allclose(model.coef_, before, atol=1.0)
    assert model.score(X, labels) > 0.5


def test_nothing_of_a_chunk_is_kept():
    """What is pickled does not grow with the rows that went through."""
    model = LinearSVM(random_state=0)
    sizes = []
    for n in (10, 2000, 10):
        rows, labels = make_problem(n=n, d=6, k=4)
        model.partial_fit(rows, labels, classes=CLASSES)
        sizes.append(len(pickle.dumps(model)))
    assert max(sizes) - min(sizes) < 100
    assert not hasattr(model, "dual_coef_")


@pytest.mark.parametrize(
    ("machine", "loss", "scaling", "k"), rotated(SOME_PAIRS, [0.5, 3.0], [2, 4])
)
def test_intercept_scaling(machine, loss, scaling, k):
    """The constant feature keeps its value from chunk to chunk."""
    by_hand = make_model(machine, loss, fit_intercept=False, C=0.1, random_state=0)
    model = make_model(machine, loss, intercept_scaling=scaling, C=0.1, random_state=0)
    for rows, labels in chunks(X, y % k, 40):
        model.partial_fit(rows, labels, classes=np.arange(k))
        constant = np.column_stack([rows, np.full(len(rows), scaling)])
        by_hand.partial_fit(constant, labels, classes=np.arange(k))
    assert_allclose(model.coef_, by_hand.coef_[:, :-1], rtol=1e-9, atol=1e-12)
    assert_allclose(
        model.intercept_, scaling * by_hand.coef_[:, -1], rtol=1e-9, atol=1e-12
    )


def test_a_stream_after_a_fit_claims_nothing_about_rows_that_are_gone():
    model = LinearSVM(random_state=0).fit(X, y)
    accuracy = model.score(X, y)
    model.partial_fit(X[:30], y[:30])
    for name in ("objective_", "dual_gap_", "dual_coef_", "support_", "violation_"):
        assert not hasattr(model, name), name
    assert model.status_ == "partial"
    assert model.score(X, y) > accuracy - 0.2
    assert model.fit(X, y).dual_gap_ <= 1e-3


def test_a_first_chunk_that_fails_can_be_tried_again():
    model = LinearSVM(random_state=0)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full_like(X, np.nan), y, classes=CLASSES)
    assert not hasattr(model, "classes_")
    model.partial_fit(X, y, classes=CLASSES)
    fresh = LinearSVM(random_state=0).partial_fit(X, y, classes=CLASSES)
    assert_array_equal(model.coef_, fresh.coef_)


@pytest.mark.parametrize("make", [LinearSVM, MaxEnt])
def test_whether_there_is_one_does_not_depend_on_threads(make):
    """Who asks for a method is not told about a wrong number of threads."""
    assert hasattr(make(n_jobs=0), "partial_fit")
    with pytest.raises(ValueError, match="n_jobs"):
        make(n_jobs=0).partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
