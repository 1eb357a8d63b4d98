"""Tests of the contest of tables: small ones, records, the page."""

import numpy as np
import pytest
from benchmark_records import page_of, record, run_in
from sklearn.datasets import load_iris

from benchmarks.contests import searches, tables
from benchmarks.harness import raw_tables
from benchmarks.harness.raw_tables import RawTable, raw_table


def test_all_entrants_on_a_small_table(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = [[f"{x:.3f}", "ab"[int(x > 0)], "same"] for x in rng.normal(size=60)]
    small = RawTable(["x", "w", "none"], rows, np.array([row[1] for row in rows]))
    monkeypatch.setattr(tables, "raw_table", lambda name: small)
    monkeypatch.setattr(tables, "SVC_GRID", {"svc__C": [1.0]})
    monkeypatch.setattr(tables, "LOGISTIC_GRID", {"logisticregression__C": [1.0]})
    data, run = "small, split 0", run_in(tmp_path, seeds=1)
    theirs = record("peers", data, **tables.measure_peers(data, run))
    ours = record("ours", data, **tables.measure_ours(data, run))
    assert (theirs["rows"], theirs["columns"]) == (42, 3)
    both = theirs | {tables.OURS: ours[tables.OURS]}
    for name in (tables.OURS, tables.PLAIN, *tables.GRIDS, tables.TREES):
        assert both[name]["accuracy"] > 0.8, name
        assert both[name]["seconds"] > 0
    text = page_of(tmp_path, "tables", "benchmarks.md", ours, theirs)
    assert "| small | 42 | 1 | " in text and "grid searches together, mean" in text


def test_text_is_not_for_trees():
    assert tables.TREES not in tables.peers([("t", "words")], True)


def test_words_and_missing_cells(monkeypatch):
    codes = np.array([[0, 2], [-1, 1]]), np.array([0, 1])
    monkeypatch.setattr(raw_tables, "pooled", lambda name: codes)
    assert raw_table("soybean").rows == [["value0", "value2"], ["", "value1"]]
    assert raw_table("wine").rows[0] == ["0", "2"]
    assert raw_table("wine").labels.tolist() == ["c0", "c1"]


@pytest.mark.parametrize(("ours", "word"), [(0.9, "reached"), (0.5, "missed")])
def test_bars(ours, word, tmp_path):
    theirs = {
        name: {"seconds": 1.0, "accuracy": 0.8}
        for name in (tables.PLAIN, *tables.GRIDS, tables.TREES)
    }
    own = {tables.OURS: {"seconds": 0.1, "accuracy": ours}}
    found = [
        one
        for data in ("made up, split 0", "made up, split 1")
        for one in (
            record("peers", data, rows=10, columns=2, **theirs),
            record("ours", data, **own),
        )
    ]
    alone = record("peers", "lonely, split 0", rows=10, columns=2, **theirs)
    text = page_of(tmp_path, "tables", "benchmarks.md", *found, alone)
    assert "| made up | 10 | 2 | " in text and "| lonely" not in text
    line = next(line for line in text.splitlines() if "better grid" in line)
    assert line.endswith(f", {word}).")


def test_one_split_has_no_standard_error():
    def splits(*pairs):
        names = tables.PLAIN, tables.OURS
        return {
            "splits": [
                {name: {"accuracy": x} for name, x in zip(names, pair, strict=True)}
                for pair in pairs
            ]
        }

    assert tables.behind(splits((0.9, 0.9))) == 0
    assert tables.behind(splits((0.9, 0.8))) == float("inf")
    # 0.1 and 0.3 below: 0.2 in the mean, give or take 0.1.
    assert tables.behind(splits((0.9, 0.8), (0.9, 0.6))) == pytest.approx(2)


def test_searches(tmp_path, monkeypatch):
    monkeypatch.setattr(searches, "CS", np.array([1.0, 2.0]))
    monkeypatch.setattr(searches, "KERNEL_CS", np.array([1.0]))
    monkeypatch.setattr(searches, "rows_of", lambda name: load_iris(return_X_y=True))
    found = tables.measure_searches("made up", run_in(tmp_path, seeds=1))
    assert found["rows"] == 150
    assert found["searches"].keys() == searches.MACHINES.keys()
    assert all(value > 0 for value in searches.ratios(found).values())
    fast = {name: {"GridSearchCV": 8.0, "tune": 2.0} for name in searches.MACHINES}
    slow = fast | {"maxent": {"GridSearchCV": 2.0, "tune": 1.0}}
    both = [
        record("searches", "fast", rows=10, searches=fast),
        record("searches", "slow", rows=10, searches=slow),
    ]
    mean, least = searches.verdict(both)
    assert "reached" in mean and "2.0" in least and "missed" in least
    assert "| slow | 10 | 4.00 | 4.00 | 2.00 | 4.00 | 4.00 |" in searches.body(both)[1]


@pytest.mark.parametrize("name", ["wine", raw_tables.CANCER])
def test_every_fold_has_every_class(name, monkeypatch):
    labels = np.repeat([0, 1, 2], [9, 5, 4])
    monkeypatch.setattr(searches, "pooled", lambda _: (np.zeros((18, 2)), labels))
    _, y = searches.rows_of(name)
    assert np.bincount(y).min() >= searches.FOLDS
