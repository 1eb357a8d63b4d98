"""``polymargin predict`` and ``polymargin evaluate``."""

import numpy as np
import pytest
from command_files import digits, run_json, write_digits, write_iris
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, precision_score

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt
from polymargin.command import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_digits(folder)
    X, y, _, _ = digits()
    polymargin.save(LinearSVM(random_state=0).fit(X, y), folder / "linear.polymargin")
    polymargin.save(MaxEnt(random_state=0).fit(X, y), folder / "maxent.polymargin")
    polymargin.save(
        LinearSVM(random_state=0).fit(X[y < 2], y[y < 2]), folder / "two.polymargin"
    )
    X, y = write_iris(folder / "iris.csv")
    model = KernelSVM(random_state=0).fit(X, y)
    model.feature_names_in_ = np.array(
        ["length", "width", "petal_length", "petal_width"], dtype=object
    )
    polymargin.save(model, folder / "iris.polymargin")
    return folder


def test_labels(folder, capsys):
    words = [str(folder / name) for name in ("digits.t.svm", "linear.polymargin")]
    assert main(["predict", *words]) == 0
    shown = capsys.readouterr()
    X, y, X_test, y_test = digits()
    model = LinearSVM(random_state=0).fit(X, y)
    expected = model.predict(X_test)
    assert shown.out.split() == [str(label) for label in expected]
    right = (expected == y_test).sum()
    assert shown.err == f"Accuracy = {100 * right / 200:.4f}% ({right}/200)\n"


