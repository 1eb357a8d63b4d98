"""A worker or a driver that dies costs time, not the result."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from threading import Timer

import numpy as np
import pytest
from dask_cluster import WatchedSVM, as_parts, easy_problem
from distributed import get_task_stream

from polymargin.dask import DaskLinearSVM
from polymargin.dask.checkpoint import Checkpoint
from polymargin.dask.own_folder import (
    MARK,
    NAME,
    delete_other_rounds,
    own_folder,
    round_folder,
)

if os.name != "posix":
    pytest.skip("signals as on POSIX", allow_module_level=True)

SETTINGS = {"C": 0.1, "tol": 1e-3, "random_state": 0}


LONG = {"C": 1, "tol": 0, "max_iter": 32}
SIZES = (100, 80, 60)


class Killer(WatchedSVM):
    """Kills a worker soon after these rounds: while the next one goes on."""

    rounds = ()
    killed = ()

    def end_round(self, done):
        if done.round in self.rounds:
            pids = list(self.client.run(os.getpid).values())
            Timer(0.01, os.kill, (pids[0], signal.SIGKILL)).start()
            self.killed = (*self.killed, pids[0])


class Counter(WatchedSVM):
    """Counts what the scheduler remembers after every round."""

    def end_round(self, done):
        ask = self.client.run_on_scheduler
        self.counts.append(ask(lambda dask_scheduler: len(dask_scheduler.tasks)))


def fitted(kind, client, **parameters):
    X, y = easy_problem()
    model = kind(**{**SETTINGS, **parameters}, client=client)
    return model, as_parts(X, y, sizes=SIZES)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_worker_killed_twice(client, tmp_path, with_checkpoint):
    """A kill late in a run costs the rounds since the last cut, and changes nothing."""
    folders = [tmp_path / "a", tmp_path / "b"] if with_checkpoint else [None, None]
    model, parts = fitted(DaskLinearSVM, client, **LONG, checkpoint=folders[0])
    whole = model.fit(parts)
    assert whole.n_iter_ == 32
    model, parts = fitted(Killer, client, **LONG, checkpoint=folders[1])
    model.rounds = (4, 28)
    with get_task_stream(client) as stream:
        model.fit(parts)
    assert len(set(model.killed)) == 2
    # Every lost result was made again as it was.
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.history_["gap"].tolist() == whole.history_["gap"].tolist()
    run = sum(task["key"].startswith("run_round") for task in stream.data)
    again = run - model.n_iter_ * len(SIZES)
    assert again <= (5 + 9) * len(SIZES)  # and not 28


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_the_scheduler_forgets(client, tmp_path, with_checkpoint):
    model, parts = fitted(
        Counter,
        client,
        C=1,
        tol=0,
        max_iter=60,
        checkpoint=tmp_path if with_checkpoint else None,
    )
    model.counts = []
    model.fit(parts)
    assert len(model.counts) == 60
    # Of a round: run_round, its message; what all begin from, the model, its report.
    a_round = 2 * len(SIZES) + 3
    assert max(model.counts) <= 15 * a_round


@pytest.mark.parametrize("seen", [True, False])
def test_large_states_go_to_a_folder(client, tmp_path, monkeypatch, seen):
    """If workers see it; the model does not depend on where states are kept."""
    model, parts = fitted(DaskLinearSVM, client)
    whole = model.fit(parts)
    monkeypatch.setattr("polymargin.dask.recovery_points.SCHEDULER_BYTES", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if not seen:
        monkeypatch.setattr("polymargin.dask.tasks.Tasks.all_see", lambda *_: False)
    model, parts = fitted(Counter, client)
    model.counts = []
    model.fit(parts)
    assert np.array_equal(model.coef_, whole.coef_)
    assert (model.counts[10] < model.counts[9] / 2) == seen
    assert list(tmp_path.iterdir()) == []


def test_checkpoint_that_workers_do_not_see(client, tmp_path, monkeypatch):
    """It is written and read by this process, and the model is the same."""
    model, parts = fitted(DaskLinearSVM, client, tol=3e-3, checkpoint=tmp_path / "a")
    expected = model.fit(parts).coef_
    monkeypatch.setattr("polymargin.dask.tasks.Tasks.all_see", lambda *_: False)
    for tol in (1e-2, 3e-3):  # the second goes on from the first
        model.set_params(tol=tol, checkpoint=tmp_path / "b").fit(parts)
    assert model.n_iter_ > 5
    assert np.array_equal(model.coef_, expected)


SCRIPT = """
    import sys
    from dask_cluster import as_parts, easy_problem
    from distributed import Client
    from polymargin.dask import DaskLinearSVM

    folder, scheduler = sys.argv[1:]
    X, y = easy_problem()
    DaskLinearSVM(
        C=0.1, random_state=0, checkpoint=folder, verbose=1, client=Client(scheduler)
    ).fit(as_parts(X, y, sizes=(100, 80, 60)))
