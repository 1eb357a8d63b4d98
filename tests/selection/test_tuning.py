"""The best C and gamma by cross-validation."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

import polymargin
from polymargin import KernelSVM, LinearSVM

IRIS = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
TIGHT = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0}


def digits(n=500):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


@pytest.mark.parametrize("machine", ["cs", "ovr"])
def test_same_answer_as_grid_search(machine):
    X, y = digits()
    Cs = [0.01, 0.1, 1.0]
    tuning = polymargin.tune(
        X, y, machine, Cs=Cs, cv=FOLDS, grow=False, patience=None, **TIGHT
    )
    search = GridSearchCV(LinearSVM(machine, **TIGHT), {"C": Cs}, cv=FOLDS).fit(X, y)
    assert tuning.best.parameters == search.best_params_
    np.testing.assert_allclose(
        [point.mean for point in tuning.points],
        search.cv_results_["mean_test_score"],
        atol=1 / len(y),  # one row on the border
    )
    np.testing.assert_array_equal(tuning.model.predict(X), search.predict(X))


def test_same_answer_with_a_kernel():
    X, y = digits(300)
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
    tuning = polymargin.tune(
        X,
        y,
        "ww",
        kernel="rbf",
        Cs=grid["C"],
        gammas=grid["gamma"],
        cv=FOLDS,
        grow=False,
        patience=None,
        **TIGHT,
    )
    search = GridSearchCV(KernelSVM("ww", **TIGHT), grid, cv=FOLDS).fit(X, y)
    scores = {
        (point.parameters["C"], point.parameters["gamma"]): point.mean
        for point in tuning.points
    }
    for parameters, mean in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        assert scores[parameters["C"], parameters["gamma"]] == pytest.approx(
            mean, abs=1 / len(y)
        )
    assert tuning.best.mean == pytest.approx(search.best_score_, abs=1 / len(y))


def test_scores_are_those_of_rows_held_out():
    X, y = IRIS
    tuning = polymargin.tune(X, y, "cs", Cs=[1.0], cv=FOLDS, grow=False, **TIGHT)
    scores = cross_val_score(LinearSVM("cs", **TIGHT), X, y, cv=FOLDS)
    np.testing.assert_allclose(tuning.best.scores, scores)


def scorer_with_peak(best, seen=None):
    """Scores that know no data: the nearer C is to the best, the higher."""

    def score(model, X, y):
        if seen is not None:
            seen.append(model.C)
        return 1 / (1 + abs(np.log2(model.C / best)))

    return score


@pytest.mark.parametrize("best", [2.0**-9, 2.0**-5, 1.0, 2.0**3, 2.0**6])
def test_grids_grow_until_the_best_is_inside(best):
    tuning = polymargin.tune(
        *IRIS, scoring=scorer_with_peak(best), tol=0.5, refit=False, solver="newton"
    )
    Cs = [point.parameters["C"] for point in tuning.points]
    assert Cs == sorted(Cs)
    assert tuning.best.parameters["C"] == best
    assert Cs[0] < best < Cs[-1]
    assert tuning.model is None


def test_grids_of_gamma_grow():
    def score(model, X, y):
        return 1 / (1 + abs(np.log2(model.gamma / 8)) + abs(np.log2(model.C)))

    tuning = polymargin.tune(
        *IRIS, "cs", kernel="rbf", Cs=[0.5, 1, 2], gammas=[1, 2], scoring=score
    )
    assert tuning.best.parameters == {"C": 1.0, "gamma": 8.0}
    assert tuning.model.gamma == 8.0


def test_hopeless_points_are_not_tried():
    seen = []
    polymargin.tune(*IRIS, scoring=scorer_with_peak(2.0**-4, seen), tol=0.5)
    assert max(seen) == 2.0**-2
    seen = []
    polymargin.tune(
        *IRIS, scoring=scorer_with_peak(2.0**-4, seen), tol=0.5, patience=None
    )
    assert max(seen) == 2.0**3


def test_the_smallest_C_of_equals():
    # Without a seed, some fits need more epochs than they may have.
    settings = {"scoring": lambda model, X, y: 1.0, "random_state": 0}
    tuning = polymargin.tune(*IRIS, grow=False, **settings)
    assert tuning.best.parameters["C"] == 2.0**-5


def test_threads_change_nothing():
    X, y = digits(300)
    one, two = (
        polymargin.tune(X, y, "cs", Cs=[0.1, 1.0], n_jobs=jobs, random_state=0)
        for jobs in (1, 2)
    )
    for first, second in zip(one.points, two.points, strict=True):
        np.testing.assert_array_equal(first.scores, second.scores)


def test_weights_of_rows():
    X, y = IRIS
    weight = np.where(y == 0, 0.0, 1.0)  # a class that is never seen in training
    tuning = polymargin.tune(X, y, "ovr", Cs=[1.0], sample_weight=weight, grow=False)
    assert tuning.best.mean < 0.7
    assert 0 not in tuning.model.predict(X)


def test_what_is_shown(capsys):
    settings = {"Cs": [1.0, 2.0], "grow": False, "random_state": 0}
    seen = []
    tuning = polymargin.tune(*IRIS, "cs", verbose=1, watch=seen.append, **settings)
    assert seen == tuning.points
    assert str(tuning).count("best") == 1
    assert capsys.readouterr().out.count("[tune] C") == 2


def test_rows_come_before_the_machine():
    with pytest.raises(TypeError, match="ndarray, which is no estimator; rows and lab"):
        polymargin.tune(polymargin.LinearSVM(), *IRIS)


@pytest.mark.parametrize("name", ["Cs", "gammas"])
def test_bad_grids(name):
    with pytest.raises(ValueError, match=f"{name}=.* must be a list of positive"):
        polymargin.tune(*IRIS, **{name: [1.0, -1.0]})
