"""Whether probabilities mean what they say."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris

from polymargin import LinearSVM, MaxEnt
from polymargin.files.models.calibration import Calibration
from polymargin.files.models.evaluation import evaluate


def test_tenths_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    confidence = rng.random(500)
    right = rng.random(500) < confidence**2
    found = Calibration(confidence, right)
    share, mean = calibration_curve(right, confidence, n_bins=10)
    np.testing.assert_allclose([one["right"] for one in found.bins], share)
    np.testing.assert_allclose([one["probability"] for one in found.bins], mean)
    assert sum(one["rows"] for one in found.bins) == 500
    counts = np.histogram(confidence, 10, (0, 1))[0]
    assert found.error == pytest.approx(counts @ np.abs(share - mean) / 500)


def test_certain_ones():
    found = Calibration(np.array([1.0, 1.0, 0.0]), np.array([True, False, False]))
    assert [one["rows"] for one in found.bins] == [1, 2]
    assert found.error == pytest.approx(2 / 3 * 0.5)
    assert found.lines()[-1].split() == ["90%", "to", "100%", "2", "100.0%", "50.0%"]


def test_only_where_there_are_probabilities():
    X, y = load_iris(return_X_y=True)
    model = MaxEnt(random_state=0).fit(X, y)
    found = evaluate(model, X, y).calibration
    np.testing.assert_allclose(found.confidence, model.predict_proba(X).max(axis=1))
    np.testing.assert_array_equal(found.right, model.predict(X) == y)
    assert evaluate(LinearSVM(random_state=0).fit(X, y), X, y).calibration is None
