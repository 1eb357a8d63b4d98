"""TunedSVM: scikit-learn's checks, and what GridSearchCV would say."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import KernelSVM, LinearSVM, MaxEnt, TunedSVM
from polymargin.selection.auto_machine import AutoMachine

X, y = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
FEW = {"Cs": [1.0], "cv": 2, "grow": False}
TIGHT = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@parametrize_with_checks(
    [
        TunedSVM(LinearSVM(random_state=0), **FEW),
        TunedSVM(KernelSVM(random_state=0), **FEW, gammas=[0.1]),
        TunedSVM(make_pipeline(StandardScaler(), MaxEnt(random_state=0)), **FEW),
    ]
)
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (LinearSVM("cs", **TIGHT), {"C": [0.1, 1.0, 10.0]}),
        (KernelSVM("ww", **TIGHT), {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}),
    ],
)
def test_same_attributes_as_grid_search(estimator, grid):
    rows = StandardScaler().fit_transform(X)
    peer = GridSearchCV(estimator, grid, cv=FOLDS).fit(rows, y)
    tuned = TunedSVM(
        estimator,
        Cs=grid["C"],
        gammas=grid.get("gamma"),
        cv=FOLDS,
        grow=False,
        patience=None,
    ).fit(rows, y)
    assert tuned.best_score_ == pytest.approx(peer.best_score_, abs=1 / len(y))
    # Theirs has ranks from the unrounded means too, and the same names of columns.
    assert tuned.cv_results_.keys() == peer.cv_results_.keys()
    assert [dict(p) for p in tuned.cv_results_["params"]] == [
        dict(p) for p in peer.cv_results_["params"]
    ]
    for name, values in peer.cv_results_.items():
        if name.endswith("test_score") and not name.startswith("rank"):
            ours = tuned.cv_results_[name]
            np.testing.assert_allclose(ours, values, atol=3 / len(y))
    best = tuned.cv_results_["params"][tuned.best_index_]
    assert best == tuned.best_params_
    assert tuned.cv_results_["rank_test_score"][tuned.best_index_] == 1
    assert tuned.best_estimator_.get_params()["C"] == tuned.best_params_["C"]
    assert tuned.n_splits_ == peer.n_splits_ == 3
    assert tuned.score(rows, y) == tuned.best_estimator_.score(rows, y)


def test_at_the_end_of_a_pipeline_and_around_one():
    outside = make_pipeline(StandardScaler(), TunedSVM(LinearSVM(), **FEW)).fit(X, y)
    assert outside.score(X, y) > 0.9
    inside = clone(TunedSVM(make_pipeline(StandardScaler(), MaxEnt()), **FEW))
    assert list(inside.fit(X, y).best_params_) == ["maxent__C"]
    assert inside.predict_proba(X).shape == (len(y), 3)
    assert not hasattr(TunedSVM(KernelSVM()), "predict_proba")
    assert inside.n_features_in_ == 4


def test_without_a_model():
    tuned = TunedSVM(refit=False, **FEW).fit(X / 8, y)
    assert set(tuned.best_params_) == {"C"}
    with pytest.raises(AttributeError, match="because of refit=False; choose"):
        tuned.predict(X)


def test_weights_and_nothing_else():
    weight = np.where(y == 0, 0.0, 1.0)
    tuned = TunedSVM(LinearSVM("ovr"), **FEW).fit(X / 8, y, sample_weight=weight)
    assert 0 not in tuned.predict(X / 8)
    with pytest.raises(TypeError, match="'groups', which it does not know"):
        tuned.fit(X, y, groups=weight)


@pytest.mark.parametrize("gammas", [None, [0.1, 1.0]])
def test_a_picture(gammas, tmp_path):
    pytest.importorskip("matplotlib")
    machine = LinearSVM() if gammas is None else KernelSVM()
    tuned = TunedSVM(machine, Cs=[0.1, 1.0], gammas=gammas, cv=3).fit(X / 8, y)
    axes = tuned.tuning_.plot()
    assert axes.get_xlabel() == "C"
    assert f"{tuned.best_score_:.4f}" in axes.get_title()
    assert tuned.tuning_.plot(axes) is axes
    axes.figure.savefig(tmp_path / "search.png")


def test_a_search_that_fails_changes_nothing():
    model = TunedSVM(LinearSVM(random_state=0), **FEW).fit(X, y)
    before = dict(vars(model))

    class Broken(LinearSVM):
        """A machine that can be measured, but not trained on all rows."""

        def fit(self, X, y, sample_weight=None):
            if len(y) == 150:
                raise ValueError("not all of them")
            return super().fit(X, y, sample_weight)

    model.estimator = before["estimator"] = Broken()
    with pytest.raises(ValueError, match="not all of them"):
        model.fit(X, np.array(["a", "b", "c"])[y])
    assert vars(model) == before


@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_broken_matrices_are_refused(part):
    for search in (
        TunedSVM(**FEW),
        TunedSVM(make_pipeline(StandardScaler(with_mean=False), MaxEnt()), **FEW),
        AutoMachine(budget=1),
    ):
        rows = sp.csr_array(X)
        getattr(rows, part)[7] = 10**8
        with pytest.raises(ValueError, match="X is not a valid CSR matrix"):
            search.fit(rows, y)


def test_kernel_values_that_are_not_finite_are_refused():
    machine = KernelSVM(kernel="poly", gamma=1e300, solver="smo")
    with pytest.raises(ValueError, match=r"kernel of some rows .* is infinite"):
        TunedSVM(machine, gammas="keep", **FEW).fit(X, y)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_several_labels_a_row(make):
    rows, labels = make_multilabel_classification(200, 8, n_classes=4, random_state=0)
    rows = rows / rows.max()
    estimator, Cs = LinearSVM("ovr", **TIGHT), [0.1, 1.0, 10.0]
    tuned = TunedSVM(estimator, Cs=Cs, grow=False, patience=None, scoring="f1_macro")
    tuned.fit(rows, make(labels))
    grid = GridSearchCV(estimator, {"C": Cs}, scoring="f1_macro").fit(rows, labels)
    assert tuned.best_params_ == grid.best_params_
    assert tuned.classes_.tolist() == [0, 1, 2, 3]
    assert tuned.predict(rows).shape == labels.shape
    np.testing.assert_allclose(
        tuned.cv_results_["mean_test_score"],
        grid.cv_results_["mean_test_score"],
        atol=0.01,  # paths start from the last C, and a score near zero may change side
    )
    with pytest.raises(ValueError, match="y has several labels a row, which"):
        TunedSVM(KernelSVM(), Cs=Cs).fit(rows, labels)
