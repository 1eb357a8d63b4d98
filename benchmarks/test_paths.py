"""Tests of the benchmark of paths: on digits, with few values of C."""

import pytest

from . import data, paths


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(paths, "CS", (0.01, 0.1))
    monkeypatch.setattr(paths, "MACHINES", ("cs",))
    monkeypatch.setattr(paths, "REPEATS", 1)
    monkeypatch.setattr(paths, "FOLDS", 2)


def test_both_ways_reach_the_same_objectives(small):
    digits = data.load("digits")
    warm, cold = paths.walk(digits, "cs"), paths.start_again(digits, "cs")
    assert warm["objectives"] == pytest.approx(cold["objectives"], rel=2e-3)
    assert max(warm["gap"], cold["gap"]) <= 1e-3


def test_both_searches_see_the_same_folds(small):
    digits = data.load("digits")
    ours, theirs = paths.choose_with_tune(digits), paths.choose_with_grid(digits)
    assert ours["validation"] == pytest.approx(theirs["validation"], abs=0.01)
    assert ours["accuracy"] == pytest.approx(theirs["accuracy"], abs=0.02)


def test_the_page(small, tmp_path):
    output = tmp_path / "page.md"
    folder = ["--folder", str(tmp_path), "--output", str(output)]
    assert paths.main([*folder, "--data", "digits"]) == 0
    text = output.read_text()
    assert "| digits | cs |" in text
    assert text.count("Geometric mean of the ratios") == 2
    output.unlink()
    assert paths.main([*folder, "--render"]) == 0
    assert output.read_text() == text
