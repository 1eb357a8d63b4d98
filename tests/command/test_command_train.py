"""``polymargin train``: what it chooses, says and writes."""

import numpy as np
import pytest
from command_files import digits, run_json, write_digits, write_iris, write_text
from sklearn.model_selection import StratifiedKFold, cross_val_score

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt
from polymargin.command import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_digits(folder)
    write_iris(folder / "iris.csv")
    write_text(folder / "text.svm")
    return folder


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Models go to the working folder."""
    monkeypatch.chdir(tmp_path)


def test_the_plain_command(folder, tmp_path, capsys):
    assert main(["train", str(folder / "digits.svm"), "--quick"]) == 0
    shown = capsys.readouterr()
    assert "400 rows, 64 features" in shown.out and "10 classes" in shown.out
    assert "one-vs-one, rbf kernel, C = 1" in shown.out
    assert "(converged)" in shown.out and "5-fold cross-validation" in shown.out
    assert shown.err == ""
    model = polymargin.load(tmp_path / "digits.polymargin")
    X, y, X_test, _ = digits()
    expected = KernelSVM(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_test), expected.predict(X_test))


def test_sparse_rows_are_for_linear_machines(folder, capsys):
    found = run_json(capsys, "train", folder / "text.svm", "--quick")
    assert found["machine"]["estimator"] == "LinearSVM"
    assert found["machine"]["machine"] == "cs"
    assert found["machine"]["reason"] == "more than 1,000 features"
    assert found["cross_validation"]["accuracy"] > 0.5
    assert found["model"] == "text.polymargin"


def test_cross_validation_is_that_of_scikit_learn(folder, capsys):
    words = "train", folder / "digits.svm", "-k", "linear", "-e", "1e-6", "-v", "4"
    found = run_json(capsys, *words)["cross_validation"]
    X, y, _, _ = digits()
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = LinearSVM(tol=1e-6, random_state=0)
    expected = cross_val_score(model, X, y, cv=folds)
    assert found["folds"] == 4
    # Near the optimum a row may still change sides.
    np.testing.assert_allclose(found["scores"], expected, atol=0.011)
    assert found["accuracy"] == pytest.approx(np.mean(found["scores"]))


def test_held_out_file(folder, capsys):
    words = ["train", folder / "digits.svm", "-m", "ww", "-k", "linear"]
    found = run_json(capsys, *words, folder / "digits.t.svm")
    assert "cross_validation" not in found
    X, y, X_test, y_test = digits()
    model = LinearSVM("ww", random_state=0).fit(X, y)
    assert found["heldout"]["accuracy"] == model.score(X_test, y_test)
    assert found["dual_gap"] == pytest.approx(model.dual_gap_, rel=1e-6)
    again = run_json(capsys, *words, "--test", folder / "digits.t.svm", "-v", "3")
    assert again["heldout"] == found["heldout"]
    assert again["cross_validation"]["folds"] == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-s", "0"], LinearSVM("ovr", loss="logistic")),
        (["-s", "1"], LinearSVM("ovr", loss="squared_hinge", solver="dual")),
        (["-s", "2"], LinearSVM("ovr", loss="squared_hinge", solver="tron")),
        (["-s", "3"], LinearSVM("ovr", solver="dual")),
        (["-s", "4", "-c", "0.5"], LinearSVM("cs", solver="dual", C=0.5)),
        (["-s", "7"], LinearSVM("ovr", loss="logistic", solver="dual")),
        (["-s", "3", "-B", "-1"], LinearSVM("ovr", solver="dual", fit_intercept=False)),
        (["-B", "10"], LinearSVM(intercept_scaling=10.0)),
        (["-e", "0.1", "-m", "llw", "-B", "1"], LinearSVM("llw", tol=0.1)),
        (
            ["-w1", "5", "-w", "3=0.5", "-B", "1"],
            LinearSVM(class_weight={1: 5, 3: 0.5}),
        ),
        (["--weights", "balanced", "-k", "linear"], LinearSVM(class_weight="balanced")),
        (["--features", "reduced"], LinearSVM(features="reduced")),
        (["-m", "maxent"], MaxEnt()),
        (["-g", "0.02", "-m", "cs"], KernelSVM("cs", gamma=0.02)),
        (
            ["-k", "poly", "--degree", "2", "--coef0", "1"],
            KernelSVM(kernel="poly", degree=2, coef0=1.0),
        ),
        (["--solver", "s2do", "-e", "0.01"], KernelSVM(solver="s2do", tol=0.01)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options(folder, tmp_path, words, expected):
    target = tmp_path / "m"
    words = ["train", str(folder / "digits.svm"), *words, "-v", "0", "-q", "-j", "1"]
    assert main([*words, "-o", str(target)]) == 0
    model = polymargin.load(target)
    X, y, X_test, _ = digits()
    expected.set_params(random_state=0).fit(X, y)
    for name, value in expected.get_params().items():
        if name != "n_jobs":
            assert model.get_params()[name] == value, name
    np.testing.assert_allclose(
        model.decision_function(X_test), expected.decision_function(X_test), atol=1e-6
    )


def test_liblinears_numbers_are_explained(folder, capsys):
    words = ["train", str(folder / "digits.svm"), "-v", "0", "-q"]
    assert main([*words, "-s", "1"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "note: -s 1 is --machine ovr --loss squared_hinge" in shown.err
    assert "-B -1 leaves out" in shown.err and shown.err.count("\n") == 1


def test_c_auto(folder, capsys):
    words = ["train", folder / "text.svm", "-v", "3", "--budget", "1e9"]
    found = run_json(capsys, *words, "-c", "auto")
    best = found["tuning"]["best"]
    assert found["machine"]["C"] == best["C"]
    assert best["accuracy"] == max(p["accuracy"] for p in found["tuning"]["points"])
    assert "cross_validation" not in found
    again = run_json(capsys, *words, "-C")
    assert again["tuning"]["best"]["C"] == best["C"]


def test_names_of_features_are_kept(folder, capsys):
    words = "train", folder / "iris.csv", "--label", "species", "-k", "linear"
    run_json(capsys, *words, "-v", "0", "--max-iter", "5000")
    model = polymargin.load("iris.polymargin")
    assert model.feature_names_in_.tolist()[2:] == ["petal_length", "petal_width"]
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_not_converged(folder, capsys):
    words = ["train", str(folder / "digits.svm"), "-k", "linear", "--max-iter", "2"]
    assert main(words) == 3
    shown = capsys.readouterr()
    assert "raise max_iter (now 2)" in shown.err
    assert "5 fits on folds ended before --tol" in shown.err
    assert "(max_iter)" in shown.out
    assert polymargin.load("digits.polymargin").n_iter_ == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-s", "5"], "-s 5 has an L1 penalty"),
        (["-s", "11"], "-s 11 is regression"),
        (["-s", "8"], "-s 8 is not known"),
        (["-s", "4", "-m", "cs"], "leave out --machine"),
        (["--loss", "logistic", "-m", "cs"], "is not a loss of machine='cs'"),
        (["--loss", "logistic", "-k", "rbf"], "'loss' parameter of KernelSVM"),
        (["-k", "linear", "-g", "1"], "--gamma means nothing to LinearSVM"),
        (["-k", "rbf", "-B", "1"], "--bias means nothing to KernelSVM"),
        (["-m", "maxent", "--loss", "hinge"], "--loss means nothing to MaxEnt"),
        (["-e", "-1"], "'tol' parameter"),
        (["-w17", "5"], "names the label '17'"),
        (["-w1", "much"], "is not label=number"),
        (["-v", "1"], "-v 1 must be 0, or at least 2"),
        (["-v", "401"], "at most 4"),
        (["-v", "0", "-c", "auto"], "needs at least two folds"),
        (["a.svm", "--test", "b.svm"], "are both held-out data"),
    ],
)
def test_misuse(folder, capsys, words, sentence):
    source = str(folder / "digits.svm")
    assert main(["train", source, *words]) == 2
    shown = capsys.readouterr()
    last = shown.err.splitlines()[-1]
    assert last.startswith("polymargin train: ") and sentence in last
    assert shown.out == ""


@pytest.mark.parametrize(
    "words", [["-c", "-1"], ["-c", "much"], ["-m", "vw"], ["--mach", "cs"], []]
)
def test_misuse_that_the_parser_finds(capsys, words):
    with pytest.raises(SystemExit) as stop:
        main(["train", *(["a.svm", *words] if words else [])])
    assert stop.value.code == 2
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("polymargin train: ")
    assert last == "`polymargin train --help` shows what can be given."


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["train", "a.svm", "--kernle", "rbf"], "--kernel"),
        (["train", "a.svm", "--labl=3"], "--label"),
        (["train", "a.svm", "-m", "maxnet"], "maxent"),
        (["trian", "a.svm"], "train"),
        (["train", "a.svm", "--mach", "cs"], "--machine"),
    ],
)
def test_the_word_that_was_meant(capsys, words, meant):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 1:0.5\n2 1:x\n", "a.svm"),
        ("1 1:0.5\n1 1:2\n", "got one class only: 1"),
        ("", "a.svm"),
        ("1:0.5\n1:2\n", "has no labels"),
    ],
)
def test_wrong_data(tmp_path, capsys, text, sentence):
    (tmp_path / "a.svm").write_text(text)
    assert main(["train", "a.svm"]) == 1
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1 and sentence in shown.err
    assert sorted(tmp_path.iterdir()) == [tmp_path / "a.svm"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere.svm"], "nowhere.svm: No such file or directory."),
        (["{}", "nowhere.t"], "nowhere.t: No such file; the second file is held-out"),
        (["{}", "-o", "no/m"], "no: No such folder to write into."),
        (["{}", "-o", "."], "Is not a file; choose another name"),
        (["{}", "-o", "/dev/full"], "/dev/full: Is not a file"),
    ],
)
def test_wrong_files(folder, tmp_path, capsys, words, sentence):
    words = [word.format(folder / "digits.svm") for word in words]
    assert main(["train", *words]) == 1
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_data_are_not_written_over(folder, capsys):
    source = str(folder / "digits.svm")
    assert main(["train", source, "-o", source]) == 2
    assert "would be written over" in capsys.readouterr().err
