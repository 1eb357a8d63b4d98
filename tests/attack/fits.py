"""Estimators with odd parameters on odd arrays and tables."""

import random
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from harness import Attack
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, TunedSVM
from polymargin.driver.kernel.solvers import KERNEL_SOLVERS
from polymargin.driver.linear.solvers import SOLVER_NAMES
from polymargin.machine.registry import KERNEL_MACHINE_NAMES, MACHINES

POWERS = (0, 0, 0, 0, -300, -160, -20, 19, 150, 300)
TYPES = ("?", "i1", "u8", "f2", "f4", "c16", "O", "U9", ">f8", ">i4", "M8[s]")
INDICES = ("u1", "u4", "u8", ">i4", ">i8", "i2")


def _odd(rng: random.Random) -> bool:
    """Whether one more thing is odd: with everything odd, most would be refused."""
    return rng.random() < 0.4


def _rows(rng: random.Random, n: int):
    """Rows of any type, layout and scale, some of them not valid."""
    d = rng.choice((1, 2, 5, 40))
    generator = np.random.default_rng(rng.randrange(2**32))
    rows = generator.normal(size=(n, d))
    if not _odd(rng):
        return rng.choice((rows, sp.csr_array(rows), rows.astype(np.float32)))
    rows *= 10.0 ** rng.choice(POWERS)
    if rng.random() < 0.2:  # columns of scales of their own
        rows *= 10.0 ** generator.integers(-8, 9, size=d)
    if rng.random() < 0.1:
        rows[:] = rows[0]
    kind = rng.randrange(12)
    if kind < 3:
        return rows
    if kind == 3:
        return rows.astype(np.float32)
    if kind == 4:
        rows[rng.randrange(n), 0] = rng.choice((np.nan, np.inf, 1e308, 1e-320))
        return rows
    if kind == 5:
        return rng.choice((np.asfortranarray(rows)[::-1], np.repeat(rows, 2, 0)[::2]))
    if kind == 6:
        return rng.choice((rows[:0], rows[:, :0], rows[0], rows[None], rows.tolist()))
    if kind == 7:
        return rows.astype(rng.choice(TYPES))
    matrix = sp.csr_array(np.where(np.abs(rows) > np.abs(rows).mean(), rows, 0))
    if kind == 8:
        index = rng.choice(INDICES)
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
    if not _odd(rng):
        return np.arange(n) % 3
    mixed = numbers.astype(object)
    mixed[0] = rng.choice(("a", None, 0.5, np.nan, (1, 2), True))
    kinds = (
        numbers,
        numbers.astype(str),
        numbers - 5,
        numbers.astype(float),
        numbers + 0.5,
        numbers[:-1],
        numbers[:, None],
        numbers.astype(object),
        np.where(numbers == 0, np.nan, numbers),
        mixed,
        mixed.tolist(),
        np.eye(k, dtype=int)[numbers],
        np.eye(k)[numbers] * rng.choice((1.0, 2.0, np.nan)),
        sp.csr_array(np.eye(k, dtype=int)[numbers]),
    )
    return rng.choice(kinds)


def _weights(rng: random.Random, n: int):
    if not _odd(rng):
        return None
    some = np.ones(n)
    some[rng.randrange(n)] = rng.choice((0.0, -1.0, np.nan, np.inf, 1e300, 1e-300))
    kinds = (np.ones(n), np.zeros(n), np.full(n, 1e300), some, some, some)
    return rng.choice((*kinds, some.astype(object), np.ones(n + 1), ["a"] * n, 2))


def _new_options(rng: random.Random) -> dict:
    """One of the options that few machines have, most of the time none."""
    costs = np.array([[0, 1, 2], [1e300, 0, 1], [1e-300, 3, 0.0]])
    odd = rng.choice((costs, costs[:2], -costs, costs * np.nan, {}, "tree"))
    squared = {"loss": "squared_hinge", "solver": "auto"}
    return rng.choice(
        (
            {},
            {},
            {"fit_intercept": "free", "solver": "auto"},
            {"penalty": rng.choice(("l1", "group")), "machine": "ovr", **squared},
            {"candidates": rng.choice((1, 2, 10**9)), "solver": "auto"},
            {"costs": rng.choice(("ordinal", costs, odd)), "solver": "auto"},
            {"new_classes": "add", "features": rng.choice(("full", "reduced"))},
        )
    )


