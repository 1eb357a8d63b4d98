"""Tests of the page of LaRank and GaLa: made-up curves, and one real epoch."""

import numpy as np
import pytest
from benchmark_records import page_of, record

from benchmarks.harness.data import Dataset
from benchmarks.papers import online


def shuffled(name, shuffle, factors):
    """A record whose methods all reach a dual of 10, in so many times a second."""
    methods = {}
    for method in online.methods(name):
        times = factors.get(method, 1.0) * np.arange(1, 11)
        curve = {key: times.tolist() for key in ("seconds", "processor", "work")}
        curve |= {"dual": np.arange(1.0, 11).tolist(), "error": [0.1] * 10}
        steps = {"new": 100, "old": 200, "optimize": 3000}
        methods[method] = {"curve": curve, "support": 50, "steps": steps}
    return record("001-1", f"{name}, {shuffle}", name=name, methods=methods)


def test_who_is_sooner_by_which_clock(tmp_path):
    factors = {"GaLa, time": 0.8, "GaLa": 0.5, "GaLaFix": 2.0, "algorithm 2": 3.0}
    records = [shuffled("usps", shuffle, factors) for shuffle in range(2)]
    text = page_of(tmp_path, "papers", "papers-online.md", *records)
    assert (tmp_path / "docs" / "papers-online.png").exists()
    assert "| usps | 2 | 12 % | 20 % | 50 % | -50 % |" in text
    assert "| usps 20 % | **holds** |" in text  # in seconds
    assert "| usps -50 % | **does not hold** |" in text  # at the paper's rates
    assert "| usps -66.7 % | **holds** |" in text  # without a limit of hits
    assert "| usps | LaRank | 10.0 | 10.00 | 2.00 / 30.0 | 50 |" in text
    other = shuffled("letter", 0, {"GaLa, time": 1.5})
    text = page_of(tmp_path, "papers", "papers-online.md", other)
    assert "| usps 20 %, letter -33.3 % | **holds in part** |" in text


def test_letter_is_divided_as_in_the_paper(monkeypatch):
    X = np.arange(20_000, dtype=np.float32)[:, None]
    y = np.arange(20_000) % 26
    file = Dataset("letter", X[:15_000], y[:15_000], X[15_000:], y[15_000:])
    monkeypatch.setattr(online, "load", lambda name, scaled: file)
    data = online.load_as_there("letter")
    assert (len(data.y), len(data.y_test)) == (16_000, 4_000)
    assert data.X_test[0] == 16_000 and data.y_test[0] == 16_000 % 26


@pytest.mark.parametrize("method", ["LaRankFix", "algorithm 2"])
def test_an_epoch_of_a_method(method):
    found = online.learn(method, "digits", 0)
    assert found["curve"]["dual"] == sorted(found["curve"]["dual"])
    steps = found["steps"]
    assert steps["new"] == found["shape"]["n"]
    if method == "LaRankFix":
        assert steps["old"] / steps["new"] == pytest.approx(2.0, rel=0.1)
        assert steps["optimize"] / steps["new"] == pytest.approx(40.0, rel=0.1)
