"""`max_time` is that of a whole fit; where nothing could be trained, scores are zero.

Time is counted: it goes on by a second whenever somebody looks at it.
"""

import numpy as np
import pytest
from counted_time import count_time
from numpy.testing import assert_allclose, assert_array_equal
from problems import loss_at_zero, make_problem, primal_objective
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM, LinearSVM, load, save
from polymargin.access.gram import Gram
from polymargin.access.kernels import make_kernel
from polymargin.access.rows import Rows
from polymargin.driver.epochs import run_epochs
from polymargin.driver.kernel.working_sets import BlockDriver
from polymargin.driver.linear.newton.driver import NewtonDriver
from polymargin.driver.loop import Clock, OutOfTime, Stopping
from polymargin.driver.options import KernelOptions, LinearOptions
from polymargin.driver.protocol import EpochReport
from polymargin.machine.problem import Problem, state_problem
from polymargin.machine.registry import MACHINES, find_machine

LOOP = ("driver.loop", "driver.epochs")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_what_is_reserved_is_not_left(monkeypatch):
    count_time(monkeypatch, *LOOP)
    clock = Clock(10)
    clock.reserved = 4
    assert clock.left() == 5  # a second has passed
    clock.check()
    with clock.stopped():
        clock.reserved = 6
    with pytest.raises(OutOfTime):
        clock.check()


class Slow:
    """A driver whose epochs and certificates take their time, and never converge."""

    interrupted = False

    def __init__(self, time, epoch, certificate):
        self.time, self.seconds = time, (epoch, certificate)
        self.epochs = self.certificates = 0

    def epoch(self, seconds):
        took = min(self.seconds[0], seconds)
        self.time.now += took
        self.epochs += 1
        return EpochReport(1, 1, 1.0, 1.0, 2.0, stopped=took == seconds)

    def rebuild(self):
        pass

    def certify(self):
        self.certificates += 1
        self.time.now += self.seconds[1]
        return 2.0, 1.0, 1.0


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("epoch", [5, 10_000])
@pytest.mark.parametrize("certificate", [0, 100])
def test_certificates_are_part_of_the_time(monkeypatch, history, epoch, certificate):
    time = count_time(monkeypatch, *LOOP)
    driver = Slow(time, epoch, certificate)
    start = time.now
    run = run_epochs(driver, Stopping(1e-3, max_time=1000.0), history=history)
    assert run.status == "max_time" and run.certificate.gap == 0.5
    assert driver.epochs > (1000 / (epoch + certificate + 10)) / 2
    # Looking at the clock takes some time too.
    assert 1000 - epoch - certificate <= time.now - start <= 1010


def test_without_a_limit_nothing_is_certified_beforehand(monkeypatch):
    driver = Slow(count_time(monkeypatch, *LOOP), 1, 1)
    run_epochs(driver, Stopping(1e-3, max_iter=3))
    assert driver.certificates == 1


def test_pairs_of_newton_steps_that_did_not_begin_cost_nothing(monkeypatch):
    """They are at zero, and so is the certificate that they are part of."""
    X, y = make_problem(n=400, d=6, k=12)
    count_time(monkeypatch, *LOOP, "driver.linear.tron_pairs", "driver.linear.tron")
    model = LinearSVM(
        "ovo", loss="squared_hinge", solver="tron", tol=1e-9, max_time=200
    ).fit(X, y)
    assert model.status_ == "max_time"
    begun = model.coef_.any(axis=1)
    assert 0 < begun.sum() < 66
    assert not model.intercept_[~begun].any()
    with_duals = np.unique(model.dual_coef_.indices)
    assert set(np.flatnonzero(begun)) <= set(with_duals) and len(with_duals) < 66
    expected = primal_objective(model, X, y, np.ones(len(y)))
    assert_allclose(model.objective_, expected)
    assert model.dual_objective_ < model.objective_
    # It goes on from there.
    model.set_params(max_time=None, warm_start=True).fit(X, y)
    assert model.status_ == "converged"


