"""Tests of the papers' figures: followed runs, and pages of made-up records."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark_records import page_of, record

from benchmarks.harness.contest import Run
from benchmarks.harness.data import load
from benchmarks.harness.objectives import Formulation
from benchmarks.harness.records import Records
from benchmarks.papers import following, sequential_dual, simplex_projection
from benchmarks.papers.claims import FAILS, HOLDS, PARTLY
from benchmarks.papers.curves import ahead, outcomes, verdict_of

SHAPE = {"n": 1000, "d": 10, "k": 10, "nnz": 100}


@pytest.fixture
def digits():
    data = load("digits")
    return replace(data, X=data.X[:200], y=data.y[:200])


@pytest.fixture
def best(digits):
    model = Formulation("cs").estimator(tol=1e-6)
    return model.fit(digits.X.astype(float), digits.y).objective_


@pytest.mark.parametrize("name", sequential_dual.RIVALS)
def test_curves_come_down_to_one_optimum(digits, best, name):
    # The clock has no say: loops end what does not come down.
    limits = following.Limits(seconds=np.inf, loops=60.0, difference=1e-2)
    method = sequential_dual.RIVALS[name]
    curve = following.follow(digits, method, 1.0, best, 0, limits)
    assert len({len(values) for values in curve.values()}) == 1
    assert curve["difference"][0] > curve["difference"][-1]
    assert (np.diff(curve["loops"]) > 0).all()
    assert (np.diff(curve["seconds"]) > 0).all()
    assert curve["loops"][-1] <= 61
    if name in ("SDM", "default"):
        assert curve["difference"][-1] <= 1e-2
        assert curve["accuracy"][-1] > 0.8


def test_loops_count_derivatives(digits, best):
    """A loop over all classes is one; shrunk ones cost what they look at."""
    limits = following.Limits(seconds=np.inf, loops=12.0, difference=0)
    share = []
    for name in ("with", "without"):
        method = sequential_dual.heuristics("digits, ww")[name]
        driver = method.driver(digits.X.astype(float), digits.y, 10, 1.0, 0)
        looks = following.looks(driver, 200, 10, 1.0)
        found = [next(looks) for _ in range(8)]
        share.append(found[-1].loops / found[-1].passes)
    assert share[0] < 0.9
    assert share[1] == pytest.approx(1.0)
    quarter = following.follow(digits, method, 1.0, None, 0, limits, 0.25)
    assert quarter["loops"][:4] == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_looks_are_not_counted(digits, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(following, "process_time", lambda: now[0])

    def look(driver, data):
        now[0] += 5.0
        return 0.5

    monkeypatch.setattr(following, "accuracy", look)
    method = simplex_projection.SOLVERS["Sort"]
    found = following.after_passes(digits, method, 1.0, (1, 3), 0)
    assert found == {"accuracy": [0.5, 0.5], "seconds": [0.0, 0.0]}


def test_medians_and_ties():
    curves = [
        {"difference": [0.5, 0.05, 0.2, 0.005], "loops": [1.0, 2.0, 3.0, at]}
        for at in (4.0, 5.0, 9.0)
    ]
    assert following.median_to(curves, 0.1, "loops") == 5.0  # for good
    assert following.median_to(curves, 0.001, "loops") == np.inf
    assert ahead(1.0, 2.0, "loops") == 1
    assert ahead(1.0, 1.04, "loops") == 0
    assert ahead(np.inf, 2.0, "seconds") == -1
    one = {"data": "a", "curves": {"x": curves, "y": curves}}
    assert outcomes([one], "x", "y", "loops", 0.1) == {"a": 0}


def curves_of(factors, **changes):
    """Curves of one shape, so many times as long for each method."""
    facts = {"difference": [0.5, 0.009, 0.0001], "accuracy": [0.5, 0.9, 0.9]} | changes
    return {
        method: [
            facts
            | {axis: [factor, 2 * factor, 3 * factor] for axis in ("seconds", "loops")}
        ]
        for method, factor in factors.items()
    }


def test_page_of_the_sequential_dual_method(tmp_path):
    factors = {"SDM": 1.0, "default": 0.5, "EG": 10.0, "CP": 5.0}
    facts = {"shape": SHAPE, "optimum": {"gap": 1e-5}}
    one = record("000-figure-3", "mnist", curves=curves_of(factors), **facts)
    text = page_of(tmp_path, "papers", "papers-sequential-dual.md", one)
    assert "| mnist | SDM | 2.00 | 2.00 | 3.00 | 2.00 | 90.00 |" in text
    assert (
        "| SDM by seconds ahead on mnist; by loops ahead on mnist | **holds** |" in text
    )
    assert (
        "EG by seconds behind on mnist; by loops behind on mnist | **does not" in text
    )
    assert "| **not run** |" in text
    picture = tmp_path / "docs" / "papers-sequential-dual-3.png"
    assert picture.stat().st_size > 1000


def test_page_of_projections(tmp_path):
    labels = [*simplex_projection.SOLVERS]
    factors = {name: 1.0 + at for at, name in enumerate(labels)}
    facts = {"shape": SHAPE, "optimum": {"gap": 1e-5}}
    passes = {
        name: {
            "accuracy": [[0.9 - 0.01 * at + 0.001 * s] * 3 for s in range(2)],
            "seconds": [[1.0, 3.0, 5.0]] * 2,
        }
        for at, name in enumerate(labels)
    }
    by_C = {f"{C:g}": [0.9] for C in simplex_projection.CS}
    accuracies = {name: dict(by_C) for name in simplex_projection.TOLERANCES}
    accuracies["r = -1"]["100"] = [0.5]
    seconds = {name: [1.0, 2.0] for name in labels}
    records = [
        record("002-figure-1", "news20_bydate", curves=curves_of(factors), **facts),
        record("002-II", "news20_bydate", shape=SHAPE, methods=passes),
        record("002-figure-4", "news20_bydate", shape=SHAPE, accuracy=accuracies),
        record("002-figure-2", "clinc150", classes=[5, 10], rows=100, seconds=seconds),
    ]
    text = page_of(tmp_path, "papers", "papers-simplex-projection.md", *records)
    assert "| news20_bydate, 1 | 90.05 ± 0.071 (83.51) |" in text
    assert "Sort above SMO, points: news20_bydate +3.00 | **holds** |" in text
    assert "powers of k: clinc150 1.00 to 1.00 | **holds** |" in text
    assert "0.00, 40.00 points for C = 0.01 to 100 | **holds** |" in text
    for number in (1, 2, 4):
        picture = tmp_path / "docs" / f"papers-simplex-projection-{number}.png"
        assert picture.stat().st_size > 1000


def test_measurements_run_on_small_data(digits, tmp_path, monkeypatch):
    run = Run(1, 1, Records(tmp_path / "r.jsonl"), tmp_path)
    rows = digits.X, digits.y
    monkeypatch.setattr(simplex_projection, "all_rows", lambda name: rows)
    monkeypatch.setattr(simplex_projection, "SPLITS", 2)
    monkeypatch.setattr(simplex_projection, "CS", (0.1, 10.0))
    found = simplex_projection.measure_passes("digits", run)["methods"]
    assert np.shape(found["SMO"]["accuracy"]) == (2, 3)
    exact = found["Sort"]["accuracy"]
    assert exact == found["Pivot"]["accuracy"] == found["ours"]["accuracy"]
    assert found["SMO"]["accuracy"] != found["FW"]["accuracy"]  # after one pass, too
    growing = simplex_projection.measure_classes("digits", run)
    assert growing["classes"][-1] == 10
    accuracy = simplex_projection.measure_cs("digits", run)["accuracy"]
    assert set(accuracy["r = -5"]) == {"0.1", "10"}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [({"a": 1, "b": 1}, HOLDS), ({"a": 1, "b": 0}, PARTLY), ({"a": 0}, FAILS)],
)
def test_verdicts(found, verdict):
    assert verdict_of(found) == verdict
