"""What OnlineSVM refuses, and what it says."""

import numpy as np
import pytest
from online_problems import check_state, online
from problems import make_problem
from sklearn.exceptions import NotFittedError

from polymargin import OnlineSVM

X, y = make_problem(n=60, d=4, k=3)
CLASSES = np.arange(3)


def message(caught):
    text = str(caught.value)
    assert text.endswith(".")
    return text


@pytest.mark.parametrize(
    "steps", [(1,), (1, 2, 3), (-1, 2), (1, float("nan")), (1, float("inf")), ("a", 1)]
)
def test_steps(steps):
    with pytest.raises(ValueError, match="must be two numbers") as caught:
        online(steps=steps, schedule="fixed").fit(X, y)
    assert message(caught).startswith("steps=")


@pytest.mark.parametrize(
    "parameters",
    [
        {"machine": "llw"},
        {"loss": "logistic"},
        {"selection": "best"},
        {"schedule": "none"},
        {"hits": 0},
        {"epochs": 0},
        {"epochs": "many"},
        {"budget": 0},
        {"cost": "money"},
        {"cache_size": 0},
        {"violation_tol": -1},
        {"C": 0},
        {"steps": 3},
    ],
)
def test_parameters(parameters):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"'{name}' parameter of OnlineSVM"):
        online(**parameters).fit(X, y)


def test_unknown_labels_change_nothing():
    model = online().partial_fit(X, y, CLASSES)
    before, seen = model.dual_coef_.copy(), model.n_seen_
    with pytest.raises(ValueError, match=r"label .*9") as caught:
        model.partial_fit(X[:3], [0, 9, 1])
    message(caught)
    np.testing.assert_array_equal(model.dual_coef_, before)
    assert model.n_seen_ == seen


def test_classes():
    with pytest.raises(ValueError, match="classes must be passed"):
        online().partial_fit(X, y)
    with pytest.raises(ValueError, match="classes must name at least two") as caught:
        online().partial_fit(X, np.zeros(len(y)), [0])
    message(caught)
    with pytest.raises(ValueError, match="at least two classes"):
        online().fit(X, np.zeros(len(y)))
    model = online().partial_fit(X, y, CLASSES)
    with pytest.raises(ValueError, match="classes="):
        model.partial_fit(X, y, np.arange(5))


def test_balanced_needs_all_data():
    with pytest.raises(ValueError, match="class_weight='balanced'") as caught:
        online(class_weight="balanced").partial_fit(X, y, CLASSES)
    message(caught)
    assert online(class_weight="balanced").fit(X, y).score(X, y) > 0.5


def test_precomputed_has_no_partial_fit():
    model = OnlineSVM("precomputed")
    assert not hasattr(model, "partial_fit")
    assert hasattr(OnlineSVM(), "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit"):
        model.partial_fit(X @ X.T, y, CLASSES)
    with pytest.raises(ValueError, match="square"):
        model.fit(X, y)


def test_other_features():
    model = online().partial_fit(X, y, CLASSES)
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit(X[:, :3], y)
    check_state(model)


def test_a_first_chunk_that_fails_can_be_tried_again():
    model = online()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full_like(X, np.nan), y, CLASSES)
    for method in (model.finish, lambda: model.gap(X, y), lambda: model.predict(X)):
        with pytest.raises(NotFittedError):
            method()
    model.partial_fit(X, y, CLASSES)
    fresh = online().partial_fit(X, y, CLASSES)
    np.testing.assert_array_equal(model.dual_coef_, fresh.dual_coef_)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_kernels_that_overflow(kernel):
    large = np.full((10, 4), 1e25, dtype=np.float32)
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="infinite") as e:
        online(kernel=kernel).partial_fit(large, np.arange(10) % 3, CLASSES)
    message(e)


def test_a_cache_larger_than_any_memory():
    model = online(cache_size=1e300).fit(X, y)
    assert model._driver.cached_rows == len(model.support_)
    huge = online(epochs="converged", cache_size=1e12).fit(X, y)
    assert huge.status_ == "converged"


def test_nothing_is_there_before_a_fit():
    for name in ("support_vectors_", "dual_coef_", "n_steps_", "history_", "work_"):
        assert not hasattr(OnlineSVM(), name)
    with pytest.raises(NotFittedError):
        OnlineSVM().finish()
