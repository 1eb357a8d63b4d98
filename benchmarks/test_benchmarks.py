"""Tests of what is pure in the benchmarks."""

import numpy as np
import pytest

from . import data, linear, markdown, measure, page, results, tables
from .contests import CONTESTS

ENVIRONMENT = {"date": "today", "command": "python", "processor": "abacus"}


def test_geometric_mean():
    assert measure.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert np.isnan(measure.geometric_mean([]))


def test_spread_is_minimum_and_ratio():
    assert measure.spread([2.0, 1.0, 3.0]) == {"seconds": 1.0, "spread": 3.0}


def test_seeds_are_combined_by_their_median():
    common = {"tolerance": 0.1, "spread": 1.5, "reached": True}
    entries = [
        {**common, "seconds": float(seconds), "accuracy": seconds / 10}
        for seconds in (3, 1, 2)
    ]
    combined = measure.combine_seeds(entries)
    assert (combined["seconds"], combined["range"]) == (2.0, [1.0, 3.0])
    assert combined["accuracy"] == pytest.approx(0.2)
    assert "seconds" not in measure.combine_seeds([*entries, {"tolerance": None}])


def test_tasks_take_turns():
    order = []
    tasks = {name: lambda name=name: order.append(name) or name for name in "ab"}
    assert measure.interleave("test", tasks, 2) == {"a": ["a"] * 2, "b": ["b"] * 2}
    assert order == ["a", "b", "a", "b"]
    assert measure.interleave("test", tasks, 2, once={"b"})["b"] == ["b"]


def test_first_reached():
    history = {
        "objective": [3, 2.001, 2],
        "seconds": [0.1, 0.2, 0.3],
        "epoch": [1, 2, 3],
    }
    outcome = tables.first_reached(history, 2.0)
    assert (outcome["seconds"], outcome["epochs"]) == (0.2, 2)
    outcome = tables.first_reached(history, 1.0)
    assert outcome["seconds"] is None
    assert outcome["off"] == pytest.approx(1.0)


def test_missing_data_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match="set it to the folder"):
        data.load("letter")
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"without letter\.npz"):
        data.load("letter")


def test_dense_data_is_scaled_by_its_training_part(monkeypatch, tmp_path):
    X = np.array([[0, 5], [4, 5]], dtype=np.float32)
    labels = np.array([0, 1], dtype=np.int32)
    np.savez(tmp_path / "letter.npz", X=X, y=labels, X_test=2 * X, y_test=labels)
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    loaded = data.load("letter")
    assert loaded.X.dtype == np.float32
    np.testing.assert_array_equal(loaded.X, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(loaded.X_test, [[0, 5], [2, 5]])


def test_generated_data_has_all_classes_and_unit_rows():
    generated = data.generate(50, n=400, n_features=300)
    assert generated.shape["k"] == len(np.unique(generated.y)) == 50
    lengths = np.sqrt(generated.X.multiply(generated.X).sum(axis=1))
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)


def test_results_survive_an_interrupted_line(tmp_path):
    first = results.Results(tmp_path)
    first.add({"table": 1, "data": "a", "value": 1})
    with first.path.open("a") as file:
        file.write('{"table": 1, "da')
    second = results.Results(tmp_path)
    assert (1, "a") in second
    second.add({"table": 1, "data": "a", "value": 2})
    assert [r["value"] for r in results.Results(tmp_path).of_table(1)] == [2]


def test_optima_are_kept(tmp_path):
    results.Optima(tmp_path).put("a/cs", {"objective": 1.0})
    assert results.Optima(tmp_path).get("a/cs") == {"objective": 1.0}


def test_numbers_as_text():
    assert markdown.digits(1234.5) == "1,234"
    assert markdown.digits(0.012345) == "0.0123"
    assert markdown.times(4.0) == "4.00x"
    assert markdown.digits(None) == markdown.NONE
    assert "**reached**" in markdown.bar("speed", 4.0, 4.0)
    assert "by a factor of 2.00" in markdown.bar("speed", 2.0, 4.0)
    assert "by a factor of 2.00" in markdown.bar("cost", 8.0, 4.0, at_least=False)


