"""How a kernel machine is trained: starts, stops, threads, and what is kept."""

import pickle
from functools import partial
from threading import Event

import numpy as np
import pytest
from callbacks import AfterSteps
from kernel_problems import SOME_KERNEL_PAIRS, accurate, dual_coef, gaussian, objectives
from problems import make_problem
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900] / 16, y[:900]


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_warm_starts_along_a_path(digits, machine, loss):
    """Fewer visits than from nothing, and the same objectives; up and down."""
    X, y = digits
    warm = KernelSVM(machine, loss=loss, warm_start=True, tol=1e-5, random_state=0)
    warm.set_params(history=True)
    visits = cold_visits = 0
    for C in (1.0, 2.0, 1.5):
        warm.set_params(C=C).fit(X, y)
        cold = clone(warm).fit(X, y)
        assert warm.objective_ == pytest.approx(cold.objective_, rel=2e-5)
        if C != 1.0:
            visits += warm.history_["visits"].sum()
            cold_visits += cold.history_["visits"].sum()
    assert visits < cold_visits


def test_a_warm_start_at_the_optimum_takes_one_round(digits):
    model = KernelSVM("ww", warm_start=True, random_state=0).fit(*digits)
    objective = model.objective_
    assert model.fit(*digits).n_iter_ == 1
    assert model.objective_ <= objective * (1 + 1e-9)
    model.fit(digits[0][:300], digits[1][:300])  # other rows: from nothing
    assert model.n_iter_ > 1


@pytest.mark.parametrize("parameters", [{}, {"approximation": "nystroem", "rank": 50}])
@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_the_model_does_not_depend_on_threads(machine, loss, parameters):
    X, y = make_problem(n=2500, d=4, k=3)
    one, two = (
        KernelSVM(
            machine,
            loss=loss,
            n_jobs=n,
            random_state=0,
            tol=1e-2,
            cache_size=20,
            **parameters,
        ).fit(X, y)
        for n in (1, 2)
    )
    assert one.objective_ == two.objective_
    assert one.n_iter_ == two.n_iter_
    np.testing.assert_array_equal(dual_coef(one), dual_coef(two))
    expected = one.decision_function(X)
    np.testing.assert_array_equal(two.decision_function(X), expected)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_max_time_keeps_a_usable_model(digits, clock, machine, loss):
    X, y = digits
    model = KernelSVM(machine, loss=loss, C=100, tol=0, max_time=1000, cache_size=1)
    model.set_callbacks(AfterSteps(2, partial(setattr, clock, "now", 1000)))
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 1000 s\)"):
        model.fit(X, y)
    assert (model.status_, model.n_iter_) == ("max_time", 2)
    assert model.dual_objective_ < model.objective_ < float("inf")
    assert model.score(X, y) > 0.15  # of one-vs-one two pairs of classes are trained


