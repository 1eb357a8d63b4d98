"""How a stream is learned from: time, threads, seeds, reports, and what goes wrong."""

from threading import Event

import numpy as np
import pytest
from callbacks import Recorder
from kernel_problems import gaussian
from online_problems import METHODS, assert_same_model, check_state, online
from problems import make_problem
from sklearn.exceptions import ConvergenceWarning

X, y = make_problem(n=700, d=4, k=4, noise=0.2)
CLASSES = np.arange(4)


class ChunkRecorder(Recorder):
    def on_fit_task_end(
        self, estimator, context, *, X, y, metadata, fitted_estimator=None
    ):
        super().on_fit_task_end(
            estimator,
            context,
            X=X,
            y=y,
            metadata=metadata,
            fitted_estimator=fitted_estimator,
        )
        chunks = sum(name == "chunk" for name, _ in self.ended)
        return self.stop_after is not None and chunks >= self.stop_after


def test_every_chunk_is_a_task_with_a_model_of_its_own():
    recorder = ChunkRecorder()
    model = online(epochs=2).set_callbacks(recorder).fit(X, y)
    assert [name for name, _ in recorder.ended] == ["chunk"] * 6 + ["fit"]
    assert recorder.max_subtasks == 6
    assert sorted(recorder.begun) == sorted(recorder.ended)
    seen = [found.n_seen_ for found in recorder.models]
    assert seen == [256, 512, 700, 956, 1212, 1400, 1400]
    scores = [found.score(X, y) for found in recorder.models]
    assert scores == recorder.scores
    assert scores[-1] == model.score(X, y)
    duals = [found.dual_objective_ for found in recorder.models]
    assert duals == sorted(duals)
    assert duals[0] < duals[-1] == pytest.approx(model.dual_objective_, rel=1e-12)
    for found in recorder.models:
        check_state(found)
    recorder.models[0].partial_fit(X[:50], y[:50])  # goes its own way
    check_state(recorder.models[0])
    assert_same_model(model, online(epochs=2).fit(X, y))


def test_a_callback_can_stop_the_fit():
    model = online(epochs=5).set_callbacks(ChunkRecorder(stop_after=2)).fit(X, y)
    assert model.status_ == "callback"
    assert model.n_seen_ == 512
    check_state(model)


def test_history_and_verbose(capsys):
    model = online(epochs=2, history=True, verbose=2).fit(X, y)
    history = model.history_
    np.testing.assert_array_equal(history["examples"], [256, 512, 700, 956, 1212, 1400])
    for name in ("dual", "seconds", "work", "examples"):
        assert (np.diff(history[name]) > 0).all(), name
    assert history["dual"][-1] == model.dual_objective_
    assert history["n_support"][-1] == len(model.support_)
    assert history["work"][-1] == model.work_
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("[OnlineSVM]")
    assert "512 examples" in lines[0]
    assert online().fit(X, y).history_ is None
    model.partial_fit(X[:10], y[:10])
    assert len(model.history_["dual"]) == 7


@pytest.mark.parametrize("method", METHODS)
def test_seeds_and_threads(method):
    rows, labels = make_problem(n=1300, d=4, k=4, noise=0.5)
    parameters = {"cache_size": 4, "steps": (1, 4), **method}
    one, two = (online(n_jobs=n, **parameters).fit(rows, labels) for n in (1, 2))
    assert_same_model(one, two)
    other = online(**(parameters | {"random_state": 1})).fit(rows, labels)
    assert other.dual_objective_ != one.dual_objective_
    assert sum(one.n_steps_.values()) * 300 < one.work_


def test_wall_clock_costs():
    """The clock chooses steps, and none of its choices fails: .66 without any step
    between new rows, .69 with steps of one kind, .74 with a thousand of both kinds.
    """
    model = online(cost="time").fit(X, y)
    check_state(model)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("schedule", ["adaptive", "fixed"])
def test_max_time(schedule, clock):
    """Between two steps, too: there may be very many of them after an example.

    The core has hardly any time, and looks at its own clock after 20 milliseconds.
    """
    clock.tick = 1e-10
    model = online(max_time=1e-9, steps=(1e9, 1e9), schedule=schedule, epochs=10**6)
    model.fit(X, y)
    assert model.status_ == "max_time"
    check_state(model)
    assert 0 < model.n_seen_ < len(y)


def test_max_time_is_that_of_the_whole_fit(clock):
    def slow(A, B):
        clock.now += 10
        return gaussian(A, B, 0.3)

    clock.tick = 4
    model = online(kernel=slow, C=1e3, tol=0, epochs="converged", max_time=600)
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 600 s\)"):
        model.fit(X, y)
    assert model.status_ == "max_time"
    assert 600 <= clock.now < 2 * 600
    check_state(model)


