"""Tests of figure 3 of a paper and of a thesis, repeated: fakes and tiny data only."""

import time
from dataclasses import replace

import numpy as np
import pytest

from . import agreement, schemes_page, schemes_paper
from . import convergence as convergence_command
from . import convergence_run as convergence
from . import schemes as schemes_command
from . import schemes_run as schemes
from .data import FOLDER_VARIABLE, choose_rows, load
from .page import SHOWN
from .results import Results
from .solvers import Polymargin

ENVIRONMENT = dict.fromkeys(SHOWN, "x")


@pytest.fixture
def digits():
    data = load("digits")
    return replace(data, X=data.X[:200], y=data.y[:200])


def test_curve_comes_down_to_the_optimum(digits):
    best = Polymargin(tol=1e-6).model(digits.X.astype(float), digits.y).objective_
    curve = convergence.follow(digits, best, 10.0, order="permuted")
    difference = np.array(curve["difference"])
    assert len(difference) == len(curve["seconds"]) == len(curve["accuracy"])
    assert difference[0] > difference[-1]
    assert -1e-6 <= difference[-1] <= 2 * convergence.TOL
    assert (np.diff(curve["seconds"]) > 0).all()
    assert curve["accuracy"][-1] > 0.8


def test_looking_at_the_models_is_not_counted(digits, monkeypatch):
    def look(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "epoch":
            time.sleep(0.05)
            self.accuracy.append(0.0)

    monkeypatch.setattr(convergence.Examiner, "on_fit_task_end", look)
    curve = convergence.follow(digits, 1.0, 10.0, max_iter=10)
    assert curve["epochs"] == 10
    assert curve["seconds"][-1] < 0.4  # the looks took 0.5


def test_times_are_read_off_curves():
    curve = {
        "seconds": [1.0, 2.0, 3.0, 4.0],
        "difference": [0.5, 0.05, 0.01, 0.001],
        "accuracy": [0.9, 0.7, 0.896, 0.91],
    }
    assert convergence.seconds_to(curve, 0.01) == 3.0
    assert convergence.seconds_to(curve, 1e-9) is None
    assert convergence.seconds_to_accuracy(curve, 0.9) == 3.0  # it fell back before
    assert convergence.seconds_to_accuracy(curve, 0.95) is None


def test_numbers_of_the_thesis_are_whole_rows():
    tables = (
        *(schemes_paper.CROSS_VALIDATION, schemes_paper.TEST, schemes_paper.BEST_C),
        *(schemes_paper.TRAINING, schemes_paper.TESTING),
    )
    assert set(schemes_paper.METHODS) == set(schemes.METHODS)
    for table in tables:
        assert set(table) <= set(schemes_paper.SIZES) == set(schemes.SETUPS)
        assert {len(row) for row in table.values()} == {len(schemes_paper.METHODS)}
    for row in schemes_paper.BEST_C.values():
        assert all(value is None or value in schemes.EXPONENTS for value in row)


@pytest.mark.parametrize(
    "name", ["iris", "wine", "glass", "vowel", "segment", "dna", "satimage", "letter"]
)
def test_accuracies_of_the_thesis_are_shares_of_its_rows(name):
    """A misread digit would hardly be one."""
    tables = (schemes_paper.CROSS_VALIDATION, schemes_paper.TEST)
    for table, rows in zip(tables, schemes_paper.SIZES[name], strict=True):
        percent = np.array(table[name])
        shares = (percent / 100 * rows).round() / rows
        np.testing.assert_allclose(100 * shares, percent, rtol=0, atol=0.0051)


def test_features_are_scaled_to_both_sides(monkeypatch, tmp_path):
    X = np.array([[0, 5, 1], [4, 5, 2], [2, 5, 3]], dtype=np.float32)
    y = np.array([0, 1, 0], dtype=np.int32)
    for name in ("letter", "dna"):
        np.savez(tmp_path / f"{name}.npz", X=X, y=y, X_test=X, y_test=y)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    scaled, _ = schemes.prepare("letter")
    np.testing.assert_allclose(scaled.X, [[-1, 0, -1], [1, 0, 0], [0, 0, 1]])
    assert scaled.X.dtype == np.float32
    assert schemes.prepare("dna")[0].X.min() == 0


def test_rows_are_chosen_once():
    chosen = choose_rows(100, 10)
    assert len(set(chosen)) == 10
    np.testing.assert_array_equal(chosen, choose_rows(100, 10))
    assert len(choose_rows(5, 10)) == 5


def test_best_c_is_the_smallest_of_equals():
    assert schemes.best_exponent({1: 0.9, -2: 0.9, 3: 0.8}) == -2


class FakeModel:
    """Right about class 0 only, and about all if C is 1; hits the limit if C is 8."""

    def __init__(self, C, seen):
        self.C, self.seen = C, seen

    def fit(self, X, y):
        self.seen.append(set(X[:, 0]))
        self.status_ = "max_time" if self.C == 8 else "converged"
        return self

    def predict(self, X):
        assert not self.seen[-1] & set(X[:, 0])  # held out
        return X[:, 0].astype(int) % 2 if self.C == 1 else np.zeros(len(X), int)


def test_cross_validation_predicts_every_row_once(digits):
    X = np.arange(20.0)[:, None]
    data = replace(digits, X=X, y=np.arange(20) % 2)
    seen = []
    accuracies, limited = schemes.cross_validate(lambda C: FakeModel(C, seen), data, 5)
    assert len(seen) == 5 * len(schemes.EXPONENTS)
    assert accuracies[0] == 1.0
    assert accuracies[3] == 0.5
    assert limited == 5


def test_a_method_fills_a_cell_of_each_table(digits, monkeypatch):
    monkeypatch.setattr(schemes, "EXPONENTS", (-5, 0))
    entry = schemes.measure_method(Polymargin(), digits, folds=2)
    for _, key, *_ in schemes_page.TABLES:
        assert entry[key] is not None
    assert entry["exponent"] in (-5, 0)
    assert 0.8 < entry["test"] < 1
    assert entry["status"] == "converged"


def test_close_accuracies_are_ties():
    assert agreement.ahead(0.80, 0.85, 1000) == "1-1"
    assert agreement.ahead(0.85, 0.80, 1000) == "1-all"
    assert agreement.ahead(0.85, 0.80, 30) == agreement.TIE
    assert agreement.leaders({"a": 0.9, "b": 0.895, "c": 0.5}, 500) == ["a", "b"]


def record_of_schemes(name, **accuracies):
    """A record with the numbers of the thesis but for some accuracies."""
    theirs = dict(
        zip(schemes_paper.METHODS, schemes_paper.CROSS_VALIDATION[name], strict=True)
    )
    seconds = dict(
        zip(schemes_paper.METHODS, schemes_paper.TRAINING[name], strict=True)
    )
    n, test_rows = schemes_paper.SIZES[name]
    methods = {
        method: {
            "cross_validation": accuracies.get(method, value) / 100,
            "test": accuracies.get(method, value) / 100,
            "exponent": 3,
            "training": seconds[method],
            "testing": 1e-3,
            "limited": int(method == "ME"),
        }
        for method, value in theirs.items()
    }
    return {
        "table": "schemes",
        "data": name,
        "environment": ENVIRONMENT,
        "shape": {"n": n, "d": 16, "k": 26, "nnz": 1},
        "test_rows": test_rows,
        "folds": 3,
        "note": "",
        "methods": methods,
    }


def test_verdicts_say_who_disagrees():
    same = agreement.verdicts([record_of_schemes("letter")])
    assert "The same verdict in 3 of 3 comparisons, the opposite in none." in same
    assert (
        "| letter | L2 1-1, L1 1-1 | L2 1-1, L1 1-1 | 1.00 | L2 1-1 | L2 1-1 |" in same
    )
    assert "Maximum entropy trains longer than CS: here in 1 of 1 cases" in same
    other = agreement.verdicts([record_of_schemes("letter", **{"LR 1-1": 50.0})])
    assert "in 2 of 3 comparisons, the opposite in letter LR (1-all here)" in other
    best = agreement.verdicts([record_of_schemes("letter", CS=99.0)])
    assert "by cross-validation here on letter; there on none; on both: none" in best


def record_of_convergence(name):
    def curve(factor):
        return {
            "seconds": [factor, 2 * factor, 3 * factor],
            "difference": [0.5, 0.009, 0.0001],
            "accuracy": [0.5, 0.9, 0.9],
            "status": "converged",
            "epochs": 3,
            "gap": 1e-4,
        }

    factors = {"SDM": 1.0, "default": 0.5, "EG": 10.0, "CP": 5.0}
    return {
        "table": "convergence",
        "data": name,
        "environment": ENVIRONMENT,
        "optimum": {"objective": 1.0, "gap": 1e-5},
        "curves": {method: curve(factor) for method, factor in factors.items()},
    }


def test_page_and_figure_from_records(tmp_path):
    Results(tmp_path).add(record_of_convergence("mnist"))
    output = tmp_path / "docs" / "papers-convergence.md"
    words = ["--folder", str(tmp_path), "--output", str(output), "--render"]
    assert convergence_command.main(words) == 0
    text = output.read_text()
    assert (output.parent / "papers-convergence.png").stat().st_size > 1000
    assert "| mnist | SDM | 2.00 | 2.00 | 3.00 | 2.00 | 3 |" in text
    assert "SDM reaches a difference of 0.01 sooner than EG on mnist (10.0x)." in text
    assert "sooner than CP nowhere; not on mnist (0.500x)." in text


def test_page_of_the_thesis(tmp_path):
    Results(tmp_path).add(record_of_schemes("letter"))
    output = tmp_path / "papers-schemes.md"
    words = ["--folder", str(tmp_path), "--output", str(output)]
    assert schemes_command.main([*words, "--data", "letter", "--resume"]) == 0
    text = output.read_text()
    assert "| letter | 68.0 (68.0) |" in text
    assert "letter ME (1)" in text


def test_the_folder_is_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert schemes_command.main(["--folder", str(tmp_path)]) == 1
    assert "set it to their folder" in capsys.readouterr().err
