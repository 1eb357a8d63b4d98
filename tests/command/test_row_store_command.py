"""Row stores on the command line: made, shown, trained on, predicted, measured."""

import numpy as np
import pytest
from command_files import digits, run, run_json, write_digits, write_iris

from polymargin import load, open_rows
from polymargin.command import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_digits(tmp_path)
    assert main(["convert", "digits.svm", "digits.rows"]) == 0
    return tmp_path


def test_train_and_predict(folder, capsys):
    words = ["train", "digits.rows", "digits.t.svm", "--memory-limit", "2MB"]
    found = run_json(capsys, *words)
    assert found["rows"] == 400 and found["classes"] == 10
    assert found["status"] == "converged" and found["model"] == "digits.polymargin"
    assert found["machine"]["estimator"] == "LinearSVM"
    assert found["heldout"]["accuracy"] > 0.8
    assert main(["convert", "digits.t.svm", "test.rows", "-q"]) == 0
    capsys.readouterr()
    assert main(["predict", "test.rows", "digits.polymargin"]) == 0
    shown = capsys.readouterr()
    store = open_rows("test.rows")
    expected = load("digits.polymargin").predict(store)
    assert shown.out.split() == [str(label) for label in expected]
    assert "Accuracy" in shown.err
    found = run_json(capsys, "evaluate", "digits.polymargin", "test.rows")
    assert found["accuracy"] == np.mean(expected == store.labels())
    assert main(["train", "digits.rows", "test.rows", "-m", "maxent", "-q"]) == 0


def test_convert_back(folder, capsys):
    assert main(["convert", "digits.rows", "again.npz"]) == 0
    X, y, _, _ = digits()
    with np.load("again.npz") as arrays:
        assert sorted(map(tuple, arrays["X"])) == sorted(map(tuple, X))
        assert sorted(arrays["y"]) == sorted(y)


def test_inspect(folder, capsys):
    found = run_json(capsys, "inspect", "digits.rows")
    assert (
        found["rows"] == 400 and found["features"] == 64 and len(found["labels"]) == 10
    )
    main(["inspect", "digits.rows"])
    assert "features  64" in capsys.readouterr().out


def test_options_of_stores(folder, capsys):
    write_iris(folder / "iris.csv")
    words = ["iris.csv", "iris.rows", "--label", "species", "--dtype", "float32"]
    assert main(["convert", *words, "--segment-size", "1kB", "--seed", "3"]) == 0
    store = open_rows("iris.rows")
    assert store.dtype == np.float32 and store.n_segments > 1
    assert store.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert store.feature_names[0] == "length"
    assert main(["train", "iris.rows", "--weights", "setosa=2", "-q"]) == 0
    assert (
        main(["predict", "iris.csv", "iris.polymargin", "out", "--label", "species"])
        == 0
    )


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["train", "digits.rows", "-c", "auto"], 2, "has no folds"),
        (["train", "digits.rows", "-v", "3"], 2, "has no folds"),
        (["train", "digits.rows", "-k", "rbf"], 2, "--kernel rbf needs all rows"),
        (["train", "digits.rows", "-m", "ovo"], 1, "machine='ovo' is not trained"),
        (["train", "digits.svm", "--memory-limit", "1GB"], 2, "is for row stores"),
        (["train", "digits.rows", "--memory-limit", "1"], 1, "are needed"),
        (["train", "digits.rows", "--memory-limit", "x"], 1, "memory_limit='x'"),
        (["tune", "digits.rows"], 2, "has no folds"),
        (["convert", "digits.svm", "no/where.rows"], 1, "No such folder"),
        (["convert", "missing.svm", "new.rows"], 1, "missing.svm"),
    ],
)
def test_refused(folder, capsys, words, status, message):
    before = sorted(folder.iterdir())
    assert main(words) == status
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_from_a_pipe(folder):
    text = (folder / "digits.svm").read_text()
    assert run("convert", "-", "piped.rows", input=text)[0] == 0
    assert len(open_rows("piped.rows")) == 400
