"""Models with fewer weights: what is dropped, and what stays."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline

from polymargin import KernelSVM, LinearSVM, MaxEnt, load, prune, save
from polymargin.machine.registry import MACHINE_NAMES


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500] / 16, y[:500]


@pytest.mark.parametrize("machine", MACHINE_NAMES)
def test_no_prediction_changes(machine):
    X, y = digits()
    model = LinearSVM(machine, C=0.1, tol=1e-2, random_state=0).fit(X, y)
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        small = prune(model, rows)
        assert_array_equal(small.predict(X), model.predict(X))
        assert small.n_parameters_.kept == small.coef_.nnz < model.coef_.size
    assert model.dual_gap_ <= 1e-2  # it stays as it was
    assert not hasattr(small, "dual_gap_")


def test_one_weight_more_would_change_a_prediction():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(random_state=0).fit(X, y)
    small = prune(model, X)
    scores = np.abs(model.coef_) * np.sqrt(np.mean(X**2, axis=0))
    kept = small.coef_.toarray() != 0
    assert scores[kept].min() > scores[~kept].max(initial=0)
    coef = np.where(scores > scores[kept].min(), model.coef_, 0)
    assert np.any((X @ coef.T + model.intercept_).argmax(axis=1) != model.predict(X))


def test_a_share_of_the_weights():
    X, y = digits()
    model = MaxEnt(random_state=0).fit(X, y)
    for share, left in ((0, 1), (0.75, 0.25), (1, 0)):
        small = prune(model, X, share=share)
        # Pixels that are always zero matter as little as weights that are.
        assert small.coef_.nnz <= round(left * model.coef_.size)
        assert_allclose(small.intercept_, model.intercept_)
    half = prune(model, X, share=0.5)
    assert half.n_parameters_ == (320, 640)
    assert half.score(X, y) > model.score(X, y) - 0.05


def test_two_classes_and_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = LinearSVM("ovr", random_state=0).fit(X, y == 1)
    small = prune(model, X, share=0.5)
    save(small, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.coef_.nnz == 2
    assert_array_equal(again.decision_function(X), small.decision_function(X))


def test_what_cannot_be_pruned():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="KernelSVM has no weights of features"):
        prune(KernelSVM().fit(X, y), X)
    with pytest.raises(TypeError, match="such as the last step of a pipeline"):
        prune(make_pipeline(LinearSVM(random_state=0)).fit(X, y), X)
    for share in (1.5, "half"):
        with pytest.raises(ValueError, match=r"is not a number from 0 to 1"):
            prune(LinearSVM(random_state=0).fit(X, y), X, share=share)
    with pytest.raises(ValueError, match="features"):
        prune(LinearSVM(random_state=0).fit(X, y), X[:, :2])