@pytest.mark.parametrize("machine", ["ovo", "ovr"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_problems_without_a_step_are_at_zero(machine, loss):
    """There may be no time to multiply the rows of all of them."""
    X, y = make_problem(n=60, d=4, k=4)
    X[::9] = 0
    weight = np.where(np.arange(60) % 5 == 1, 0.0, 0.7)
    problem = state_problem(find_machine(machine, loss), y, range(4), 1.0, weight, None)
    driver = NewtonDriver(Rows(X, 0.0), problem, LinearOptions())
    assert driver.epoch(-1.0).stopped
    primal, dual, violation = driver.certify()
    assert not driver.core.has_started
    of_a_row = loss_at_zero(machine, loss, 4)
    assert_allclose(primal, of_a_row * weight.sum())
    assert (
        0 <= dual <= 0.2 * primal and violation > 0
    )  # rows that are empty are in both
    assert not driver.weights().any() and not len(driver.duals()[2])
    # The one that begins with dual variables is evaluated, and no other.
    row = int(np.flatnonzero((y == 0) & (weight > 0) & X.any(axis=1))[0])
    indptr = np.zeros(61, dtype=np.int64)
    indptr[row + 1 :] = 1
    driver.set_duals(indptr, [0], [0.5])
    primal, *_ = driver.certify()
    W = driver.weights()
    assert not W[:, 1:].any() and set(driver.duals()[1]) == {0}
    assert not driver.core.has_started
    model = LinearSVM(machine, loss=loss, fit_intercept=False)
    model.coef_, model.intercept_, model.classes_ = W.T, np.zeros(W.shape[1]), range(4)
    assert_allclose(primal, primal_objective(model, X, y, weight))
    assert driver.epoch(np.inf).moves and driver.core.has_started


def test_the_first_round_of_newton_steps_leaves_time_for_a_certificate(clock):
    X, y = make_problem(n=60, d=4, k=4)
    problem = state_problem(
        find_machine("ovo", "hinge"), y, range(4), 1.0, np.ones(60), None
    )
    driver = NewtonDriver(Rows(X, 1.0), problem, LinearOptions())
    core, given = driver.core, []

    class Watched:
        def epochs(self, seconds, most):
            given.append(seconds)
            clock.now += 30
            return core.epochs(seconds, most)

        def certify(self, single):
            clock.now += 7
            return core.certify(single)

        def __getattr__(self, name):
            return getattr(core, name)

    driver.core = Watched()
    driver.certify()
    assert driver.certificate_seconds() == 0  # of nothing
    driver.epoch(100.0)
    assert driver.certificate_seconds() == 30
    driver.certify()
    assert driver.certificate_seconds() == 7
    driver.epoch(100.0)
    assert given == [50.0, 100.0]


def test_pairs_with_kernels_that_did_not_begin_cost_nothing(monkeypatch):
    X, y = make_problem(n=200, d=6, k=12)
    count_time(monkeypatch, *LOOP, "driver.kernel.pairs")
    model = KernelSVM("ovo", solver="block", tol=1e-9, max_time=40).fit(X, y)
    assert model.status_ == "max_time"
    begun = model.dual_coef_.toarray().any(axis=0)
    assert 0 < begun.sum() < 66
    assert model.dual_objective_ < model.objective_
    assert set(model.predict(X)) <= set(y)
    unlimited = model.set_params(max_time=None).fit(X, y)
    assert unlimited.status_ == "converged"


def nystroem(machine="ww", **parameters):
    return KernelSVM(machine, approximation="nystroem", rank=20, **parameters)


@pytest.mark.parametrize("machine", ["cs", "llw", "ovo"])
@pytest.mark.parametrize("seconds", [1.5, 6])
def test_features_for_which_there_is_no_time(monkeypatch, tmp_path, machine, seconds):
    X, y = make_problem(n=120, k=4)
    count_time(monkeypatch, *LOOP)
    model = nystroem(machine=machine, max_time=seconds, C=2.0)
    with pytest.warns(ConvergenceWarning, match="gap of 1 .*raise max_time"):
        model.fit(X, y)
    assert model.status_ == "max_time" and model.dual_gap_ == 1 and model.n_iter_ == 0
    of_a_row = loss_at_zero(machine, "hinge", 4)
    assert_allclose(model.objective_, 2.0 * of_a_row * len(y))
    assert not model.decision_function(X).any() or machine == "ovo"
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert_array_equal(again.predict(X), model.predict(X))
    # With time, it is another machine.
    monkeypatch.undo()
    assert model.set_params(max_time=None).fit(X, y).status_ == "converged"


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_a_signal_while_features_are_made(monkeypatch):
    """The model of the last fit stays; if there was none, there is one of zeros."""
    X, y = make_problem(n=120, k=4)
    monkeypatch.setattr("polymargin.access.nystroem.choose_means", interrupt)
    model = nystroem()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted" and model.dual_gap_ == np.inf
    assert not model.decision_function(X).any()

    monkeypatch.undo()
    before = model.fit(X, y).decision_function(X)
    assert before.any()
    monkeypatch.setattr("polymargin.access.nystroem.choose_means", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:60, :1], y[:60])
    assert model.status_ == "converged"
    assert_array_equal(model.decision_function(X), before)


def test_a_signal_while_probabilities_are_fitted(monkeypatch):
    X, y = make_problem(n=120, k=4)
    monkeypatch.setattr(
        "polymargin.estimators.calibrated_probabilities.out_of_fold_scores", interrupt
    )
    model = KernelSVM(probability=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert (model.predict(X) == y).mean() > 0.5
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_machines_of_probabilities_share_the_time(monkeypatch):
    X, y = make_problem(n=120, k=4)
    given = []

    class Watched(KernelSVM):
        def _fit(self, *data):
            given.append(self.max_time)
            return super()._fit(*data)

    Watched(probability=True, cv=4, max_time=1e6).fit(X, y)
    assert given[0] == 1e6 and len(given) == 5
    assert_allclose(given[1:], [1e6 / 4, 1e6 / 3, 1e6 / 2, 1e6], rtol=1e-3)

    given.clear()
    # With counted time nothing is left after the machine itself.
    count_time(monkeypatch, *LOOP)
    model = Watched(probability=True, max_time=12).fit(X, y)
    assert len(given) < 6
    assert np.isfinite(model.predict_proba(X)).all()


def test_the_machine_itself_has_its_share(monkeypatch):
    count_time(monkeypatch, *LOOP)
    for cv, folds in ((4, 4), ([(0, 1)] * 3, 3), ((each for each in "ab"), 5)):
        model = KernelSVM(probability=True, cv=cv)
        assert model._training_seconds(Clock(1001)) == 1000 / (1 + folds)
    assert KernelSVM()._training_seconds(Clock(1001)) == 1000


def test_little_is_left_out_where_time_is_short(monkeypatch):
    """Scores of all examples are needed for a certificate, and take time."""
    count_time(monkeypatch, "access.cache_filler")
    X, y = make_problem(n=400, k=3)
    kernel = make_kernel("rbf", 0.1, 3, 0.0, X)
    problem = Problem(MACHINES["cs", "hinge"], y, 3, np.ones(len(y)))
    options = KernelOptions(cache_bytes=60 * 400 * 8)

    def driver_after(rounds):
        driver = BlockDriver(Gram(kernel, kernel.points(X)), problem, options)
        for _ in range(rounds):
            driver.epoch(np.inf)
        return driver

    rounds = next(n for n in range(30) if driver_after(n).certificate_seconds() > 0)
    driver = driver_after(rounds - 1)
    driver.epoch(1e-3)
    assert driver.certificate_seconds() == 0
