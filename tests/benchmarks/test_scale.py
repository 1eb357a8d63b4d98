"""Tests of the contest of partitions: small data, made-up records, no Spark."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmark_records import page_of, record, run_in

from benchmarks.contests import scale, spark

SHAPE = {"n": 1000, "d": 100, "k": 10, "nnz": 5000}


def test_both_places_reach_the_same_objective(tmp_path):
    pytest.importorskip("distributed")
    alone, parted = (
        scale.measure_partitions(f"digits, maxent, {parts}", run_in(tmp_path))
        for parts in (scale.ALONE, 1)
    )
    assert max(alone["gap"], parted["gap"]) <= 1e-3
    assert parted["objective"] == pytest.approx(alone["objective"], rel=2e-3)
    assert parted["bytes_per_round"] >= 64 * 10 * 4
    assert (parted["name"], parted["machine"]) == ("digits", "maxent")


def cell(parts, rounds, gap=1e-4, name="made up", **more):
    facts = {
        "name": name,
        "machine": "cs",
        "parts": parts,
        "tol": 1e-3,
        "shape": SHAPE,
        "seconds": 2.0,
        "rounds": rounds,
        "gap": gap,
        "accuracy": 0.9,
        "epoch_seconds": 0.1,
        "visits": rounds * SHAPE["n"],
        "bytes_per_round": 4e6,
        "round_seconds": 0.3,
    }
    return record("partitions", f"{name}, cs, {parts}", **facts | more)


OVERHEAD = record(
    "overhead",
    "digits",
    shape=SHAPE,
    rounds={"8": {"round_seconds": 0.08, "empty_seconds": 0.008}},
)


def page(tmp_path, *records):
    return page_of(tmp_path, "scale", "benchmarks-scale.md", *records)


def test_fits_that_did_not_converge_show_their_gap(tmp_path):
    text = page(tmp_path, cell(0, 9), cell(2, 300, gap=0.02), OVERHEAD)
    assert "| made up | cs | 2.00 | - | 2.00 (2.0e-02) | - | - | - | - |" in text
    assert "| 8 | 80.0 | 8.00 | 10.0 | 1.00 |" in text


def spark_record(*fits, ours=1.0):
    keys = ("iterations", "seconds", "accuracy")
    return record(
        "spark",
        "made up, LogisticRegression",
        name="made up",
        peer=spark.LOGISTIC,
        goal=0.899,
        ladder=[],
        ours={"maxent": {"2": cell(2, 9, seconds=ours)}},
        fits=[dict(zip(keys, fit, strict=True)) for fit in fits],
    )


@pytest.mark.parametrize(
    ("fits", "said"),
    [
        (
            [(5, 3.0, 0.8), (10, 20.0, 0.899)],
            "20.00, to reach at least 10: **reached**",
        ),
        ([(5, 3.0, 0.8), (10, 4.0, 0.9)], "4.00, to reach at least 10: **missed**"),
        (
            [(5, 3.0, 0.8), (10, 4.0, 0.8)],
            "more than 4.00, to reach at least 10: **open",
        ),
        ([(5, 3.0, 0.8), (10, 600.0, None)], "at least: 600.00, to reach at least 10"),
    ],
)
def test_bars_of_spark(fits, said, tmp_path):
    assert said in page(tmp_path, spark_record(*fits))


@pytest.fixture
def fake_spark(monkeypatch, tmp_path):
    """In the place of this module: a fit of 0.1 s, and one that hangs."""
    script = tmp_path / "fake.py"
    script.write_text(
        "import json, sys, time\n"
        "def tell(**event):\n"
        "    with open(sys.argv[4], 'a') as file:\n"
        "        file.write(json.dumps(event) + '\\n')\n"
        "tell(begins=5)\n"
        "tell(iterations=5, seconds=0.1, accuracy=0.5)\n"
        "if float(sys.argv[3]) > 0.5:\n"
        "    tell(begins=10)\n"
        "    if sys.argv[1] == 'hangs':\n"
        "        time.sleep(60)\n"
        "    sys.exit('out of memory')\n"
    )
    start, now = subprocess.Popen, [0.0]

    def fake(command, **options):
        events.append(Path(command[-1]))
        return start([sys.executable, str(script), *command[3:]], **options)

    monkeypatch.setattr(spark.subprocess, "Popen", fake)
    events = []

    def pause(_):
        """Time goes on once a fit hangs."""
        time.sleep(0.02)
        if events[-1].exists() and '"begins": 10' in events[-1].read_text():
            now[0] += 1.0

    monkeypatch.setattr(spark, "sleep", pause)
    monkeypatch.setattr(spark, "monotonic", lambda: now[0])
    monkeypatch.setattr(spark, "find_spec", lambda name: True)


def test_spark_is_ended_when_it_takes_too_long(fake_spark):
    done = {"iterations": 5, "seconds": 0.1, "accuracy": 0.5}
    assert spark.fit_until("easy", "digits", 0.4, 5.0) == [done]
    late = {"iterations": 10, "seconds": 0.5, "accuracy": None}
    assert spark.fit_until("hangs", "digits", 0.9, 0.5) == [done, late]
    with pytest.raises(RuntimeError, match="out of memory"):
        spark.fit_until("fails", "digits", 0.9, 1e9)


def test_without_spark_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(spark, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install --group bench-scale"):
        spark.fit_until(spark.LINEAR_SVC, "digits", 0.9)


def test_spark_solves_our_problem(tmp_path):
    pytest.importorskip("pyspark")
    from benchmarks.harness.data import load

    events = tmp_path / "events"
    spark.run(spark.LOGISTIC, load("digits"), 0.5, events)
    begin, end = [json.loads(line) for line in events.open()]
    assert begin == {"begins": 5} and end["accuracy"] > 0.5