class Breaking:
    """A kernel that raises at some of its calls."""

    def __init__(self):
        self.left = np.inf

    def __call__(self, A, B):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("from the kernel")
        return gaussian(A, B, 0.3)


@pytest.mark.parametrize("calls", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("budget", [None, 20])
def test_a_kernel_that_raises_leaves_a_usable_model(calls, budget):
    kernel = Breaking()
    model = online(kernel=kernel, cache_size=1e-9, budget=budget)
    model.partial_fit(X[:100], y[:100], CLASSES)
    before = model.dual_objective_
    kernel.left = calls
    with pytest.raises(RuntimeError, match="from the kernel"):
        model.partial_fit(X[100:300], y[100:300])
    kernel.left = np.inf
    check_state(model)
    assert budget or model.dual_objective_ >= before
    model.partial_fit(X[300:400], y[300:400])
    check_state(model)
    assert len(model.support_) <= (budget or np.inf)


@pytest.mark.parametrize("cache_size", [1e-9, 100.0])
def test_a_finish_that_raises_changes_nothing(cache_size):
    kernel = Breaking()
    model = online(kernel=kernel, cache_size=cache_size)
    model.partial_fit(X[:150], y[:150], CLASSES)
    scores, dual = model.decision_function(X), model.dual_objective_
    calls, raised = 0, 0
    while raised == calls:  # at every call in turn, until it goes well
        kernel.left, calls = calls, calls + 1
        try:
            model.finish()
        except RuntimeError:
            raised += 1
            kernel.left = np.inf
            check_state(model)
            assert model.dual_objective_ == pytest.approx(dual, rel=1e-12)
            np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-12)
        if calls > 60:
            kernel.left = np.inf
            break
    assert raised > 3
    kernel.left = np.inf
    check_state(model.finish())


class Counting(Breaking):
    """A kernel that is ready for Ctrl-C after so many calls."""

    def __init__(self, calls, ready):
        self.calls, self.ready = calls, ready

    def __call__(self, A, B):
        self.calls -= 1
        if self.calls == 0:
            self.ready.set()
        return gaussian(A, B, 0.3)


@pytest.mark.parametrize(
    ("method", "where"),
    [("fit", "chunks"), ("fit", "steps"), ("partial_fit", "kernel")],
)
def test_interrupt(interrupted, method, where):
    X, y = make_problem(n=3000, d=4, k=4, noise=0.5)
    ready = Event()
    model = online(schedule="fixed", epochs=10**6, C=100)
    model.set_params(cache_size=1e-9 if where == "kernel" else 100)
    model.set_params(steps=(1e9, 1e9) if where == "steps" else (2, 40), max_time=300)
    # A chunk has a few calls; with so many steps the first of them does not end.
    model.set_params(kernel=Counting(1 if where == "steps" else 6, ready))

    def stream():
        while True:
            model.partial_fit(X, y, CLASSES)

    interrupted(stream if method == "partial_fit" else lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    check_state(model, 1e-7)
    before = model.dual_objective_
    model.set_params(max_time=0.1).partial_fit(X[:20], y[:20])
    check_state(model, 1e-7)
    assert model.dual_objective_ >= before


def test_later_epochs_may_pass_over_patterns():
    """Algorithm 1 of Tuma and Igel: only examples that are no patterns are taken."""
    once = online(epochs=1).fit(X, y)
    passed = online(epochs=4, revisit=False).fit(X, y)
    stepped = online(epochs=4).fit(X, y)
    assert passed.n_seen_ == stepped.n_seen_ == 4 * len(y)
    assert once.dual_objective_ < passed.dual_objective_
    assert passed.n_steps_["old"] < stepped.n_steps_["old"]
    check_state(passed)


def test_without_revisits_nothing_happens_where_all_are_patterns():
    """Far apart and with small C, every example is a pattern after the first epoch."""
    far = 100.0 * np.arange(30)[:, None]
    labels = np.arange(30) % 3
    params = {"gamma": 1.0, "C": 0.01, "revisit": False, "schedule": "fixed"}
    once, thrice = (
        online(epochs=epochs, **params).fit(far, labels) for epochs in (1, 3)
    )
    assert len(once.support_) == 30
    assert thrice.n_seen_ == 90
    assert thrice.n_steps_ == once.n_steps_
    assert thrice.dual_objective_ == once.dual_objective_
