"""Estimators: odd arrays, odd parameters, and attributes that somebody has changed."""

import pickle
import random
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from harness import Attack
from model_files import SAMPLES, X, y
from tampering import tampered

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM
from polymargin.driver.linear.solvers import SOLVER_NAMES
from polymargin.machine.registry import KERNEL_MACHINE_NAMES, MACHINES

NEVER = (AssertionError, SystemError, RecursionError)


@cache
def _fitted(name: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pickle.dumps(SAMPLES[name]())


def attributes(rng: random.Random, folder: Path) -> str:
    """Python lets anybody change anything: an error is right, a crash is not."""
    name = rng.choice(list(SAMPLES))
    model = pickle.loads(_fitted(name))
    for _ in range(rng.choice((1, 1, 2))):
        tampered(model, rng)
    rows = sp.csr_array(X) if "sparse" in name else X
    rows = X @ X.T if name == "precomputed" else rows
    uses = [
        lambda: model.predict(rows),
        lambda: model.decision_function(rows),
        lambda: model.set_params(warm_start=True, n_jobs=None).fit(rows, y),
        lambda: model.partial_fit(rows, y),
        lambda: polymargin.save(model, folder / "model"),
        lambda: str(polymargin.describe(model)),
        lambda: pickle.loads(pickle.dumps(model)).predict(rows),
    ]
    refused = 0
    for use in rng.sample(uses, 3):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                use()
        except NEVER:
            raise
        except Exception:
            refused += 1
    return f"refused-{refused}-of-3"


def _rows(rng: random.Random, n: int):
    """Rows of any type, layout and scale, some of them not valid."""
    d = rng.choice((1, 2, 5, 40))
    generator = np.random.default_rng(rng.randrange(2**32))
    rows = generator.normal(size=(n, d)) * 10.0 ** rng.choice((0, 0, 0, -160, 150, 19))
    kind = rng.randrange(12)
    if kind < 3:
        return rows
    if kind == 3:
        with np.errstate(all="ignore"):
            return rows.astype(np.float32)
    if kind == 4:
        rows[rng.randrange(n), 0] = rng.choice((np.nan, np.inf, 1e308))
        return rows
    if kind == 5:
        return np.asfortranarray(rows)[::-1]
    if kind == 6:
        return rng.choice((rows[:0], rows[:, :0], rows[0], rows[None], rows.tolist()))
    if kind == 7:
        return rows.astype(rng.choice(("?", "i1", "f2", "c16", "O", "U9", ">f8")))
    matrix = sp.csr_array(np.where(np.abs(rows) > np.abs(rows).mean(), rows, 0))
    if kind == 8:
        index = rng.choice(("u1", "u4", "u8", ">i4", ">i8", "i2"))
        matrix.indices = matrix.indices.astype(index)
        matrix.indptr = matrix.indptr.astype(index)
    elif kind == 9 and len(matrix.indices):
        at = rng.randrange(len(matrix.indices))
        matrix.indices[at] = rng.choice((-1, d, 2**31 - 1))
    elif kind == 10:
        at = rng.randrange(len(matrix.indptr))
        matrix.indptr[at] = rng.choice((-1, 0, 10**6, matrix.indptr[-1] + 1))
    elif rng.random() < 0.5:
        return rng.choice((matrix.tocsc, matrix.tocoo, matrix.tolil))()
    return matrix


def _labels(rng: random.Random, n: int):
    k = rng.choice((1, 2, 3, 3, 3, 7, 30))
    numbers = np.array([rng.randrange(k) for _ in range(n)])
    kinds = (
        numbers,
        numbers,
        numbers.astype(str),
        numbers - 5,
        numbers.astype(float),
        numbers + 0.5,
        numbers[:-1],
        numbers[:, None],
        numbers.astype(object),
        np.where(numbers == 0, np.nan, numbers),
    )
    return rng.choice(kinds)


def _estimator(rng: random.Random):
    common = {"max_iter": 20, "random_state": 0, "max_time": 5}
    common |= {"C": rng.choice((1, 1, 1e-300, 1e300, 1e10, 1e-10)), "tol": 1e-3}
    common |= {"n_jobs": rng.choice((None, 2)), "history": rng.random() < 0.2}
    kind = rng.randrange(4)
    machine, loss = rng.choice(list(MACHINES))
    if kind == 0 and loss != "log":
        solver = rng.choice(SOLVER_NAMES)
        return LinearSVM(machine, loss=loss, solver=solver, **common)
    if kind == 1:
        return MaxEnt(features=rng.choice(("full", "reduced")), **common)
    kernel = rng.choice(
        ("rbf", "linear", "poly", "laplacian", "sigmoid", "precomputed")
    )
    more = {"kernel": kernel, "gamma": rng.choice((1.0, "scale", 1e-300, 1e300))}
    if kind == 2:
        del common["max_iter"]
        return OnlineSVM(**more, **common)
    more |= {"approximation": rng.choice((None, "nystroem")), "rank": 5}
    more |= {"solver": rng.choice(("block", "s2do", "smo")), "cache_size": 1}
    loss = rng.choice(("hinge", "squared_hinge"))
    return KernelSVM(rng.choice(KERNEL_MACHINE_NAMES), loss=loss, **more, **common)


def estimators(rng: random.Random, folder: Path) -> str:
    """A fit ends with a model that predicts and a certificate, or as it began."""
    n = rng.choice((1, 2, 12, 40))
    model, rows, labels = _estimator(rng), _rows(rng, n), _labels(rng, n)
    weights = rng.choice((None, None, np.ones(n), np.zeros(n), np.full(n, 1e300)))
    before = set(vars(model))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.fit(rows, labels, sample_weight=weights)
        except (ValueError, TypeError, MemoryError):
            known = {name for name in vars(model) if "callback" not in name}
            assert known <= before, known - before
            return "refused"
        _check_certificate(model)
        try:
            predicted = model.predict(rows)
        except ValueError:  # scores that the number format cannot hold
            return "no-scores"
    assert len(predicted) == len(labels)
    assert set(predicted.tolist()) <= set(np.ravel(labels).tolist())
    return model.status_.replace(" ", "-")


def _check_certificate(model) -> None:
    """Who says "converged" has proved it; nothing is said of what is not a number."""
    gap = getattr(model, "dual_gap_", None)
    if gap is None:
        return
    assert not np.isnan(gap) and gap >= 0, gap
    assert np.isfinite(model.objective_) or gap == np.inf, model.objective_
    if model.status_ == "converged":
        assert np.isfinite(model.objective_) and np.isfinite(model.dual_objective_)
        violation_tol = model._violation_tol()
        assert gap <= model.tol or violation_tol is not None, (gap, model)


ATTACKS = [
    Attack("attributes", attributes, 3000),
    Attack("estimators", estimators, 3000),
]
