"""What a number format can resolve is reached, and the message knows the format."""

import numpy as np
import pytest
from problems import (
    ALL_PAIRS,
    as_hard,
    dual_objective,
    make_model,
    make_problem,
    primal_objective,
    rotated,
)
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from polymargin import LinearSVM
from polymargin.estimators.reporting import tell_end


@pytest.mark.parametrize(("machine", "loss", "seed"), rotated(ALL_PAIRS, range(3)))
def test_double_precision_resolves_small_gaps(machine, loss, seed):
    """Objectives carry 16 digits: a gap of 1e-12 is far above their rounding."""
    X, y = make_problem(n=60, d=5, k=4, seed=seed)
    model = make_model(
        machine, loss, C=0.3, tol=1e-12, max_iter=50_000, random_state=seed
    ).fit(X, y)
    assert model.status_ == "converged"
    assert model.dual_gap_ <= 1e-12


def single_precision_gap(machine, scale, C, **parameters):
    """Median over seeds: where float32 ends, a single gap is partly chance."""
    X, y = load_digits(return_X_y=True)
    X, y = (X[:300] * scale).astype(np.float32), y[:300]
    gaps = []
    for seed in range(5):
        model = LinearSVM(machine, C=C, random_state=seed, max_iter=500, **parameters)
        gaps.append(model.fit(X, y).dual_gap_)
    return np.median(gaps)


# Many small additions make W drift from the dual variables in float32. Unless it is
# rebuilt from them on the way, the steps follow gradients that are wrong.
DRIFT = [("cs", 1, 1), ("ww", 1, 1), ("cs", 1 / 16, 100), ("ww", 1 / 16, 100)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("machine", "scale", "C"), DRIFT)
def test_tighter_tolerance_never_ends_farther_away(machine, scale, C):
    loose, tight = (
        single_precision_gap(machine, scale, C, tol=tol) for tol in (1e-3, 1e-5)
    )
    # Where float32 ends, the last digits of an iterate are noise; drift was tenfold.
    assert tight <= 3 * loose


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("machine", "scale", "C"), [*DRIFT, ("cs", 1, 100)])
def test_keeping_a_history_does_not_help(machine, scale, C):
    """The history rebuilds W after every epoch; a fit without one must not drift."""
    plain, recorded = (
        single_precision_gap(machine, scale, C, tol=1e-5, history=history)
        for history in (False, True)
    )
    assert plain <= 3 * recorded


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "dtype"), rotated(ALL_PAIRS, [np.float32, np.float64])
)
def test_the_certificate_is_honest(machine, loss, dtype):
    """The gap recomputed in double precision is the one that was claimed."""
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(dtype)
    C = as_hard(machine, loss, 10, 1.0)
    model = make_model(machine, loss, C=C, tol=1e-4, random_state=0)
    model.set_params(max_iter=5000).fit(X, y)
    loss_weights = np.full(len(y), C)
    primal = primal_objective(model, X, y, loss_weights)
    dual = dual_objective(model, X, y, loss_weights)
    rounding = 1e-6 if dtype == np.float32 else 1e-12
    assert abs((primal - dual) / primal - model.dual_gap_) <= rounding
    assert model.status_ == "converged"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "tol"), rotated(ALL_PAIRS, [1e-3, 1e-4, 1e-5])
)
def test_single_precision_brackets_the_optimum(machine, loss, tol):
    """What float32 certifies holds: dual <= optimum <= primal, up to its rounding.

    The primal of llw needs weights that sum to zero, or it falls below the optimum.
    """
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16, y[:600]
    parameters = {"C": as_hard(machine, loss, 10, 1.0), "random_state": 0}
    best = make_model(machine, loss, tol=1e-7, max_iter=20_000, **parameters)
    best.fit(X, y)
    model = make_model(machine, loss, tol=tol, **parameters)
    model.fit(X.astype(np.float32), y)
    rounding = 1e-6 * best.objective_
    assert model.objective_ >= best.dual_objective_ - rounding
    assert model.dual_objective_ <= best.objective_ + rounding
    assert model.objective_ >= model.dual_objective_ - rounding


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_single_precision_is_told_to_use_double(dtype):
    X, y = make_problem(n=60, d=5, k=4)
    model = LinearSVM(C=0.3, random_state=0).fit(X.astype(dtype), y)
    model.status_ = "precision"
    with pytest.warns(ConvergenceWarning) as caught:
        tell_end(model, "3 epochs")
    message = str(caught[0].message)
    assert f"{model.dual_gap_:.2g}" in message
    assert ("float64" in message) == (dtype == np.float32)


def test_single_precision_says_when_nothing_moves_any_more():
    X, y = make_problem(n=60, d=5, k=4)
    model = LinearSVM(tol=0, C=0.3, max_iter=50_000, random_state=0)
    with pytest.warns(ConvergenceWarning, match="pass float64 data"):
        model.fit(X.astype(np.float32), y)
    assert model.status_ == "precision"
    assert model.dual_gap_ < 1e-5
