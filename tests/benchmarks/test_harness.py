"""Tests of what all contests share: data, timing, records, pages, the command line."""

import subprocess

import numpy as np
import pytest
from benchmark_records import STAMP, command, filled, record

from benchmarks.harness import data, markdown, page, process, records, timing
from benchmarks.harness.command import find, main
from benchmarks.harness.process import in_fresh_process


def test_means_and_spread():
    assert timing.geometric_mean([2.0, None, 8.0]) == pytest.approx(4.0)
    assert timing.geometric_mean([]) is None
    assert timing.spread([2.0, 1.0, 3.0]) == {"seconds": 1.0, "spread": 3.0}


def test_tasks_take_turns():
    order = []
    tasks = {name: lambda name=name: order.append(name) or name for name in "ab"}
    assert timing.interleave("test", tasks, 2) == {"a": ["a"] * 2, "b": ["b"] * 2}
    assert order == ["a", "b", "a", "b"]
    assert timing.interleave("test", tasks, 2, once={"b"})["b"] == ["b"]


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
    np.testing.assert_array_equal(data.load("letter", scaled=False).X, X)


def test_generated_data_has_all_classes_and_unit_rows():
    generated = data.generate(50, n=400, n_features=300)
    assert generated.shape["k"] == len(np.unique(generated.y)) == 50
    lengths = np.sqrt(generated.X.multiply(generated.X).sum(axis=1))
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)


def test_rows_are_chosen_once():
    chosen = data.choose_rows(100, 10)
    assert len(set(chosen)) == 10
    np.testing.assert_array_equal(chosen, data.choose_rows(100, 10))
    assert len(data.choose_rows(5, 10)) == 5


def test_a_fresh_process_returns_what_the_function_does():
    assert in_fresh_process(records.command_line, ["kernel"]) == (
        "python -m benchmarks kernel"
    )
    with pytest.raises(RuntimeError, match="file_of of nothing failed: FileNotFound"):
        in_fresh_process(data.file_of, "nothing")


def test_records_survive_an_interrupted_line(tmp_path):
    first = filled(tmp_path, "x", record("1", "a", value=1))
    with first.path.open("a") as file:
        file.write('{"table": "1", "da')
    second = records.Records(first.path)
    assert ("1", "a") in second
    second.add(record("1", "a", value=2))
    second.add(record("1", "b", value=3))
    again = records.Records(first.path)
    assert [one["value"] for one in again.of("1")] == [2, 3]
    assert [one["value"] for one in again.of("1", ["b", "a"])] == [3, 2]


def test_peak_counts_what_is_filled_and_freed():
    facts, total = process.measured(lambda: np.ones(4_000_000).sum())
    assert total == 4_000_000
    assert 25e6 < facts["peak_bytes"] < 60e6


def test_numbers_as_text():
    assert markdown.digits(1234.5) == "1,234"
    assert markdown.digits(0.012345) == "0.0123"
    assert markdown.times(4.0) == "4.00x"
    assert markdown.digits(None) == markdown.NONE
    assert "4.00** (goal: at least 4, reached)" in markdown.bar("speed", 4.0, 4.0)
    assert "at least 4, missed)" in markdown.bar("speed", 2.0, 4.0)
    assert "at most 4, missed)" in markdown.bar("cost", 8.0, 4.0, at_least=False)
    assert "at most 4, reached)" in markdown.bar("cost", 4.0, 4.0, at_least=False)
    (worst,) = markdown.worst_bar("ratio", {"a": 3.0, "b": 1.0, "c": None}, 2.0)
    assert "ratio (b): **1.00** (goal: at least 2, missed)" in worst
    assert markdown.worst_bar("ratio", {"c": None}, 2.0) == []


def test_a_table_has_a_line_for_each_row():
    columns = {"name": str, "twice": lambda one: 2 * one}
    text = markdown.table_of("ab", columns, ["x", ""])
    assert text.splitlines()[1:3] == ["| --- | ---: |", "| a | aa |"]
    assert text.splitlines()[-1] == "| x |  |"


