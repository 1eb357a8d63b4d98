"""Tests of the benchmark of low-rank features: tiny data and made-up records."""

import json

import pytest

from . import kernel_data, nystroem, nystroem_fit
from .results import Results
from .test_benchmarks import ENVIRONMENT


@pytest.mark.parametrize("entrant", nystroem_fit.ENTRANTS)
def test_a_fit_reports_what_the_page_needs(entrant):
    result = nystroem_fit.train(entrant, "digits", 0, threads=1)
    assert json.loads(json.dumps(result)) == result
    assert set(nystroem.MEDIANS) <= set(result)
    assert result["status"] == "converged"
    assert result["shape"]["n"] == 1437
    assert 0.9 < result["accuracy"] <= 1


def test_entrants_are_what_their_names_say():
    setting = kernel_data.SETTINGS["usps"]
    low_rank = nystroem_fit.build("rank 300", setting, 7, 1)
    assert (low_rank.approximation, low_rank.rank) == ("nystroem", 300)
    assert (low_rank.gamma, low_rank.C) == (setting.gamma, setting.C)
    assert low_rank.random_state == 7
    exact = nystroem_fit.build("exact", setting, 7, 1)
    assert (exact.approximation, exact.machine) == (None, low_rank.machine)
    assert nystroem.entrants("usps")[0] == "exact"
    assert nystroem.entrants(nystroem.LARGE)[0] == "linear"


def run(accuracy, seed):
    """What a fit in a fresh process reports."""
    return {
        "seconds": float(1 + seed),
        "peak_bytes": 10**6 * (1 + seed),
        "accuracy": accuracy,
        "status": "max_iter" if seed == 1 and accuracy < 0.5 else "converged",
        "shape": {"n": 10_000, "d": 2, "k": 3},
    }


def test_every_seed_is_run_once_and_medians_are_shown(monkeypatch, tmp_path):
    seen = []

    def fit(entrant, data, seed, threads):
        seen.append((entrant, data, seed, threads))
        return run({"exact": 0.9, "rank 100": 0.4}.get(entrant, 0.8), seed)

    monkeypatch.setattr(nystroem, "fit_in_fresh_process", fit)
    output = tmp_path / "page.md"
    common = ["--folder", str(tmp_path), "--output", str(output)]
    assert nystroem.main([*common, "--data", "digits"]) == 0
    seeds = range(nystroem.SEEDS)
    names = nystroem.entrants("digits")
    assert sorted(seen) == sorted((one, "digits", s, 1) for one in names for s in seeds)
    text = output.read_text()
    assert "| digits | 10,000 | 2 | 3 | exact | 2.00 | 2.00 | 0.9000 |" in text
    assert "| rank 100 (max_iter) | 2.00 | 2.00 | 0.4000 |" in text
    assert "| digits | 0.05 | 10 |" in text
    assert nystroem.main([*common, "--data", "digits", "--resume"]) == 0
    assert len(seen) == len(names) * nystroem.SEEDS


def test_large_data_has_one_seed(monkeypatch):
    seen = []
    monkeypatch.setattr(
        nystroem,
        "fit_in_fresh_process",
        lambda entrant, data, seed, threads: seen.append(seed) or run(0.8, seed),
    )
    record = nystroem.measure(nystroem.LARGE)
    assert seen == [0] * len(nystroem.entrants(nystroem.LARGE))
    assert record["entrants"]["linear"]["seconds"] == 1.0


def test_render_measures_nothing(tmp_path):
    entry = {"seconds": 1.0, "peak_bytes": 2e6, "accuracy": 0.5, "status": []}
    record = {"table": nystroem.TABLE, "data": "usps", "environment": ENVIRONMENT}
    record |= {"shape": {"n": 1, "d": 2, "k": 3}, "gamma": 0.5, "C": 2.0, "why": "so"}
    Results(tmp_path).add(record | {"entrants": {"exact": entry}})
    output = tmp_path / "page.md"
    common = ["--folder", str(tmp_path), "--output", str(output)]
    assert nystroem.main([*common, "--render"]) == 0
    assert "| usps | 0.5 | 2 | so |" in output.read_text()


def test_data_need_their_folder(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("POLYMARGIN_DATA", raising=False)
    assert nystroem.main(["--folder", str(tmp_path)]) == 1
    assert "--data digits" in capsys.readouterr().err
