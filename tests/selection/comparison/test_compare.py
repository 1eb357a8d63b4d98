"""`compare` does what the protocols say, as scikit-learn's own tools would."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from comparisons import QUICK, QUIET
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import KernelSVM, LinearSVM, OnlineSVM, compare
from polymargin.selection.comparison.convergence import follow
from polymargin.selection.comparison.datasets import make_dataset
from polymargin.selection.comparison.fits import prepare_rows, some_classes
from polymargin.selection.comparison.parameter_search import choose_parameters
from polymargin.selection.comparison.splits import make_split
from polymargin.selection.protocols import PROTOCOLS

WINE = make_dataset("wine", *load_wine(return_X_y=True))


def rows_of(report, kind="fit"):
    return report.summary.of_kind(kind)


@pytest.mark.parametrize("name", ["holdout", "single-split"])
def test_as_grid_search(name):
    """The same parameters and the same accuracy as GridSearchCV on the same parts."""
    protocol = replace(PROTOCOLS[name], repeats=2, grid={"C": (0.001, 0.01, 0.1, 1.0)})
    report = compare(WINE, "ww", protocol, seed=3, **QUIET)
    for row in rows_of(report):
        split = make_split(WINE, protocol, row["split"], seed=3)
        scaler = StandardScaler().fit(WINE.X[split.train])
        X, X_test = (
            scaler.transform(WINE.X[rows]) for rows in (split.train, split.test)
        )
        search = GridSearchCV(
            LinearSVM("ww", random_state=3 + row["split"]),
            {"C": protocol.grid["C"]},
            cv=split.parts,
        ).fit(X, WINE.y[split.train])
        assert row["parameters"] == search.best_params_
        assert row["validation_accuracy"] == pytest.approx(search.best_score_)
        assert row["accuracy"] == search.score(X_test, WINE.y[split.test])
        assert row["train_rows"] == len(split.train)
        assert row["points"] == 4
    assert report.accuracy[0, 0] == np.mean(
        [row["accuracy"] for row in rows_of(report)]
    )


def test_refinement_finds_what_lies_between():
    class Peak(ClassifierMixin, BaseEstimator):
        """Right more often the nearer C is to 2^3 and gamma to 2^-5."""

        def __init__(self, C=1.0, gamma=1.0):
            self.C, self.gamma = C, gamma

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            far = abs(np.log2(self.C) - 3) + abs(np.log2(self.gamma) + 5)
            return np.where(X[:, 0] < 10 * far, 0, 1)

    X, y = np.arange(200.0)[:, None], np.ones(200, dtype=int)
    parts = [(np.arange(100), np.arange(200))]
    nested = PROTOCOLS["nested"]
    choice = choose_parameters(Peak(), X, y, parts, nested.grid, nested.refinements)
    assert choice.parameters == {"C": 2.0**3, "gamma": 2.0**-5}
    assert choice.n_points <= 20 + 8 + 8


def test_parameters_of_steps_and_machines_without():
    X, y = load_iris(return_X_y=True)
    parts = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    found = choose_parameters(pipeline, X, y, parts, {"C": (0.1, 1.0), "gamma": (1.0,)})
    assert set(found.parameters) == {"logisticregression__C"}

    class Plain(OnlineSVM):
        def get_params(self, deep=True):
            return {"kernel": self.kernel}

    assert choose_parameters(Plain(), X, y, parts, {"C": (0.1,)}).parameters == {}


def test_nested_has_medians_and_kernel_parameters():
    grid = {"C": (1.0, 16.0), "gamma": (0.0625, 1.0)}
    protocol = replace(
        PROTOCOLS["nested"], repeats=3, folds=2, grid=grid, refinements=0
    )
    report = compare("iris", ["kernel-ww", "cs"], protocol, **QUIET)
    for machine, names in (("kernel-ww", {"C", "gamma"}), ("cs", {"C"})):
        rows = [row for row in rows_of(report) if row["machine"] == machine]
        assert all(set(row["parameters"]) == names for row in rows)
        at = report.machines.index(machine)
        assert report.accuracy[0, at] == np.median([row["accuracy"] for row in rows])


def test_passes():
    protocol = replace(PROTOCOLS["passes"], repeats=2)
    machines = ["cs:order=permuted", "larank"]
    report = compare("iris", machines, protocol, **QUIET)
    assert report.lines == ["iris, 1 pass", "iris, 3 passes", "iris, 5 passes"]
    for row in rows_of(report):
        if row["machine"] != "larank":
            assert row["n_iter"] == row["passes"]
        assert "warning" not in row  # it was meant to end early


def test_a_machine_that_fails_does_not_end_it():
    class Broken(LinearSVM):
        def fit(self, X, y):
            raise RuntimeError("out of\norder")

    report = compare("iris", {"cs": "cs", "broken": Broken()}, QUICK, **QUIET)
    assert np.isfinite(report.accuracy[0, 0]) and np.isnan(report.accuracy[0, 1])
    assert [row["error"] for row in report.summary.failures] == [
        "RuntimeError: out of order"
    ] * 2
    assert "failed: RuntimeError: out of order" in str(report)


def test_fits_that_end_early_are_reported():
    report = compare("iris", "cs:max_iter=2,tol=1e-9", QUICK, **QUIET)
    assert all("stopped after 2 epochs" in row["warning"] for row in rows_of(report))
    assert "stopped after 2 epochs" in str(report)


def test_convergence_curves(clock):
    clock.tick = 1e-9  # there is time for as many epochs as it takes
    machines = ["cs", "kernel-ww", "larank", "sklearn.svm.LinearSVC"]
    report = compare("iris", machines, QUICK, prepare="standard", scaling=False)
    rows = {row["machine"]: row for row in rows_of(report, "convergence")}
    for machine in ("cs", "kernel-ww"):
        seconds, difference = (
            rows[machine]["curve_seconds"],
            rows[machine]["difference"],
        )
        assert len(seconds) == len(difference) > 1
        assert np.all(np.diff(seconds) >= 0) and seconds[0] >= 0
        assert difference[0] > 10 * difference[-1] > 0
    for machine in ("cs", "kernel-ww", "larank"):
        curve = rows[machine]["accuracy"]
        assert len(curve) == len(rows[machine]["accuracy_seconds"]) > 0
    # The last model that was looked at is nearly the one of the table.
    table = rows_of(report)[0]
    assert table["machine"] == "cs"
    assert abs(rows["cs"]["accuracy"][-1] - table["accuracy"]) < 0.1
    assert rows["sklearn.svm.LinearSVC"]["accuracy"] == []


def test_looks_at_the_model_are_not_counted(monkeypatch, clock):
    """Ten looks of 0.2 seconds each do not show in the curve."""
    predict, looks = LinearSVM.predict, []

    def slow(self, X):
        clock.now += 0.2
        looks.append(clock.now)
        return predict(self, X)

    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(LinearSVM, "predict", slow)
    model = LinearSVM("ovr", max_iter=10, random_state=0)
    with pytest.warns(ConvergenceWarning):
        curves = follow(model, X, y, X, y, train_seconds=1.0)
    assert len(looks) == len(curves["accuracy"]) == 10
    assert curves["accuracy_seconds"] == pytest.approx([0] * 10, abs=1e-9)


def test_scaling_keeps_the_number_of_rows():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 20)
    X = rng.normal(size=(160, 5)) + 3 * np.eye(8)[y][:, :5]
    data = make_dataset("eight", X, y)
    for classes in (2, 5, 8):
        _, labels = some_classes(data, classes, seed=0)
        assert len(np.unique(labels)) == classes
        assert abs(len(labels) - 40) <= classes
    report = compare(data, "cs", QUICK, convergence=False)
    rows = rows_of(report, "scaling")
    assert [row["classes"] for row in rows] == [2, 3, 4, 5, 6, 8]
    assert all(row["train_seconds"] > 0 for row in rows)


def test_prepared_rows():
    raw, standard, unit = (
        compare(WINE, "cs", QUICK, **(QUIET | {"prepare": how})).accuracy[0, 0]
        for how in ("none", "standard", "unit")
    )
    assert standard > 0.93
    assert len({raw, standard, unit}) == 3


def test_rows_are_prepared_by_those_to_train_with():
    rng = np.random.default_rng(0)
    X, X_test = rng.normal(3, 2, size=(50, 4)), rng.normal(5, 1, size=(9, 4))
    _, found = prepare_rows("standard", X, X_test)
    np.testing.assert_allclose(found, (X_test - X.mean(axis=0)) / X.std(axis=0))
    _, found = prepare_rows("maxabs", X, X_test)
    np.testing.assert_allclose(found, X_test / np.abs(X).max(axis=0))
    _, found = prepare_rows("unit", X, X_test)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)
    _, found = prepare_rows("standard", sp.csr_matrix(X), sp.csr_matrix(X_test))
    np.testing.assert_allclose(found.toarray(), X_test / X.std(axis=0))


def test_seeds_of_the_machines(monkeypatch):
    fit, seeds = LinearSVM.fit, []

    def note(self, X, y):
        seeds.append(self.random_state)
        return fit(self, X, y)

    monkeypatch.setattr(LinearSVM, "fit", note)
    compare("iris", "cs", QUICK, seed=7, **QUIET)
    assert set(seeds) == {7, 8}  # one for each split
    seeds.clear()
    compare("iris", "cs:random_state=3", QUICK, seed=7, **QUIET)
    assert set(seeds) == {3}


def test_estimators_are_left_alone():
    machine = KernelSVM("cs", random_state=5)
    before = clone(machine).get_params()
    report = compare("iris", [("k", machine)], QUICK, **QUIET)
    assert machine.get_params() == before and not hasattr(machine, "classes_")
    assert report.machines == ["k"]


def test_same_seed_same_table():
    tables = [
        compare("iris", ["cs", "ww"], QUICK, seed=seed, **QUIET).accuracy
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])
