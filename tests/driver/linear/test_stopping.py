"""When a fit stops, what it says then, and what it keeps."""

import inspect
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from counted_time import count_time
from problems import ALL_PAIRS, make_model, make_problem, make_sparse_problem, rotated
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM, LinearSVM, MaxEnt
from polymargin.access.rows import Rows
from polymargin.driver.linear.dual import dual_driver
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import Problem
from polymargin.machine.registry import MACHINES

HISTORY = {
    "epoch",
    "seconds",
    "objective",
    "dual_objective",
    "gap",
    "violation",
    "visits",
    "moves",
}


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.mark.parametrize(
    ("machine", "loss", "tol"), rotated(ALL_PAIRS, [0.5, 1e-2, 1e-4, 1e-6])
)
def test_tol_is_honoured(machine, loss, tol):
    X, y = make_problem(n=100, k=4)
    model = make_model(machine, loss, C=0.1, tol=tol, random_state=0).fit(X, y)
    assert model.status_ == "converged"
    assert model.dual_gap_ <= tol
    gap = (model.objective_ - model.dual_objective_) / model.objective_
    assert model.dual_gap_ == pytest.approx(gap)
    assert isinstance(model.n_iter_, int)


def test_tighter_tolerances_take_longer():
    X, y = digits()
    epochs = [
        LinearSVM(C=0.1, tol=tol, random_state=0).fit(X, y).n_iter_
        for tol in (0.5, 1e-2, 1e-4)
    ]
    assert epochs[0] < epochs[1] < epochs[2] < 1000


@pytest.mark.parametrize(
    ("machine", "loss", "violation_tol", "order"),
    rotated(ALL_PAIRS, [1e-1, 1e-3, 1e-5], ["acf", "permuted"]),
)
def test_violation_tol_replaces_tol(machine, loss, violation_tol, order):
    X, y = make_problem(n=100, k=4)
    model = make_model(
        machine,
        loss,
        C=0.1,
        order=order,
        tol=0,
        violation_tol=violation_tol,
        max_iter=20_000,
        random_state=0,
    ).fit(X, y)
    assert model.status_ == "converged"
    assert model.violation_ <= violation_tol


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "k", "order"), rotated(ALL_PAIRS, [3, 70], ["acf", "permuted"])
)
def test_max_iter_1_is_one_pass(machine, loss, k, order):
    X, y = make_problem(n=150, k=k)
    model = make_model(
        machine, loss, tol=0, max_iter=1, order=order, history=True, C=1e-6
    ).fit(X, y)
    assert model.n_iter_ == 1
    # One-vs-one visits a row once for each of the other classes.
    visits = [len(y) * (k - 1 if machine == "ovo" else 1)]
    assert model.history_["visits"].tolist() == visits
    # With a tiny C every row violates at its first visit: each was visited once.
    assert model.history_["moves"].tolist() == visits
    assert len(model.support_) == len(y)


@pytest.mark.parametrize(
    ("machine", "loss"), [("cs", "hinge"), ("maxent", "log"), ("ovo", "hinge")]
)
def test_max_time_keeps_a_usable_model(monkeypatch, machine, loss):
    """Time is counted: a few epochs are over before it is."""
    count_time(monkeypatch, "driver.loop", "driver.epochs")
    k = 20 if machine == "ovo" else 100
    X, y = make_sparse_problem(n=2000, d=5000, k=k, nonzeros=50)
    model = make_model(machine, loss, tol=0, C=100, max_iter=10**6, max_time=30)
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 30 s\)"):
        model.fit(X, y)
    assert model.status_ == "max_time" and 1 <= model.n_iter_ < 30
    assert 0 < model.dual_objective_ < model.objective_
    assert (model.predict(X) == y).mean() > 0.2
    assert len(model.support_) > 0


def test_time_ends_an_epoch_midway():
    """It is looked at fifty times a second, which is far less than this epoch takes."""
    X, y = make_sparse_problem(n=20_000, d=5000, k=500, nonzeros=50)
    problem = Problem(MACHINES["ww", "hinge"], y, 500, np.ones(len(y)))
    driver = dual_driver(Rows(X), problem, LinearOptions())
    report = driver.epoch(0.0)
    assert report.stopped
    assert 0 < report.visits < len(y)


