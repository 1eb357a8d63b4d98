"""The estimators are those of scikit-learn, as their local twins are."""

import pickle
import sys

import dask
import dask.dataframe as dd
import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from callbacks import Recorder
from dask_cluster import as_arrays, as_parts, easy_problem, make_dask_model, optimum
from distributed import default_client
from problems import as_hard

import polymargin
from polymargin.dask import DaskLinearSVM, DaskMaxEnt, plot_rounds

X, y = easy_problem()
SIZES = (100, 140)
SETTINGS = {"C": 0.1, "tol": 3e-3, "random_state": 0}


def parts():
    return as_parts(X, y, sizes=SIZES)


@pytest.mark.parametrize(
    ("estimator", "twin"),
    [(DaskLinearSVM, polymargin.LinearSVM), (DaskMaxEnt, polymargin.MaxEnt)],
)
def test_parameters_are_those_of_the_twin(estimator, twin):
    own = {"client": None, "checkpoint": None, "traffic": "same"}
    assert estimator().get_params() == twin().get_params() | own
    model = estimator(C=2.0).set_params(tol=0.1, traffic="float32")
    expected = f"{estimator.__name__}(C=2.0, tol=0.1, traffic='float32')"
    assert repr(model) == expected
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'chunks'"):
        model.set_params(chunks=3)
    with pytest.raises(TypeError, match="chunks"):
        estimator(chunks=3)


def test_pickle_and_save(client, tmp_path):
    model = DaskLinearSVM(**SETTINGS, client=client).fit(parts())
    copy = pickle.loads(pickle.dumps(model))
    assert copy.client is None
    assert np.array_equal(copy.predict(X), model.predict(X))
    assert copy.history_["gap"].tolist() == model.history_["gap"].tolist()
    polymargin.save(model, tmp_path / "model")
    loaded = polymargin.load(tmp_path / "model")
    assert type(loaded) is polymargin.LinearSVM
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.dual_gap_ == model.dual_gap_


def test_scores(client):
    model = DaskLinearSVM(**SETTINGS, client=client).fit(parts())
    expected = model.to_local().score(X, y)
    assert 0.5 < expected < 1
    assert model.score(X, y) == expected
    assert model.score(parts()) == pytest.approx(expected)
    assert model.score(*as_arrays(X, y, chunks=SIZES)) == pytest.approx(expected)
    weights = np.random.default_rng(0).random(len(y))
    weighted = model.to_local().score(X, y, weights)
    assert model.score(*as_arrays(X, y, weights, chunks=SIZES)) == pytest.approx(
        weighted
    )
    broken = [parts()[0], dask.delayed((X[:, :2], y))]
    with pytest.raises(RuntimeError, match=r"X has 2 features, but LinearSVM is exp"):
        model.score(broken)


def test_no_partial_fit():
    model = DaskLinearSVM()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit"):
        model.partial_fit(X, y)


def test_history_and_progress(client, capsys):
    model = DaskMaxEnt(C=0.1, random_state=0, client=client, verbose=2).fit(parts())
    history = model.history_
    assert history["round"].tolist() == list(range(1, model.n_iter_ + 1))
    assert (np.diff(history["seconds"]) > 0).all()
    assert (np.diff(history["gap"]) <= 0).all()
    assert history["gap"][-1] == model.dual_gap_
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ // 2
    assert last.startswith(f"[DaskMaxEnt] converged after {model.n_iter_} rounds, gap")
    assert all("gap" in line and "MB" in line and " s" in line for line in lines)


def test_picture(client, tmp_path, monkeypatch):
    model = DaskMaxEnt(**SETTINGS, client=client).fit(parts())
    figure = plot_rounds(model)
    by_round, by_time, traffic = figure.axes
    history = model.history_
    for axes, x, gap in (
        (by_round, history["round"], history["gap"]),
        (by_time, history["seconds"], history["gap"]),
        (traffic, history["round"], history["bytes"] / 1e6),
    ):
        assert np.array_equal(axes.lines[0].get_xydata().T, [x, gap])
    figure.savefig(tmp_path / "rounds.png")
    both = plot_rounds({"one": model, "other": model}, figure=plt.figure())
    labels = [text.get_text() for text in both.axes[0].get_legend().get_texts()]
    assert labels == ["one", "other"]
    plt.close("all")
    with pytest.raises(NotFittedError):
        plot_rounds(DaskMaxEnt())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="plot_rounds needs matplotlib; run pip inst"):
        plot_rounds(model)


