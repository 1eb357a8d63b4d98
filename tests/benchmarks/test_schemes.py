"""Tests of figure 3 of a paper and of a thesis, repeated: fakes and tiny data only."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark_records import page_of, record

from benchmarks.harness.data import FOLDER_VARIABLE, load
from benchmarks.harness.objectives import Formulation
from benchmarks.papers import convergence, schemes

THEIRS = schemes.CONFIGURATION.theirs


@pytest.fixture
def digits():
    data = load("digits")
    return replace(data, X=data.X[:200], y=data.y[:200])


def test_curve_comes_down_to_the_optimum(digits):
    best = (
        Formulation("cs")
        .estimator(tol=1e-6)
        .fit(digits.X.astype(float), digits.y)
        .objective_
    )
    curve = convergence.follow(digits, best, 10.0, order="permuted")
    difference = np.array(curve["difference"])
    assert len(difference) == len(curve["curve_seconds"]) == len(curve["accuracy"])
    assert difference[0] > difference[-1]
    assert -1e-6 <= difference[-1] <= 2 * convergence.TOL
    assert (np.diff(curve["curve_seconds"]) > 0).all()
    assert curve["accuracy"][-1] > 0.8


def test_looking_at_the_models_is_not_counted(digits, monkeypatch, clock):
    def look(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "epoch":
            clock.now += 0.05
            self.accuracy.append(0.0)

    monkeypatch.setattr(convergence.Examiner, "on_fit_task_end", look)
    curve = convergence.follow(digits, 1.0, 10.0, max_iter=10)
    assert curve["epochs"] == 10
    assert curve["curve_seconds"] == pytest.approx([0] * 10, abs=1e-9)


def test_numbers_of_the_thesis_are_whole_rows():
    assert list(schemes.METHODS) == list(schemes.CONFIGURATION.columns)
    assert set(THEIRS["sizes"]) == set(schemes.SETUPS)
    for name in schemes.CONFIGURATION.show:
        assert set(THEIRS[name]) <= set(schemes.SETUPS)
        assert {len(row) for row in THEIRS[name].values()} == {len(schemes.METHODS)}
    for row in THEIRS["best C"].values():
        assert all(value != value or value in schemes.EXPONENTS for value in row)


@pytest.mark.parametrize(
    "name", ["iris", "wine", "glass", "vowel", "segment", "dna", "satimage", "letter"]
)
def test_accuracies_of_the_thesis_are_shares_of_its_rows(name):
    """A misread digit would hardly be one."""
    for table, rows in zip(
        ("cross-validation", "test"), THEIRS["sizes"][name], strict=True
    ):
        percent = np.array(THEIRS[table][name])
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
    entry = schemes.measure_method(Formulation("cs").estimator, digits, folds=2)
    keys = ("cross_validation", "test", "exponent", "training", "testing")
    assert all(entry[key] is not None for key in keys)
    assert entry["exponent"] in (-5, 0)
    assert 0.8 < entry["test"] < 1
    assert entry["status"] == "converged"


def record_of_schemes(name, **accuracies):
    """A record with the numbers of the thesis but for some accuracies."""

    def theirs(quantity):
        return dict(zip(schemes.METHODS, THEIRS[quantity][name], strict=True))

    n, test_rows = THEIRS["sizes"][name]
    methods = {
        method: {
            "cross_validation": accuracies.get(method, value) / 100,
            "test": accuracies.get(method, value) / 100,
            "exponent": 3,
            "training": theirs("training")[method],
            "testing": 1e-3,
            "limited": int(method == "ME"),
        }
        for method, value in theirs("cross-validation").items()
    }
    shape = {"n": n, "d": 16, "k": 26, "nnz": 1}
    facts = {"shape": shape, "test_rows": test_rows, "folds": 3, "note": ""}
    return record("003-5.3", name, **facts, methods=methods)


def page_of_schemes(folder, **accuracies):
    one = record_of_schemes("letter", **accuracies)
    return page_of(folder, "papers", "papers-schemes.md", one)


def test_page_of_the_thesis(tmp_path):
    text = page_of_schemes(tmp_path / "same")
    assert "| letter | 68.0 (68.0) |" in text
    assert "letter ME (1)" in text
    assert "| letter | L2 1-1, L1 1-1 | L2 1-1, L1 1-1 | 1.00 |" in text
    assert "| letter | L2 1-1 | L2 1-1 | 1.00 |" in text  # the fastest
    line = "LR 1-1 against LR 1-all, accuracy in cross-validation, percent: ahead on"
    assert line in text
    assert "CS against ME, seconds to train: ahead on 1" in text
    other = page_of_schemes(tmp_path / "other", **{"LR 1-1": 50.0})
    assert line not in other and "opposite ones: letter" in other


def test_page_and_figure_of_convergence(tmp_path):
    def curve(factor):
        seconds = [factor, 2 * factor, 3 * factor]
        facts = {"difference": [0.5, 0.009, 0.0001], "accuracy": [0.5, 0.9, 0.9]}
        facts |= {"curve_seconds": seconds, "accuracy_seconds": seconds}
        return facts | {"epochs": 3, "gap": 1e-4}

    factors = {"SDM": 1.0, "default": 0.5, "EG": 10.0, "CP": 5.0}
    curves = {method: curve(factor) for method, factor in factors.items()}
    one = record("000-figure-3", "mnist", curves=curves, shape={"n": 1000})
    text = page_of(tmp_path, "papers", "papers-convergence.md", one)
    assert (tmp_path / "docs" / convergence.FIGURE).stat().st_size > 1000
    assert "| mnist | SDM | 2.00 | 2.00 | 3.00 | 2.00 | 90.0 |" in text
    assert "| mnist | SDM | 3 | 0.01 % |" in text
    line = "SDM against EG, seconds to a relative difference of 0.01: ahead on 1"
    assert f"- {line} (mnist); EG over SDM 10.0x here. The paper says" in text
    assert "EG against CP, seconds to a relative difference of 0.01: behind" in text
