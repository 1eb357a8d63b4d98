"""Machines along a grid of C."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt

X, y = load_iris(return_X_y=True)
CS = [0.1, 10.0, 1.0, 0.1]


@pytest.mark.parametrize(
    ("machine", "parameters", "kind"),
    [
        ("cs", {}, LinearSVM),
        ("ovr", {"loss": "squared_hinge"}, LinearSVM),
        ("ww", {"kernel": "rbf", "gamma": 0.5}, KernelSVM),
        ("maxent", {}, MaxEnt),
    ],
)
def test_every_point_is_the_machine_of_its_C(machine, parameters, kind):
    parameters |= {"tol": 1e-7, "max_iter": 100_000, "random_state": 0}
    models = polymargin.path(X, y, CS, machine, **parameters)
    assert [model.C for model in models] == CS
    for model in models:
        assert isinstance(model, kind)
        assert model.dual_gap_ <= 1e-7
        alone = kind(
            **({} if machine == "maxent" else {"machine": machine}),
            **parameters,
            C=model.C,
        ).fit(X, y)
        assert model.objective_ == pytest.approx(alone.objective_, rel=1e-6)
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_points_do_not_share_what_they_learned():
    low, high = polymargin.path(X, y, [0.01, 10.0], "cs", random_state=0)
    assert not np.allclose(low.coef_, high.coef_)


def steps_of_paths(X, y, grid, **options):
    """Steps at every C, with warm starts and without."""
    options |= {"max_iter": 100_000, "tol": 1e-4}
    warm = polymargin.path(X, y, grid, "cs", **options)
    cold = [LinearSVM("cs", C=C, **options).fit(X, y) for C in grid]
    assert all(model.dual_gap_ <= 1e-4 for model in warm)
    return [[model.n_iter_ for model in models] for models in (warm, cold)]


@pytest.mark.parametrize("seed", range(3))
def test_warm_starts_save_newton_steps(seed):
    """With steps of two, as `tune` has them: .43 to .47 of those without, with these
    seeds, and no point takes more.
    """
    grid = 0.1 * 2.0 ** np.arange(8)
    warm, cold = steps_of_paths(*load_wine(return_X_y=True), grid, random_state=seed)
    assert sum(warm) < 0.55 * sum(cold)
    assert all(np.less_equal(warm, cold))


@pytest.mark.parametrize("seed", range(3))
def test_warm_starts_save_epochs(seed):
    """The dual method, whose epochs do not get fewer near an optimum, saves half where
    neighbours are near (.48 to .53), and little with steps of two (.79 to 1.03).
    """
    grid = 0.1 * 1.2 ** np.arange(8)
    warm, cold = steps_of_paths(X, y, grid, solver="dual", random_state=seed)
    assert sum(warm) < 0.6 * sum(cold)


def test_other_features_start_anew():
    model = LinearSVM("cs", solver="newton", warm_start=True).fit(X, y)
    model.fit(X[:, :3], y)
    alone = LinearSVM("cs", solver="newton").fit(X[:, :3], y)
    assert model.objective_ == pytest.approx(alone.objective_, rel=2e-3)


def test_an_estimator_is_not_changed():
    estimator = LinearSVM("ww", C=3.0)
    models = polymargin.path(X, y, [1.0], estimator, max_iter=7777)
    assert (estimator.C, estimator.warm_start, estimator.max_iter) == (
        3.0,
        False,
        10_000,
    )
    assert not hasattr(estimator, "coef_")
    assert models[0].max_iter == 7777


def test_sample_weight():
    weight = np.arange(len(y)) % 3
    options = {"tol": 1e-8, "max_iter": 100_000}
    weighted = polymargin.path(X, y, [1.0], "cs", sample_weight=weight, **options)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = polymargin.path(X[rows], y[rows], [1.0], "cs", **options)
    assert weighted[0].objective_ == pytest.approx(repeated[0].objective_, rel=1e-6)


@pytest.mark.parametrize("Cs", [[], [0.0], [1, -1], [np.inf], [[1, 2]]])
def test_bad_grids(Cs):
    with pytest.raises(ValueError, match=r"Cs=.* must be a list of positive numbers"):
        polymargin.path(X, y, Cs)


def test_newton_steps_are_taken_again_where_they_were_taken():
    """Epochs on raw features are hopeless for a large C; Newton steps go on from C."""
    models = polymargin.path(X, y, [10.0, 100.0, 1000.0], "cs", random_state=0)
    assert [model.solver for model in models] == ["auto"] * 3
    assert models[-1].solver_ == "newton"
    for model in models:
        alone = LinearSVM("cs", C=model.C, random_state=0).fit(X, y)
        assert model.objective_ == pytest.approx(alone.objective_, rel=2e-3)
        assert model.status_ == "converged"


def test_newton_steps_begin_with_the_weights_of_the_last_C():
    options = {"solver": "newton", "random_state": 0}
    grid = 10.0 ** np.arange(-1, 4)
    warm = polymargin.path(X, y, grid, "cs", **options)
    cold = [LinearSVM("cs", C=C, **options).fit(X, y) for C in grid]
    assert sum(m.n_iter_ for m in warm) < sum(m.n_iter_ for m in cold)
