"""solver="auto": from the sequential method to Newton steps, with the duals in hand."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    SOME_PAIRS,
    dual_objective,
    is_bounded,
    make_model,
    make_problem,
    make_sparse_problem,
    primal_objective,
)
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM, LinearSVM, MaxEnt, load, save
from polymargin.access.rows import Rows
from polymargin.driver.linear import switching
from polymargin.driver.linear.newton.driver import NewtonDriver
from polymargin.driver.linear.switching import SwitchingDriver
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine


def hard_problem(dtype=np.float64, **sizes):
    """Features of scales from 1 to 1000, which the sequential method cannot solve."""
    X, y = make_problem(**{"n": 120, "d": 4, "k": 3, "noise": 0.2, **sizes})
    return (X * 10.0 ** np.arange(X.shape[1])).astype(dtype), y


pytestmark = pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("data", [load_wine, load_iris, load_breast_cancer])
@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_features_as_they_come_converge_by_default(machine, loss, data):
    X, y = data(return_X_y=True)
    model = make_model(machine, loss, random_state=0).fit(X, y)
    assert model.status_ == "converged"
    assert model.dual_gap_ <= 1e-3
    if data is not load_iris:
        assert model.solver_ == "dual+newton"
        assert model.n_iter_ < 1500


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_the_certificate_is_that_of_the_model(machine, loss, dtype):
    """With empty rows and weights that are zero; the duals are feasible and ascend."""
    X, y = hard_problem(dtype)
    X[::9] = 0
    weight = np.where(np.arange(len(y)) % 7 == 1, 0.0, 1.0)
    parameters = {"C": 0.7, "fit_intercept": False, "history": True, "random_state": 0}
    model = make_model(machine, loss, **parameters).fit(X, y, sample_weight=weight)
    assert model.solver_ == "dual+newton" and model.status_ == "converged"
    rounding = 1e-9 if dtype == np.float64 else 1e-5
    exact = X.astype(np.float64)
    loss_weights = 0.7 * weight
    primal = primal_objective(model, exact, y, loss_weights)
    dual = dual_objective(model, exact, y, loss_weights)
    assert_allclose([model.objective_, model.dual_objective_], [primal, dual], rounding)
    assert is_bounded(model) == (loss != "squared_hinge")
    steps = np.diff(model.history_["dual_objective"])
    assert (steps >= -rounding * model.objective_).all()
    assert model.coef_.dtype == dtype


@pytest.mark.parametrize(("machine", "loss"), SOME_PAIRS)
def test_the_same_model_on_any_number_of_threads(machine, loss):
    X, y = hard_problem()
    one = make_model(machine, loss, random_state=0, n_jobs=1).fit(X, y)
    assert one.solver_ == "dual+newton"
    for n_jobs in (2, 5):
        other = make_model(machine, loss, random_state=0, n_jobs=n_jobs).fit(X, y)
        assert other.n_iter_ == one.n_iter_
        assert_array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize(("machine", "loss"), SOME_PAIRS)
def test_weights_are_repetitions(machine, loss):
    X, y = hard_problem()
    counts = np.arange(len(y)) % 3
    parameters = {"tol": 1e-6, "random_state": 0}
    weighted = make_model(machine, loss, **parameters).fit(X, y, sample_weight=counts)
    rows = np.repeat(np.arange(len(y)), counts)
    repeated = make_model(machine, loss, **parameters).fit(X[rows], y[rows])
    assert weighted.solver_ == repeated.solver_ == "dual+newton"
    assert_allclose(weighted.objective_, repeated.objective_, rtol=2e-6)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_easy_sparse_rows_stay_with_the_sequential_method(machine, loss):
    X, y = make_sparse_problem(n=300, d=200, k=5)
    model = make_model(machine, loss, random_state=0).fit(X, y)
    assert model.solver_ == "dual"
    dual = make_model(machine, loss, random_state=0)
    if machine != "maxent":
        dual.set_params(solver="dual")
    assert_array_equal(model.coef_, dual.fit(X, y).coef_)


@pytest.mark.parametrize(
    "asked",
    [
        {"violation_tol": 1e-3},
        {"order": "permuted"},
        {"restricted": "sort"},
        {"features": "reduced"},
        {"solver": "dual"},
    ],
)
def test_who_asks_for_the_sequential_method_gets_it(asked):
    X, y = load_wine(return_X_y=True)
    model = LinearSVM(max_iter=300, random_state=0, **asked)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.solver_ == "dual"


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize(("machine", "loss"), SOME_PAIRS)
def test_one_huge_feature_and_any_C(machine, loss, C):
    X, y = make_problem(n=60, d=4, k=3, noise=0.2)
    X[:, 2] *= 1e6
    model = make_model(machine, loss, C=C, random_state=0).fit(X, y)
    assert model.dual_gap_ <= 1e-3
    assert model.dual_objective_ <= model.objective_ * (1 + 1e-12)


def test_goes_on_from_a_previous_fit():
    X, y = hard_problem()
    model = LinearSVM(warm_start=True, random_state=0).fit(X, y)
    needed = model.n_iter_
    again = model.fit(X, y)
    assert again.n_iter_ <= needed / 2
    assert again.dual_gap_ <= 1e-3
    assert_allclose(model.set_params(C=1.2).fit(X, y).dual_gap_, 0, atol=1e-3)


def driver_of(X, y, machine="cs", loss="hinge", **options):
    machine = find_machine(machine, loss)
    problem = state_problem(machine, y, np.unique(y), 1.0, np.ones(len(y)), None)
    return SwitchingDriver(Rows(X, 1.0), problem, LinearOptions(**options))


def switched(X, y):
    driver = driver_of(X, y)
    while driver.solver == "dual":
        handed = driver.certify()[1]
        driver.epoch(np.inf)
    driver.handed = handed
    assert driver.solver == "dual+newton"
    return driver


def test_newton_steps_begin_with_what_was_found():
    X, y = hard_problem()
    driver = switched(X, y)
    _, dual, _ = driver.certify()
    assert dual >= driver.handed * (1 - 1e-12)
    assert driver.handed > 0
    kept = driver.problem.blocks(*driver.duals())
    assert kept.data.min() > 0
    assert kept.sum(axis=1).max() <= 1 + 1e-12


def test_no_time_is_no_step():
    driver = switched(*hard_problem())
    assert driver.epoch(0.0).stopped
    assert not driver.interrupted
    assert np.isfinite(driver.certify()).all()


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("polymargin.driver.linear.work.MOST_BYTES", 1000)
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning, match="to get closer, raise max_iter"):
        model = LinearSVM(max_iter=200, random_state=0).fit(X, y)
    assert model.solver_ == "dual"


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_signal_among_newton_steps_keeps_the_model(monkeypatch, steps):
    epochs, taken = NewtonDriver.epochs_at_once, []

    def step(self, seconds, most):
        if len(taken) == steps:
            raise KeyboardInterrupt
        taken.append(1)
        return epochs(self, seconds, 1)

    monkeypatch.setattr(NewtonDriver, "epochs_at_once", step)
    X, y = load_wine(return_X_y=True)
    model = LinearSVM(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.solver_ == ("dual+newton" if steps else "dual")
    assert model.coef_.any() and len(model.support_) > 0
    assert np.isfinite(model.coef_).all()


def test_a_signal_while_duals_are_handed_over_keeps_the_model(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(switching, "NewtonDriver", interrupted)
    X, y = load_wine(return_X_y=True)
    model = LinearSVM(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted" and model.solver_ == "dual"
    assert_allclose(model.dual_coef_.T @ X, model.coef_)


def test_max_iter_counts_both():
    X, y = load_wine(return_X_y=True)
    needed = LinearSVM(random_state=0).fit(X, y).n_iter_
    short = LinearSVM(max_iter=needed - 3, random_state=0)
    match = r"stopped after (\d+) epochs and (\d+) Newton steps at"
    with pytest.warns(ConvergenceWarning, match=match) as caught:
        short.fit(X, y)
    epochs, steps = map(int, re.search(match, str(caught[0].message)).groups())
    assert epochs + steps == short.n_iter_ == needed - 3
    assert epochs > 0 and steps > 0


def test_the_warning_of_another_solver_names_auto():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"raise max_iter .* solver='auto'"):
        LinearSVM(solver="dual", max_iter=50, random_state=0).fit(X, y)


def test_newton_steps_follow_where_single_precision_cannot_move():
    """A constant feature of 1e4 beside others of 1: no step of the sequential method is
    more than its rounding, and the steps are in double precision.
    """
    X, y = hard_problem()
    X = np.hstack([X / np.abs(X).max(axis=0), np.full((len(X), 1), 1e4)])
    X = X.astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MaxEnt(random_state=0).fit(X, y)
    assert model.status_ == "converged" and model.solver_ == "dual+newton"
    exact = MaxEnt(solver="newton", tol=1e-9, random_state=0).fit(X.astype(float), y)
    assert model.objective_ <= (1 + 1e-3) * exact.objective_


@pytest.mark.parametrize("shift", [0.0, 1.6e9])
@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_seconds_since_1970(machine, loss, shift):
    """A feature of ten digits that says nothing: all variables are at a bound at once,
    and steps of a billionth of the gradient are what there is to find.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([shift + rng.uniform(0, 1e7, 300), rng.normal(size=(300, 3))])
    y = rng.integers(0, 3, 300)
    model = make_model(machine, loss, random_state=0).fit(X, y)
    assert model.status_ == "converged"


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_long_rows_in_single_precision(machine, loss):
    """Few rows that can be separated, of many large features: rounding takes margins
    below one, which with this C costs more than all weights.
    """
    X, y = make_problem(n=40, d=500, k=3)
    X = (300 * X).astype(np.float32)
    model = make_model(machine, loss, random_state=0).fit(X, y)
    assert model.status_ == "converged" and model.coef_.dtype == np.float32
    objective = primal_objective(model, X.astype(float), y, np.ones(len(y)))
    assert_allclose(model.objective_, objective, rtol=1e-5)


def test_models_that_switched_are_saved(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = LinearSVM(random_state=0).fit(X, y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.solver_ == "dual+newton"
    assert_array_equal(loaded.predict(X), model.predict(X))


def test_kernels_of_low_rank_switch_too():
    X, y = load_wine(return_X_y=True)
    model = KernelSVM(approximation="nystroem", rank=20, C=1e6, random_state=0)
    model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert model.solver_ in ("dual", "dual+newton")
    assert model.dual_gap_ <= 1e-3


def test_sparse_rows_switch():
    X, y = hard_problem()
    model = LinearSVM(random_state=0).fit(sp.csr_array(X), y)
    assert model.solver_ == "dual+newton" and model.status_ == "converged"