def test_max_time_holds_within_a_round(clock):
    """Between two tiles; and the certificate is that of what is there then."""
    X, y = make_problem(n=5000, d=2, k=3)
    tiles = []

    def slow(A, B):
        if len(B) > 100:  # not for the diagonal
            tiles.append(clock.now)
            clock.now += 100
        return gaussian(A, B, 0.3)

    model = KernelSVM("ww", kernel=slow, max_time=800, tol=1e-9, n_jobs=1)
    model.set_params(random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X, y)
    assert [time for time in tiles if time < 800] == list(range(0, 800, 100))
    assert model.n_iter_ < 8
    primal, dual = objectives(model, gaussian(X, X, 0.3), y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    assert model.dual_objective_ == pytest.approx(dual, rel=1e-9, abs=1e-9 * primal)


def test_max_time_holds_with_a_history(clock):
    """Certificates that would take all kernel rows of the support are not for then."""
    X, y = make_problem(n=1500, d=2, k=3)

    def slow(A, B):
        if len(B) > 100:  # not for the diagonal
            clock.now += len(A) * len(B) / 1e5
        return gaussian(A, B, 0.3)

    model = KernelSVM("ww", kernel=slow, max_time=100, history=True, cache_size=0.5)
    model.set_params(tol=1e-9, random_state=0, shrinking=False, solver="block")
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X, y)
    assert 100 <= clock.now < 102
    assert len(model.history_["gap"]) == model.n_iter_ > 1
    primal, dual = objectives(model, gaussian(X, X, 0.3), y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    assert model.dual_objective_ == pytest.approx(dual, rel=1e-9, abs=1e-9 * primal)


def as_function(A, B):
    return np.tanh(0.01 * A @ B.T + 1) + A @ B.T


@pytest.mark.parametrize(
    ("machine", "kernel", "n_jobs"),
    [("ww", "rbf", 1), ("cs", as_function, 2), ("ovo", "rbf", 2)],
)
def test_interrupt(interrupted, machine, kernel, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 30)), rng.integers(4, size=2000)
    X[:, 0] += y
    model = KernelSVM(machine, C=1e4, tol=0, cache_size=5, n_jobs=n_jobs, kernel=kernel)
    model.set_params(max_time=300, solver="block")
    ready = Event()
    model.set_callbacks(AfterSteps(1, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert len(model.support_) > 0
    assert np.isfinite(model.decision_function(X)).all()


class Recorder:
    """Keeps the scores of the models that the hooks are given."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.scores = []

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator=None):
        self.scores.append(fitted_estimator.score(X, y))
        return len(self.scores) == self.stop_after


@pytest.mark.parametrize("parameters", [{}, {"approximation": "nystroem", "rank": 50}])
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_callbacks_get_models_as_of_now(digits, machine, parameters):
    recorder = Recorder()
    model = KernelSVM(machine, random_state=0, probability=True, cv=2, **parameters)
    model.set_callbacks(recorder).fit(*digits)
    assert len(recorder.scores) == model.n_iter_ + 1  # and one for the fit
    assert recorder.scores[-1] == model.score(*digits) > 0.95
    assert recorder.scores[0] > 0.3
    parameters = {"solver": "block", **parameters}  # "binary" may need one epoch only
    stopped = KernelSVM(machine, random_state=0, tol=1e-9, **parameters)
    stopped.set_callbacks(Recorder(stop_after=2)).fit(*digits)
    assert (stopped.n_iter_, stopped.status_) == (2, "callback")


@pytest.mark.parametrize("machine", ["cs", "ovo"])
def test_history(digits, machine):
    model = KernelSVM(machine, history=True, random_state=0, tol=1e-5).fit(*digits)
    history = model.history_
    assert {len(values) for values in history.values()} == {model.n_iter_}
    assert (np.diff(history["dual_objective"]) >= 0).all()
    assert history["gap"][-1] == model.dual_gap_ <= 1e-5
    assert (history["gap"][:-1] > 1e-5).all()
    assert history["objective"][-1] == model.objective_
    plain = KernelSVM(machine, random_state=0, tol=1e-5).fit(*digits)
    assert plain.history_ is None
    assert plain.objective_ == pytest.approx(model.objective_, rel=2e-5)


@pytest.mark.parametrize("violation_tol", [1e-1, 1e-4])
def test_violation_tol_replaces_tol(digits, violation_tol):
    model = KernelSVM(tol=0, violation_tol=violation_tol, random_state=0).fit(*digits)
    assert model.status_ == "converged"
    assert model.violation_ <= violation_tol


def test_float32_says_when_it_cannot_get_closer(digits):
    X, y = digits
    model = KernelSVM(tol=0, random_state=0, max_iter=10_000)
    with pytest.warns(ConvergenceWarning, match="pass float64 data"):
        model.fit(X.astype(np.float32), y)
    assert model.status_ == "precision"
    assert model.dual_gap_ < 1e-4


@pytest.mark.parametrize(
    "parameters",
    [{}, {"kernel": "linear"}, {"approximation": "nystroem", "rank": 40}],
)
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_pickle_and_clone(digits, machine, parameters):
    X, y = digits
    model = KernelSVM(machine, random_state=0, probability=True, cv=2, **parameters)
    model.fit(X, y)
    expected = model.predict_proba(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), expected)
    fresh = clone(model)
    assert not hasattr(fresh, "dual_coef_")
    np.testing.assert_array_equal(fresh.fit(X, y).predict_proba(X), expected)


def test_a_fit_of_another_kind_leaves_nothing_behind(digits):
    model = KernelSVM("ww", random_state=0, probability=True, cv=2).fit(*digits)
    model.set_params(approximation="nystroem", rank=30, probability=False).fit(*digits)
    for name in ("support_", "support_vectors_", "n_support_", "temperature_"):
        assert not hasattr(model, name)
    assert model.solver_ == "dual"
    model.set_params(approximation=None).fit(*digits)
    assert model.solver_ == "block"
    assert len(model.support_) == len(dual_coef(model)) == model.n_support_.sum()


def test_the_same_seed_gives_the_same_model(digits):
    first, second = accurate(tol=1e-3).fit(*digits), accurate(tol=1e-3).fit(*digits)
    np.testing.assert_array_equal(dual_coef(first), dual_coef(second))
