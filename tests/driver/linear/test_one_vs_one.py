"""One-vs-one: a binary problem for each pair of classes, votes and coupling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    BINARY_LOSSES,
    assert_same_training,
    class_pairs,
    class_weights,
    draw_softmax,
    make_problem,
    make_sparse_problem,
)
from scipy.optimize import minimize
from sklearn.multiclass import OneVsOneClassifier

from polymargin import LinearSVM
from polymargin.prediction.coupling import couple, make_most_probable


def fit(loss, X, y, machine="ovo", sample_weight=None, **parameters):
    parameters = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0} | parameters
    model = LinearSVM(machine, loss=loss, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


def pair_scores(model, X):
    """Scores of the pairs, which `decision_function` makes votes of."""
    return X @ model.coef_.T + model.intercept_


# Training


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_separately_trained_binary_machines(loss, k, dtype):
    """Each pair is a machine of its own, on its own rows, positive for the second."""
    X, y = make_problem(n=50 + 10 * k, k=k)
    X = X.astype(dtype)
    weight = np.random.default_rng(1).uniform(0.2, 2, size=len(y))
    tol = 1e-9 if dtype == np.float64 else 1e-4
    parameters = {"C": 0.2, "intercept_scaling": 2.0, "tol": tol}
    model = fit(loss, X, y, sample_weight=weight, **parameters)
    assert model.coef_.shape == (k * (k - 1) // 2, X.shape[1])
    assert model.dual_coef_.shape == (len(y), k * (k - 1) // 2)
    objectives, duals = [], []
    for column, pair in enumerate(class_pairs(k)):
        rows = np.flatnonzero(np.isin(y, pair))
        binary = fit(
            loss, X[rows], y[rows], "ovr", sample_weight=weight[rows], **parameters
        )
        distance = class_weights(model)[column] - class_weights(binary)[0]
        # Both are within the tolerance of one optimum, in a strongly convex problem.
        assert np.linalg.norm(distance) <= 2 * np.sqrt(2 * tol * binary.objective_)
        others = np.setdiff1d(np.arange(len(y)), rows)
        assert not model.dual_coef_[others][:, [column]].nnz
        objectives.append(binary.objective_)
        duals.append(binary.dual_objective_)
    assert_allclose(model.objective_, sum(objectives), rtol=3 * tol)
    assert_allclose(model.dual_objective_, sum(duals), rtol=3 * tol)


@pytest.mark.parametrize("order", ["acf", "permuted"])
@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_number_of_threads(loss, order):
    X, y = make_sparse_problem(n=600, d=80, k=7)
    one, *others = (
        fit(loss, X, y, tol=1e-4, order=order, history=True, n_jobs=n_jobs)
        for n_jobs in (1, 2, 4)
    )
    for other in others:
        assert_same_training(one, other)


@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_two_classes_are_one_vs_rest(loss):
    X, y = make_problem(n=60, k=2)
    names = np.array(["no", "yes"])
    model, other = (fit(loss, X, names[y], machine) for machine in ("ovo", "ovr"))
    assert_allclose(model.objective_, other.objective_, rtol=2e-9)
    assert model.coef_.shape == other.coef_.shape == (1, X.shape[1])
    close = 2 * np.sqrt(2e-9 * model.objective_)
    assert np.linalg.norm(class_weights(model) - class_weights(other)) <= close
    scores = model.decision_function(X)
    assert_allclose(scores, other.decision_function(X), atol=1e-3)
    assert_array_equal(model.predict(X), names[(scores > 0).astype(int)])
    if loss == "logistic":
        assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-3)


def test_a_finished_pair_is_visited_no_more():
    X, y = make_problem(n=200, k=4, seed=2)
    # What Newton steps report as visits are operations, of a system that may grow.
    model = fit("hinge", X, y, tol=1e-3, history=True, solver="dual")
    visits = model.history_["visits"]
    assert visits[0] == 3 * len(y)
    assert (np.diff(visits) <= 0).all()
    assert 0 < visits[-1] < visits[0]  # those of the pair that took longest
    assert (model.history_["moves"] <= visits).all()


@pytest.mark.parametrize("tol", [1e-3, 1.0])
@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_a_chunk_of_a_stream_leaves_the_other_pairs_alone(loss, tol):
    X, y = make_problem(n=120, k=4)
    model = LinearSVM("ovo", loss=loss, tol=tol, random_state=0)
    before = model.partial_fit(X, y, classes=np.arange(4)).coef_.copy()
    chunk = y < 2
    model.partial_fit(X[chunk], y[chunk])
    assert_array_equal(model.coef_[5], before[5])  # the pair (2, 3)
    assert (model.coef_[:5] != before[:5]).any(axis=1).all()
    # It goes on from where it was, whatever the tolerance.
    other = LinearSVM("ovo", loss=loss, tol=1e-9, random_state=0)
    other.partial_fit(X, y, classes=np.arange(4)).partial_fit(X[chunk], y[chunk])
    assert_array_equal(model.coef_, other.coef_)


# Votes


def winner_by_hand(scores, k):
    """Most votes; ties by the larger sum of scores. And whether there was a tie."""
    votes, sums = [0] * k, [0.0] * k
    for score, (first, second) in zip(scores, class_pairs(k), strict=True):
        votes[second if score > 0 else first] += 1
        sums[second] += score
        sums[first] -= score
    best = [m for m in range(k) if votes[m] == max(votes)]
    return max(best, key=lambda m: sums[m]), len(best) > 1


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("k", [3, 4, 6])
def test_votes_and_ties(k, scale):
    """Random weights: nobody wins all pairs in many rows."""
    X, y = make_problem(n=300, k=k)
    names = np.array([f"class {m}" for m in range(k)])
    model = fit("hinge", X, names[y], tol=1e-1)
    rng = np.random.default_rng(0)
    model.coef_ = scale * rng.normal(size=model.coef_.shape)
    model.intercept_ = scale * rng.normal(size=model.intercept_.shape)
    by_hand = [winner_by_hand(scores, k) for scores in pair_scores(model, X)]
    winners = np.array([winner for winner, _ in by_hand])
    assert sum(tied for _, tied in by_hand) > 10
    confidence = model.decision_function(X)
    assert confidence.shape == (len(y), k)
    assert_array_equal(confidence.argmax(axis=1), winners)
    assert_array_equal(model.predict(X), names[winners])


@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_the_meta_estimator(loss):
    X, y = make_problem(n=120, k=4)
    names = np.array(["ant", "bee", "cat", "dog"])
    model = fit(loss, X, names[y], C=0.2)
    binary = LinearSVM(
        "ovr", loss=loss, C=0.2, tol=1e-9, max_iter=100_000, random_state=0
    )
    meta = OneVsOneClassifier(binary).fit(X, names[y])
    coef = np.vstack([one.coef_ for one in meta.estimators_])
    assert_allclose(model.coef_, coef, atol=1e-3)
    # Where no score is about zero, votes do not depend on the last digits.
    sure = np.abs(pair_scores(model, X)).min(axis=1) > 1e-3
    assert sure.mean() > 0.9
    assert_allclose(
        model.decision_function(X)[sure], meta.decision_function(X)[sure], atol=1e-3
    )
    assert_array_equal(model.predict(X)[sure], meta.predict(X)[sure])


# Probabilities


def pairwise(p):
    """Log-odds of the second class of each pair, if the classes have probability p."""
    first, second = np.transpose(class_pairs(p.shape[1]))
    return np.log(p[:, second]) - np.log(p[:, first])


@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_coupling_recovers_consistent_probabilities(k):
    """From r_ij = p_i / (p_i + p_j); more rows than are coupled at a time."""
    p = np.random.default_rng(0).dirichlet(np.full(k, 0.5), size=2500) + 1e-6
    p /= p.sum(axis=1, keepdims=True)
    assert_allclose(couple(pairwise(p)), p, rtol=0, atol=1e-9)


@pytest.mark.parametrize("k", [3, 5])
def test_coupling_minimises_its_quadratic(k):
    """Against a generic solver, on pairs that contradict each other."""
    pairs = class_pairs(k)
    scores = np.random.default_rng(1).normal(scale=2, size=(20, len(pairs)))

    def quadratic(p, odds):
        terms = []
        for score, (i, j) in zip(odds, pairs, strict=True):
            r_ji = 1 / (1 + np.exp(-score))
            terms.append(2 * (r_ji * p[i] - (1 - r_ji) * p[j]) ** 2)
        return sum(terms)

    for odds, p in zip(scores, couple(scores), strict=True):
        best = minimize(
            quadratic,
            np.full(k, 1 / k),
            args=(odds,),
            method="SLSQP",
            bounds=[(0, 1)] * k,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1)
        assert quadratic(p, odds) <= best.fun + 1e-12
        assert_allclose(p, best.x, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_coupling_of_certain_pairs(dtype):
    """Probabilities of exactly zero and one: a winner, and three in a circle."""
    scores = np.array([[-1e4, -1e4, 1e4], [1e4, -1e4, 1e4], [0, 0, 0]], dtype=dtype)
    expected = [[1, 0, 0], [1 / 3] * 3, [1 / 3] * 3]
    p = couple(scores)
    assert p.dtype == dtype
    assert_allclose(p, expected, atol=1e-6)


@pytest.mark.parametrize("k", [3, 6])
def test_probabilities_are_coupled_sigmoids(k):
    X, y = make_problem(n=80, k=k)
    names = np.array([f"class {m}" for m in range(k)])
    model = fit("logistic", X, names[y], tol=1e-3)
    p = model.predict_proba(X)
    assert p.shape == (len(y), k)
    assert_allclose(p.sum(axis=1), 1)
    coupled = couple(pair_scores(model, X))
    assert_allclose(np.sort(p), np.sort(coupled), rtol=1e-9, atol=1e-15)
    same = names[coupled.argmax(axis=1)] == model.predict(X)
    assert same.mean() > 0.9
    assert_allclose(p[same], coupled[same], rtol=1e-9, atol=1e-15)
    assert_allclose(model.predict_log_proba(X), np.log(p), rtol=1e-9)
    assert_array_equal(names[p.argmax(axis=1)], model.predict(X))


def test_the_winner_of_the_votes_is_the_most_probable():
    """Random weights, where votes and coupling disagree; and ties."""
    X, y = make_problem(n=300, k=5)
    model = fit("logistic", X, y, tol=1e-1)
    rng = np.random.default_rng(0)
    model.coef_ = rng.normal(size=model.coef_.shape)
    coupled = couple(pair_scores(model, X))
    winners = model.predict(X)
    assert (coupled.argmax(axis=1) != winners).sum() > 5
    p = model.predict_proba(X)
    assert_array_equal(p.argmax(axis=1), winners)
    assert_allclose(p.sum(axis=1), 1)
    assert_allclose(np.sort(p), np.sort(coupled), rtol=1e-9, atol=1e-15)
    tied = make_most_probable(np.full((2, 4), 0.25), np.array([2, 3]))
    assert_array_equal(tied.argmax(axis=1), [2, 3])
    assert_allclose(tied, 0.25)


def test_logarithms_of_zero_do_not_warn():
    X, y = make_problem(n=80, k=3)
    model = fit("logistic", X, y, tol=1e-3)
    with np.errstate(all="raise", under="ignore"):
        logs = model.predict_log_proba(1e6 * X)
    assert not np.isnan(logs).any()
    assert_allclose(np.exp(logs).sum(axis=1), 1)


def test_calibrated_on_a_softmax_model():
    """Pairs of a softmax model are logistic models, so coupling gives its truth."""
    X, y, p = draw_softmax(n=20_000, d=4, k=4)
    model = fit("logistic", X, y, C=10.0, tol=1e-6)
    found = model.predict_proba(X)
    assert np.abs(found - p).mean() < 0.01
    assert np.quantile(np.abs(found - p), 0.99) < 0.05
    assert np.abs(p - 0.25).mean() > 0.1  # the truth is not what nothing would say
