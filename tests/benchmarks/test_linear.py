"""Tests of the tables of the linear contest, from made-up records."""

import pytest
from benchmark_records import command, filled, page_of, record

from benchmarks.contests import linear, linear_costs
from benchmarks.harness.ladder import combine_seeds

NEVER = combine_seeds([{"tolerance": None}])


def timed(seconds, **more):
    entry = {"tolerance": 0.1, "spread": 1.0, "accuracy": 0.9, "reached": True}
    entry |= {"seconds": seconds, "epochs": 3, "gap": 1e-3}
    return {**combine_seeds([entry, entry]), **more}


def speed_record(table, name, **solvers):
    return record(
        table,
        name,
        shape={"n": 1, "d": 2, "k": 3, "nnz": 2},
        data_bytes=8,
        optimum={"objective": 1.0, "gap": 1e-6},
        solvers=solvers,
        default=timed(1.0),
        epoch={"early": 2.0, "late": 1.0, "csr": 1.0, "blas": None},
    )


def record_of_table_1(name, theirs):
    match = linear.MATCHES["1"]
    solvers = {match.ours: timed(1.0), match.main[0]: timed(theirs), "LinearSVC": NEVER}
    return speed_record("1", name, **solvers)


def test_page_shows_ratios_and_bars(tmp_path):
    records = [record_of_table_1("one", 2.0), record_of_table_1("two", 8.0)]
    text = page_of(tmp_path, "linear", "benchmarks.md", *records)
    assert "abacus" in text and "not reached" in text
    assert "| geometric mean |  |  |  |  |  | 4.00x |" in text
    assert "smallest ratio (one): 2.00, to reach at least 1.5: **reached**" in text
    assert "(one, early): 2.00, to reach at most 1.5: **missed**" in text
    assert not (tmp_path / "docs" / "benchmarks-family.md").exists()


def test_bars_take_the_faster_of_the_main_peers(tmp_path):
    match = linear.MATCHES["7"]
    seconds = {"a": (8.0, 16.0), "b": (None, 4.0), "c": (None, None)}
    records = [
        speed_record(
            "7",
            name,
            **{
                match.ours: timed(1.0),
                "LIBLINEAR -s 1": timed(dual) if dual else NEVER,
                "LIBLINEAR -s 2": timed(primal) if primal else NEVER,
                "LinearSVC, dual": timed(2.0, fastest="x", races={"x": []}),
            },
        )
        for name, (dual, primal) in seconds.items()
    ]
    text = page_of(tmp_path, "linear", "benchmarks-family.md", *records)
    both = "the faster of LIBLINEAR -s 1 and LIBLINEAR -s 2"
    assert f"geometric mean over {both}: 4.00, to reach at least 5: **missed**" in text
    assert "smallest ratio (c): 2.00, to reach at least 1.2: **reached**" in text
    assert "did not get there on c" in text
    assert "the data: x." in text


def test_lower_bounds_are_marked(tmp_path):
    match = linear.MATCHES["6"]
    slow = timed(200.0)
    slow["seeds"][0]["slow"] = True
    bound = combine_seeds([{"tolerance": None, "at_least": 300.0, "slow": True}])
    solvers = {match.ours: timed(0.5), "slow": slow, "hopeless": bound}
    text = page_of(
        tmp_path, "linear", "benchmarks-family.md", speed_record("6", "tiny", **solvers)
    )
    assert "| 200† | 400x | > 300† | > 600x |" in text


def test_effects_are_relative_to_the_default(tmp_path):
    names = list(linear_costs.VARIANTS)
    entries = {
        names[0]: {"seconds": 0.5, "spread": 1, "epochs": 4, "off": 0, "status": ""},
        names[1]: {"seconds": 1.0, "spread": 1, "epochs": 9, "off": 0, "status": ""},
        names[2]: {"seconds": None, "epochs": None, "off": 0.02, "status": "max_time"},
    }
    one = record("2", "a", variants=entries)
    text = page_of(tmp_path, "linear", "benchmarks.md", one)
    assert f"| {names[0]} | 0.500 s (4) |" in text
    assert f"| {names[1]} | 2.00x (9) |" in text
    assert f"| {names[2]} | 2 % off (max_time) |" in text


def test_first_reached():
    history = {"objective": [3, 2.001, 2], "seconds": [0.1, 0.2, 0.3]}
    history["epoch"] = [1, 2, 3]
    outcome = linear_costs.first_reached(history, 2.0)
    assert (outcome["seconds"], outcome["epochs"]) == (0.2, 2)
    outcome = linear_costs.first_reached(history, 1.0)
    assert outcome["seconds"] is None
    assert outcome["off"] == pytest.approx(1.0)


def test_resume_measures_nothing_again(tmp_path):
    store = filled(tmp_path, "linear", record_of_table_1("digits", 2.0))
    words = ["linear", "--tables", "1", "--data", "digits", "--resume"]
    assert command(tmp_path, *words) == 0
    assert "| digits |" in (tmp_path / "docs" / "benchmarks.md").read_text()
    assert len(store.path.read_text().splitlines()) == 1