def test_max_iter_warning_says_what_was_reached_and_what_helps():
    X, y = digits()
    model = LinearSVM(tol=1e-9, max_iter=7, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1
        model.fit(X, y)
    (warning,) = caught
    assert warning.category is ConvergenceWarning
    message = str(warning.message)
    assert f"{model.dual_gap_:.2g}" in message
    assert "tol=1e-09" in message
    assert "7 epochs" in message
    assert "raise max_iter (now 7)" in message
    assert message.endswith(".") and message.count("\n") == 0
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert model.status_ == "max_iter"
    assert model.n_iter_ == 7


def warning_of(model, X, y) -> str:
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    return str(caught[0].message)


@pytest.mark.parametrize("model", [LinearSVM("cs"), KernelSVM("ww")])
def test_scales_are_told_where_they_change_the_model(model):
    X, y = digits()
    model = clone(model).set_params(tol=1e-9, max_iter=1, random_state=0)
    assert "scale" not in warning_of(model, X, y)
    uneven = X.copy()
    uneven[:, X.std(axis=0).argmax()] *= 1e5
    message = warning_of(model, uneven, y)
    assert re.search(r"The largest feature is \de\+0\d times as large as most", message)
    assert "scale" not in warning_of(model, sp.csr_array(uneven), y)


@pytest.mark.parametrize(
    ("model", "tried"),
    [
        (LinearSVM(solver="dual"), "2 epochs"),
        (LinearSVM(solver="newton"), "2 Newton steps"),
        (MaxEnt(solver="newton"), "2 Newton steps"),
        (LinearSVM("ovr", fit_intercept="free", solver="newton"), "2 Newton steps"),
        (KernelSVM("ww", solver="newton"), "2 Newton steps"),
        (KernelSVM("ww", solver="block"), "2 epochs"),
    ],
)
def test_the_warning_names_what_was_tried(model, tried):
    X, y = digits()
    model = clone(model).set_params(tol=1e-12, max_iter=2)
    assert f"stopped after {tried} at" in warning_of(model, X, y)


def test_violation_warning_names_the_violation():
    X, y = digits()
    model = LinearSVM(violation_tol=1e-9, max_iter=3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="violation_tol=1e-09") as caught:
        model.fit(X, y)
    assert f"a violation of {model.violation_:.2g}" in str(caught[0].message)


def test_a_fit_that_converges_in_its_last_epoch_does_not_warn():
    X, y = digits()
    needed = LinearSVM(tol=1e-2, history=True, random_state=0).fit(X, y).n_iter_
    model = LinearSVM(tol=1e-2, history=True, max_iter=needed, random_state=0)
    assert model.fit(X, y).status_ == "converged"


@pytest.mark.parametrize("order", ["acf", "permuted"])
@pytest.mark.parametrize(("machine", "loss"), [("cs", "hinge"), ("maxent", "log")])
def test_history(machine, loss, order):
    X, y = digits()
    model = make_model(machine, loss, history=True, order=order, C=0.1, random_state=0)
    model.fit(X, y)
    history = model.history_
    assert set(history) == HISTORY
    assert {len(values) for values in history.values()} == {model.n_iter_}
    assert all(isinstance(values, np.ndarray) for values in history.values())
    assert history["epoch"].tolist() == list(range(1, model.n_iter_ + 1))
    assert history["seconds"][0] > 0
    assert (np.diff(history["seconds"]) > 0).all()
    assert history["objective"][-1] == model.objective_
    assert history["dual_objective"][-1] == model.dual_objective_
    assert history["gap"][-1] == model.dual_gap_ <= model.tol
    assert (history["gap"][:-1] > model.tol).all()  # it stopped at the first
    assert history["violation"][-1] == model.violation_
    assert (history["visits"] == len(y)).all()
    assert (history["moves"] <= history["visits"]).all()
    assert history["moves"].min() > 0


def test_no_history_unless_asked():
    X, y = make_problem()
    assert LinearSVM(random_state=0).fit(X, y).history_ is None


@pytest.mark.parametrize("verbose", [0, 1, 3])
@pytest.mark.parametrize(
    ("machine", "loss", "name"),
    [("cs", "hinge", "LinearSVM"), ("maxent", "log", "MaxEnt")],
)
def test_verbose_lines(capsys, machine, loss, name, verbose):
    X, y = digits()
    model = make_model(machine, loss, verbose=verbose, C=0.1, random_state=0).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    if not verbose:
        assert lines == []
        return
    *lines, last = lines
    epochs = range(1, model.n_iter_ + 1)
    told = [n for n in epochs if n % (verbose if verbose > 1 else _digits(n)) == 0]
    assert [int(line.split()[2]) for line in lines] == told
    for line in lines:
        assert line.startswith(f"[{name}] epoch ") and line.endswith(" s")
        gap = re.search("gap (about )?([^ ]+|not known yet)  +", line)
        # What is not certified is never said to be zero.
        assert gap[2] == "not known yet" or 0 < float(gap[2]) <= 1
    assert last == (
        f"[{name}] converged after {model.n_iter_} epochs, gap {model.dual_gap_:.2e}"
    )


def _digits(number):
    return 10 ** (len(str(number)) - 1)


def test_a_thousand_epochs_are_told_in_thirty_lines(capsys):
    X, y = make_problem(n=60, k=3)
    model = LinearSVM("cs", solver="dual", C=1e4, tol=1e-12, max_iter=1000, verbose=1)
    with pytest.warns(ConvergenceWarning):
        model.fit(1e3 * X, y)
    assert len(capsys.readouterr().out.splitlines()) == 9 + 9 + 10 + 1
    assert model.n_iter_ == 1000


def test_a_refit_forgets_how_the_last_one_ended():
    X, y = digits()
    model = LinearSVM(max_iter=1, tol=1e-9, random_state=0, history=True)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    model.set_params(max_iter=1000, tol=1e-2, history=False).fit(X, y)
    assert model.status_ == "converged"
    assert model.history_ is None


@pytest.mark.parametrize("machine", ["cs", "ww", "llw", "ovr"])
def test_idle_visits_are_not_taken_for_the_end(machine):
    """A few examples, visited often and at rest: the others still move."""
    X, y = make_problem(n=20, d=7, k=3)
    for seed in range(500):
        model = LinearSVM(machine=machine, C=0.01, tol=1e-6, random_state=seed)
        assert model.fit(X, y).status_ == "converged", seed
