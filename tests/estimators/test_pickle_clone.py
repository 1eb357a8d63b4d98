"""An estimator among scikit-learn's: clone, pickle, search, pipeline."""

import pickle
from dataclasses import is_dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from problems import SOME_PAIRS, make_model, make_problem, with_classes
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import LinearSVM, MaxEnt

CHANGED = {
    "machine": "ww",
    "C": 0.3,
    "loss": "squared_hinge",
    "tol": 1e-4,
    "violation_tol": 1e-2,
    "max_iter": 77,
    "max_time": 9.0,
    "fit_intercept": False,
    "intercept_scaling": 2.0,
    "class_weight": {0: 2.0},
    "costs": "ordinal",
    "thresholds": "f1",
    "penalty": "l1",
    "weight_bounds": (0, 1),
    "candidates": 16,
    "new_classes": "add",
    "solver": "dual",
    "order": "permuted",
    "shrinking": False,
    "cooling": False,
    "restricted": "active_set",
    "restricted_tol": 1e-5,
    "restricted_sweeps": 3,
    "features": "reduced",
    "warm_start": True,
    "n_jobs": 2,
    "random_state": 5,
    "verbose": 1,
    "history": True,
}


# What MaxEnt has no choice of.
FIXED = {"machine", "loss", "shrinking", "cooling", "restricted_tol"} | {
    "restricted_sweeps",
    "costs",
    "thresholds",
    "candidates",
    "weight_bounds",
}


@pytest.mark.parametrize("estimator", [LinearSVM, MaxEnt])
def test_parameters(estimator):
    model = estimator()
    changed = dict(CHANGED)
    if estimator is MaxEnt:
        changed = {name: value for name, value in CHANGED.items() if name not in FIXED}
    assert set(changed) == set(model.get_params())
    for name, value in model.get_params().items():
        assert value != changed[name], name
    model.set_params(**changed)
    assert model.get_params() == changed
    assert estimator(**changed).get_params() == changed
    with pytest.raises(ValueError, match="Invalid parameter 'gamma'"):
        model.set_params(gamma=1)


@pytest.mark.parametrize(("machine", "loss"), SOME_PAIRS)
def test_clone_copies_parameters_and_no_model(machine, loss):
    X, y = make_problem()
    model = make_model(machine, loss, C=0.3, random_state=0).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "coef_")
    assert_array_equal(copy.fit(X, y).coef_, model.coef_)


def test_repr_shows_what_was_changed():
    assert repr(MaxEnt(C=2.0)) == "MaxEnt(C=2.0)"
    assert repr(LinearSVM("ww", C=2.0)) == "LinearSVM(C=2.0, machine='ww')"


@pytest.mark.parametrize(("machine", "loss", "k"), with_classes(2, 4, 70))
def test_pickle(machine, loss, k):
    X, y = make_problem(n=60 + k, k=k)
    model = make_model(
        machine, loss, C=0.1, history=True, warm_start=True, random_state=0
    ).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert vars(copy).keys() == vars(model).keys()
    for name, value in vars(model).items():
        other = getattr(copy, name)
        if hasattr(value, "toarray"):
            value, other = value.toarray(), other.toarray()
        if is_dataclass(value):
            value, other = vars(value), vars(other)
        if isinstance(value, dict):
            assert value.keys() == other.keys()
            value, other = list(value.values()), list(other.values())
        np.testing.assert_equal(other, value)
    assert_array_equal(copy.decision_function(X), model.decision_function(X))
    # The copy is as warm as the original.
    assert_array_equal(copy.fit(X, y).coef_, model.fit(X, y).coef_)


def test_grid_search_in_two_processes():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    grid = {"C": [0.01, 0.1], "machine": ["cs", "ww"]}
    searches = [
        GridSearchCV(LinearSVM(random_state=0), grid, cv=3, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, 2)
    ]
    assert searches[0].best_score_ > 0.9
    assert_array_equal(
        searches[0].cv_results_["mean_test_score"],
        searches[1].cv_results_["mean_test_score"],
    )
    assert_array_equal(
        searches[0].best_estimator_.coef_, searches[1].best_estimator_.coef_
    )


def test_cross_validation_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), LinearSVM(random_state=0))
    scores = cross_val_score(pipeline, X, y, cv=5, n_jobs=2)
    assert_array_equal(scores, cross_val_score(pipeline, X, y, cv=5))
    assert scores.mean() > 0.93


def test_text():
    topics = {
        "sea": "ship wave salt harbour sail tide anchor",
        "sky": "cloud wind bird star wing rain thunder",
        "city": "street tower market tram crowd window light",
    }
    rng = np.random.default_rng(0)
    names = rng.choice(list(topics), size=120)
    texts = [" ".join(rng.choice(topics[name].split(), size=4)) for name in names]
    model = make_pipeline(TfidfVectorizer(), LinearSVM(random_state=0))
    assert model.fit(texts[:90], names[:90]).score(texts[90:], names[90:]) == 1
    assert model.predict(["a ship with salt"]).tolist() == ["sea"]
    single = make_pipeline(TfidfVectorizer(dtype=np.float32), LinearSVM(random_state=0))
    assert single.fit(texts, names)[-1].coef_.dtype == np.float32


def test_inside_a_meta_estimator():
    X, y = load_iris(return_X_y=True)
    model = OneVsRestClassifier(LinearSVM(random_state=0, tol=1e-2, max_iter=5000))
    assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(("machine", "loss"), SOME_PAIRS)
def test_sparsify_and_densify(machine, loss):
    X, y = make_problem()
    model = make_model(machine, loss, random_state=0).fit(X, y)
    expected = model.predict(X)
    assert_array_equal(model.sparsify().predict(X), expected)
    assert_array_equal(model.densify().predict(X), expected)
