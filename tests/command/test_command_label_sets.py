"""Several labels a row on the command line, from training to predictions."""

import numpy as np
import pytest
from command_files import run_json
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score, f1_score

import polymargin
from polymargin import LinearSVM, load_data, save_data
from polymargin.command import main

NAMES = np.array(["ape", "bee", "cat", "dog"])


def rows():
    X, Y = make_multilabel_classification(
        200, 10, n_classes=4, n_labels=2, random_state=0
    )
    return X / X.max(), Y


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tags")
    X, Y = rows()
    save_data(X[:150], Y[:150], folder / "tags.svm", label_names=NAMES)
    save_data(X[150:], Y[150:], folder / "tags.t.svm", label_names=NAMES)
    model = str(folder / "tags.polymargin")
    words = [str(folder / "tags.svm"), "-o", model, "-v", "0", "--quiet"]
    assert main(["train", *words]) == 0
    return folder


def expected(thresholds=None):
    X, Y = rows()
    model = LinearSVM("ovr", random_state=0, thresholds=thresholds)
    return model.fit(X[:150], Y[:150]).predict(X[150:]), Y[150:]


def test_predictions_are_labels_between_commas(folder, capsys):
    words = [str(folder / "tags.t.svm"), str(folder / "tags.polymargin")]
    assert main(["predict", *words]) == 0
    shown = capsys.readouterr()
    predicted, Y = expected()
    lines = [",".join(NAMES[row.astype(bool)]) for row in predicted]
    assert shown.out.split("\n")[:-1] == lines
    right = (predicted == Y).all(axis=1).sum()
    assert f"({right}/50)" in shown.err
    assert main(["predict", *words, "--scores", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("labels ape bee cat dog\n")


def test_evaluation_is_that_of_scikit_learn(folder, capsys):
    words = [str(folder / "tags.polymargin"), str(folder / "tags.t.svm")]
    found = run_json(capsys, "evaluate", *words)
    predicted, Y = expected()
    assert_allclose(found["accuracy"], accuracy_score(Y, predicted))
    assert_allclose(found["micro_f1"], f1_score(Y, predicted, average="micro"))
    assert_allclose(found["macro_f1"], f1_score(Y, predicted, average="macro"))
    assert_allclose(found["f1"], f1_score(Y, predicted, average=None))
    assert main(["evaluate", *words]) == 0
    assert "micro F1" in capsys.readouterr().out


def test_held_out_rows_folds_and_thresholds(folder, capsys):
    data, heldout = str(folder / "tags.svm"), str(folder / "tags.t.svm")
    target = ["-o", str(folder / "other.polymargin")]
    found = run_json(capsys, "train", data, heldout, "--thresholds", "f1", *target)
    predicted, Y = expected("f1")
    assert_allclose(
        found["heldout"]["micro_f1"], f1_score(Y, predicted, average="micro")
    )
    model = polymargin.load(folder / "other.polymargin")
    assert model.metadata_["labels"] == NAMES.tolist()
    folds = run_json(capsys, "train", data, "-v", "3", *target)["cross_validation"]
    assert folds["folds"] == 3
    assert sum(folds["evaluation"]["true"]) == rows()[1][:150].sum()


def test_unknown_labels_are_wrong(folder, tmp_path, capsys):
    X, _ = rows()
    Y = np.zeros((50, 5), dtype=int)
    Y[:, 4] = 1
    Y[0, 0] = 1  # one that is known
    save_data(X[150:], Y, tmp_path / "new.svm", label_names=[*NAMES, "eel"])
    words = [str(folder / "tags.polymargin"), str(tmp_path / "new.svm")]
    found = run_json(capsys, "evaluate", *words)
    assert found["labels"] == [*NAMES, "eel"]
    assert found["accuracy"] == 0
    assert found["f1"][4] == 0


def test_rows_without_labels(folder, tmp_path, capsys):
    X, _ = rows()
    save_data(X[150:], None, tmp_path / "new.svm")
    model = str(folder / "tags.polymargin")
    assert main(["predict", str(tmp_path / "new.svm"), model]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.split("\n")) == 51
    assert "Accuracy" not in shown.err


def test_conversion(folder, tmp_path, capsys):
    source, target = folder / "tags.svm", tmp_path / "again.svm"
    assert main(["convert", str(source), str(target)]) == 0
    one, other = (load_data(path, several_labels=True) for path in (source, target))
    assert_array_equal(one.y.toarray(), other.y.toarray())
    assert source.read_bytes() == target.read_bytes()
    assert main(["convert", str(source), str(tmp_path / "tags.npz")]) != 0
    assert "npz does not hold" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("train", ["-m", "ww"], "one-vs-rest without a kernel"),
        ("train", ["--kernel", "rbf"], "one-vs-rest without a kernel"),
        ("train", ["-c", "auto"], "-c auto is for one"),
        ("train", ["--html", "x.html"], "--html is for one"),
        ("tune", [], "tune takes one"),
    ],
)
def test_what_takes_one_label(folder, command, words, message, capsys):
    assert main([command, str(folder / "tags.svm"), *words]) != 0
    assert message in capsys.readouterr().err


def test_thresholds_need_several_labels(tmp_path, capsys):
    (tmp_path / "one.svm").write_text("1 1:1\n2 1:2\n" * 10)
    words = ["train", str(tmp_path / "one.svm"), "--thresholds", "f1"]
    assert main(words) != 0
    assert "--thresholds is for several labels a row" in capsys.readouterr().err
