"""Every restricted solver leads to the same optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import LOSSES, QUADRATIC_PAIRS, SOME_PAIRS, make_problem, rotated

from polymargin import LinearSVM
from polymargin.machine.registry import MACHINES

CS_HINGE = (
    "exact",
    "sort",
    "pivot",
    "bisection",
    "active_set",
    "smo",
    "frank_wolfe",
    "fixed_point",
)
EXACT = ("sort", "pivot", "bisection", "fixed_point")  # with a small restricted_tol
BOX = ("exact", "active_set")
COMBINATIONS = [
    (*pair, name) for pair in QUADRATIC_PAIRS for name in MACHINES[pair].restricted
]


def fit(machine, loss, restricted, X, y, **parameters):
    parameters = {
        "tol": 1e-7,
        "C": 0.3,
        "max_iter": 100_000,
        "random_state": 0,
        "restricted_tol": 1e-10,
    } | parameters
    return LinearSVM(machine, loss=loss, restricted=restricted, **parameters).fit(X, y)


@pytest.mark.parametrize(
    ("machine", "loss", "restricted", "k", "order"),
    rotated(COMBINATIONS, [2, 4, 70], ["acf", "permuted"], times=2),
)
def test_same_optimum(machine, loss, restricted, k, order):
    X, y = make_problem(n=60 if k < 70 else 100, d=5, k=k, seed=3)
    tol, rtol = 1e-7, 1e-6
    if restricted == "frank_wolfe" and k > 2:
        # One conditional-gradient step per visit converges sublinearly: its gap after
        # t epochs is of the order 1/t, and 1e-6 would take millions of them.
        tol = rtol = 2e-5 if k == 4 else 3e-4
    model = fit(machine, loss, restricted, X, y, tol=tol, order=order)
    best = fit(machine, loss, "exact", X, y)
    assert model.status_ == "converged"
    assert_allclose(model.objective_, best.objective_, rtol=rtol)
    assert_allclose(model.dual_objective_, best.objective_, rtol=rtol)


@pytest.mark.parametrize("loss", LOSSES)
def test_same_optimum_of_every_pair_of_classes(loss):
    X, y = make_problem(n=60, d=5, k=4, seed=3)
    model, best = (fit("ovo", loss, name, X, y) for name in ("active_set", "exact"))
    assert model.status_ == "converged"
    assert_allclose(model.objective_, best.objective_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [0.01, 0.3, 3.0])
@pytest.mark.parametrize("k", [3, 17, 70])
@pytest.mark.parametrize("restricted", EXACT)
def test_exact_solvers_take_the_same_path(restricted, k, C, dtype):
    """The minimiser of a block is unique: so are the duals after every epoch."""
    X, y = make_problem(n=100, d=5, k=k, seed=4)
    parameters = {
        "C": C,
        "order": "permuted",
        "shrinking": False,
        "history": True,
        "max_iter": 8,
        "restricted_tol": 1e-10 if dtype == np.float64 else 1e-7,
    }
    models = [
        fit("cs", "hinge", name, X.astype(dtype), y, **parameters)
        for name in ("exact", restricted)
    ]
    paths = [model.history_["dual_objective"] for model in models]
    rtol = 1e-7 if dtype == np.float64 else 2e-4
    assert_allclose(paths[1], paths[0], rtol=rtol)
    assert np.ptp(paths[0]) > 10 * rtol * abs(paths[0][-1])  # it was a path


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "restricted"),
    [combination for combination in COMBINATIONS if combination[2] != "exact"],
)
def test_all_solvers_take_the_same_path_with_two_classes(machine, loss, restricted):
    """A block of one variable has one solution, which every solver finds exactly."""
    X, y = make_problem(n=60, d=5, k=2, seed=5)
    parameters = {
        "order": "permuted",
        "shrinking": False,
        "history": True,
        "max_iter": 8,
    }
    paths = [
        fit(machine, loss, name, X, y, **parameters).history_["dual_objective"]
        for name in ("exact", restricted)
    ]
    assert_allclose(paths[1], paths[0], rtol=1e-7)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_restricted_tol_is_used():
    """A coarse tau makes worse steps; the dual still never falls."""
    X, y = make_problem(n=60, d=5, k=5, seed=6)
    parameters = {"order": "permuted", "shrinking": False, "max_iter": 4}
    for name in ("bisection", "fixed_point"):
        fine, coarse = (
            fit("cs", "hinge", name, X, y, restricted_tol=tau, **parameters)
            for tau in (1e-10, 0.5)
        )
        assert not np.array_equal(fine.coef_, coarse.coef_)
        assert coarse.dual_objective_ > 0


@pytest.mark.parametrize("restricted", [name for name in CS_HINGE if name not in BOX])
@pytest.mark.parametrize(
    ("machine", "loss"),
    [pair for pair in SOME_PAIRS if pair not in (("cs", "hinge"), ("maxent", "log"))],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_unknown_combination_is_one_sentence(machine, loss, restricted, method):
    X, y = make_problem(n=20)
    model = LinearSVM(machine, loss=loss, restricted=restricted)
    arguments = {} if method == "fit" else {"classes": np.unique(y)}
    with pytest.raises(ValueError, match=f"restricted='{restricted}'") as caught:
        getattr(model, method)(X, y, **arguments)
    message = str(caught.value)
    assert f"machine={machine!r}" in message
    assert f"loss={loss!r}" in message
    able = ", ".join(MACHINES[machine, loss].restricted)
    assert message.endswith(f"choose one of {able}.")
    assert message.count(".") == 1 and message.endswith(".")