def _estimator(rng: random.Random):
    common = {"max_iter": 20, "random_state": 0, "max_time": 5}
    common |= {"C": rng.choice((1, 1, 1, 1e-300, 1e300, 1e10, 1e-10)), "tol": 1e-3}
    common |= {"n_jobs": rng.choice((None, 2)), "history": rng.random() < 0.2}
    kind = rng.randrange(5)
    machine, loss = rng.choice(list(MACHINES))
    if kind <= 1 and loss != "log":
        solver = rng.choice((*SOLVER_NAMES, "newton", "auto"))
        more = {"loss": loss, "solver": solver, "fit_intercept": rng.random() < 0.5}
        return LinearSVM(**({"machine": machine} | more | _new_options(rng)), **common)
    if kind <= 2:
        more = {"features": rng.choice(("full", "reduced"))}
        if rng.random() < 0.3:
            more = {"penalty": rng.choice(("l1", "group"))}
        return MaxEnt(**more, **common)
    kernel = rng.choice(
        ("rbf", "linear", "poly", "laplacian", "sigmoid", "precomputed")
    )
    more = {"kernel": kernel, "gamma": rng.choice((1.0, "scale", 1e-300, 1e300))}
    if kind == 3 and rng.random() < 0.5:
        del common["max_iter"]
        return OnlineSVM(**more, **common)
    more |= {"approximation": rng.choice((None, None, "nystroem")), "rank": 5}
    more |= {"solver": rng.choice(list(KERNEL_SOLVERS)), "cache_size": 1}
    loss = rng.choice(("hinge", "squared_hinge"))
    return KernelSVM(rng.choice(KERNEL_MACHINE_NAMES), loss=loss, **more, **common)


def _fit(model, rows, labels, **weights) -> bool:
    """Fit; if it is refused, it is as it was, and one sentence says why."""
    before = dict(vars(model))
    try:
        model.fit(rows, labels, **weights)
    except (ValueError, TypeError, MemoryError) as error:
        assert str(error), type(error)
        after = {name for name in vars(model) if "callback" not in name}
        assert after <= set(before), after - set(before)
        assert all(vars(model)[name] is value for name, value in before.items())
        return False
    return True


def estimators(rng: random.Random, folder: Path) -> str:
    """A fit ends with a model that predicts and a certificate, or as it began."""
    n = rng.choice((1, 2, 12, 40))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model, rows, labels = _estimator(rng), _rows(rng, n), _labels(rng, n)
        if not _fit(model, rows, labels, sample_weight=_weights(rng, n)):
            return "refused"
        _check_certificate(model)
        try:
            predicted = model.predict(rows)
        except ValueError:  # scores that the number format cannot hold
            return "no-scores"
        _check_labels(predicted, labels)
        if hasattr(model, "coef_") and rng.random() < 0.5:
            _change(rng, model, rows, labels, folder)
    return model.status_.replace(" ", "-")


def _change(rng: random.Random, model, rows, labels, folder: Path) -> None:
    """What can be done with a linear model: done, or one sentence says why not."""
    weights = rng.choice(("same", "float16", "int8"))

    def save_and_load():
        examples = None if weights == "same" else (rows, labels)
        polymargin.save(model, folder / "model", weights=weights, examples=examples)
        return polymargin.load(folder / "model")

    others = labels[::-1]
    changes = (
        save_and_load,
        lambda: polymargin.prune(model, rows, share=rng.choice((None, 0.5, 1.0))),
        lambda: model.forget_class(model.classes_[rng.randrange(len(model.classes_))]),
        lambda: model.partial_fit(rows, others),
        lambda: model.set_params(warm_start=True, C=2.0).fit(rows, labels),
    )
    try:
        changed = rng.choice(changes)()
        assert len(changed.predict(rows)) == len(model.predict(rows))
    except (ValueError, TypeError, AttributeError) as error:
        assert str(error), type(error)
        assert "NoneType" not in str(error) and "has no len" not in str(error), error
        return
    for name in ("coef_", "intercept_"):
        values = getattr(changed, name)
        assert np.isfinite(values.data if sp.issparse(values) else values).all(), name


def _check_labels(predicted, labels) -> None:
    if predicted.ndim == 2:  # several labels a row
        assert predicted.shape == labels.shape
        assert set(np.unique(predicted)) <= {0, 1}
        return
    assert len(predicted) == len(labels)
    assert set(predicted.tolist()) <= set(np.ravel(labels).tolist())


