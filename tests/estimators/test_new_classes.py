"""Streams with labels that come later, and classes that are to be forgotten."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris

from polymargin import LinearSVM, MaxEnt, OnlineSVM, load, prune, save
from polymargin.machine.costs import cost_table
from polymargin.machine.registry import MACHINES, names_of

LINEAR = [
    (name, loss) for name, loss in MACHINES if MACHINES[name, loss].name != "maxent"
]


def linear(name, loss, **parameters):
    return LinearSVM(name, loss=loss, new_classes="add", random_state=0, **parameters)


def stream():
    """Digits: 0 and 1, then 2 as well, then all below 5."""
    X, y = load_digits(return_X_y=True)
    X, chosen = X / 16, y < 5
    X, y = X[chosen], y[chosen]
    parts = [np.flatnonzero(y < 2)[:120], np.flatnonzero(y < 3)[100:400]]
    parts.append(np.arange(400, 800))
    return [(X[part], y[part]) for part in parts], (X[800:], y[800:])


MODELS = [
    *(linear(name, loss) for name, loss in LINEAR),
    MaxEnt(new_classes="add", random_state=0),
    *(
        OnlineSVM(machine=m, C=10, new_classes="add", random_state=0)
        for m in names_of(lambda row: row.online)
    ),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_labels_that_come_later_are_learned(model):
    model = clone(model)
    chunks, (X_test, y_test) = stream()
    for known, (X, y) in zip((2, 3, 5), chunks, strict=True):
        model.partial_fit(X, y)
        assert_array_equal(model.classes_, np.arange(known))
    for X, y in chunks * 3:
        model.partial_fit(X, y)
    # One-vs-one and mmr see little of pairs and labels in a pass; others are above 0.9.
    assert model.score(X_test, y_test) > 0.85


@pytest.mark.parametrize(("name", "loss"), LINEAR)
def test_known_classes_keep_their_scores(name, loss):
    chunks, _ = stream()
    X = chunks[0][0]
    model = linear(name, loss).partial_fit(*chunks[1])
    before = model.predict(X)
    model._change_classes(np.arange(4))
    if name != "ovo":
        known = model.decision_function(X)[:, :3]
        assert_array_equal(known.argmax(axis=1), before)
    model.forget_class(3)
    assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("name", ["cs", "ovr", "ovo"])
def test_new_labels_may_lie_between_the_others(name):
    X, y = load_iris(return_X_y=True)
    words = np.array(["b", "d", "c"])[y]
    first = words != "c"
    model = linear(name, "squared_hinge").partial_fit(X[first], words[first])
    for _ in range(20):
        model.partial_fit(X, words)
    assert_array_equal(model.classes_, ["b", "c", "d"])
    assert model.score(X, words) > 0.8  # two classes that changed places: below 2/3


def test_a_class_that_comes_to_one_vs_rest_is_as_without_rows():
    X, y = load_iris(return_X_y=True)
    model = linear("ovr", "hinge").partial_fit(X[y < 2], y[y < 2])
    one_score = model.decision_function(X)
    model._change_classes(np.arange(3))
    both = np.column_stack([-one_score, one_score, np.full(len(X), -1)])
    assert_allclose(model.decision_function(X), both)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[-2]], ids=str)
def test_resumed_after_files_and_pickles(model, tmp_path):
    chunks, (X_test, _) = stream()
    model = clone(model).partial_fit(*chunks[0]).partial_fit(*chunks[1])
    save(model, tmp_path / "model")
    copies = [load(tmp_path / "model"), pickle.loads(pickle.dumps(model))]
    model.partial_fit(*chunks[2])
    for copy in copies:
        copy.partial_fit(*chunks[2])
        assert_array_equal(copy.classes_, model.classes_)
        assert_allclose(
            copy.decision_function(X_test), model.decision_function(X_test), atol=1e-12
        )


def test_the_default_refuses_new_labels():
    (first, second, _), _ = stream()
    for model in (LinearSVM(), MaxEnt(), OnlineSVM()):
        model.partial_fit(*first, classes=[0, 1])
        with pytest.raises(ValueError, match=r"label 2, which is .* new_classes='add'"):
            model.partial_fit(*second)


def test_classes_may_be_named_and_weights_be_of_those_to_come():
    (first, second, third), _ = stream()
    weights = {4: 5.0, 0: 0.5}
    for model in (LinearSVM(), OnlineSVM()):
        model.set_params(new_classes="add", class_weight=weights, random_state=0)
        model.partial_fit(*first, classes=[0, 1])
        model.partial_fit(*second, classes=[0, 1])  # as loops write it
        assert_array_equal(model.classes_, [0, 1, 2])
        model.partial_fit(*third)
        assert_array_equal(model.classes_, range(5))


def test_costs_grow_by_their_rule():
    (first, second, _), _ = stream()
    model = LinearSVM(costs="ordinal", new_classes="add", random_state=0)
    model.partial_fit(*first).partial_fit(*second)
    assert_array_equal(model.costs_, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])


@pytest.mark.parametrize("costs", [{0: {2: 3.0}}, {2: {0: 3.0}}])
def test_costs_may_be_of_classes_to_come(costs):
    (first, second, _), _ = stream()
    model = LinearSVM(costs=costs, new_classes="add", random_state=0)
    model.partial_fit(*first).partial_fit(*second)
    assert_array_equal(model.costs_, cost_table(costs, range(3)))


@pytest.mark.parametrize("costs", ["ordinal", {4: {2: 3.0}}, 1 - np.eye(5)])
def test_costs_of_a_forgotten_class_go(costs, tmp_path):
    _, (X, y) = stream()
    model = LinearSVM(costs=costs, random_state=0).fit(X, y)
    left = [0, 1, 2, 3]
    before = model.costs_[np.ix_(left, left)]
    assert_array_equal(model.forget_class(4).costs_, before)
    save(model, tmp_path / "model")
    assert_array_equal(load(tmp_path / "model").costs_, before)


@pytest.mark.parametrize("make", [LinearSVM, OnlineSVM])
def test_strings_and_numbers_in_other_types(make):
    """Chunks of a file are of pandas at one time and of NumPy at another."""
    (first, second, _), _ = stream()
    words = [np.array(["zero", "one", "two"])[y] for _, y in (first, second)]
    for types in ((str, object), (object, str)):
        model = make(new_classes="add", random_state=0)
        for (X, _), y, dtype in zip((first, second), words, types, strict=True):
            model.partial_fit(X, y.astype(dtype))
        assert model.classes_.tolist() == ["one", "two", "zero"]
        assert model.score(second[0], words[1]) > 0.9
    for types in ((np.uint8, np.int64), (np.int64, np.uint64), (np.uint64, np.int8)):
        model = make(new_classes="add", random_state=0)
        for (X, y), dtype in zip((first, second), types, strict=True):
            model.partial_fit(X, y.astype(dtype))
        assert model.classes_.dtype.kind in "iu"
        assert model.classes_.tolist() == [0, 1, 2]


def test_a_label_of_another_type_changes_nothing():
    (first, _, _), _ = stream()
    for model in (linear("cs", "hinge"), clone(MODELS[-1])):
        model = model.partial_fit(*first)
        before = model.classes_.copy()
        with pytest.raises(ValueError, match="'x', which is of another type"):
            model.partial_fit(first[0][:1], ["x"])
        assert_array_equal(model.classes_, before)


def test_a_first_chunk_of_one_class_is_refused():
    (first, _, _), _ = stream()
    X, y = first[0][first[1] == 0], np.zeros(np.sum(first[1] == 0), dtype=int)
    for model in (linear("cs", "hinge"), OnlineSVM(new_classes="add")):
        with pytest.raises(ValueError, match=r"or begin with rows of two, got \[0\]"):
            model.partial_fit(X, y)
        assert not hasattr(model, "classes_")


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_forgotten_classes_are_not_predicted(model):
    model = clone(model)
    chunks, (X_test, y_test) = stream()
    for X, y in chunks * 3:
        model.partial_fit(X, y)
    model.forget_class(3)
    assert_array_equal(model.classes_, [0, 1, 2, 4])
    left = y_test != 3
    assert model.score(X_test[left], y_test[left]) > 0.85
    model.forget_class(4).forget_class(0)
    left = np.isin(y_test, (1, 2))
    assert model.score(X_test[left], y_test[left]) > 0.85
    model.partial_fit(*chunks[2])  # all of them come again
    assert_array_equal(model.classes_, range(5))


def test_forgetting_drops_the_certificate():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(random_state=0).fit(X, y).forget_class(2)
    assert not hasattr(model, "dual_gap_")
    assert not hasattr(model, "dual_coef_")
    assert set(model.predict(X)) == {0, 1}


def test_pruned_weights_stay_away_when_a_class_is_forgotten():
    _, (X, y) = stream()
    small = prune(LinearSVM("ovr", random_state=0).fit(X, y), X, share=0.5)
    left = small.coef_[:4].nnz
    small.forget_class(4)
    assert small.n_parameters_ == (left, 4 * X.shape[1])
    assert small.coef_.nnz == left
    before = small.decision_function(X)[:, :3]
    assert_array_equal(small.forget_class(3).decision_function(X), before)


def test_the_dual_of_an_online_machine_is_that_of_its_patterns():
    chunks, _ = stream()
    model = OnlineSVM(C=10, new_classes="add", random_state=0)
    for X, y in chunks:
        model.partial_fit(X, y)
    model.forget_class(2)
    beta = model.dual_coef_
    K = np.exp(
        -model.gamma_
        * ((model.support_vectors_[:, None] - model.support_vectors_) ** 2).sum(axis=2)
    )
    dual = beta[beta > 0].sum() - np.einsum("im,ij,jm->", beta, K, beta) / 2
    assert_allclose(model.dual_objective_, dual)
    assert_allclose(beta.sum(axis=1), 0, atol=1e-9)


def test_what_cannot_be_forgotten():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="7 is not one of the classes"):
        model.forget_class(7)
    model.forget_class(0)
    with pytest.raises(ValueError, match="without 1 there is one class only"):
        model.forget_class(1)
