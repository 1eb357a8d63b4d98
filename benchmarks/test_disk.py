"""The benchmark of training from disk: both ways, and its page."""

import pytest

import polymargin

from . import disk
from .data import load


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    data = load("digits")
    path = tmp_path_factory.mktemp("disk") / "digits.rows"
    return polymargin.convert([(data.X, data.y)], path)


@pytest.mark.parametrize("machine", disk.MACHINES)
def test_both_ways(store, machine):
    found = {
        way: fit(str(store.path), machine, "digits") for way, fit in disk.WAYS.items()
    }
    assert all(fit["gap"] <= 1e-3 for fit in found.values())
    objectives = [fit["objective"] for fit in found.values()]
    assert objectives[0] == pytest.approx(objectives[1], rel=2e-3)
    assert found["disk"]["limit"] == disk.LEAST


def test_page():
    fit = {"seconds": 2.0, "processor": 1.0, "peak": 5e6, "passes": 9, "objective": 3.0}
    slow = fit | {"seconds": 6.0, "limit": 4e6}
    environment = {"date": "today", "command": "it", "processor": "one"}
    record = {
        "table": "disk",
        "data": "digits",
        "environment": environment,
        "bytes": 1e6,
        "fits": {"cs": {"memory": fit, "disk": slow}},
    }
    page = disk.render([record])
    assert "| digits | 1.00 | cs | 4.00 | 5.00 | 5.00 | 6.00 | 2.00 | 3.00x |" in page
    assert "3.00, to reach at most 2.5: **missed** by a factor of 1.20" in page
