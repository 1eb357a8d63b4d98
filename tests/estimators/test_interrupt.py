"""Ctrl-C stops a fit in the middle and keeps the model trained so far."""

from threading import Event

import numpy as np
import pytest
from callbacks import AfterSteps
from problems import make_model, make_sparse_problem

LIMITS = {"tol": 0, "max_iter": 10**9, "max_time": 300, "random_state": 0}


def many_rows(k=20):
    return make_sparse_problem(n=5000, d=2000, k=k, nonzeros=60)


def wide_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 64)), np.arange(3000) % 4
    X[np.arange(3000), y] += 3
    return X, y


def few_rows():
    """Epochs too short for the core to ask for signals in them."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 30)) * 10.0 ** -np.arange(30), np.arange(40) % 5


def assert_belongs_together(model, X):
    """Weights, dual variables and certificate are those of one moment."""
    assert len(model.support_) > 0
    coef = model.dual_coef_.T @ X
    coef = coef.toarray() if hasattr(coef, "toarray") else coef
    assert np.abs(coef - model.coef_).max() < 1e-6 * np.abs(coef).max()


@pytest.mark.parametrize(
    ("data", "machine", "loss"),
    [
        (many_rows, "cs", "hinge"),
        (many_rows, "maxent", "log"),
        (many_rows, "ovo", "logistic"),
        (wide_rows, "ovr", "hinge"),  # one class after the other
        (few_rows, "cs", "hinge"),
    ],
)
def test_fit(interrupted, data, machine, loss):
    X, y = data()
    # A large C needs many epochs; on wide rows its first hundred predict badly.
    C = 1.0 if data is wide_rows else 1e4
    model, ready = make_model(machine, loss, C=C, **LIMITS), Event()
    if machine != "maxent":
        model.set_params(solver="dual")  # Newton steps would come to an end
    model.set_callbacks(AfterSteps(2, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert model.n_iter_ >= 2
    assert model.dual_objective_ <= model.objective_
    assert_belongs_together(model, X)
    # The labels of the few rows are random: there it only has to predict.
    accuracy = (model.predict(X) == y).mean()
    assert data is few_rows or accuracy > 2 / len(model.classes_)


def test_in_the_middle_of_an_epoch(interrupted):
    """An epoch of this order takes hours: the core itself sees the signal."""
    X, y = make_sparse_problem(n=50_000, d=2000, k=30, nonzeros=30)
    model, ready = make_model("cs", "hinge", order="max_violation", **LIMITS), Event()
    model.set_params(solver="dual")
    model.set_callbacks(AtTheFirst(ready))
    interrupted(lambda: model.fit(X, y), ready)
    assert (model.status_, model.n_iter_) == ("interrupted", 0)


class AtTheFirst(AfterSteps):
    """Is ready when the first epoch begins."""

    def __init__(self, ready):
        super().__init__(0, ready.set)

    def on_fit_task_begin(self, estimator, context):
        if context.task_name == "epoch":
            self.then()


def test_partial_fit(interrupted):
    X, y = many_rows()
    model, ready = make_model("cs", "hinge", C=1e4, random_state=0), Event()

    def stream():
        while True:
            model.partial_fit(X, y, classes=np.unique(y))
            ready.set()

    interrupted(stream, ready)
    assert (model.predict(X) == y).mean() > 2 / len(model.classes_)
