"""Tests of the kernel benchmark: a stand-in for the estimator and tiny data."""

import json

import numpy as np
import pytest
from sklearn.svm import SVC

import polymargin

from . import fresh, kernel, kernel_data, kernel_fit, kernel_page, kernel_tables
from .data import FOLDER_VARIABLE
from .kernel_entrants import ENTRANTS, PEERS, SOLVED, solver_name
from .results import Results
from .test_benchmarks import ENVIRONMENT


class StandIn:
    """Has the parameters of KernelSVM and what it says of itself, but is SVC."""

    made: list[dict] = []

    def __init__(self, machine="ww", **params):
        StandIn.made.append({"machine": machine, **params})
        self.inside = SVC(C=params["C"], gamma=params["gamma"])

    def fit(self, X, y):
        self.support_ = self.inside.fit(X, y).support_
        self.n_kernel_evaluations_, self.status_ = 7 * len(y), "converged"
        self.dual_gap_, self.objective_, self.violation_ = 1e-4, 2.0, 1e-3
        self.n_iter_ = 5
        return self

    def predict(self, X):
        return self.inside.predict(X)


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(polymargin, "KernelSVM", StandIn, raising=False)
    monkeypatch.setattr(StandIn, "made", [])
    return StandIn


def test_every_data_set_has_a_setting_and_a_reason():
    assert set(kernel_data.QUICK_NAMES) <= set(kernel_data.SETTINGS)
    for setting in kernel_data.SETTINGS.values():
        assert setting.gamma > 0
        assert setting.C > 0
        assert setting.why
    usps = kernel_data.SETTINGS["usps"]
    assert (usps.gamma, usps.C) == (0.025, 10.0)
    assert usps.machine_C("llw", 10) == pytest.approx(4.4, abs=0.05)
    assert usps.machine_C("cs", 10) == 10.0


def test_subsets_are_rows_of_the_whole(monkeypatch, tmp_path):
    X = np.arange(7000, dtype=np.float32)[:, None]
    labels = np.arange(7000, dtype=np.int32) % 3
    np.savez(tmp_path / "mnist.npz", X=X, y=labels, X_test=X[:9], y_test=labels[:9])
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    part = kernel_data.load_kernel_data("mnist_5000")
    assert (part.name, part.X.shape) == ("mnist_5000", (5000, 1))
    rows = np.rint(part.X[:, 0] * 255).astype(int)
    assert len(set(rows)) == 5000
    np.testing.assert_array_equal(part.y, rows % 3)
    assert len(kernel_data.load_kernel_data("mnist").y) == 7000


