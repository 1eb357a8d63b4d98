"""Tests of the benchmark of readers: a small file, and made-up records."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from polymargin import save_data

from . import readers, reading
from .test_benchmarks import ENVIRONMENT


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("reading") / "digits.svm"
    save_data(*load_digits(return_X_y=True), path)
    return path


def test_the_plain_reader_finds_the_same(path):
    X, _ = load_digits(return_X_y=True)
    program = readers.compile_plain_reader(path.parent)
    if program is None:
        pytest.skip("no compiler")
    found = readers.run_plain_reader(program, path)
    # Explicit zeros are not written.
    assert (found["rows"], found["entries"]) == (len(X), np.count_nonzero(X))
    assert found["sum"] == X.sum()


def test_all_readers_read(path):
    tasks = readers.readers(path, path.parent)
    assert {*readers.OURS, readers.SKLEARN} <= set(tasks)
    assert all(task() > 0 for task in tasks.values())
    assert readers.same_arrays(path)


def test_a_page_of_a_small_file(tmp_path):
    output = tmp_path / "page.md"
    arguments = ["--folder", str(tmp_path), "--output", str(output), "--data", "digits"]
    assert reading.main(arguments) == 0
    text = output.read_text()
    assert "| digits |" in text and "to reach at least 5" in text
    assert str(tmp_path) not in text.replace(" ".join(arguments), "")


def record(ours, peer):
    seconds = {next(iter(readers.OURS)): ours, readers.SKLEARN: peer}
    return {
        "table": reading.TABLE,
        "data": "made up",
        "environment": ENVIRONMENT,
        "rows": 1000,
        "bytes": 2_000_000,
        "readers": {name: {"seconds": value} for name, value in seconds.items()},
    }


@pytest.mark.parametrize(("ours", "word"), [(0.1, "reached"), (0.5, "missed")])
def test_bars(ours, word):
    text = reading.render([record(ours, 1.0)])
    assert f"**{word}**" in text
    assert "| made up | 1,000 | 2.00 | scikit-learn | 1.00 | 2.00 | 1.00x |" in text