"""


def test_driver_killed_and_resumed(client, tmp_path, helpers_on_path):
    """The cluster forgets the driver that is gone, and another goes on."""
    folder = tmp_path / "state"
    address = client.scheduler.address
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), address],
        env=helpers_on_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stdout:
            if "round    8" in line:  # the state of round 5 is on the disk
                break
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    run = folder / NAME / "run.json"
    kept = json.loads(run.read_text())["progress"]["number"]
    assert kept >= 5

    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(100, 80, 60))
    model = WatchedSVM(C=0.1, random_state=0, checkpoint=folder)
    rounds = []
    model.end_round = rounds.append
    model.fit(parts)
    assert rounds[0].round == kept + 1
    assert model.dual_gap_ <= 1e-3
    # It is the model of a run that was never killed.
    whole = DaskLinearSVM(C=0.1, random_state=0, checkpoint=tmp_path / "other")
    whole.fit(parts)
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.n_iter_ == whole.n_iter_
    assert (np.diff(model.history_["seconds"]) > 0).all()

    other = DaskLinearSVM(C=0.2, random_state=0, checkpoint=folder)
    with pytest.raises(ValueError, match="another fit, which differs in C;"):
        other.fit(parts)
    with pytest.raises(ValueError, match="another fit, which differs in data;"):
        model.fit(as_parts(X + 1, y, sizes=(100, 80, 60)))
    run.write_text("{")
    with pytest.raises(ValueError, match=r"cannot be read .*; delete .*checkpoint'"):
        model.fit(parts)


def test_checkpoint_keeps_one_state(client, tmp_path):
    X, y = easy_problem()
    DaskLinearSVM(**SETTINGS, checkpoint=tmp_path).fit(as_parts(X, y, sizes=(240, 0)))
    assert len(list(tmp_path.glob("*/round-*"))) <= 1
    assert not list(tmp_path.rglob("*.tmp"))


def test_checkpoint_leaves_what_is_not_ours(client, tmp_path):
    """Folders of the user that are named like ours are not touched."""
    theirs = [tmp_path / "round-my-thesis", tmp_path / "round-000001"]
    for folder in theirs:
        folder.mkdir()
        (folder / "chapter.txt").write_text("years of work")
    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(120, 120))
    DaskLinearSVM(**SETTINGS, checkpoint=tmp_path).fit(parts)
    assert [(each / "chapter.txt").read_text() for each in theirs] == 2 * [
        "years of work"
    ]
    assert {each.name for each in tmp_path.iterdir()} == {
        NAME,
        *(each.name for each in theirs),
    }


@pytest.mark.parametrize("empty", [True, False])
def test_a_folder_of_that_name_without_the_mark_is_refused(tmp_path, empty):
    (tmp_path / NAME / "round-000001").mkdir(parents=True)
    if empty:
        (tmp_path / NAME / "round-000001").rmdir()
    with pytest.raises(ValueError, match="polymargin did not make; give another"):
        Checkpoint(tmp_path, {}).read(1)
    assert (tmp_path / NAME / "round-000001").exists() != empty


def test_only_rounds_are_deleted_in_our_folder(tmp_path):
    own = own_folder(tmp_path)
    kept, old = round_folder(own, 10), round_folder(own, 5)
    (old / "model.npz").write_bytes(b"")
    for name in ("round-my-thesis", "round-5", "other"):
        (own / name).mkdir()
    delete_other_rounds(own_folder(tmp_path), kept)
    names = {each.name for each in own.iterdir()}
    assert names == {"round-my-thesis", "round-5", "other", kept.name, MARK}


def test_a_checkpoint_that_cannot_be_made_fails_before_the_first_round(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OSError, match="file"):
        Checkpoint(tmp_path / "file", {}).read(1)
