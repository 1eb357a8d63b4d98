"""Ctrl-C and max_time keep the model of the last round and leave nothing behind."""

import signal

import numpy as np
import pytest
from dask_cluster import WatchedSVM, as_parts, easy_problem
from distributed import Event

from polymargin.dask import DaskLinearSVM

SCRIPT = """
    from dask_cluster import (
        WatchedSVM, as_parts, assert_nothing_left, connect, easy_problem, small_cluster
    )

    class Ready(WatchedSVM):
        def end_round(self, done):
            if done.round == 3:
                print("ready", flush=True)

    if __name__ == "__main__":
        X, y = easy_problem()
        with small_cluster() as cluster, connect(cluster) as client:
            model = Ready(C=1, tol=0, max_iter=10**6, random_state=0, client=client)
            try:
                model.fit(as_parts(X, y, sizes=(100, 80, 60)))
                print("no interrupt")
            except KeyboardInterrupt:
                pass
            assert_nothing_left(client)
            assert model.n_iter_ >= 3
            assert model.history_["gap"][-1] == model.dual_gap_ < 1
            print(model.status_, (model.predict(X) == y).mean() > 0.8)
"""


def test_interrupt(interrupt_python):
    assert interrupt_python(SCRIPT) == ["interrupted", "True"]


class Swallowed(WatchedSVM):
    """After the third round Ctrl-C comes where Python drops the exception."""

    def end_round(self, done):
        if done.round == 3:
            finalised = type("", (), {"__del__": lambda _: signal.raise_signal(2)})
            finalised()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops(client):
    X, y = easy_problem()
    model = Swallowed(C=1, tol=0, max_iter=10**4, random_state=0, client=client)
    with pytest.raises(KeyboardInterrupt):
        model.fit(as_parts(X, y, sizes=(100, 140)))
    assert model.status_ == "interrupted"
    assert 3 <= model.n_iter_ <= 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Later(WatchedSVM):
    """After the second round most of the time is over."""

    def end_round(self, done):
        if done.round == 2:
            self.clock.now = self.max_time - self.left
            workers = list(self.client.scheduler_info()["workers"])
            for worker in workers[: self.n_blocked]:  # have other things to do
                nap = self.client.submit(wait_for, worker, "go on", workers=worker)
                self.naps.append(nap)
                Event(worker, client=self.client).wait()  # it has begun


def wait_for(begun, name):
    Event(begun).set()
    return Event(name).wait()


@pytest.mark.parametrize(("n_blocked", "left"), [(0, 0), (2, 0.3)])
def test_time_runs_out(client, clock, n_blocked, left):
    """Also in the middle of a round."""
    Event("go on", client=client).clear()
    X, y = easy_problem()
    model = Later(C=1, tol=0, max_iter=10**6, max_time=1000, random_state=0)
    model.set_params(client=client)
    model.clock, model.naps, model.n_blocked, model.left = clock, [], n_blocked, left
    with pytest.warns(match=r"stopped after .* rounds .*; to get closer, raise max_ti"):
        model.fit(as_parts(X, y, sizes=(100, 140)))
    assert model.status_ == "max_time"
    assert len(model.history_["gap"]) == 2
    assert model.history_["gap"][-1] == model.dual_gap_ <= 1
    assert model.score(X, y) > 0.8  # two rounds are few, but not nothing
    Event("go on", client=client).set()
    client.gather(model.__dict__.pop("naps"))


class Late(WatchedSVM):
    """Time is over when the last round ends."""

    def end_round(self, done):
        if done.gap <= self.tol:
            self.clock.now += self.max_time


def test_a_run_that_converges_late_has_converged(client, clock):
    X, y = easy_problem()
    model = Late(C=0.1, tol=0.1, max_time=1000, random_state=0, client=client)
    model.clock = clock
    model.fit(as_parts(X, y, sizes=(100, 140)))
    assert model.status_ == "converged"
    assert model.history_["gap"][-1] == model.dual_gap_ <= 0.1


class AtOnce(WatchedSVM):
    """Is interrupted before its first round."""

    def begin_round(self):
        raise KeyboardInterrupt


def test_an_interrupt_right_after_a_checkpoint_was_read(client, tmp_path):
    X, y = easy_problem()
    parts, settings = as_parts(X, y, sizes=(100, 140)), {"C": 1, "random_state": 0}
    settings |= {"tol": 0, "client": client, "checkpoint": tmp_path}
    with pytest.warns(match="raise max_iter"):
        first = DaskLinearSVM(**settings, max_iter=5 + 1).fit(parts)
    again = AtOnce(**settings)
    with pytest.raises(KeyboardInterrupt):
        again.fit(parts)
    assert again.n_iter_ == 5
    assert again.dual_gap_ == first.history_["gap"][4] < 1
    assert (again.predict(X) == y).mean() > 0.8


def test_warm_start_after_time_has_run_out(client, clock):
    clock.tick = 1.0
    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(100, 140))
    model = DaskLinearSVM(C=1, tol=0, max_iter=10**6, max_time=200, warm_start=True)
    model.set_params(random_state=0, client=client)
    with pytest.warns(match="max_time"):
        first = model.fit(parts).dual_objective_
    with pytest.warns(match="max_time"):
        assert model.fit(parts).dual_objective_ >= first - 1e-6 * abs(first)
    assert np.isfinite(model.coef_).all()
