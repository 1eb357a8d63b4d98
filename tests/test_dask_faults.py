"""A worker or a driver that dies costs time, not the result."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from threading import Timer

import numpy as np
import pytest

pytest.importorskip("distributed")

from dask_cluster import (
    as_parts,
    assert_nothing_left,
    connect,
    easy_problem,
    small_cluster,
)

from polymargin.dask import DaskLinearSVM

if os.name != "posix":
    pytest.skip("signals as on POSIX", allow_module_level=True)

SETTINGS = {"C": 0.1, "tol": 1e-3, "random_state": 0}


class Killer(DaskLinearSVM):
    """Kills a worker soon after these rounds: while the next one goes on."""

    rounds = ()
    killed = ()

    def _end_round(self, done):
        if done.round in self.rounds:
            pids = list(self.client.run(os.getpid).values())
            Timer(0.01, os.kill, (pids[0], signal.SIGKILL)).start()
            self.killed = (*self.killed, pids[0])


def test_worker_killed_twice():
    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(100, 80, 60))
    with small_cluster() as cluster, connect(cluster) as client:
        whole = DaskLinearSVM(**SETTINGS, client=client).fit(parts)
        assert whole.n_iter_ > 10
        model = Killer(**SETTINGS, client=client)
        model.rounds = (4, 9)
        model.fit(parts)
        assert len(set(model.killed)) == 2
        # Every lost result was made again as it was.
        assert np.array_equal(model.coef_, whole.coef_)
        assert model.history_["gap"].tolist() == whole.history_["gap"].tolist()
        assert_nothing_left(client)


SCRIPT = """
    import sys
    from dask_cluster import as_parts, easy_problem
    from polymargin.dask import DaskLinearSVM

    folder, C = sys.argv[1], float(sys.argv[2])
    X, y = easy_problem()
    DaskLinearSVM(C=C, random_state=0, checkpoint=folder, verbose=1).fit(
        as_parts(X, y, sizes=(100, 80, 60))
    )
"""


def test_driver_killed_and_resumed(tmp_path, helpers_on_path):
    folder = tmp_path / "state"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), "0.1"],
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
    kept = json.loads((folder / "run.json").read_text())["progress"]["number"]
    assert kept >= 5

    X, y = easy_problem()
    parts = as_parts(X, y, sizes=(100, 80, 60))
    model = DaskLinearSVM(C=0.1, random_state=0, checkpoint=folder)
    rounds = []
    model._end_round = rounds.append
    model.fit(parts)
    assert rounds[0].round == kept + 1
    assert model.dual_gap_ <= 1e-3
    # It is the model of a run that was never killed.
    whole = DaskLinearSVM(C=0.1, random_state=0, checkpoint=tmp_path / "other")
    whole.fit(parts)
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.n_iter_ == whole.n_iter_

    other = DaskLinearSVM(C=0.2, random_state=0, checkpoint=folder)
    with pytest.raises(ValueError, match="another fit, which differs in C;"):
        other.fit(parts)
    with pytest.raises(ValueError, match="another fit, which differs in data;"):
        model.fit(as_parts(X + 1, y, sizes=(100, 80, 60)))
    (folder / "run.json").write_text("{")
    with pytest.raises(ValueError, match=r"cannot be read .*; delete the folder"):
        model.fit(parts)


def test_checkpoint_keeps_one_state(tmp_path):
    X, y = easy_problem()
    started = time.time()
    DaskLinearSVM(**SETTINGS, checkpoint=tmp_path).fit(as_parts(X, y, sizes=(240, 0)))
    states = list(tmp_path.glob("round-*"))
    assert len(states) <= 1
    assert all(path.stat().st_mtime >= started - 1 for path in states)
    assert not list(tmp_path.rglob("*.tmp"))
