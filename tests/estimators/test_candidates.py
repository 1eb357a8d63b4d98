"""`LinearSVM(candidates=...)`: what users see of it."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from class_groups import grouped_rows
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import polymargin
from polymargin import LinearSVM

K = 60
ATTRIBUTES = ("centroids_", "class_order_", "frequent_classes_")


@pytest.fixture(scope="module")
def data():
    X, y = grouped_rows(K, rows_a_class=10, dtype=np.float32)
    return X, np.array([f"class {m:02}" for m in range(K)])[y]


@pytest.fixture(scope="module")
def model(data):
    return LinearSVM(candidates=20, random_state=0).fit(*data)


def test_weights_are_those_of_the_rows(data, model):
    X, _ = data
    assert sp.issparse(model.coef_)
    assert model.coef_.shape == (K, X.shape[1])
    assert model.coef_.dtype == np.float32
    assert model.dual_gap_ <= model.tol
    assert model.solver_ == "dual"
    found = (model.dual_coef_.T @ X).toarray()
    assert_allclose(found, model.coef_.toarray(), rtol=0, atol=1e-4)
    intercept = np.asarray(model.dual_coef_.sum(axis=0)).ravel()
    assert_allclose(intercept, model.intercept_, rtol=0, atol=1e-4)
    assert model.n_parameters_.kept == model.coef_.nnz


def test_scores_are_those_of_the_candidates(data, model):
    X, _ = data
    scores = model.decision_function(X)
    assert scores.shape == (X.shape[0], K)
    full = X.toarray() @ model.coef_.toarray().T + model.intercept_
    stored = np.zeros(full.shape, dtype=bool)
    stored[np.repeat(np.arange(X.shape[0]), np.diff(scores.indptr)), scores.indices] = 1
    # Two tiles of 16, one of which may be the last, with 12 classes.
    assert set(stored.sum(axis=1)) == {28, 32}
    assert_allclose(scores.toarray()[stored], full[stored], rtol=0, atol=1e-5)
    best = np.where(stored, full, -np.inf).argmax(axis=1)
    assert_array_equal(model.predict(X), model.classes_[best])
    assert_array_equal(model.predict(X.toarray()), model.predict(X))
    assert_array_equal(model.predict(X.astype(np.float64)), model.predict(X))


def test_nearly_as_accurate_as_all_classes(data):
    X, y = data
    half = np.arange(len(y)) % 2 == 0
    exact = LinearSVM(random_state=0).fit(X[half], y[half])
    few = LinearSVM(candidates=32, random_state=0).fit(X[half], y[half])
    # Observed 0.014 below at most, with seeds 0 to 9 of the rows.
    assert few.score(X[~half], y[~half]) > exact.score(X[~half], y[~half]) - 0.05


def test_enough_candidates_are_all_classes(data):
    X, y = data
    exact = LinearSVM(random_state=0).fit(X, y)
    many = LinearSVM(candidates=K, random_state=0).fit(X, y)
    assert_array_equal(many.coef_, exact.coef_)
    assert not any(hasattr(many, name) for name in ATTRIBUTES)


def test_same_model_on_any_number_of_threads(data, model):
    X, _ = data
    other = clone(model).set_params(n_jobs=3).fit(*data)
    assert (other.coef_ != model.coef_).nnz == 0
    assert_array_equal(other.predict(X), model.predict(X))


def test_files_and_pickles(data, model, tmp_path):
    X, _ = data
    path = tmp_path / "model.polymargin"
    polymargin.save(model, path)
    for other in (polymargin.load(path), pickle.loads(pickle.dumps(model))):
        assert_array_equal(other.predict(X), model.predict(X))
        assert (other.decision_function(X) != model.decision_function(X)).nnz == 0


def test_fitted_again_without_candidates(data):
    X, y = data
    model = LinearSVM(candidates=16, random_state=0).fit(X, y)
    assert all(hasattr(model, name) for name in ATTRIBUTES)
    model.set_params(candidates=None).fit(X, y)
    assert not any(hasattr(model, name) for name in ATTRIBUTES)
    assert_array_equal(model.coef_, LinearSVM(random_state=0).fit(X, y).coef_)


def test_warm_start(data):
    X, y = data
    model = LinearSVM(candidates=32, random_state=0, warm_start=True).fit(X, y)
    first, objective = model.n_iter_, model.objective_
    model.fit(X, y)
    assert model.n_iter_ < first
    assert_allclose(model.objective_, objective, rtol=2e-3)


def test_a_row_store_is_predicted(data, model, tmp_path):
    X, y = data
    halves = [(X[:300], y[:300]), (X[300:], y[300:])]
    store = polymargin.convert(halves, tmp_path / "rows")
    rows = sp.vstack([segment.X for segment in store.segments()])  # in their order
    assert rows.shape == X.shape
    assert_array_equal(model.predict(store), model.predict(rows))
    assert (model.decision_function(store) != model.decision_function(rows)).nnz == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"machine": "llw"},
            "candidates=16 is not for machine='llw'; choose one of cs",
        ),
        ({"machine": "ovo"}, "candidates=16 is not for machine='ovo'"),
        ({"machine": "ovr", "loss": "logistic"}, "is not for loss='logistic'"),
        ({"solver": "newton"}, "is not for solver='newton'; choose 'auto'"),
        ({"features": "reduced"}, "is not for features='reduced'; choose 'full'"),
        ({"fit_intercept": "free"}, "candidates=16 is not for fit_intercept='free'"),
        ({"costs": "ordinal"}, "candidates=16 is not for costs"),
        ({"candidates": 0}, "'candidates' parameter"),
        ({"candidates": 1.5}, "'candidates' parameter"),
    ],
)
def test_what_does_not_go_together(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearSVM(**({"candidates": 16} | parameters)).fit(*data)


def test_several_labels_and_chunks_are_refused(data):
    X, y = data
    indicator = np.zeros((len(y), K), dtype=int)
    indicator[np.arange(len(y)), np.searchsorted(np.unique(y), y)] = 1
    with pytest.raises(ValueError, match="candidates=16 is for one label a row"):
        LinearSVM("ovr", candidates=16).fit(X, indicator)
    with pytest.raises(AttributeError) as raised:
        LinearSVM(candidates=16).partial_fit(X, y, classes=np.unique(y))
    assert "does not work with candidates" in str(raised.value.__cause__)


def test_what_other_formats_do_not_know(model, tmp_path):
    with pytest.raises(ValueError, match="candidates, which LIBLINEAR does not know"):
        polymargin.export_liblinear(model, tmp_path / "model")
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="candidates, which is not exported to ONNX"):
        polymargin.export_onnx(model, tmp_path / "model.onnx")


def test_another_thread_finds_a_whole_model_until_the_next_is_there(data, monkeypatch):
    X, y = data
    model = LinearSVM(candidates=20, random_state=0).fit(X, y)
    before = model.decision_function(X)
    found = []

    def predict_and_go_on(*arguments):
        found.append(model.decision_function(X))
        return set_outcome(*arguments)

    set_outcome = model._set_outcome
    monkeypatch.setattr(model, "_set_outcome", predict_and_go_on)
    model.fit(X, y)
    assert len(found) == 1
    assert (found[0] != before).nnz == 0


def test_a_refit_without_candidates_drops_what_found_them(data):
    X, y = data
    model = LinearSVM(candidates=20, random_state=0).fit(X, y)
    model.set_params(candidates=None).fit(X, y)
    assert not any(hasattr(model, name) for name in ATTRIBUTES)
    again = LinearSVM(random_state=0).fit(X, y)
    assert_array_equal(model.decision_function(X), again.decision_function(X))