def _check_certificate(model) -> None:
    """Who says "converged" has proved it; nothing is said of what is not a number."""
    for name in ("coef_", "intercept_", "dual_coef_"):
        values = getattr(model, name, 0.0)
        assert np.isfinite(values.data if sp.issparse(values) else values).all(), name
    gap = getattr(model, "dual_gap_", None)
    if gap is None:
        return
    assert not np.isnan(gap) and gap >= 0, gap
    assert np.isfinite(model.objective_) or gap == np.inf, model.objective_
    if model.status_ == "converged":
        assert np.isfinite(model.objective_) and np.isfinite(model.dual_objective_)
        violation_tol = model._violation_tol()
        assert gap <= model.tol or violation_tol is not None, (gap, model)


def tuned(rng: random.Random, folder: Path) -> str:
    """A search for parameters ends like a fit: with a model, or as it began."""
    n = rng.choice((1, 6, 12, 40))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        machine = _estimator(rng)
        if isinstance(machine, OnlineSVM):
            machine = LinearSVM(max_iter=5)
        if rng.random() < 0.4:
            machine = make_pipeline(StandardScaler(with_mean=False), machine)
        Cs = rng.choice(([1.0], [0.1, 1.0], [1e-300, 1e300], [], [np.nan], None))
        options = {"Cs": Cs, "gammas": "keep", "cv": rng.choice((2, 2, 3, 10**9))}
        options |= {"grow": rng.random() < 0.2, "max_time": 5}
        model = TunedSVM(machine, **options)
        rows, labels, weights = _rows(rng, n), _labels(rng, n), _weights(rng, n)
        given = {} if weights is None else {"sample_weight": weights}
        if not _fit(model, rows, labels, **given):
            return "refused"
        assert np.isfinite(model.best_score_)
        try:
            _check_labels(model.predict(rows), labels)
        except ValueError:
            return "no-scores"
    return "tuned"


WORDS = (
    "a",
    "b",
    "",
    "1",
    "nan",
    "é",
    "2020-01-01",
    "x" * 50,
    None,
    "a b c d e",
    "1e5",
)


def _column(rng: random.Random, n: int):
    generator = np.random.default_rng(rng.randrange(2**32))
    numbers = generator.normal(size=n) * 10.0 ** rng.choice(POWERS)
    kind = rng.randrange(12)
    if kind < 2:
        return numbers
    if kind == 2:
        return np.where(generator.random(n) < 0.3, np.nan, numbers)
    if kind == 3:
        return generator.integers(-(2**62), 2**62, size=n)
    if kind == 4:
        return np.where(generator.random(n) < 0.1, np.inf, numbers)
    if kind == 5:
        return pd.array(generator.integers(0, 3, size=n), dtype="Int64")
    if kind == 6:
        return pd.Categorical([rng.choice(("u", "v", None)) for _ in range(n)])
    if kind == 7:
        return pd.to_datetime([rng.choice(("2020-01-01", None)) for _ in range(n)])
    if kind == 8:
        return generator.random(n) < 0.5
    if kind == 9:
        return [rng.choice((*WORDS, 1, 2.5, True, (1,), [2])) for _ in range(n)]
    return [rng.choice(WORDS) for _ in range(n)]


def frames(rng: random.Random, folder: Path) -> str:
    """Tables of all kinds of columns: a pipeline that predicts, also after a file."""
    n = rng.choice((1, 6, 12, 40))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        names = rng.choices(
            ("a", "b", "", "label", "id", 3, "é"), k=rng.randrange(1, 5)
        )
        columns = [pd.Series(_column(rng, n)) for _ in names]
        table = pd.concat(columns, axis=1, keys=range(len(names)))
        table.columns = names
        machine = rng.choice(("cs", "ww", "ovr", "maxent"))
        model = polymargin.tabular(machine, max_iter=20, random_state=0)
        labels = _labels(rng, n)
        try:
            model.fit(table, labels)
        except (ValueError, TypeError) as error:
            assert str(error), type(error)
            return "refused"
        _check_certificate(model["machine"])
        predicted = model.predict(table)
        _check_labels(predicted, labels)
        polymargin.save(model, folder / "table-model")
        again = polymargin.load(folder / "table-model").predict(table)
        assert np.array_equal(predicted, again)
        several = getattr(model["machine"], "multilabel_", False)
        str(polymargin.explain(model, table, row=None if several else rng.randrange(n)))
    return "fitted"


ATTACKS = [
    Attack("estimators", estimators, 3000),
    Attack("tuned", tuned, 600),
    Attack("frames", frames, 600),
]
