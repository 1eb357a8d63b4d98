"""Tests of the benchmark of partitions: a small data set, made-up records, no Spark."""

import json
import subprocess
import sys

import pytest

from . import scale, scale_page, scale_spark, spark_fit, thousand_machines_page
from .scale_partitions import Limits
from .spark_fit import LINEAR_SVC, LOGISTIC
from .test_benchmarks import ENVIRONMENT
from .thousand_machines import (
    Cluster,
    Design,
    Problem,
    Rates,
    busiest_bytes,
    rates_of,
    rounds_law,
    seconds_of_round,
)

SHAPE = {"n": 1000, "d": 100, "k": 10, "nnz": 5000}


def test_a_page_of_a_small_data_set(tmp_path):
    pytest.importorskip("distributed")
    arguments = ["--folder", str(tmp_path), "--output", str(tmp_path)]
    arguments += ["--table", "partitions", "--data", "digits"]
    arguments += ["--machine", "maxent", "--partitions"]
    assert scale.main([*arguments, "0"]) == 0
    assert scale.main([*arguments, "0", "1", "--resume"]) == 0
    records = [json.loads(line) for line in (tmp_path / "results.jsonl").open()]
    assert [record["parts"] for record in records] == [0, 1]
    assert all(record["gap"] <= 1e-3 for record in records)
    alone, one = records
    assert one["objective"] == pytest.approx(alone["objective"], rel=2e-3)
    assert one["bytes_per_round"] >= 64 * 10 * 4
    text = (tmp_path / "benchmarks-scale.md").read_text()
    assert "| digits | maxent |" in text
    assert not (tmp_path / "thousand-machines.md").exists()


def cell(parts, rounds, gap=1e-4, **more):
    return {
        "table": "partitions",
        "data": f"made up, cs, {parts}",
        "environment": ENVIRONMENT,
        "name": "made up",
        "machine": "cs",
        "parts": parts,
        "shape": SHAPE,
        "limits": {"rounds": 300, "seconds": 60.0, "tol": 1e-3},
        "seconds": 2.0,
        "rounds": rounds,
        "gap": gap,
        "accuracy": 0.9,
        "epoch_seconds": 0.1,
        "visits": rounds * SHAPE["n"],
        "bytes_per_round": 4e6,
        "round_seconds": 0.3,
        **more,
    }


OVERHEAD = {
    "table": "overhead",
    "data": "digits",
    "environment": ENVIRONMENT,
    "shape": SHAPE,
    "rounds": {"8": {"round_seconds": 0.08, "empty_seconds": 0.008}},
}


def test_fits_that_did_not_converge_show_their_gap():
    records = [cell(0, 9), cell(2, 300, gap=0.02)]
    text = scale_page.render({"partitions": records, "overhead": [], "spark": []})
    assert "| made up | cs | 2.00 | - | 2.00 (2.0e-02) | - | - | - | - |" in text


def spark_record(*fits, ours=1.0):
    keys = ("iterations", "seconds", "accuracy")
    return {
        "table": "spark",
        "data": "made up, LogisticRegression",
        "environment": ENVIRONMENT,
        "name": "made up",
        "peer": LOGISTIC,
        "goal": 0.899,
        "ladder": [],
        "limit": 600.0,
        "ours": {"maxent": {"2": cell(2, 9, seconds=ours)}},
        "fits": [dict(zip(keys, fit, strict=True)) for fit in fits],
    }


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
def test_bars_of_spark(fits, said):
    records = {"partitions": [], "overhead": [], "spark": [spark_record(*fits)]}
    assert said in scale_page.render(records)


def test_the_objective_of_spark_is_ours():
    same = spark_fit.settings(n_rows=500, iterations=7)
    assert same["regParam"] == pytest.approx(1 / 500) and same["maxIter"] == 7


@pytest.fixture
def fake_spark(monkeypatch, tmp_path):
    """In the place of `benchmarks.spark_fit`: a fit of 0.1 s, and one that hangs."""
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
    start = subprocess.Popen

    def fake(command, **options):
        return start([sys.executable, str(script), *command[3:]], **options)

    monkeypatch.setattr(scale_spark.subprocess, "Popen", fake)
    monkeypatch.setattr(scale_spark, "PAUSE", 0.05)


def test_spark_is_ended_when_it_takes_too_long(fake_spark):
    done = {"iterations": 5, "seconds": 0.1, "accuracy": 0.5}
    assert scale_spark.fit_until("easy", "digits", 0.4, 5.0) == [done]
    late = {"iterations": 10, "seconds": 0.5, "accuracy": None}
    assert scale_spark.fit_until("hangs", "digits", 0.9, 0.5) == [done, late]
    with pytest.raises(RuntimeError, match="out of memory"):
        scale_spark.fit_until("fails", "digits", 0.9, 5.0)


def test_without_spark_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(scale_spark, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install --group bench-scale"):
        scale_spark.measure(None, LINEAR_SVC, Limits())


def test_spark_solves_our_problem(tmp_path):
    pytest.importorskip("pyspark")
    events = tmp_path / "events"
    from .data import load

    spark_fit.run(LOGISTIC, load("digits"), 0.5, events)
    begin, end = [json.loads(line) for line in events.open()]
    assert begin == {"begins": 5} and end["accuracy"] > 0.5


def test_rounds_grow_as_a_power():
    cells = {parts: cell(parts, 3 * parts**2) for parts in (1, 2, 4, 8)}
    assert rounds_law(cells) == pytest.approx((3.0, 2.0))
    cells[4] = cell(4, 300, gap=0.1)
    assert rounds_law(cells) is None
    fewer = {parts: {"rounds": 64 / parts, "gap": 1e-4} for parts in (2, 4, 8)}
    assert rounds_law(fewer) == pytest.approx((16.0, 0.0))


def test_rates_and_what_a_round_costs():
    cells = {0: cell(0, 9), 2: cell(2, 9)}
    rates = rates_of(cells, OVERHEAD, sparse=True)
    # 0.3 s are half an epoch of 0.1 s, two tasks of 10 ms, and the rest.
    assert rates == Rates(
        pytest.approx(0.1 / 50_000), pytest.approx(0.23 / 4000), 0.0, 0.01
    )
    problem = Problem("small", 1000, 5, 100, 10, sparse=True)
    cluster = Cluster(machines=2, cores=1, network=4000.0)
    cost = seconds_of_round(problem, cluster, Design("two", 1), rates)
    # Both changes go into one node, which tells the other two matrices; each takes its
    # own copy.
    assert cost.traffic == pytest.approx(2 + 2 * (1 + 1))
    assert cost.total == pytest.approx(0.3 + cost.traffic)
    shared = Design("all-reduce", 1, all_reduce=True, bytes_per_number=1)
    assert busiest_bytes(problem, cluster, shared) == 2 * 1000


def test_a_page_about_1000_machines():
    records = []
    for name in ("debian_maintainer", "covtype"):
        for parts in (0, 2, 4, 8):
            records.append(cell(parts, 10 + parts, name=name))
    tables = {"partitions": records, "overhead": [], "spark": []}
    assert thousand_machines_page.render(tables) is None
    text = thousand_machines_page.render({**tables, "overhead": [OVERHEAD]})
    assert "What dominates on text: as it is" in text
    assert "| debian_maintainer | cs |" in text and "{" not in text
