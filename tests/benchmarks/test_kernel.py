"""Tests of the kernel contest: a stand-in for the estimator and tiny data."""

import json

import numpy as np
import pytest
from benchmark_records import page_of, record, run_in
from sklearn.svm import SVC

import polymargin
from benchmarks.contests import kernel
from benchmarks.harness import kernel_settings
from benchmarks.harness.data import FOLDER_VARIABLE

PEERS = kernel.PEERS


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


def test_settings():
    usps = kernel_settings.SETTINGS["usps"]
    assert (usps.gamma, usps.C) == (0.025, 10.0)
    assert usps.machine_C("llw", 10) == pytest.approx(4.4, abs=0.05)
    assert usps.machine_C("cs", 10) == 10.0


def test_subsets_are_rows_of_the_whole(monkeypatch, tmp_path):
    X = np.arange(7000, dtype=np.float32)[:, None]
    labels = np.arange(7000, dtype=np.int32) % 3
    np.savez(tmp_path / "mnist.npz", X=X, y=labels, X_test=X[:9], y_test=labels[:9])
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    part = kernel_settings.load_kernel_data("mnist_5000")
    assert (part.name, part.X.shape) == ("mnist_5000", (5000, 1))
    rows = np.rint(part.X[:, 0] * 255).astype(int)
    assert len(set(rows)) == 5000
    np.testing.assert_array_equal(part.y, rows % 3)
    assert len(kernel_settings.load_kernel_data("mnist").y) == 7000


