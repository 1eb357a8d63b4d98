"""Tests of a thesis, repeated: fakes and tiny data only."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark_records import page_of, record
from scipy.special import logsumexp

from benchmarks.harness.data import FOLDER_VARIABLE, load
from benchmarks.harness.objectives import Formulation
from benchmarks.papers import following, relative_change, schemes, thesis

THEIRS = schemes.CONFIGURATION.theirs


@pytest.fixture
def digits():
    data = load("digits")
    return replace(data, X=data.X[:200], y=data.y[:200])


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


def test_stopping_by_the_change_of_the_function(digits):
    """(5.1) of 003: the change of the last round is below a tenth, and only of that."""
    found = relative_change.train(digits, 1.0, "full")
    assert found["change"] < relative_change.TOLERANCE
    method = following.Method("maxent", relative_change.PRINTED, loss="log")
    driver = method.driver(digits.X, digits.y, 10, 1.0, 0)
    values = [len(digits.y) * np.log(10)]  # (2.11) without weights
    for _ in range(found["rounds"]):
        driver.epoch(np.inf)
        W = driver.weights().astype(float)
        scores = digits.X @ W
        own = scores[np.arange(len(digits.y)), digits.y]
        values.append((logsumexp(scores, axis=1) - own).sum() + (W**2).sum() / 2)
    changes = np.abs(np.diff(values)) / values[:-1]
    assert changes[-1] == pytest.approx(found["change"], rel=1e-3)
    assert (changes[:-1] >= relative_change.TOLERANCE).all()
    reduced = relative_change.train(digits, 1.0, "reduced")
    assert abs(reduced["test"] - found["test"]) < 0.1


def test_the_thesis_is_counted_by_the_same_rule():
    """Of LR, L2 and L1 on 15 data sets, where a standard error of a share is a tie."""
    found = thesis.there("test", "{} 1-1", "{} 1-all")
    assert len(found) == 45
    assert thesis.there("training", "CS", "ME").count(-1) == 0
    assert thesis.outcome(0.9, 0.8, 1000) == 1 == -thesis.outcome(0.8, 0.9, 1000)
    assert thesis.outcome(0.9, 0.8, 8) == 0
    assert thesis.outcome(1.0, 2.0, None) == 1
    assert thesis.outcome(1.0, 1.05, None) == 0


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
    facts["printed"] = {one: methods["ME"] for one in schemes.PRINTED}
    stop = {"rounds": 7, "seconds": 1.5, "test": 0.5}
    facts["stopped by (5.1)"] = {"ME": stop, "ME-2": stop}
    facts["loose"] = {one: {"training": 2.0} for one in schemes.BINARY}
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
    assert "| 1 for, 0 against, 0 ties | **holds** |" in text
    assert "| letter | ME, pairs | 75.0 (74.98) | 75.0 | 14.8 (14.84) | 14.8 |" in text
    assert "| letter | ME | 7 | 1.50 | 50.0 |" in text
    assert "| letter | 0.75 (0.75) | 1.00 |" in text
    assert (tmp_path / "same" / "docs" / thesis.FIGURE).stat().st_size > 1000
    other = page_of_schemes(tmp_path / "other", **{"LR 1-1": 50.0})
    assert line not in other and "opposite ones: letter" in other
