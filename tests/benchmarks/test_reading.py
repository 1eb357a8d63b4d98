"""Tests of the contest of readers: a small file, and made-up records."""

import numpy as np
import pytest
from benchmark_records import command, page_of, record
from sklearn.datasets import load_digits

from benchmarks.contests import reading
from benchmarks.harness.records import commit
from polymargin import save_data


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("reading") / "digits.svm"
    save_data(*load_digits(return_X_y=True), path)
    return path


def test_the_plain_reader_finds_the_same(path):
    X, _ = load_digits(return_X_y=True)
    program = reading.compile_plain_reader(path.parent)
    if program is None:
        pytest.skip("no compiler")
    found = reading.run_plain_reader(program, path)
    # Explicit zeros are not written.
    assert (found["rows"], found["entries"]) == (len(X), np.count_nonzero(X))
    assert found["sum"] == X.sum()


def test_all_readers_read(path):
    tasks = reading.readers(path, path.parent)
    assert {*reading.OURS, reading.SKLEARN} <= set(tasks)
    assert all(task() > 0 for task in tasks.values())
    assert reading.same_arrays(path)


def test_from_the_command_line_to_the_page(tmp_path, monkeypatch, capsys):
    words = ["reading", "--data", "digits", "--repeats", "1"]
    for module in ("records", "command"):
        monkeypatch.setattr(f"benchmarks.harness.{module}.commit", lambda: "abc1234")
    assert command(tmp_path, *words) == 0
    text = (tmp_path / "docs" / "benchmarks.md").read_text()
    assert "| digits |" in text and "goal: at least 5" in text
    assert "abc1234" in text
    assert "measured already" not in capsys.readouterr().err
    assert command(tmp_path, *words, "--resume") == 0
    assert "measured already" in capsys.readouterr().err
    assert commit()


@pytest.mark.parametrize(("ours", "word"), [(0.1, "reached"), (0.5, "missed")])
def test_bars(ours, word, tmp_path):
    seconds = {reading.ONE: ours, reading.SKLEARN: 1.0}
    entries = {name: {"seconds": value} for name, value in seconds.items()}
    one = record("reading", "made up", rows=1000, bytes=2_000_000, readers=entries)
    text = page_of(tmp_path, "reading", "benchmarks.md", one)
    assert f", {word})." in text
    assert "| made up | 1,000 | 2.00 | scikit-learn | 1.00 | 2.00 | 1.00x |" in text
