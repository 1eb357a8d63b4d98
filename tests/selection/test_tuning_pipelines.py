"""Searches over pipelines: what transformers see, and how often."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KernelCenterer, MinMaxScaler, StandardScaler

import polymargin
from polymargin import KernelSVM, LinearSVM

X, y = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
TIGHT = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0}
GRID = {"Cs": [0.1, 1.0, 10.0], "cv": FOLDS, "grow": False, "patience": None}
FITTED_ON: list[tuple] = []


class Recorder(TransformerMixin, BaseEstimator):
    """Takes note of the rows that it is fitted on: their first column says which."""

    def fit(self, X, y=None):
        FITTED_ON.append(tuple(X[:, 0].astype(int)))
        return self

    def transform(self, X):
        return X[:, 1:]


@pytest.fixture
def fitted_on():
    FITTED_ON.clear()
    return FITTED_ON


@pytest.mark.parametrize(
    "machine", [LinearSVM(random_state=0), KernelSVM(random_state=0)]
)
def test_transformers_see_rows_that_are_trained_on_once_a_fold(machine, fitted_on):
    numbered = np.column_stack([np.arange(len(y)), X / 8])
    tuning = polymargin.tune(
        numbered, y, make_pipeline(Recorder(), machine), refit=False, **GRID
    )
    assert len(tuning.points) == len(GRID["Cs"]) * (
        1 if "Linear" in str(machine) else 3
    )
    trained = [tuple(train) for train, _ in FOLDS.split(X, y)]
    assert fitted_on == trained


def scores_of(search) -> dict:
    values = search.cv_results_
    return {
        tuple(parameters.values()): mean
        for parameters, mean in zip(
            values["params"], values["mean_test_score"], strict=True
        )
    }


@pytest.mark.parametrize(
    ("machine", "gammas"),
    [(LinearSVM("cs", **TIGHT), None), (KernelSVM("ww", **TIGHT), [0.1, 1.0])],
)
def test_same_answer_as_grid_search(machine, gammas):
    pipeline = Pipeline(
        [("range", MinMaxScaler()), ("rest", make_pipeline(StandardScaler(), machine))]
    )
    tuning = polymargin.tune(X, y, pipeline, gammas=gammas, **GRID)
    prefix = f"rest__{type(machine).__name__.lower()}__"
    grid = {f"{prefix}C": GRID["Cs"]}
    if gammas is not None:
        grid[f"{prefix}gamma"] = gammas
    search = GridSearchCV(pipeline, grid, cv=FOLDS).fit(X, y)
    expected = scores_of(search)
    assert len(tuning.points) == len(expected)
    for point in tuning.points:
        mean = expected[tuple(point.parameters.values())]
        assert point.mean == pytest.approx(mean, abs=1 / len(y))
    assert tuning.best.parameters.keys() == search.best_params_.keys()
    assert (
        tuning.model.get_params()[f"{prefix}C"] == tuning.best.parameters[f"{prefix}C"]
    )
    assert tuning.model.score(X, y) > 0.9


def test_rows_may_be_anything_the_first_step_takes():
    texts = ["red apple", "green apple", "red pear", "blue sky", "grey sky", "sky"] * 4
    labels = ["fruit"] * 3 + ["sky"] * 3
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVM(random_state=0))
    tuning = polymargin.tune(texts, labels * 4, pipeline, cv=3)
    assert tuning.best.mean == 1.0
    assert tuning.model.predict(["a pear"]).tolist() == ["fruit"]


def test_a_scorer_of_ones_own_gets_the_pipeline_and_rows_as_they_came():
    def score(model, rows, labels):
        assert [name for name, _ in model.steps] == ["scaler", "svm"]
        assert any((rows[0] == row).all() for row in X)
        return -abs(np.log(model["svm"].C))

    pipeline = Pipeline([("scaler", StandardScaler()), ("svm", LinearSVM())])
    tuning = polymargin.tune(X, y, pipeline, scoring=score, refit=False, **GRID)
    assert tuning.best.parameters == {"svm__C": 1.0}


def test_weights_of_rows_reach_the_machine():
    weight = np.where(y == 0, 0.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), LinearSVM("ovr", random_state=0))
    tuning = polymargin.tune(X, y, pipeline, sample_weight=weight, **GRID)
    assert 0 not in tuning.model.predict(X)


def test_a_pipeline_without_C():
    with pytest.raises(ValueError, match="has no parameter C to tune; give LinearSVM"):
        polymargin.tune(X, y, make_pipeline(StandardScaler()))


def test_a_kernel_matrix_before_transformers():
    """Rows and columns are chosen for a fold: it must be square as it comes."""
    pipeline = make_pipeline(KernelCenterer(), KernelSVM("ovo", kernel="precomputed"))
    pipeline.set_params(kernelsvm__tol=1e-5)
    tuning = polymargin.tune(X @ X.T, y, pipeline, **GRID)
    search = GridSearchCV(pipeline, {"kernelsvm__C": GRID["Cs"]}, cv=FOLDS)
    expected = search.fit(X @ X.T, y).best_score_
    assert tuning.best.mean == pytest.approx(expected, abs=1 / len(y))
    for rows in (X, X[:, 0], X[:, :1]):
        with pytest.raises(ValueError, match=r"a square matrix|2D array"):
            polymargin.tune(rows, y, pipeline, **GRID)
