"""Tests of the contest of convergence, on small data and on made-up records."""

import pytest
from benchmark_records import page_of, record, run_in

from benchmarks.contests import newton


def fit(seconds, status="converged", gap=1e-4, solver="dual"):
    return {
        **{"seconds": seconds, "spread": 1.0, "accuracy": 0.9, "status": status},
        **{"gap": gap, "solver": solver, "iterations": 3},
    }


def raw(data, peer, ours, **others):
    fits = {newton.PEER: {"seconds": peer, "accuracy": 0.8, "spread": 1.0}}
    fits |= {label: fit(ours) for label in newton.MACHINES} | others
    return record("raw", data, shape={}, fits=fits)


def test_every_machine_is_measured_beside_the_peer(tmp_path, monkeypatch):
    kept = {label: newton.MACHINES[label] for label in ("ovr squared", "maxent")}
    monkeypatch.setattr(newton, "MACHINES", kept)
    found = newton.measure_raw("breast_cancer", run_in(tmp_path))
    assert list(found["fits"]) == [newton.PEER, *kept]
    assert found["shape"]["d"] == 30
    assert all(one["accuracy"] > 0.8 for one in found["fits"].values())


def test_who_did_not_converge_is_named(tmp_path):
    late = {"ww": fit(9.0, "max_iter", 0.5)}
    records = [raw("wine", 1.0, 0.5), raw("iris", 1.0, 4.0, **late)]
    text = page_of(tmp_path, "newton", "benchmarks.md", *records)
    assert "Converged: 17 of 18 fits; not: iris ww (5.0e-01)." in text
    assert "9.00 †" in text
    assert (
        "cs, seconds divided by those of LinearSVC(), mean: **1.41** (goal: at" in text
    )


def test_regret_is_against_the_better_method_that_converged():
    fits = {"dual": fit(1.0, "max_time"), "newton": fit(3.0), "auto": fit(4.5)}
    assert newton.regret({"fits": fits}) == pytest.approx(1.5)


def test_regret_and_gaps_are_shown(tmp_path):
    fits = {"dual": fit(2.0), "newton": fit(1.0), "auto": fit(1.2, solver="both")}
    gaps = {
        f"{tol:g}": fit(1.0 + place, gap=tol) for place, tol in enumerate(newton.GAPS)
    }
    records = [
        record("regret", "satimage, C = 100", shape={}, fits=fits),
        record("gaps", "wine", shape={}, fits=gaps),
    ]
    text = page_of(tmp_path, "newton", "benchmarks.md", *records)
    assert "largest regret (satimage, C = 100): **1.20** (goal: at most 1.3" in text
    assert "| wine | 1.00 | 2.00 | 3.00 | 1.0e-09 | 3.00x |" in text


def test_curves_are_drawn(tmp_path):
    curves = {
        name: {"seconds": [0.1, 1.0], "gap": [0.5, 1e-5]} for name in newton.SOLVERS
    }
    page_of(
        tmp_path,
        "newton",
        "benchmarks.md",
        record("curves", "wine", curves=curves),
    )
    assert (tmp_path / "docs" / "benchmarks-newton.png").stat().st_size > 10_000