def test_markdown_table_has_one_line_per_row():
    text = markdown.markdown_table(["name", "value"], [["a", "1"], ["b", "2"]])
    assert text.splitlines()[1:3] == ["| --- | ---: |", "| a | 1 |"]
    assert len(text.splitlines()) == 4


def record_of_table_1(name, ours, theirs):
    def timed(seconds):
        entry = {"tolerance": 0.1, "spread": 1.0, "accuracy": 0.9, "reached": True}
        entry |= {"seconds": seconds, "epochs": 3, "gap": 1e-3}
        return {**measure.combine_seeds([entry, entry]), "peak_bytes": 1e6}

    return {
        "table": 1,
        "data": name,
        "environment": ENVIRONMENT,
        "shape": {"n": 1, "d": 2, "k": 3, "nnz": 2},
        "data_bytes": 8,
        "optimum": {"objective": 1.0, "gap": 1e-6},
        "solvers": {
            CONTESTS[1].ours: timed(ours),
            CONTESTS[1].main[0]: timed(theirs),
            "LinearSVC": measure.combine_seeds([{"tolerance": None}]),
        },
        "default": timed(ours),
        "epoch": {"early": 2.0, "late": 1.0, "csr": 1.0, "blas": None},
    }


def test_page_shows_ratios_and_bars():
    records = [record_of_table_1("one", 1.0, 2.0), record_of_table_1("two", 1.0, 8.0)]
    text = page.render({1: records, 2: []})
    assert "abacus" in text
    assert "not reached" in text
    assert "| geometric mean |  |  |  |  |  | 4.00x |" in text
    assert "smallest ratio (one): 2.00, to reach at least 1.5: **reached**" in text
    assert "(one, early): 2.00, to reach at most 1.5: **missed**" in text
    assert "different machines" not in text


def test_page_warns_of_different_machines():
    other = record_of_table_1("two", 1.0, 8.0)
    other["environment"] = {**ENVIRONMENT, "processor": "slide rule"}
    text = page.render({1: [record_of_table_1("one", 1.0, 2.0), other]})
    assert "different machines" in text


def test_effects_are_relative_to_the_default():
    names = list(tables.VARIANTS)
    entries = {
        names[0]: {"seconds": 0.5, "spread": 1, "epochs": 4, "off": 0, "status": ""},
        names[1]: {"seconds": 1.0, "spread": 1, "epochs": 9, "off": 0, "status": ""},
        names[2]: {"seconds": None, "epochs": None, "off": 0.02, "status": "max_time"},
    }
    record = {"table": 2, "data": "a", "environment": ENVIRONMENT, "variants": entries}
    text = page.render({2: [record]})
    assert f"| {names[0]} | 0.500 s (4) |" in text
    assert f"| {names[1]} | 2.00x (9) |" in text
    assert f"| {names[2]} | 2 % off (max_time) |" in text


def test_plan_falls_back_to_digits(monkeypatch):
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    plan = linear.planned(linear.parse(["--quick"]))
    assert plan == [(number, "digits") for number in tables.TABLES if number != 4]


def test_resume_and_render_measure_nothing_again(monkeypatch, tmp_path, capsys):
    store = results.Results(tmp_path)
    store.add(record_of_table_1("digits", 1.0, 2.0))
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    common = ["--tables", "1", "--folder", str(tmp_path)]
    output = tmp_path / "page.md"
    assert linear.main([*common, "--resume", "--output", str(output)]) == 0
    assert "Note: POLYMARGIN_DATA is not set" in output.read_text()
    assert linear.main([*common, "--render"]) == 0
    assert "| digits |" in capsys.readouterr().out
    assert len(store.path.read_text().splitlines()) == 1
