"""Dense rows are visited in batches, which threads share: same model, same optimum."""

import warnings
from threading import Event

import numpy as np
import pytest
from callbacks import AfterSteps
from numpy.testing import assert_allclose, assert_array_equal
from problems import SOME_PAIRS, make_model, make_problem, rotated

JOINT = [pair for pair in SOME_PAIRS if pair[0] != "ovo"]
# Features enough for batches that threads share.
N, D = 150, 600


def problem(k, dtype=np.float64, seed=0):
    X, y = make_problem(n=N, d=D, k=k, seed=seed)
    return (X / np.sqrt(D)).astype(dtype), y


def assert_same_model(a, b):
    assert_array_equal(a.coef_, b.coef_)
    assert_array_equal(a.intercept_, b.intercept_)
    assert_array_equal(a.dual_coef_.toarray(), b.dual_coef_.toarray())
    assert (a.objective_, a.dual_objective_) == (b.objective_, b.dual_objective_)
    assert (a.n_iter_, a.status_) == (b.n_iter_, b.status_)


@pytest.mark.parametrize(
    ("machine", "loss", "dtype", "k", "shrinking", "limit"),
    rotated(
        JOINT, [np.float32, np.float64], [3, 20, 70], [True, False], [3, 1000], times=3
    ),
)
def test_number_of_threads(machine, loss, dtype, k, shrinking, limit):
    X, y = problem(k, dtype)
    weights = np.random.default_rng(1).integers(3, size=N) + 0.5
    models = []
    for n_jobs in (1, 2, 3, 8):
        model = make_model(
            machine,
            loss,
            solver="dual",
            shrinking=shrinking,
            max_iter=limit,
            n_jobs=n_jobs,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some stop early
            models.append(model.fit(X, y, sample_weight=weights))
    for model in models[1:]:
        assert_same_model(model, models[0])


@pytest.mark.parametrize(
    ("machine", "loss", "fit_intercept"), rotated(JOINT, [True, False])
)
def test_same_optimum(machine, loss, fit_intercept):
    # Columns side by side are not visited in batches.
    X, y = problem(5)
    models = [
        make_model(
            machine,
            loss,
            solver="dual",
            tol=1e-6,
            max_iter=20_000,
            fit_intercept=fit_intercept,
            random_state=0,
        ).fit(rows, y)
        for rows in (X, np.asfortranarray(X))
    ]
    assert_allclose(models[0].objective_, models[1].objective_, rtol=2e-6)
    assert all(model.dual_gap_ <= 1e-6 for model in models)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_interrupted(interrupted, n_jobs):
    X, y = problem(5)
    limits = {"tol": 0, "max_iter": 10**9, "max_time": 300, "random_state": 0}
    model = make_model("cs", "hinge", C=1e4, solver="dual", n_jobs=n_jobs, **limits)
    ready = Event()
    model.set_callbacks(AfterSteps(2, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert model.dual_objective_ <= model.objective_
    coef = model.dual_coef_.T @ X
    assert np.abs(coef - model.coef_).max() < 1e-6 * np.abs(coef).max()
