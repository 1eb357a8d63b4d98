"""Tests of the contest of low-rank features: tiny data and made-up runs."""

import json

import pytest
from benchmark_records import page_of, record, run_in

from benchmarks.contests import nystroem
from benchmarks.harness.kernel_settings import LARGE, SETTINGS


@pytest.mark.parametrize("entrant", ["exact", "linear", "rank 100"])
def test_a_fit_reports_what_the_page_needs(entrant):
    result = nystroem.train(entrant, "digits", 0)
    assert json.loads(json.dumps(result)) == result
    assert set(nystroem.MEDIANS) <= set(result)
    assert result["status"] == "converged"
    assert 0.9 < result["accuracy"] <= 1


def test_entrants_are_what_their_names_say():
    setting = SETTINGS["usps"]
    low_rank = nystroem.build("rank 300", setting, 7)
    assert (low_rank.approximation, low_rank.rank) == ("nystroem", 300)
    assert (low_rank.gamma, low_rank.C) == (setting.gamma, setting.C)
    assert low_rank.random_state == 7
    exact = nystroem.build("exact", setting, 7)
    assert (exact.approximation, exact.machine) == (None, low_rank.machine)


def test_every_seed_is_run_once_and_medians_are_shown(monkeypatch, tmp_path):
    seen = []

    def fit(function, entrant, data, seed):
        seen.append((entrant, seed))
        return {
            "seconds": float(1 + seed),
            "peak_bytes": 10**6 * (1 + seed),
            "accuracy": {"exact": 0.9}.get(entrant, 0.4),
            "status": "max_iter" if (entrant, seed) == ("rank 100", 1) else "converged",
            "shape": {"n": 10_000, "d": 2, "k": 3},
        }

    monkeypatch.setattr(nystroem, "in_fresh_process", fit)
    found = nystroem.measure("digits", run_in(tmp_path, seeds=3))
    names = nystroem.entrants("digits")
    assert sorted(seen) == sorted((one, seed) for one in names for seed in range(3))
    one = record("nystroem", "digits", **found)
    text = page_of(tmp_path, "nystroem", "benchmarks-nystroem.md", one)
    assert "| digits | 10,000 | 2 | 3 | exact | 2.00 | 2.00 | 0.9000 |" in text
    assert "| rank 100 (max_iter) | 2.00 | 2.00 | 0.4000 |" in text
    assert "| digits | 0.05 | 10 |" in text
    seen.clear()
    assert "linear" in nystroem.measure(LARGE, run_in(tmp_path, seeds=3))["entrants"]
    assert {seed for _, seed in seen} == {0}
