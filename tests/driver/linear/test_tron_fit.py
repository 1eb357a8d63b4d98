"""The estimator with the trust-region Newton method: how fits start, stop and fail."""

from threading import Event

import numpy as np
import pytest
from callbacks import AfterSteps
from counted_time import count_time
from numpy.testing import assert_allclose
from problems import make_problem, make_sparse_problem
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM

LOSSES = ("squared_hinge", "logistic")


def tron(loss="squared_hinge", **parameters):
    return LinearSVM("ovr", loss=loss, solver="tron", **parameters)


# As in test_estimator_checks: two independent runs are compared to 1e-7.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([tron("logistic", violation_tol=1e-11)])
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start(loss):
    X, y = make_problem(n=200, k=4)
    warm = tron(loss, C=1.0, tol=1e-6, warm_start=True).fit(X, y)
    needed = warm.n_iter_
    assert warm.set_params(tol=1e-5).fit(X, y).n_iter_ < needed / 2
    for C in (1.3, 10.0, 100.0):
        warm.set_params(C=C).fit(X, y)
        cold = tron(loss, C=C, tol=1e-5).fit(X, y)
        assert_allclose(warm.objective_, cold.objective_, rtol=1e-5)
        assert warm.n_iter_ <= cold.n_iter_


def test_warm_start_from_the_dual_method_and_back():
    X, y = make_problem(n=200, k=4)
    model = LinearSVM("ovr", loss="squared_hinge", tol=1e-6, random_state=0)
    model.set_params(warm_start=True, C=0.1, solver="dual", max_iter=10_000).fit(X, y)
    objective, needed = model.objective_, model.n_iter_
    model.set_params(solver="tron").fit(X, y)
    assert model.n_iter_ <= 3
    assert_allclose(model.objective_, objective, rtol=2e-6)
    model.set_params(solver="dual").fit(X, y)
    assert model.n_iter_ <= needed / 4


def test_max_time_keeps_the_last_step(monkeypatch):
    """Time is counted: a few products are over before it is."""
    count_time(monkeypatch, "driver.loop", "driver.epochs", "driver.linear.tron")
    X, y = make_sparse_problem(n=2000, d=5000, k=100, nonzeros=50)
    model = tron(tol=0, C=100, max_time=40)
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 40 s\)"):
        model.fit(X, y)
    assert model.status_ == "max_time" and model.n_iter_ >= 1
    assert model.dual_objective_ < model.objective_ < 100 * X.shape[0] * 100
    assert (model.predict(X) == y).mean() > 0.2


def test_max_time_before_the_first_step(clock):
    X, y = make_sparse_problem(n=2000, d=500, k=100, nonzeros=50)
    clock.tick = 1.0
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = tron(max_time=1.5).fit(X, y)
    assert model.status_ == "max_time" and model.n_iter_ == 0
    assert not model.coef_.any()
    assert_allclose(model.objective_, 100 * 2000)  # every loss is one at zero


def test_interrupt(interrupted):
    X, y = make_sparse_problem(n=6000, d=2000, k=60, nonzeros=40)
    model, ready = tron(C=1e3, tol=0, max_time=300), Event()
    model.set_callbacks(AfterSteps(2, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert model.coef_.any() and len(model.support_)
    assert model.dual_gap_ == np.inf
    assert (model.predict(X) == y).mean() > 0.1


@pytest.mark.parametrize(
    ("machine", "loss"), [("ovr", "hinge"), ("cs", "squared_hinge")]
)
def test_other_machines_are_refused(machine, loss):
    X, y = make_problem()
    model = LinearSVM(machine, loss=loss, solver="tron")
    with pytest.raises(ValueError, match=rf"'tron' does not train machine='{machine}'"):
        model.fit(X, y)


def test_partial_fit_is_refused():
    X, y = make_problem()
    model = tron()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y, classes=[0, 1, 2])
    assert "choose solver='auto' or 'dual'" in str(caught.value.__cause__)
    model.set_params(solver="dual").partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize("loss", LOSSES)
def test_epochs_are_reported(loss, capsys):
    X, y = make_problem(n=100, k=4)
    model = tron(loss, verbose=2, history=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ // 2 + 1
    assert model.n_iter_ == len(model.history_["gap"])
    visits = model.history_["visits"]
    assert (visits % len(y) == 0).all()
    assert (visits >= 3 * len(y)).all()  # a product in the step, two at its end
    assert np.isfinite(model.history_["gap"]).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_bad_warm_start_is_no_worse_than_none(loss):
    """Clipped to a far smaller C, old duals may belong to absurd weights."""
    X, y = make_problem(n=200, k=4, scale=10.0)
    model = tron(loss, C=1e3, tol=1e-5, warm_start=True).fit(X, y)
    model.set_params(C=1e-6, history=True).fit(X, y)
    cold = tron(loss, C=1e-6, tol=1e-5).fit(X, y)
    assert_allclose(model.objective_, cold.objective_, rtol=1e-5)
    at_zero = 1e-6 * 200 * 4 * (np.log(2) if loss == "logistic" else 1)
    assert model.history_["objective"][0] <= at_zero
