"""The contest of training from disk: both ways, and its page."""

import pytest
from benchmark_records import page_of, record

import polymargin
from benchmarks.contests import disk
from benchmarks.harness.data import load


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    data = load("digits")
    path = tmp_path_factory.mktemp("disk") / "digits.rows"
    return polymargin.convert([(data.X, data.y)], path)


@pytest.mark.parametrize("machine", disk.MACHINES)
def test_both_ways(store, machine):
    found = {
        way: disk.train(way, str(store.path), machine, "digits") for way in disk.WAYS
    }
    assert all(fit["gap"] <= 1e-3 for fit in found.values())
    objectives = [fit["objective"] for fit in found.values()]
    assert objectives[0] == pytest.approx(objectives[1], rel=2e-3)
    assert found["disk"]["limit"] == disk.LEAST


def test_page(tmp_path):
    fit = {"seconds": 2.0, "processor_seconds": 1.0, "peak_bytes": 5e6, "passes": 9}
    fit["objective"] = 3.0
    slow = fit | {"seconds": 6.0, "limit": 4e6}
    fits = {"cs": {"memory": fit, "disk": slow}}
    one = record("disk", "digits", bytes=1e6, fits=fits)
    text = page_of(tmp_path, "disk", "benchmarks-disk.md", one)
    assert "| digits | 1.00 | cs | 4.00 | 5.00 | 5.00 | 6.00 | 2.00 | 3.00x |" in text
    assert "3.00, to reach at most 2.5: **missed** by a factor of 1.20" in text
