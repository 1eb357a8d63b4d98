"""Penalties that make weights zero: optimality conditions, peers and a cone solver."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import LinearSVC

from polymargin import LinearSVM, MaxEnt, convert, describe, load, open_rows, path, save
from polymargin.driver.linear.coordinate.quadratic_model import ColumnModel

TOL = 1e-7
LOSSES = ("squared_hinge", "logistic", "log")
EVERY = [(loss, penalty) for loss in LOSSES for penalty in ("l1", "group")]


def problem(seed=0, n=80, d=12, k=3):
    """Features of several scales, most of which tell nothing."""
    X, y = make_classification(
        n, d, n_informative=4, n_classes=k, random_state=seed, class_sep=1.5
    )
    rng = np.random.default_rng(seed)
    return X * 10.0 ** rng.uniform(-1, 1, size=d), y, rng.uniform(0.3, 2, size=n)


def machine(loss, penalty, **parameters):
    parameters = {"penalty": penalty, "tol": TOL, "random_state": 0, **parameters}
    if loss == "log":
        return MaxEnt(**parameters)
    return LinearSVM("ovr", loss=loss, **parameters)


def slopes(loss, X, y, weights, scores):
    """Gradient of the losses by feature and class, from their definitions."""
    own = np.eye(scores.shape[1])[y]
    if loss == "log":
        by_score = softmax(scores, axis=1) - own
    else:
        Y = 2 * own - 1
        z = Y * scores
        by_score = -Y * (
            2 * np.maximum(1 - z, 0) if loss == "squared_hinge" else expit(-z)
        )
    return X.T @ (weights[:, None] * by_score)


@pytest.mark.parametrize(("loss", "penalty"), EVERY)
@pytest.mark.parametrize("intercept", [True, "free", False])
def test_optimality_conditions(loss, penalty, intercept):
    X, y, weights = problem()
    model = machine(loss, penalty, C=0.2, fit_intercept=intercept, tol=1e-8)
    model.fit(X, y, weights)
    assert model.status_ == "converged"
    W, scores, C = model.coef_.T, model.decision_function(X), 0.2 * weights
    if intercept is not False:
        X = np.column_stack([X, np.ones(len(X))])
        W = np.vstack([W, model.intercept_])
    g = slopes(loss, X, y, C, scores)
    lengths = np.ones(len(W))
    if intercept == "free":
        lengths[-1] = 0
    if penalty == "l1":
        direction, at_zero = np.sign(W), W == 0
        assert np.all(np.abs(g)[at_zero] <= 1 + 1e-4)
    else:
        norms = np.linalg.norm(W, axis=1, keepdims=True)
        direction, at_zero = (
            W / np.where(norms > 0, norms, 1),
            np.repeat(norms == 0, W.shape[1], axis=1),
        )
        assert np.all(np.linalg.norm(g, axis=1)[~W.any(axis=1)] <= 1 + 1e-4)
    assert_allclose((g + lengths[:, None] * direction)[~at_zero], 0, atol=1e-3)
    assert at_zero.any()
    assert not at_zero.all()


@pytest.mark.parametrize("k", [2, 3])
def test_liblinear_has_the_same_objective(k):
    X, y, _ = problem(1, k=k)
    ours = machine("squared_hinge", "l1").fit(X, y)
    theirs = LinearSVC(penalty="l1", dual=False, tol=1e-10, max_iter=100_000).fit(X, y)
    scores = np.column_stack([theirs.decision_function(X)])
    Y = np.where(np.arange(k)[None, :] == y[:, None], 1, -1)[:, -scores.shape[1] :]
    best = np.abs(theirs.coef_).sum() + np.abs(theirs.intercept_).sum()
    best += np.sum(np.maximum(1 - Y * scores, 0) ** 2)
    assert_allclose(ours.objective_, best, rtol=1e-5)
    assert ours.dual_objective_ <= best
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 * np.abs(ours.coef_).max())


def group_optimum(X, y, weights, k):
    """min sum_f |w_f| + sum C (1 - Y s)_+^2, as a problem of second-order cones."""
    n, d = X.shape
    n_w, n_s = d * k, n * k  # W by features, then lengths t, then slacks
    size = n_w + d + n_s
    Y = np.where(np.arange(k)[None, :] == y[:, None], 1.0, -1.0)
    margins = np.zeros((n_s, size))
    for i in range(n):
        for m in range(k):
            margins[i * k + m, np.arange(d) * k + m] = -Y[i, m] * X[i]
            margins[i * k + m, n_w + d + i * k + m] = -1
    positive = np.hstack([np.zeros((n_s, n_w + d)), -np.eye(n_s)])
    cones = []
    for f in range(d):
        rows = np.zeros((k + 1, size))
        rows[0, n_w + f] = -1
        rows[1:, f * k : (f + 1) * k] = -np.eye(k)
        cones.append(rows)
    A = np.vstack([margins, positive, *cones])
    b = np.concatenate([-np.ones(n_s), np.zeros(n_s + d * (k + 1))])
    P = np.concatenate([np.zeros(n_w + d), 2 * np.repeat(weights, k)])
    q = np.concatenate([np.zeros(n_w), np.ones(d), np.zeros(n_s)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    kinds = [clarabel.NonnegativeConeT(2 * n_s)]
    kinds += [clarabel.SecondOrderConeT(k + 1)] * d
    matrices = sp.csc_matrix(sp.diags_array(P)), q, sp.csc_matrix(A), b
    return clarabel.DefaultSolver(*matrices, kinds, settings).solve().obj_val


def test_groups_have_the_objective_of_a_cone_solver():
    X, y, weights = problem(2, n=40, d=6)
    model = machine("squared_hinge", "group", fit_intercept=False).fit(X, y, weights)
    best = group_optimum(X, y, weights, 3)
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert model.dual_objective_ <= best * (1 + 1e-8)


@pytest.mark.parametrize(("loss", "penalty"), EVERY)
def test_formats(loss, penalty):
    X, y, _ = problem(3)
    X[np.abs(X) < 0.5] = 0
    dense = machine(loss, penalty).fit(X, y)
    sparse = machine(loss, penalty).fit(sp.csr_array(X), y)
    assert_allclose(sparse.objective_, dense.objective_, rtol=2 * TOL)
    single = machine(loss, penalty, tol=1e-3).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert_allclose(single.objective_, dense.objective_, rtol=1.1e-3)


def test_more_features_than_rows_and_the_number_of_parameters():
    X, y, _ = problem(4, n=30, d=60)
    model = machine("squared_hinge", "l1", C=0.1, tol=1e-4).fit(X, y)
    assert model.n_parameters_ == (np.count_nonzero(model.coef_), 180)
    assert model.n_parameters_.kept < 60
    whole = machine("squared_hinge", "group", C=0.1, tol=1e-4).fit(X, y)
    by_feature = whole.coef_.any(axis=0)
    assert_array_equal(whole.coef_.all(axis=0), by_feature)  # all classes or none
    assert 0 < by_feature.sum() < 60


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_paths_begin_at_zero_and_use_what_is_known(penalty):
    X, y, _ = problem(5)
    model = machine("logistic", penalty, tol=1e-4)
    models = path(X, y, [1e-6, 0.01, 0.1, 1], model)
    kept = [each.n_parameters_.kept for each in models]
    assert kept[0] == 0
    assert kept == sorted(kept)
    for each in models:
        assert each.dual_gap_ <= 1e-4
        anew = clone(model).set_params(C=each.C).fit(X, y)
        assert_allclose(each.objective_, anew.objective_, rtol=2e-4)
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    assert warm.fit(X, y).n_iter_ <= 1


def test_an_integer_weight_is_a_repeated_row():
    X, y, _ = problem(6)
    counts = np.random.default_rng(0).integers(0, 3, size=len(y))
    weighted = machine("squared_hinge", "l1").fit(X, y, counts)
    repeated = machine("squared_hinge", "l1").fit(X.repeat(counts, 0), y.repeat(counts))
    assert_allclose(weighted.objective_, repeated.objective_, rtol=2 * TOL)


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_several_labels_a_row(penalty):
    X, y, _ = problem(7)
    Y = np.column_stack([y == 0, y > 0, X[:, 0] > 0]).astype(int)
    model = machine("squared_hinge", penalty).fit(X, Y)
    assert model.dual_gap_ <= TOL
    if penalty == "l1":
        each = [machine("squared_hinge", "l1").fit(X, column) for column in Y.T]
        assert_allclose(model.objective_, sum(one.objective_ for one in each))


def test_files_keep_them(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = machine("squared_hinge", "l1", tol=1e-3).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.n_parameters_ == model.n_parameters_
    assert "penalty" in str(describe(again))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"machine": "cs"}, "penalty='l1' is not for machine='cs'"),
        ({"loss": "hinge"}, "penalty='l1' is not for machine='ovr' with loss='hinge'"),
        ({"solver": "tron"}, "solver='tron' is not for penalty='l1'; choose 'auto'"),
        ({"features": "reduced"}, "features='reduced' is not for penalty='l1'"),
        ({"violation_tol": 0.1}, "violation_tol=0.1 is not for penalty='l1'"),
    ],
)
def test_what_they_do_not_go_with(parameters, message):
    X, y = load_iris(return_X_y=True)
    known = {"machine": "ovr", "loss": "squared_hinge", "penalty": "l1"}
    with pytest.raises(ValueError, match=message):
        LinearSVM(**known | parameters).fit(X, y)


def test_neither_streams_nor_row_stores(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = machine("squared_hinge", "l1")
    assert not hasattr(model, "partial_fit")
    convert([(X, y)], tmp_path / "rows")
    with pytest.raises(ValueError, match="penalty='l1' is not possible on a row store"):
        model.set_params(violation_tol=None).fit(open_rows(tmp_path / "rows"))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_time_that_is_over_within_a_step(clock, monkeypatch, penalty):
    """Many classes make the rounds of a step long."""
    descend, rounds = ColumnModel.descend, []

    def slow(model, *given):
        clock.now += 1.0
        rounds.append(clock.now)
        return descend(model, *given)

    monkeypatch.setattr(ColumnModel, "descend", slow)
    X, y, _ = problem(k=4)
    limited = MaxEnt(penalty=penalty, C=10.0, tol=1e-9, max_time=2.5, random_state=0)
    assert limited.fit(X, y).status_ == "max_time"
    assert 2 <= len(rounds) <= 3
    assert np.isfinite(limited.dual_gap_)
