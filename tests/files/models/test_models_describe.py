"""What is said about a model is true."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from kernel_problems import dual_coef
from problems import make_problem
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    precision_score,
    recall_score,
)
from sklearn.svm import LinearSVC

from polymargin import (
    KernelSVM,
    LinearSVM,
    MaxEnt,
    OnlineSVM,
    describe,
    load,
    save,
)

X, y = load_iris(return_X_y=True, as_frame=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]
MODELS = [
    LinearSVM(history=True),
    LinearSVM("ovo", loss="logistic", C=2.0),
    MaxEnt(features="reduced"),
    KernelSVM(history=True, probability=True),
    KernelSVM("ovo", kernel="poly"),
    KernelSVM(approximation="nystroem", rank=20),
    OnlineSVM(random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("two", [False, True])
def test_every_machine(model, two):
    rows = y < 2 if two else y >= 0
    model = clone(model).fit(X[rows], NAMES[rows])
    told = describe(model, X, NAMES, top=3)
    page, data = str(told), json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert page.startswith(type(model).__name__)
    assert data["classes"] == model.classes_.tolist()
    assert data["n_features"] == 4
    assert data["evaluation"]["accuracy"] == np.mean(model.predict(X) == NAMES)
    if hasattr(model, "coef_"):
        assert len(data["features"]) == len(model.classes_)
        assert all(len(about["features"]) == 3 for about in data["features"])
        assert "petal" in page
    else:
        assert data["n_parameters"] == np.prod(model.dual_coef_.shape)
        assert data["kernel"]["name"] == model.kernel
    assert max(map(len, page.splitlines())) < 120


def test_the_certificate():
    model = LinearSVM(history=True, C=0.5).fit(X, y)
    told = describe(model).to_dict()
    assert told["certificate"] == {
        "status": "converged",
        "n_iter": model.n_iter_,
        "objective": model.objective_,
        "dual_objective": model.dual_objective_,
        "gap": model.dual_gap_,
        "violation": model.violation_,
        "seconds": model.history_["seconds"][-1],
    }
    assert told["parameters"] == {"C": 0.5, "history": True}
    assert told["evaluation"] is None
    model.dual_gap_ = float("inf")
    assert describe(model).to_dict()["certificate"]["gap"] is None


def test_telling_features_are_those_of_the_class():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=300)
    rows = rng.normal(size=(300, 8))
    rows[np.arange(300), 2 * labels] += 4  # features 0, 2 and 4 tell
    frame = pd.DataFrame(rows, columns=list("abcdefgh"))
    for machine in ("cs", "ww", "llw", "ovr", "ovo"):
        model = LinearSVM(machine, C=0.01).fit(frame, labels)
        told = describe(model, top=3).features
        for about, feature in zip(told, "ace", strict=True):
            assert set(about["features"]) == set("ace")
            at = about["features"].index(feature)
            assert [weight > 0 for weight in about["weights"]].index(True) == at
    model = LinearSVM(C=0.01).fit(rows[labels < 2], labels[labels < 2])
    first, second = describe(model, top=2).features
    assert set(first["features"]) == set(second["features"]) == {0, 2}
    assert first["weights"] == [-weight for weight in second["weights"]]


def test_weights_that_are_zero_tell_nothing():
    rows = sp.csr_array(np.eye(4))
    model = LinearSVM(features="reduced").fit(rows, range(4))
    told = describe(model)
    assert [about["features"] for about in told.features] == [[0], [1], [2], [3]]
    assert told.n_parameters == told.n_nonzeros == 4


def test_support_vectors():
    model = KernelSVM().fit(X, NAMES)
    told = describe(model, top=5)
    assert told.n_support_by_class == model.n_support_.tolist()
    assert told.n_support == len(model.support_)
    weights = np.abs(dual_coef(model)).sum(axis=1)
    assert [one["weight"] for one in told.support] == sorted(weights)[:-6:-1]
    for one in told.support:
        assert one["label"] == NAMES[one["row"]]
    for machine in ("ovo", "ovr"):
        model = KernelSVM(machine).fit(X[y < 2], NAMES[y < 2])
        for one in describe(model).support:
            assert one["label"] == NAMES[one["row"]]
    model = OnlineSVM().partial_fit(X, NAMES, classes=np.unique(NAMES))
    assert describe(model).support[0]["row"] is None
    assert "of a stream" in str(describe(model))


def test_evaluation_is_that_of_scikit_learn():
    model = MaxEnt(C=0.1, random_state=0).fit(X, NAMES)
    told = describe(model, X, NAMES).evaluation
    predicted = model.predict(X)
    assert told.accuracy == accuracy_score(NAMES, predicted)
    np.testing.assert_array_equal(told.confusion, confusion_matrix(NAMES, predicted))
    np.testing.assert_allclose(
        told.precision, precision_score(NAMES, predicted, average=None)
    )
    np.testing.assert_allclose(
        told.recall, recall_score(NAMES, predicted, average=None)
    )
    wrong = {
        (true, taken): int(((true == NAMES) & (taken == predicted)).sum())
        for true, taken in {*zip(NAMES, predicted, strict=True)}
        if true != taken
    }
    assert {(true, taken): count for true, taken, count in told.confusions} == wrong


def test_labels_the_model_does_not_know():
    model = LinearSVM(C=0.1).fit(X[y < 2], NAMES[y < 2])
    told = describe(model, X, NAMES)
    assert told.evaluation.labels == ["setosa", "versicolor", "virginica"]
    assert told.evaluation.confusion[:, 2].sum() == 0
    assert told.evaluation.precision[2] is None and told.evaluation.recall[2] == 0
    assert re.search(r"virginica +50 +- +0\.0%", str(told))


def test_many_classes_on_one_page():
    rows, labels = make_problem(n=900, k=60)
    told = describe(LinearSVM(tol=0.3).fit(rows, labels), rows, labels, top=4)
    page = str(told)
    assert "... and 40 more" in page and "taken for" in page
    assert len(page.splitlines()) < 70
    assert len(told.to_dict()["evaluation"]["confusions"]) == 4


def test_after_a_file(tmp_path):
    model = KernelSVM(C=2.0).fit(X, NAMES)
    save(model, tmp_path / "model", metadata={"flowers": 150})
    told = describe(load(tmp_path / "model"), X, NAMES)
    assert told.metadata == {"flowers": 150} and "[flowers]" in str(told)
    expected = describe(model, X, NAMES).to_dict() | {"metadata": {"flowers": 150}}
    assert told.to_dict() == expected


def test_wrong_questions():
    model = LinearSVM().fit(X, y)
    with pytest.raises(TypeError, match="LinearSVC is no machine"):
        describe(LinearSVC().fit(X, y))
    with pytest.raises(NotFittedError):
        describe(LinearSVM())
    with pytest.raises(ValueError, match="give both, or neither"):
        describe(model, X)
    with pytest.raises(ValueError, match="give text for text"):
        describe(model, X, NAMES)
    with pytest.raises(ValueError, match="a label for every row"):
        describe(model, X, y[:9])
    with pytest.raises(ValueError, match="top=-1 is negative"):
        describe(model, top=-1)
    assert describe(model, top=0).features[0]["features"] == []


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_several_labels_a_row(make, tmp_path):
    X, y = make_problem(n=60, d=4, k=3, seed=0)
    Y = np.column_stack([y == 0, y > 0]).astype(int)
    model = LinearSVM("ovr", random_state=0).fit(X, Y)
    found = describe(model, X, make(Y)).evaluation
    assert found.accuracy == accuracy_score(Y, model.predict(X))
    assert found.labels == [0, 1]
    save(model, tmp_path / "model", metadata={"labels": ["none", "some"]})
    told = describe(load(tmp_path / "model"), X, make(Y))
    assert told.evaluation.labels == ["none", "some"]
    assert "micro F1" in str(told)
    json.dumps(told.to_dict())
    with pytest.raises(ValueError, match="y has 3 columns, but the model knows 2"):
        describe(model, X, np.eye(3)[y])
