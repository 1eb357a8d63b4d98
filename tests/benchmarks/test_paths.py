"""Tests of the contest of paths: on digits, with few values of C."""

import pytest
from benchmark_records import page_of, record, run_in

from benchmarks.contests import paths
from benchmarks.harness.data import load


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(paths, "CS", (0.01, 0.1))
    monkeypatch.setattr(paths, "MACHINES", ("cs",))
    monkeypatch.setattr(paths, "FOLDS", 2)


def test_both_ways_reach_the_same_objectives(small):
    digits = load("digits")
    warm, cold = paths.walk(digits, "cs"), paths.start_again(digits, "cs")
    assert warm["objectives"] == pytest.approx(cold["objectives"], rel=2e-3)
    assert max(warm["gap"], cold["gap"]) <= 1e-3


def test_both_searches_see_the_same_folds(small, tmp_path):
    found = paths.measure("digits", run_in(tmp_path))
    ours, theirs = found["searches"]["tune"], found["searches"]["grid"]
    assert ours["validation"] == pytest.approx(theirs["validation"], abs=0.01)
    assert ours["accuracy"] == pytest.approx(theirs["accuracy"], abs=0.02)
    one = record("paths", "digits", **found)
    text = page_of(tmp_path, "paths", "benchmarks-paths.md", one)
    assert "| digits | cs |" in text
    assert text.count("Geometric mean of the ratios") == 2
