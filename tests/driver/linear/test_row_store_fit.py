"""Training from disk ends at the objective of training in memory, certified."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import (
    make_model,
    make_problem,
    make_sparse_problem,
    primal_objective,
)
from row_store_problems import cut, make_store

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, open_rows
from polymargin.machine.registry import MACHINES

TOL = 1e-3
# All that the registry promises.
PAIRS = [pair for pair, found in MACHINES.items() if found.formulation.row_stores]


def optimum(machine, loss, X, y, weights=None, **parameters):
    model = make_model(
        machine, loss, tol=1e-6, max_iter=10**6, random_state=0, **parameters
    )
    return model.fit(X, y, weights).objective_


def check(model, store, X, y, machine, loss, weights=None, **parameters):
    """The certificate holds: of the primal itself, and against the optimum."""
    loss_weights = np.full(len(y), model.C) if weights is None else model.C * weights
    assert model.status_ == "converged"
    assert model.dual_gap_ <= model.tol
    exact = primal_objective(model, X, y, loss_weights)
    assert model.objective_ == pytest.approx(exact, rel=1e-9)
    best = optimum(machine, loss, X, y, weights, C=model.C, **parameters)
    assert model.dual_objective_ <= best * (1 + 1e-9)
    assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 1.01 * model.tol)


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_optimum(tmp_path, monkeypatch, machine, loss, sparse):
    X, y = make_problem(n=240, d=6, k=4)
    store = make_store(tmp_path, X, y, layout="csr" if sparse else "dense")
    cut(monkeypatch, 12, 6)
    model = make_model(machine, loss, C=0.3, tol=TOL, random_state=0, max_iter=10**4)
    model.fit(store)
    check(model, store, X, y, machine, loss)
    assert not hasattr(model, "dual_coef_")
    loaded = store.load()
    assert np.array_equal(model.predict(store), model.predict(loaded.X))
    assert model.score(store) == model.score(loaded.X, loaded.y)
    scores = model.decision_function(store)
    assert np.array_equal(scores, model.decision_function(loaded.X))
    if hasattr(model, "predict_proba"):
        assert np.allclose(model.predict_proba(store), model.predict_proba(loaded.X))


@pytest.mark.parametrize(
    ("machine", "loss"), [("cs", "hinge"), ("ww", "squared_hinge")]
)
def test_many_classes(tmp_path, monkeypatch, machine, loss):
    X, y = make_sparse_problem(n=500, d=200, k=90)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 40, 4)
    model = make_model(machine, loss, tol=TOL, random_state=0).fit(store)
    check(model, store, X, y, machine, loss)


@pytest.mark.parametrize(("machine", "loss"), [("ovr", "hinge"), ("cs", "hinge")])
def test_two_classes(tmp_path, monkeypatch, machine, loss):
    X, y = make_problem(n=200, d=5, k=2)
    cut(monkeypatch, 20, 3)
    model = make_model(machine, loss, C=0.1, tol=TOL, random_state=0, max_iter=10**4)
    check(model.fit(make_store(tmp_path, X, y)), None, X, y, machine, loss)


@pytest.mark.parametrize(
    "parameters",
    [
        {"fit_intercept": False},
        {"intercept_scaling": 3.0},
        {"order": "permuted"},
        {"class_weight": {0: 2.0}},
    ],
)
def test_parameters(tmp_path, monkeypatch, parameters):
    X, y = make_problem(n=200, d=5)
    cut(monkeypatch, 10, 5)
    store = make_store(tmp_path, X, y)
    model = fitted(store, tol=TOL, **parameters)
    best = optimum("cs", "hinge", X, y, C=0.3, **parameters)
    assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 1.01 * TOL)


def test_weights_equal_repetition(tmp_path, monkeypatch):
    X, y = make_problem(n=120, d=5)
    weights = np.random.default_rng(0).integers(0, 4, size=120).astype(float)
    cut(monkeypatch, 9, 4)
    settings = {"C": 0.2, "tol": 1e-4, "max_iter": 10**5, "random_state": 0}
    for balanced in (None, "balanced"):
        model = LinearSVM(class_weight=balanced, **settings)
        weighted = make_store(tmp_path, X, y, weights, name=f"w{balanced}.rows")
        first = model.fit(weighted).objective_
        times = weights.astype(int)
        store = make_store(
            tmp_path,
            np.repeat(X, times, axis=0),
            np.repeat(y, times),
            name=f"{balanced}.rows",
        )
        assert model.fit(store).objective_ == pytest.approx(first, rel=2e-4)
    loaded = weighted.load()
    accuracy = model.score(loaded.X, loaded.y, loaded.weights)
    assert model.score(weighted) == pytest.approx(accuracy)


def fitted(store, **parameters):
    settings = {"C": 0.3, "random_state": 0, "max_iter": 10**4, **parameters}
    return LinearSVM(**settings).fit(store)


def test_same_seed_same_model(tmp_path, monkeypatch):
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 10, 4)
    first = fitted(store)
    assert np.array_equal(first.coef_, fitted(open_rows(store.path)).coef_)
    assert np.array_equal(first.coef_, fitted(store, n_jobs=2).coef_)
    assert not np.array_equal(first.coef_, fitted(store, random_state=1).coef_)


@pytest.mark.parametrize("order", ["acf", "permuted"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_states_on_disk(tmp_path, monkeypatch, order, dtype):
    """Where dual variables are kept does not change a bit, and nothing is left."""
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y, dtype=dtype)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cut(monkeypatch, 10, 4)
    kept = fitted(store, order=order, tol=0.1)
    spilled = []
    from polymargin.driver.linear.stored.state_cache import StateCache

    close = StateCache.close

    def closing(self):
        spilled.append((self.spilled, len(list(tmp_path.glob("polymargin-*")))))
        close(self)

    monkeypatch.setattr(StateCache, "close", closing)
    for room, number in ((0, 20), (2000, None)):
        cut(monkeypatch, 10, 4, state_bytes=room)
        model = fitted(store, order=order, tol=0.1)
        assert np.array_equal(model.coef_, kept.coef_)
        assert model.n_iter_ == kept.n_iter_
        some, folders = spilled.pop()
        assert (some == number if number else 0 < some < 20) and folders == 1
    assert list(tmp_path.iterdir()) == [store.path]


def test_one_segment_of_one_range(tmp_path):
    """Without a limit that matters the pass is that of all rows together."""
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y)
    assert store.n_segments == 1
    model = fitted(store)
    check(model, store, X, y, "cs", "hinge")


def test_odd_rows(tmp_path, monkeypatch):
    """Empty rows, a range of one class, rows of weight zero."""
    X, y = make_problem(n=200, d=5)
    X[::3] = 0
    weights = np.ones(200)
    weights[::7] = 0
    store = make_store(tmp_path, X, y, weights)
    cut(monkeypatch, 2, 3)
    for parameters in ({}, {"fit_intercept": False}):
        model = fitted(store, **parameters)
        best = optimum("cs", "hinge", X, y, weights, C=0.3, **parameters)
        assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 1.01e-3)


def test_history_and_callbacks(tmp_path, monkeypatch, capsys):
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 10, 4)
    model = fitted(store, history=True, verbose=2)
    history = model.history_
    assert len(history["gap"]) == model.n_iter_
    assert capsys.readouterr().out.count("gap") == model.n_iter_ // 2 + 1
    dual, primal = history["dual_objective"], history["objective"]
    assert (np.diff(dual) >= -1e-12 * np.abs(dual[1:])).all()  # every step gains
    assert (dual <= primal).all()
    assert (dual <= optimum("cs", "hinge", X, y, C=0.3) * (1 + 1e-9)).all()
    assert (np.abs(history["visits"] - 200) <= 60).all()


def test_limits(tmp_path, monkeypatch, clock):
    X, y = make_problem(n=300, d=20, scale=100)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 10, 4)
    with pytest.warns(UserWarning, match="max_iter"):
        model = fitted(store, max_iter=2)
    assert model.status_ == "max_iter" and model.n_iter_ == 2
    assert model.dual_objective_ < model.objective_ < np.inf
    with pytest.warns(UserWarning, match="max_time"):
        clock.tick = 1.0
        model = fitted(store, C=1e6, max_time=500, max_iter=10**6)
    assert model.status_ == "max_time"
    assert model.dual_objective_ < model.objective_ < np.inf


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearSVM("ovo"), "machine='ovo' is not trained on a row store"),
        (LinearSVM(solver="cutting_plane"), "solver='cutting_plane' is not possible"),
        (LinearSVM(features="reduced"), "features='reduced' is not possible"),
        (LinearSVM(order="max_violation"), "order='max_violation' is not possible"),
        (MaxEnt(warm_start=True), "warm_start=True is not possible"),
        (LinearSVM(class_weight={9: 1.0}), "class_weight has a weight for 9"),
        (KernelSVM(), "row store is no array"),
    ],
)
def test_refused(tmp_path, model, message):
    store = make_store(tmp_path, *make_problem())
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(store)


def test_refused_data(tmp_path):
    X, y = make_problem()
    store = make_store(tmp_path, X, y)
    for arguments in ({"y": y}, {"sample_weight": np.ones(len(y))}):
        with pytest.raises(ValueError, match="must be None where X is a row store"):
            LinearSVM().fit(store, **arguments)
    with pytest.raises(ValueError, match="must be None where X is a row store"):
        LinearSVM().fit(X, y).score(store, y)
    with pytest.raises(ValueError, match="requires y"):
        LinearSVM().fit(X)
    unlabelled = make_store(tmp_path, X, None, name="u.rows")
    with pytest.raises(ValueError, match="has no labels"):
        LinearSVM().fit(unlabelled)
    single = make_store(tmp_path, X, np.zeros(len(y)), name="s.rows")
    with pytest.raises(ValueError, match="at least two classes"):
        LinearSVM().fit(single)
    weightless = make_store(tmp_path, X, y, np.zeros(len(y)), name="w.rows")
    with pytest.raises(ValueError, match="no row with a weight above zero"):
        LinearSVM().fit(weightless)
    model = LinearSVM().fit(X, y)
    assert len(model.predict(unlabelled)) == len(y)
    wide = make_store(tmp_path, np.hstack([X, X]), y, name="wide.rows")
    with pytest.raises(ValueError, match="12 features, but LinearSVM is expecting 6"):
        model.predict(wide)


def test_too_little_memory(tmp_path):
    X, y = make_sparse_problem(n=400, d=10_000, k=20, dtype=np.float32)
    store = make_store(tmp_path, X, y)
    for limit in (1000, "1MB"):
        with pytest.raises(ValueError, match=r"memory_limit is .* MB are needed"):
            LinearSVM().fit(open_rows(store.path, memory_limit=limit))
    LinearSVM(tol=0.1).fit(open_rows(store.path, memory_limit="6MB"))


def test_models_are_as_usual(tmp_path, monkeypatch):
    """After a fit from disk: saved, loaded, trained further, fitted in memory."""
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 10, 4)
    model = LinearSVM(random_state=0).fit(X, y)
    model.fit(store)
    assert not hasattr(model, "support_")
    polymargin.save(model, tmp_path / "m.polymargin")
    loaded = polymargin.load(tmp_path / "m.polymargin")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    model.partial_fit(X, y)
    assert model.fit(X, y).dual_coef_.shape == (200, 3)
    names = [f"x{j}" for j in range(5)]
    path = tmp_path / "d.csv"
    polymargin.save_data(X, y, path, feature_names=names)
    named = polymargin.convert(path, tmp_path / "n.rows")
    model.fit(named)
    assert model.feature_names_in_.tolist() == names
    assert model.score(named) > 0.5


def test_store_shows_itself(tmp_path):
    X, y = make_problem(n=200, d=5)
    store = make_store(tmp_path, X, y, segment_size="2kB")
    assert len(store) == 200 and store.shape == (200, 5) and store.n_features == 5
    assert "200 rows, 5 features, 3 classes, dense float64" in repr(store)
    segments = list(store.segments())
    assert len(segments) == store.n_segments > 3
    assert np.array_equal(np.concatenate([s.y for s in segments]), store.labels())
    assert all(s.weights is None and not sp.issparse(s.X) for s in segments)
    assert len(list(store.blocks())) == store.n_blocks == store.n_segments
    with pytest.raises(TypeError, match="is no array"):
        np.asarray(store)


@pytest.mark.parametrize("machine", ["cs", "llw"])
def test_costs(tmp_path, monkeypatch, machine):
    X, y = make_problem(n=240, d=6, k=4)
    store = make_store(tmp_path, X, y)
    cut(monkeypatch, 12, 6)
    parameters = {"C": 0.3, "costs": "ordinal", "random_state": 0, "max_iter": 10**5}
    model = make_model(machine, "hinge", tol=TOL, **parameters).fit(store)
    best = make_model(machine, "hinge", tol=1e-6, **parameters).fit(X, y).objective_
    plain = optimum(machine, "hinge", X, y, C=0.3)
    assert model.dual_gap_ <= TOL
    assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 1.01 * TOL)
    assert abs(plain - best) > 0.1 * best
