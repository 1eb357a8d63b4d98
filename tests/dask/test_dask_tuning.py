"""Tuning by the workers of a cluster, through joblib's Dask backend."""

import os

import numpy as np
import pytest
from dask_cluster import easy_problem
from distributed import get_task_stream
from joblib import Parallel, cpu_count, delayed, parallel_config
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV

import polymargin
from polymargin import KernelSVM, LinearSVM
from polymargin.base.threads import thread_count

X, y = easy_problem()
CS = [0.01, 0.1, 1.0]


class PlaceScore:
    """The accuracy, but not in this process."""

    def __init__(self, not_here):
        self.not_here = not_here

    def __call__(self, y_true, y_predicted):
        assert os.getpid() != self.not_here
        return accuracy_score(y_true, y_predicted)


@pytest.mark.parametrize(
    "parameters",
    [{"tol": 1e-8}, {"kernel": "rbf", "gammas": [0.1, 1.0], "tol": 1e-8}],
    ids=["linear", "rbf"],
)
def test_tune(client, parameters):
    """Machines here are trained without their estimators, and may visit rows in another
    order: they are told to come close to the optimum, where scores are the same.
    """
    here = polymargin.tune(X, y, "ww", Cs=CS, cv=3, random_state=0, **parameters)
    elsewhere = make_scorer(PlaceScore(os.getpid()))
    with parallel_config(backend="dask"), get_task_stream(client) as stream:
        there = polymargin.tune(
            X, y, "ww", Cs=CS, cv=3, random_state=0, scoring=elsewhere, **parameters
        )
    assert [point.parameters for point in there.points] == [
        point.parameters for point in here.points
    ]
    for point, expected in zip(there.points, here.points, strict=True):
        assert np.array_equal(point.scores, expected.scores)
    assert there.best.parameters == here.best.parameters
    assert np.array_equal(there.model.predict(X), here.model.predict(X))
    fits = [task for task in stream.data if "fit_and_score" in task["key"]]
    assert len(fits) == 3 * len(there.points)
    assert len({task["worker"] for task in fits}) == 2


@pytest.mark.parametrize(
    "model", [LinearSVM(random_state=0), KernelSVM(random_state=0)]
)
def test_grid_search(client, model):
    here = GridSearchCV(model, {"C": CS}, cv=3).fit(X, y)
    scorer = make_scorer(PlaceScore(os.getpid()))
    with parallel_config(backend="dask"):
        there = GridSearchCV(model, {"C": CS}, cv=3, scoring=scorer).fit(X, y)
    assert there.best_params_ == here.best_params_
    scores = (s.cv_results_["mean_test_score"] for s in (here, there))
    assert np.array_equal(*scores)
    assert np.array_equal(there.predict(X), here.predict(X))


def test_a_fit_does_not_take_the_threads_of_the_cluster(client):
    """For joblib these would be 2, with any number of them 1000 on a large cluster."""
    with parallel_config(backend="dask"):
        assert Parallel()(delayed(thread_count)(n) for n in (None, 1, 5)) == [1, 1, 5]
        assert thread_count(None) == 1
        assert thread_count(-1) == cpu_count()
    assert thread_count(None) == 1
    with parallel_config(n_jobs=3):
        assert thread_count(None) == 3
