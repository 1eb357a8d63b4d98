"""The results folder: killed and gone on with, refused if it is another's."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from comparisons import QUICK, QUIET

from polymargin import LinearSVM, compare
from polymargin.selection.comparison.results_folder import ResultsFolder

MACHINES = ["cs", "ww", "maxent"]
SCRIPT = """
    import sys
    from comparisons import QUICK, QUIET
    from polymargin import compare
    from polymargin.selection.comparison.results_folder import ResultsFolder

    append = ResultsFolder.append
    def tell(self, row):
        append(self, row)
        print("kept", flush=True)
    ResultsFolder.append = tell
    compare(["iris", "wine"], ["cs", "ww", "maxent"], QUICK, sys.argv[1], **QUIET)
"""
SETTINGS = {
    "protocol": QUICK.as_dict(),
    "prepare": "none",
    "seed": 0,
    "datasets": {"iris": {"sha256": "1"}},
    "machines": {"cs": "LinearSVM()"},
}


def lines_of(folder):
    return (folder / "fits.jsonl").read_text().splitlines()


@pytest.fixture(scope="module")
def uninterrupted():
    return compare(["iris", "wine"], MACHINES, QUICK, **QUIET)


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_killed_and_run_again(tmp_path, helpers_on_path, uninterrupted):
    folder = tmp_path / "results"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=helpers_on_path,
    )
    try:
        for _ in range(5):
            assert process.stdout.readline() == "kept\n", process.stderr.read()
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "report.html").exists()
    # As if it had been killed while it wrote.
    with open(folder / "fits.jsonl", "a") as file:
        file.write('{"kind": "fit", "dataset": "iri')
    kept = lines_of(folder)[:-1]
    assert 5 <= len(kept) < 13

    report = compare(["iris", "wine"], MACHINES, QUICK, folder, **QUIET)
    lines = lines_of(folder)
    assert lines[: len(kept)] == kept  # nothing was done twice
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds.count("fit") == 2 * 2 * 3
    assert kinds.count("session") == 2
    np.testing.assert_array_equal(report.accuracy, uninterrupted.accuracy)
    assert (
        str(report).split("Training time")[0]
        == (str(uninterrupted).split("Training time")[0])
    )
    assert (folder / "report.html").exists()


def test_ctrl_c_keeps_what_is_done(tmp_path, monkeypatch, uninterrupted):
    fit, count = LinearSVM.fit, iter(range(100))

    def interrupted(self, X, y, sample_weight=None):
        if next(count) == 10:
            raise KeyboardInterrupt
        return fit(self, X, y, sample_weight)

    folder = tmp_path / "results"
    monkeypatch.setattr(LinearSVM, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(["iris", "wine"], MACHINES, QUICK, folder, **QUIET)
    monkeypatch.undo()
    assert 2 < len(lines_of(folder)) < 12
    report = compare(["iris", "wine"], MACHINES, QUICK, folder, **QUIET)
    np.testing.assert_array_equal(report.accuracy, uninterrupted.accuracy)


def test_run_again_trains_nothing(tmp_path, monkeypatch):
    first = compare("iris", "cs", QUICK, tmp_path / "r", **QUIET)
    before = lines_of(tmp_path / "r")
    (tmp_path / "r" / "report.html").unlink()
    monkeypatch.setattr(LinearSVM, "fit", None)
    second = compare("iris", "cs", QUICK, tmp_path / "r", **QUIET)
    assert lines_of(tmp_path / "r") == before
    assert str(second) == str(first)
    assert (tmp_path / "r" / "report.html").exists()


def test_machines_and_data_sets_may_be_added(tmp_path, uninterrupted):
    folder = tmp_path / "r"
    compare("iris", "cs", QUICK, folder, **QUIET)
    before = lines_of(folder)
    report = compare(["iris", "wine"], MACHINES, QUICK, folder, **QUIET)
    assert lines_of(folder)[: len(before)] == before
    np.testing.assert_array_equal(report.accuracy, uninterrupted.accuracy)
    smaller = compare("wine", "ww", QUICK, folder, **QUIET)
    assert smaller.accuracy == uninterrupted.accuracy[1, 1]


def test_failures_are_tried_again(tmp_path, monkeypatch):
    def broken(self, X, y, sample_weight=None):
        raise MemoryError("no room")

    monkeypatch.setattr(LinearSVM, "fit", broken)
    report = compare("iris", "cs", QUICK, tmp_path / "r", **QUIET)
    assert np.isnan(report.accuracy).all()
    monkeypatch.undo()
    report = compare("iris", "cs", QUICK, tmp_path / "r", **QUIET)
    assert np.isfinite(report.accuracy).all() and not report.summary.failures


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"prepare": "unit"}, "its prepare is 'none', not 'unit'"),
        (
            {"protocol": replace(QUICK, repeats=3).as_dict()},
            "its protocol is one with repeats=2, not 3",
        ),
        ({"datasets": {"iris": {"sha256": "2"}}}, "its dataset 'iris' is not the same"),
        ({"machines": {"cs": "LinearSVM(C=2)"}}, "its machine 'cs' is not the same"),
    ],
)
def test_folder_of_another_comparison(tmp_path, change, words):
    with ResultsFolder(tmp_path / "r", SETTINGS):
        pass
    with pytest.raises(ValueError, match=words) as caught:
        ResultsFolder(tmp_path / "r", SETTINGS | change)
    assert str(caught.value).endswith("give another folder.")
    with ResultsFolder(tmp_path / "r", SETTINGS):  # nothing was changed or locked
        pass


def test_folder_with_other_files(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(ValueError, match=r"thesis.tex, \.\.\..*give an empty one"):
        ResultsFolder(tmp_path, SETTINGS)


def test_file_in_the_way(tmp_path):
    (tmp_path / "r").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file"):
        ResultsFolder(tmp_path / "r", SETTINGS)


def test_broken_line_in_the_middle(tmp_path):
    with ResultsFolder(tmp_path, SETTINGS) as results:
        results.append({"kind": "session"})
    with open(tmp_path / "fits.jsonl", "a") as file:
        file.write("oops\n{}\n")
    with pytest.raises(ValueError, match=r"line 2 of .* is no JSON"):
        ResultsFolder(tmp_path, SETTINGS)


def test_two_processes_at_once(tmp_path):
    pytest.importorskip("fcntl")
    with (
        ResultsFolder(tmp_path, SETTINGS),
        pytest.raises(BlockingIOError, match="written by another process"),
    ):
        ResultsFolder(tmp_path, SETTINGS)


def test_full_disk_leaves_no_part_of_a_line(tmp_path, monkeypatch):
    """A write that the system takes in part is finished, or taken back."""
    write = os.write

    def short(to, what):
        return write(to, bytes(what)[:5])

    def full(to, what):
        if len(what) < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return short(to, what)

    with ResultsFolder(tmp_path, SETTINGS) as folder:
        monkeypatch.setattr(os, "write", short)
        folder.append({"number": 1})
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match=r"fits\.jsonl"):
            folder.append({"number": 2})
        assert folder.rows == [{"number": 1}]
        monkeypatch.setattr(os, "write", write)
        folder.append({"number": 3})
    assert list(map(json.loads, lines_of(tmp_path))) == [{"number": 1}, {"number": 3}]
    with ResultsFolder(tmp_path, SETTINGS) as folder:
        assert folder.rows == [{"number": 1}, {"number": 3}]