def test_kernel_rows_are_those_of_the_support_vectors(monkeypatch):
    """Every tile is a part of the kernel matrix, and together they are all rows."""
    monkeypatch.setattr(kernel_fit, "TILE", (4, 5))
    seen = []
    exp = np.exp

    def spy(values, out):
        exp(values, out=out)
        seen.append(out.copy())
        return out

    monkeypatch.setattr(kernel_fit.np, "exp", spy)
    X = np.random.default_rng(0).standard_normal((13, 3)).astype(np.float32)
    support = np.array([1, 2, 5, 7, 11, 12])
    assert kernel_fit.kernel_rows_seconds(X, support, 0.3, 1) > 0
    tiles = [seen[0:3], seen[3:6]]
    kernel_matrix = np.vstack([np.hstack(row) for row in tiles])
    distances = ((X[support, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel_matrix, exp(-0.3 * distances), rtol=1e-5)


@pytest.mark.parametrize("name", ["ww", "llw", solver_name("cs", "s2do"), "SVC"])
def test_a_fit_reports_what_the_page_needs(stand_in, name):
    result = kernel_fit.train(name, "digits", 1, evaluate=True)
    assert json.loads(json.dumps(result)) == result
    assert result["shape"]["n"] == 1437
    assert 0.9 < result["accuracy"] <= 1
    assert 0 < result["support"] <= 1437
    assert ("limit" in result) == ENTRANTS[name].ours
    if ENTRANTS[name].ours:
        assert result["evaluations"] == 7 * 1437
        C = 40 / 9 if name == "llw" else 10.0
        assert stand_in.made[-1]["C"] == pytest.approx(C)
        assert stand_in.made[-1]["n_jobs"] == 1
    assert "accuracy" not in kernel_fit.train(name, "digits", 1, evaluate=False)


def test_a_fit_in_a_fresh_process():
    result = kernel_fit.fit_in_fresh_process("SVC", "digits", 1)
    assert result["accuracy"] > 0.9
    assert result["peak_bytes"] >= 0
    with pytest.raises(RuntimeError, match="Training nobody on digits failed"):
        kernel_fit.fit_in_fresh_process("nobody", "digits", 1)


def test_peak_counts_what_is_filled_and_freed():
    before = fresh.resident_and_reset_peak()
    filled = np.ones(4_000_000)
    del filled
    assert 25e6 < fresh.peak() - before < 60e6


def test_peers_that_are_missing_are_left_out(monkeypatch):
    table = kernel_tables.TABLES["machines, one thread"]
    monkeypatch.setattr(kernel_tables, "missing_peers", dict)
    assert set(PEERS) <= set(table.entrants("letter"))
    assert "llw" in table.entrants("usps")
    assert "llw" not in table.entrants("letter")
    monkeypatch.setattr(kernel_tables, "missing_peers", lambda: {PEERS[1]: "gone"})
    assert PEERS[1] not in table.entrants("letter")


def run(seconds, **more):
    """What a fit in a fresh process reports."""
    common = {"peak_bytes": 10**6, "support": 5, "data_bytes": 8}
    common |= {"processor_seconds": 2 * seconds, "shape": {"n": 10, "d": 2, "k": 3}}
    return {"seconds": seconds, **common, **more}


OURS = {"evaluations": 50, "gap": 1e-3, "iterations": 9, "status": "converged"}


def test_fits_take_turns_and_long_ones_run_once(monkeypatch):
    order = []

    def fake(entrant, data, threads, evaluate=True):
        order.append((entrant, evaluate))
        own = {} if entrant in PEERS else {**OURS, "limit": 1.0 / len(order)}
        return run({"SVC": 100.0}.get(entrant, float(len(order))), **own)

    monkeypatch.setattr(kernel_tables, "fit_in_fresh_process", fake)
    monkeypatch.setattr(kernel_tables, "missing_peers", dict)
    table = kernel_tables.TABLES["machines, one thread"]
    record = kernel_tables.measure(table, "letter", repeats=2)
    first = [("ww", True), ("cs", True), ("SVC", True), ("intelex SVC", True)]
    assert order == [*first, ("ww", False), ("cs", False), ("intelex SVC", False)]
    assert record["shape"]["n"] == 10
    entry = record["entrants"]["ww"]
    assert (entry["seconds"], entry["spread"], entry["limit"]) == (1.0, 5.0, 0.2)
    assert entry["runs"] == [1.0, 5.0]
    assert record["entrants"]["SVC"]["runs"] == [100.0]


def record_of(table, name, **seconds):
    """A record whose fits took so long; the limit is half a second."""
    entrants = {}
    for entrant, value in seconds.items():
        more = {} if entrant in PEERS else {**OURS, "limit": 0.5, "accuracy": 0.9}
        entrants[entrant] = kernel_tables.summary([run(value, **more)])
    return {
        "table": table,
        "data": name,
        "environment": ENVIRONMENT,
        "shape": {"n": 10, "d": 2, "k": 3},
        "data_bytes": 8,
        "threads": kernel_tables.TABLES[table].threads,
        "entrants": entrants,
    }


def test_page_shows_ratios_and_bars():
    records = [
        record_of("machines, one thread", "usps", ww=1.0, cs=2.0, llw=9.0, SVC=4.0),
        record_of("machines, one thread", "letter", ww=1.0, cs=1.0, SVC=0.5),
    ]
    text = kernel_page.render({"machines, one thread": records})
    assert "abacus" in text
    assert "| usps | 10 | 2 | 3 | 1.00 | 2.00 | 4.00 | 4.00x | 2.00x | - |" in text
    assert "ww: mean ratio of SVC to it: 1.41, to reach at least 3: **missed**" in text
    assert "smallest ratio of SVC to it (letter): 0.50, to reach at least 1" in text
    assert "cs: largest multiple of the limit (usps): 4.00, to reach at most 4" in text
    assert "usps, cs: seconds: 2.00, to reach at most 1.5: **missed**" in text
    assert "usps, llw: seconds: 9.00, to reach at most 10: **reached**" in text
    assert "| usps | ww | 1.00 | 1.00 | 2.0 | 5.00e-05 | 0.500 | 5 | 0.9000 |" in text
    assert "not measured by this harness" in text


def test_bars_of_usps_are_for_one_thread_and_memory_for_mnist():
    records = [
        record_of("machines, two threads", "usps", ww=1.0, SVC=4.0),
        record_of("machines, two threads", "mnist", ww=1.0, SVC=4.0),
    ]
    text = kernel_page.render({"machines, two threads": records})
    assert "seconds: 1.00, to reach" not in text
    assert "mnist, ww: GiB beyond the data: 0.00, to reach at most 2" in text


def test_solvers_are_multiples_of_the_default_and_marked_when_stopped():
    seconds = {solver_name(machine, solver): 2.0 for machine, solver in SOLVED}
    seconds[solver_name("ww", "smo")] = 8.0
    record = record_of("solvers", "usps", **seconds)
    record["entrants"][solver_name("llw", "smo")]["status"] = "max_time"
    text = kernel_page.render({"solvers": [record]})
    assert "| usps | ww | 2.00 | 9 | 2.00 (1.00x) | 9 | 8.00 (4.00x) | 9 |" in text
    assert "| usps | cs | 2.00 | 9 | 2.00 (1.00x) | 9 | - | - |" in text
    assert "2.00† (1.00x), gap 1.0e-03" in text
    assert "| geometric mean |  | 1.00x |  | 1.00x |  | 1.59x |  |" in text


def test_plan_resume_and_render(monkeypatch, tmp_path, capsys):
    store = Results(tmp_path)
    store.add(record_of("machines, one thread", "digits", ww=1.0, SVC=4.0))
    output = tmp_path / "page.md"
    common = ["--folder", str(tmp_path), "--output", str(output)]
    resumed = ["--tables", "1", "--data", "digits", "--resume"]
    assert kernel.main([*common, *resumed]) == 0
    assert "| digits | 0.05 | 10 |" in output.read_text()
    assert len(store.path.read_text().splitlines()) == 1
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert kernel.main(common) == 1
    assert "set it to their folder" in capsys.readouterr().err
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    plan = kernel.planned(kernel.parse([]))
    assert len(plan) == sum(len(table.data) for table in kernel_tables.TABLES.values())
    quick = kernel.planned(kernel.parse(["--quick", "--tables", "s"]))
    assert {table for table, _ in quick} == {"solvers"}
    assert {name for _, name in quick} == set(kernel_data.QUICK_NAMES)