class Rounds(Recorder):
    """Scores on local data: hooks get collections as `fit` did."""

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.ended.append((context.task_name, context.task_id))
        self.models.append(fitted_estimator)
        assert isinstance(X, list) and y is None
        rounds = sum(name == "round" for name, _ in self.ended)
        return self.stop_after is not None and rounds >= self.stop_after


def test_every_round_is_a_task_for_callbacks(client):
    recorder = Rounds()
    model = DaskMaxEnt(**SETTINGS, client=client).set_callbacks(recorder).fit(parts())
    rounds = [number for name, number in recorder.ended if name == "round"]
    assert rounds == list(range(model.n_iter_))
    assert sorted(recorder.begun) == sorted(recorder.ended)
    np.testing.assert_array_equal(recorder.models[-1].coef_, model.coef_)
    assert not np.array_equal(recorder.models[1].coef_, model.coef_)
    plain = DaskMaxEnt(**SETTINGS, client=client).fit(parts())
    np.testing.assert_array_equal(plain.coef_, model.coef_)


def test_a_callback_can_stop_the_fit(client):
    model = DaskMaxEnt(C=0.1, tol=1e-9, random_state=0, client=client)
    model.set_callbacks(Rounds(stop_after=3)).fit(parts())
    assert model.status_ == "callback"
    assert model.n_iter_ == 3


@pytest.mark.parametrize(
    ("machine", "loss"),
    [
        ("cs", "hinge"),
        ("ww", "squared_hinge"),
        ("llw", "hinge"),
        ("ovr", "logistic"),
        ("maxent", "log"),
    ],
)
def test_warm_start(client, machine, loss):
    """From the optimum nothing is left to do; another C has its own optimum."""
    C = as_hard(machine, loss, 4, 0.1)
    settings = {"tol": 3e-3, "random_state": 0, "client": client}
    model = make_dask_model(machine, loss, C=C, warm_start=True, **settings)
    model.fit(parts())
    needed = model.n_iter_
    assert needed > 2
    model.fit(parts())
    assert model.n_iter_ <= needed / 2
    for other in (2 * C, C / 10):  # where bounds of dual variables are lower, too
        model.set_params(C=other).fit(parts())
        best = optimum(machine, loss, X, y, C=other)
        assert model.dual_gap_ <= 3e-3
        assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 3.1e-3)
        assert model.dual_objective_ <= best * (1 + 1e-9)


def test_warm_start_on_other_rows_is_safe(client):
    warm = DaskMaxEnt(**SETTINGS, warm_start=True, client=client).fit(parts())
    others = {
        "labels": as_parts(X, (y + 1) % 4, sizes=SIZES),
        "partitions": as_parts(X, y, sizes=(80, 80, 80)),
        "features": as_parts(X[:, :3], y, sizes=SIZES),
    }
    for other in others.values():
        cold = DaskMaxEnt(**SETTINGS, client=client).fit(other)
        warm.fit(other)
        assert warm.objective_ == pytest.approx(cold.objective_, rel=3e-3)
    weights = np.where(np.arange(len(y)) % 3, 0.0, 2.0)
    weighted = as_parts(X, y, weights, sizes=SIZES)
    cold = DaskMaxEnt(**SETTINGS, client=client).fit(weighted)
    warm.fit(parts()).fit(weighted)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=3e-3)


def test_without_a_client():
    """A cluster is made, and is gone afterwards."""
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    labels = dd.from_pandas(pd.Series(y), npartitions=2)
    model = DaskMaxEnt(C=0.1, random_state=0).fit(frame, labels)
    assert model.dual_gap_ <= 1e-3
    assert not hasattr(model, "feature_names_in_")  # they are numbers
    assert model.score(frame, labels) == model.score(X, y)
    with pytest.raises(ValueError, match="No client"):
        default_client()
