"""Kills and full disks around every write; threads and forks on one estimator."""

import errno
import os
import pickle
import random
import resource
import shutil
import signal
import warnings
from functools import cache
from pathlib import Path
from threading import Thread

import numpy as np
import scipy.sparse as sp
from harness import LONGEST_WAIT, Attack
from model_files import X, y

from polymargin import (
    KernelSVM,
    LinearSVM,
    OnlineSVM,
    convert,
    load,
    load_data,
    open_rows,
    save,
    save_data,
)

CALLS = ("open", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "close")


@cache
def _models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [LinearSVM(C=C).fit(X, y) for C in (0.1, 1.0)]


# How something is written, of the old or the new kind, and what of it is then there.
WRITES = {
    "model": (
        "model",
        lambda path, new: save(_models()[new], path),
        lambda path: load(path).C,
        (0.1, 1.0),
    ),
    "csv": (
        "data.csv",
        lambda path, new: save_data(X + new, y, path),
        lambda path: round(float(load_data(path).X[0, 0] - X[0, 0])),
        (0, 1),
    ),
    "npz": (
        "data.npz",
        lambda path, new: save_data(sp.csr_matrix(X + new), y, path),
        lambda path: round(float(load_data(path).X[0, 0] - X[0, 0])),
        (0, 1),
    ),
    "store": (
        "a.rows",
        lambda path, new: convert([(X + new, y)], path, overwrite=True),
        lambda path: round(
            float(LinearSVM(max_iter=9).fit(open_rows(path)).coef_.size)
        ),
        (9, 9),
    ),
}


def _child(work) -> int:
    """The status of a child that does this."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            signal.alarm(LONGEST_WAIT // 2)
            work()
            status = 0
        except OSError as error:
            status = 2 if error.errno in (errno.EFBIG, errno.ENOSPC) else 4
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def writes(rng: random.Random, folder: Path) -> str:
    """What was there or what is new is there, whole, and nothing else after a fault."""
    place = folder / "writes"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    name, write, read, known = WRITES[rng.choice(list(WRITES))]
    path = place / name
    write(path, 0)
    kill, at = rng.random() < 0.6, rng.randrange(30)

    def die_at_a_call():
        calls = iter(range(10**6))

        def counted(call):
            def then(*arguments, **named):
                if next(calls) == at:
                    os._exit(9)
                return call(*arguments, **named)

            return then

        for called in CALLS:
            setattr(os, called, counted(getattr(os, called)))
        write(path, 1)

    def run_out_of_space():
        most = rng.choice((0, 1, 64, 500, 1000, 2000, 4000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        write(path, 1)

    status = _child(die_at_a_call if kill else run_out_of_space)
    assert status in ((0, 9) if kill else (0, 2)), status
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(path) == known[status == 0] or (status == 9 and read(path) in known)
        if not kill:
            assert [each.name for each in place.iterdir()] == [name]
        write(path, 1)  # whoever comes next finds nothing in the way
        assert read(path) == known[1]
    return {0: "written", 9: "killed", 2: "full"}[status]


def threads(rng: random.Random, folder: Path) -> str:
    """Threads and forks use an estimator that another thread is training."""
    kind = rng.choice(("online", "online", "linear", "free", "near", "kernel"))
    made = {
        "online": lambda: OnlineSVM(random_state=0, n_jobs=rng.choice((1, 2))),
        "linear": lambda: LinearSVM("ovo", random_state=0, n_jobs=2),
        "free": lambda: LinearSVM(fit_intercept="free", random_state=0, n_jobs=2),
        "near": lambda: LinearSVM(candidates=2, random_state=0, n_jobs=2),
        "kernel": lambda: KernelSVM("cs", random_state=0, n_jobs=2),
    }
    model = made[kind]()
    many, labels = np.tile(X, (4, 1)), np.tile(y, 4)

    def train():
        if kind == "online":
            model.partial_fit(many, labels, classes=[0, 1, 2])
        else:
            model.fit(many, labels)

    train()
    uses = [
        train,
        train,
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: pickle.loads(pickle.dumps(model)).predict(X),
        lambda: model.dual_objective_,
        lambda: save(model, folder / f"model-{os.getpid()}-{rng.random()}"),
    ]
    faults: list[BaseException] = []

    def use(some):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for each in some:
                    each()
        except (ValueError, RuntimeError):  # "is being fitted in another thread"
            pass
        except BaseException as error:
            faults.append(error)

    started = [Thread(target=use, args=(rng.choices(uses, k=4),)) for _ in range(3)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    if faults:
        raise faults[0]
    # What was learned at the same time is whole: alone, it predicts the same twice.
    first = sp.csr_array(model.decision_function(X))
    again = pickle.loads(pickle.dumps(model)).decision_function(X)
    assert (first != sp.csr_array(again)).nnz == 0
    if rng.random() < 0.3:
        assert _child(lambda: (model.predict(X), train())) == 0, "a child"
    return kind


ATTACKS = [Attack("writes", writes, 300), Attack("threads", threads, 150)]