def test_kernel_rows_are_those_of_the_support_vectors(monkeypatch):
    """Every tile is a part of the kernel matrix, and together they are all rows."""
    monkeypatch.setattr(kernel, "TILE", (4, 5))
    seen = []
    exp = np.exp

    def spy(values, out):
        exp(values, out=out)
        seen.append(out.copy())
        return out

    monkeypatch.setattr(kernel.np, "exp", spy)
    X = np.random.default_rng(0).standard_normal((13, 3)).astype(np.float32)
    support = np.array([1, 2, 5, 7, 11, 12])
    kernel.kernel_rows(X, support, 0.3, 1)
    tiles = [seen[0:3], seen[3:6]]
    kernel_matrix = np.vstack([np.hstack(row) for row in tiles])
    distances = ((X[support, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel_matrix, exp(-0.3 * distances), rtol=1e-5)


@pytest.mark.parametrize("name", ["ww", "llw", "cs by s2do", "SVC"])
def test_a_fit_reports_what_the_page_needs(stand_in, name):
    result = kernel.train(name, "digits", 1, evaluate=True)
    assert json.loads(json.dumps(result)) == result
    assert result["shape"]["n"] == 1437
    assert 0.9 < result["accuracy"] <= 1
    assert 0 < result["support"] <= 1437
    assert ("limit" in result) == (name != "SVC")
    if name != "SVC":
        made = stand_in.made[-1]
        assert result["evaluations"] == 7 * 1437
        assert made["C"] == pytest.approx(40 / 9 if name == "llw" else 10.0)
        assert made["n_jobs"] == 1
        assert made.get("solver") == ("s2do" if "by" in name else None)
    assert "accuracy" not in kernel.train(name, "digits", 1, evaluate=False)


def test_peers_that_are_missing_are_left_out(monkeypatch):
    assert kernel.present(("ww", "SVC")) == ["ww", "SVC"]
    monkeypatch.setattr(kernel, "find_spec", lambda name: None)
    assert kernel.present(("ww", *PEERS)) == ["ww", "SVC"]


def run(seconds, **more):
    """What a fit in a fresh process reports."""
    common = {"peak_bytes": 10**6, "support": 5, "shape": {"n": 10, "d": 2, "k": 3}}
    return {"seconds": seconds, "processor_seconds": 2 * seconds, **common, **more}


OURS = {"evaluations": 50, "gap": 1e-3, "iterations": 9, "status": "converged"}


def test_fits_take_turns_and_long_ones_run_once(monkeypatch, tmp_path):
    order = []

    def fake(*words, **options):
        _, entrant, _, _, evaluate = words

        def fit():
            order.append((entrant, evaluate))
            own = {} if entrant in PEERS else {**OURS, "limit": 1.0 / len(order)}
            return run({"SVC": 100.0}.get(entrant, float(len(order))), **own)

        return fit

    monkeypatch.setattr(kernel, "fresh", fake)
    monkeypatch.setattr(kernel, "present", list)
    entry = kernel.TABLES["1"].measure("letter", run_in(tmp_path, repeats=2))
    first = [("ww", True), ("cs", True), ("SVC", True), ("intelex SVC", True)]
    assert order == [*first, ("ww", False), ("cs", False), ("intelex SVC", False)]
    found = entry["entrants"]["ww"]
    assert (found["seconds"], found["spread"], found["limit"]) == (1.0, 5.0, 0.2)
    assert entry["entrants"]["SVC"]["runs"] == [100.0]
    more = kernel.TABLES["1"].measure("usps", run_in(tmp_path))
    assert "llw" in more["entrants"] and "llw" not in entry["entrants"]


def record_of(table, name, **seconds):
    """A record whose fits took so long; the limit is half a second."""
    entrants = {}
    for entrant, value in seconds.items():
        more = {} if entrant in PEERS else {**OURS, "limit": 0.5, "accuracy": 0.9}
        entrants[entrant] = kernel.summary([run(value, **more)])
    shape, threads = {"n": 10, "d": 2, "k": 3}, 2 if table == "2" else 1
    return record(table, name, shape=shape, threads=threads, entrants=entrants)


def test_page_shows_ratios_and_bars(tmp_path):
    records = [
        record_of("1", "letter", ww=1.0, cs=1.0, SVC=0.5),
        record_of("1", "usps", ww=1.0, cs=2.0, llw=9.0, SVC=4.0),
        record_of("2", "usps", ww=1.0, SVC=4.0),
        record_of("2", "mnist", ww=1.0, SVC=4.0),
    ]
    text = page_of(tmp_path, "kernel", "benchmarks-kernel.md", *records)
    assert "| usps | 0.025 | 10 | as in the paper on GaLa" in text
    assert text.index("| usps | 10 |") < text.index("| letter | 10 |")
    assert "| usps | 10 | 2 | 3 | 1.00 | 2.00 | 4.00 | 4.00x | 2.00x | - |" in text
    assert "ww: mean ratio of SVC to it: 1.41, to reach at least 3: **missed**" in text
    assert "smallest ratio of SVC to it (letter): 0.50, to reach at least 1" in text
    assert "cs: largest multiple of the limit (usps): 4.00, to reach at most 4" in text
    assert "usps, cs: seconds: 2.00, to reach at most 1.5: **missed**" in text
    assert text.count("usps, ww: seconds") == 1  # on one thread only
    assert "usps, llw: seconds: 9.00, to reach at most 10: **reached**" in text
    assert "| usps | ww | 1.00 | 1.00 | 2.0 | 5.00e-05 | 0.500 | 5 | 0.9000 |" in text
    assert "mnist, ww: GiB beyond the data: 0.00, to reach at most 2" in text
    assert "not measured by this harness" in text


def test_solvers_are_multiples_of_the_default_and_marked_when_stopped(tmp_path):
    seconds = {f"{machine} by {solver}": 2.0 for machine, solver in kernel.SOLVED}
    seconds["ww by smo"] = 8.0
    one = record_of("solvers", "usps", **seconds)
    one["entrants"]["llw by smo"]["status"] = "max_time"
    text = page_of(tmp_path, "kernel", "benchmarks-kernel.md", one)
    assert "| usps | ww | 2.00 | 9 | 2.00 (1.00x) | 9 | 8.00 (4.00x) | 9 |" in text
    assert "| usps | cs | 2.00 | 9 | 2.00 (1.00x) | 9 | - | - |" in text
    assert "2.00† (1.00x), gap 1.0e-03" in text
    assert "| geometric mean |  | 1.00x |  | 1.00x |  | 1.59x |  |" in text
