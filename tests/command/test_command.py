"""The command line."""

import subprocess
import sys

import numpy as np
import pytest
from patience import HANGS

from polymargin.command import SUBCOMMANDS, main

QUICK = ["--repeats", "2", "--no-convergence", "--no-scaling", "-p", "passes"]


def test_compare(tmp_path, capsys):
    folder = tmp_path / "results"
    words = ["compare", "iris", "-m", "cs", "maxent", "-o", str(folder), *QUICK]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "Accuracy" in shown.out and "iris, 5 passes" in shown.out
    assert f"{folder}/report.html" in shown.out
    assert shown.err == ""  # no terminal, no progress
    files = {file.name for file in folder.iterdir()}
    assert files >= {"fits.jsonl", "results.csv", "report.md", "report.html"}
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_progress_if_asked_for(tmp_path, capsys):
    words = ["compare", "iris", "-m", "cs", "-o", str(tmp_path / "r"), *QUICK]
    assert main([*words, "--progress"]) == 0
    assert "[6/6] iris, cs, split 2, 5 passes: done" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["iris", "-m", "vw"], "machine 'vw' is not known"),
        (["nowhere.npz"], "'nowhere.npz' is neither a file"),
        (["iris", "--repeats", "0"], "repeats=0 must be at least 1."),
    ],
)
def test_errors_are_one_sentence(tmp_path, capsys, words, sentence):
    assert main(["compare", *words, "-o", str(tmp_path / "r")]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("polymargin compare: ") and sentence in shown.err
    assert shown.err.count("\n") == 1


def test_one_class(tmp_path, capsys):
    np.savez(tmp_path / "one.npz", X=np.ones((4, 2)), y=np.ones(4, dtype=int))
    assert main(["compare", str(tmp_path / "one.npz"), "-o", str(tmp_path / "r")]) == 1
    assert "'one' has only the class 1" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_ctrl_c(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("polymargin.selection.comparison.compare", interrupted)
    assert main(["compare", "iris"]) == 130
    assert "run the same command again" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["polymargin", "polymargin.command"])
def test_as_a_module(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0
    for name in SUBCOMMANDS:
        assert name in done.stdout
