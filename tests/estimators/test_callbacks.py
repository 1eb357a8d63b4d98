"""scikit-learn's callbacks: an epoch is a task of the fit."""

from importlib.util import find_spec

import numpy as np
import pytest
from callbacks import Recorder
from problems import make_model, make_problem
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

from polymargin import LinearSVM

HAS_CALLBACKS = find_spec("sklearn.callback") is not None
OF_SCIKIT_LEARN = pytest.mark.skipif(
    not HAS_CALLBACKS, reason="scikit-learn has callbacks since 1.9"
)
if HAS_CALLBACKS:
    from sklearn.callback import ProgressBar

# One driver in C++, another machine, and a driver of drivers.
MODELS = [("cs", "hinge"), ("maxent", "log"), ("ovo", "logistic")]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.mark.parametrize(("machine", "loss"), MODELS)
def test_every_epoch_is_a_task(digits, machine, loss):
    recorder = Recorder()
    model = make_model(machine, loss, tol=1e-3, C=0.1, random_state=0)
    model.set_callbacks(recorder).fit(*digits)
    epochs = [number for name, number in recorder.ended if name == "epoch"]
    assert epochs == list(range(model.n_iter_))
    assert model.n_iter_ > 3
    assert recorder.begun[0] == recorder.ended[-1] == ("fit", 0)
    assert recorder.setups == recorder.teardowns == 1
    assert recorder.max_subtasks == model.max_iter


def test_every_task_that_begins_ends(digits):
    recorder = Recorder()
    LinearSVM(C=0.1, random_state=0).set_callbacks(recorder).fit(*digits)
    assert sorted(recorder.begun) == sorted(recorder.ended)


@pytest.mark.parametrize(("machine", "loss"), MODELS)
def test_hooks_get_a_model_as_of_now(digits, machine, loss):
    X, y = digits
    recorder = Recorder()
    weight = np.ones(len(y))
    model = make_model(machine, loss, tol=1e-4, C=0.1, random_state=0)
    model.set_callbacks(recorder).fit(X, y, sample_weight=weight)
    assert all(type(found) is type(model) for found in recorder.models)
    assert all(found is not model for found in recorder.models)
    assert not np.array_equal(recorder.models[0].coef_, recorder.models[-1].coef_)
    np.testing.assert_array_equal(recorder.models[-1].coef_, model.coef_)
    assert recorder.scores[0] > 0.8
    assert recorder.scores[-1] == model.score(X, y)
    assert recorder.data[0].shape == X.shape
    np.testing.assert_array_equal(recorder.data[2]["sample_weight"], weight)


def test_hooks_find_the_epoch(digits):
    class Gaps(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "epoch":
                self.ended.append((context.epoch.number, context.epoch.gap))

    recorder = Gaps()
    model = LinearSVM(C=0.1, random_state=0).set_callbacks(recorder).fit(*digits)
    numbers, gaps = zip(*recorder.ended, strict=True)
    assert list(numbers) == list(range(1, model.n_iter_ + 1))
    assert gaps[-1] == model.dual_gap_ < gaps[0]


def test_a_callback_does_not_change_the_model(digits):
    plain = LinearSVM(C=0.1, random_state=0).fit(*digits)
    watched = LinearSVM(C=0.1, random_state=0).set_callbacks(Recorder()).fit(*digits)
    np.testing.assert_array_equal(plain.coef_, watched.coef_)


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize(("machine", "loss"), MODELS)
def test_a_callback_can_stop_the_fit(digits, machine, loss, history):
    X, y = digits
    recorder = Recorder(stop_after=3)
    model = make_model(machine, loss, tol=1e-9, random_state=0, history=history)
    model.set_callbacks(recorder).fit(X, y)  # and no warning: it was asked for
    assert model.status_ == "callback"
    assert model.n_iter_ == 3
    assert recorder.teardowns == 1
    assert model.dual_objective_ < model.objective_
    assert model.score(X, y) > 0.8


def test_convergence_comes_before_the_wish_to_stop():
    X, y = make_problem()
    model = LinearSVM(tol=1.0, random_state=0).set_callbacks(Recorder(stop_after=1))
    model.fit(X, y)
    assert model.n_iter_ == 1
    assert model.status_ == "converged"


def test_teardown_after_an_error(digits):
    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context, **_):
            raise RuntimeError("from the callback")

    failing = Failing()
    with pytest.raises(TypeError):  # not a callback at all
        LinearSVM().set_callbacks(object())
    with pytest.raises(Exception, match=r"callback|hook|signature"):
        LinearSVM(random_state=0).set_callbacks(failing).fit(*digits)
    assert failing.teardowns == 1


@OF_SCIKIT_LEARN
def test_progress_bar(digits, capsys):
    pytest.importorskip("rich")
    model = LinearSVM(tol=1e-3, C=0.1, random_state=0).set_callbacks(ProgressBar())
    assert model.fit(*digits).status_ == "converged"
    assert "LinearSVM" in capsys.readouterr().out


@OF_SCIKIT_LEARN
def test_callbacks_reach_the_estimator_through_a_search(digits, capsys):
    pytest.importorskip("rich")
    X, y = digits
    search = GridSearchCV(LinearSVM(random_state=0), {"C": [0.1, 1.0]}, cv=2)
    search.set_callbacks(ProgressBar()) if hasattr(search, "set_callbacks") else None
    search.fit(X[:200], y[:200])
    assert search.best_score_ > 0.8