def test_stamps_are_shown_once_and_warn_of_different_machines():
    one = record("1", "a")
    text = "\n".join(page.machines([one, record("1", "b, split 0")]))
    assert text.count("abacus") == 1 and "same machine" not in text
    assert "| `python -m benchmarks` | 1 | today |" in text
    other = record("1", "b")
    other["environment"] = {**STAMP, "processor": "slide rule", "load": "9.5"}
    text = "\n".join(page.machines([one, other, record("2", "c")]))
    assert "**Not all of them were on the same machine.**" in text
    assert "shared with other work" in text
    assert "| `python -m benchmarks` | 1 (a); 2 | today | abacus |" in text
    assert "| `python -m benchmarks` | 1 (b) | today | slide rule |" in text
    assert page.machines([]) == page.runs([]) == []


def test_no_page_from_uncommitted_changes(tmp_path, capsys):
    dirty = record("reading", "letter", rows=1, bytes=1, readers={})
    dirty["environment"] = {**STAMP, "commit": "abc1234-dirty"}
    filled(tmp_path, "reading", dirty)
    assert command(tmp_path, "reading", "--render") == 1
    said = capsys.readouterr().err
    assert "no page is written, for table reading on letter" in said
    assert "uncommitted changes (abc1234-dirty)" in said
    assert not (tmp_path / "docs").exists()


def test_changes_of_sources_are_uncommitted_those_of_pages_are_not(
    monkeypatch, tmp_path
):
    def git(*words):
        who = ["-c", "user.name=x", "-c", "user.email=x@y"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)

    for folder in ("src", "docs", "benchmarks/records"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text("one")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    monkeypatch.setattr(records, "ROOT", tmp_path)
    (tmp_path / "docs" / "file").write_text("two")
    (tmp_path / "benchmarks" / "records" / "file").write_text("two")
    assert not records.commit.__wrapped__().endswith(records.DIRTY)
    (tmp_path / "src" / "file").write_text("two")
    assert records.commit.__wrapped__().endswith(records.DIRTY)


def test_committed_records_are_of_known_tables():
    for path in records.FOLDER.glob("*.jsonl"):
        known = find(path.stem).all_tables
        for line in path.read_text().splitlines():
            kept = records.json.loads(line)
            assert kept["table"] in known
            assert not kept["environment"]["commit"].endswith(records.DIRTY)


def test_plans():
    contest = find("linear")
    plan = list(contest.planned(["cs"], None))
    assert plan[0] == ("cs", "news20_bydate") and ("cs", "mnist") not in plan
    assert list(contest.planned(["cs"], ["mnist"])) == [("cs", "mnist")]
    assert list(contest.planned(["cs"], ["nothing"])) == []
    cells = list(find("partitions").planned(["partitions"], ["covtype"]))
    assert len(cells) == 3 * 6 and cells[0] == ("partitions", "covtype, cs, 0")
    papers = find("papers")
    assert "004-2" not in {table for table, _ in papers.planned(None, None)}
    assert ("004-2", "iris, unit variance") in papers.planned(["004-2"], None)


def test_the_command_line(tmp_path, capsys, monkeypatch):
    assert main(["--list"]) == 0
    assert "kernel: Kernel machines" in capsys.readouterr().out
    assert command(tmp_path, "kernel", "--tables", "7") == 1
    assert "--tables 7 is not known; choose among kernel." in capsys.readouterr().err
    assert command(tmp_path, "kernel", "--data", "letters") == 1
    assert "--data letters is in none of these tables" in capsys.readouterr().err
    monkeypatch.delenv(data.FOLDER_VARIABLE, raising=False)
    assert command(tmp_path, "reading") == 1
    assert "or try --data digits" in capsys.readouterr().err
    for words in ([], ["kernel", "--repeats", "0"]):
        with pytest.raises(SystemExit):
            main(words)