def test_into_a_file_in_either_order(folder, tmp_path, capsys):
    data, model = str(folder / "digits.t.svm"), str(folder / "linear.polymargin")
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    assert main(["predict", data, model, str(first), "-q"]) == 0
    assert main(["predict", model, data, str(second), "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert len(first.read_text().splitlines()) == 200
    assert first.read_text() == second.read_text()
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize(
    ("name", "option", "method"),
    [
        ("linear", "--scores", "decision_function"),
        ("maxent", "--probabilities", "predict_proba"),
    ],
)
def test_numbers(folder, capsys, name, option, method):
    path = folder / f"{name}.polymargin"
    words = ["predict", str(folder / "digits.t.svm"), str(path)]
    assert main([*words, option]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "labels 0 1 2 3 4 5 6 7 8 9"
    found = np.array([line.split() for line in lines], dtype=float)
    model, X_test = polymargin.load(path), digits()[2]
    np.testing.assert_allclose(found[:, 1:], getattr(model, method)(X_test), rtol=1e-6)
    np.testing.assert_array_equal(found[:, 0], found[:, 1:].argmax(axis=1))


def test_scores_of_two_classes(folder, capsys):
    words = [str(folder / name) for name in ("digits.t.svm", "two.polymargin")]
    assert main(["predict", *words, "--scores", "-q"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    found = np.array([line.split() for line in lines], dtype=float)
    assert head == "labels 0 1"
    np.testing.assert_array_equal(found[:, 0], found[:, 1:].argmax(axis=1))


def test_no_probabilities(folder, capsys):
    words = [str(folder / name) for name in ("digits.t.svm", "linear.polymargin")]
    assert main(["predict", *words, "--probabilities"]) == 2
    assert "train it with --machine maxent" in capsys.readouterr().err


def test_other_features_than_in_training(folder, tmp_path, capsys):
    model = str(folder / "linear.polymargin")
    few, more = tmp_path / "few.svm", tmp_path / "more.svm"
    few.write_text("3 1:0.5 5:1\n")
    more.write_text("3 1:0.5 5:1 80:3\n")
    assert main(["predict", str(few), model, "-q"]) == 0
    first = capsys.readouterr()
    assert main(["predict", str(more), model, "-q"]) == 0
    second = capsys.readouterr()
    assert first.out == second.out and first.err == ""
    assert "has 80 features; those after 64" in second.err


def test_rows_without_labels(folder, tmp_path, capsys):
    model = folder / "linear.polymargin"
    bare, zeros = tmp_path / "bare.svm", tmp_path / "zeros.svm"
    bare.write_text("1:0.5 5:1\n2:1\n")
    zeros.write_text("-1 1:0.5 5:1\n-1 2:1\n")
    for path in (bare, zeros):
        assert main(["predict", str(path), str(model)]) == 0
        shown = capsys.readouterr()
        assert len(shown.out.split()) == 2
        assert shown.err == ""
    assert main(["evaluate", str(model), str(bare)]) == 1
    assert "has no labels" in capsys.readouterr().err


def test_tables(folder, tmp_path, capsys):
    model = str(folder / "iris.polymargin")
    assert main(["predict", str(folder / "iris.csv"), model]) == 0
    labelled = capsys.readouterr()
    assert "Accuracy = 9" in labelled.err
    lines = (folder / "iris.csv").read_text().splitlines()
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(line.rpartition(",")[0] for line in lines) + "\n")
    assert main(["predict", str(bare), model]) == 0
    assert capsys.readouterr() == (labelled.out, "")
    other = tmp_path / "other.csv"
    other.write_text(bare.read_text().replace("petal_length", "weight"))
    assert main(["predict", str(other), model, "--label", "none"]) == 1
    assert "'weight' where the model was trained with 'petal_length'" in (
        capsys.readouterr().err
    )
    narrow = tmp_path / "narrow.csv"
    narrow.write_text("length,width\n1,2\n")
    assert main(["predict", str(narrow), model, "--label", "none"]) == 1
    assert "has 2 features, but the model was trained with 4" in capsys.readouterr().err


def test_evaluate(folder, capsys):
    words = folder / "linear.polymargin", folder / "digits.t.svm"
    found = run_json(capsys, "evaluate", *words)
    _, _, X_test, y_test = digits()
    predicted = polymargin.load(words[0]).predict(X_test)
    assert found["accuracy"] == pytest.approx((predicted == y_test).mean())
    assert found["balanced_accuracy"] == pytest.approx(
        balanced_accuracy_score(y_test, predicted)
    )
    assert found["confusion"] == confusion_matrix(y_test, predicted).tolist()
    expected = precision_score(y_test, predicted, average=None)
    np.testing.assert_allclose(found["precision"], expected)
    assert main(["evaluate", *map(str, reversed(words))]) == 0
    text = capsys.readouterr().out
    assert f"{found['accuracy']:.2%}" in text and "predicted label across" in text


@pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
def test_no_model(folder, tmp_path, capsys, command):
    data = str(folder / "digits.t.svm")
    broken = tmp_path / "cut.polymargin"
    broken.write_bytes((folder / "linear.polymargin").read_bytes()[:900])
    for model in (str(tmp_path / "nowhere.polymargin"), str(broken), str(tmp_path)):
        words = [data, model] if command == "predict" else [model, data]
        assert main([command, *words]) == 1
        shown = capsys.readouterr()
        assert shown.out == "" and shown.err.count("\n") == 1
        assert model in shown.err


def test_features_are_counted_as_in_training(tmp_path, capsys):
    """The training rows have a feature 0; these have none, and that is no reason."""
    train, test = tmp_path / "train.svm", tmp_path / "test.svm"
    rows = ["a 0:1", "b 1:1", "c 2:1"]
    train.write_text("\n".join(rows * 5))
    test.write_text("b 1:1\nc 2:1\n")
    model = str(tmp_path / "train.polymargin")
    report = run_json(capsys, "train", train, test, "-s", 4, "-c", 10, "-o", model)
    assert report["heldout"]["accuracy"] == 1
    assert main(["predict", str(test), model, "-q"]) == 0
    assert capsys.readouterr().out.split() == ["b", "c"]
    # Who says otherwise is heard.
    assert main(["predict", str(test), model, "-q", "--zero-based", "no"]) == 0
    assert capsys.readouterr().out.split() == ["a", "b"]


def test_words_that_look_like_numbers(tmp_path, capsys):
    """The model knows 01 and 02 as words; a file that has no others is read so, too."""
    (tmp_path / "train.svm").write_text("01 1:1\n02 2:1\nx 3:1\n" * 9)
    (tmp_path / "new.svm").write_text("01 1:1\n02 2:1\n01 1:1\n")
    model, new = str(tmp_path / "a.polymargin"), str(tmp_path / "new.svm")
    words = ["train", str(tmp_path / "train.svm"), new, "-o", model, "--budget", "1e9"]
    assert "100.00 %" in _out(words, capsys)
    assert main(["predict", new, model]) == 0
    shown = capsys.readouterr()
    assert shown.out.split() == ["01", "02", "01"]
    assert shown.err == "Accuracy = 100.0000% (3/3)\n"
    assert "accuracy 100.00%" in _out(["evaluate", model, new], capsys)
    (tmp_path / "new.csv").write_text("a,b,c,label\n1,0,0,01\n0,1,0,02\n")
    words = ["evaluate", model, str(tmp_path / "new.csv")]
    assert "accuracy 100.00%" in _out(words, capsys)


def test_words_among_numbers_are_wrong(tmp_path, capsys):
    (tmp_path / "train.svm").write_text("1 1:1\n2 2:1\n3 3:1\n" * 9)
    (tmp_path / "new.svm").write_text("01 1:1\n2.0 2:1\nunknown 3:1\n")
    model, new = str(tmp_path / "a.polymargin"), str(tmp_path / "new.svm")
    words = ["train", str(tmp_path / "train.svm"), new, "-o", model, "--budget", "1e9"]
    assert "66.67 %" in _out(words, capsys)
    assert main(["predict", new, model]) == 0
    assert capsys.readouterr().err == "Accuracy = 66.6667% (2/3)\n"
    assert "accuracy 66.67%" in _out(["evaluate", model, new], capsys)


def _out(words, capsys) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def test_the_output_may_be_named_by_an_option(folder, tmp_path, capsys):
    words = [str(folder / name) for name in ("digits.t.svm", "linear.polymargin")]
    places = [str(tmp_path / name) for name in ("a", "b", "c")]
    assert main(["predict", *words, places[0]]) == 0
    assert main(["predict", *words, "-o", places[1]]) == 0
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()
    capsys.readouterr()
    assert main(["predict", *words, places[0], "-o", places[2]]) == 2
    assert "are both where to write; give one." in capsys.readouterr().err
