"""What sets the machines apart, and what they share with two classes."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    BINARY_LOSSES,
    LOSSES,
    MACHINES,
    augmented,
    class_weights,
    coefficients_of_blocks,
    has_variable,
    is_own,
    make_model,
    make_problem,
    make_sparse_problem,
    n_columns,
)
from sklearn.multiclass import OneVsRestClassifier

from polymargin import LinearSVM
from polymargin.machine.block_algebra import (
    block_shape,
    coefficients_of,
    duals_of,
    lost_means,
)
from polymargin.machine.registry import MACHINES as BY_NAME


def fit(machine, loss, X, y, sample_weight=None, **parameters):
    parameters = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0} | parameters
    model = make_model(machine, loss, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


def assert_close(a, b, objective):
    """Both within a gap of 1e-9 of one optimum, in a strongly convex problem."""
    assert np.linalg.norm(a - b) <= 2 * np.sqrt(2e-9 * objective)


# Dual blocks and coefficients

# Every way in which a block becomes coefficients.
BLOCKS = [(machine, "hinge") for machine in (*MACHINES, "ovo")] + [("maxent", "log")]


def random_blocks(machine, k, labels, dtype, seed=0):
    """Blocks of every kind: empty, one variable, some, all, all equal."""
    rng = np.random.default_rng(seed)
    columns = n_columns(machine, k)
    u = rng.uniform(0.1, 1, size=(len(labels), columns))
    share = np.array([0.0, 0.1, 0.5, 1.0, 1.0])[np.arange(len(labels)) % 5]
    u *= rng.random(u.shape) < share[:, None]
    u[4::5] = rng.choice([0.25, 1.0, 0.3], size=len(u[4::5]))[:, None]
    u *= has_variable(machine, labels, columns)
    return u.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 3, 6, 70])
@pytest.mark.parametrize(("machine", "loss"), BLOCKS)
def test_duals_round_trip_through_coefficients(machine, loss, k, dtype):
    labels = np.random.default_rng(1).integers(k, size=100)
    u = random_blocks(machine, k, labels, dtype)
    formulation = BY_NAME[machine, loss]
    columns, known_as = block_shape(formulation, labels, k)
    assert columns == u.shape[1]
    blocks = sp.csr_array(u)
    b = coefficients_of(formulation, blocks, known_as)
    means = lost_means(formulation, blocks, known_as)
    assert b.dtype == dtype
    assert b.shape == u.shape
    back = duals_of(formulation, b, known_as, means)
    assert back.dtype == dtype
    assert back.data.min() > 0
    rounding = 4 * np.finfo(dtype).eps
    assert_allclose(back.toarray(), u, rtol=0, atol=rounding)
    # What is zero stays zero, not nearly so: a shrunk variable must not come back.
    assert_array_equal(back.toarray() > 0, u > 0)


@pytest.mark.parametrize("k", [2, 3, 70])
@pytest.mark.parametrize(("machine", "loss"), BLOCKS)
def test_coefficients_are_those_of_the_design(machine, loss, k):
    labels = np.random.default_rng(1).integers(k, size=100)
    u = random_blocks(machine, k, labels, np.float64)
    expected = coefficients_of_blocks(machine, u, labels)
    own = is_own(labels, u.shape[1])
    if machine == "llw":  # as its authors have it
        assert_allclose(expected, u.mean(axis=1, keepdims=True) - u, atol=1e-12)
    if machine == "ovr":
        assert_array_equal(expected, np.where(own, u, -u))
    known_as = block_shape(BY_NAME[machine, loss], labels, k)[1]
    b = coefficients_of(BY_NAME[machine, loss], sp.csr_array(u), known_as)
    assert_allclose(b.toarray(), expected, rtol=0, atol=1e-12)
    for (name, _), formulation in BY_NAME.items():  # the same for the other losses
        if name == machine:
            other = coefficients_of(formulation, sp.csr_array(u), known_as)
            assert_array_equal(other.toarray(), b.toarray())


def test_equal_duals_of_llw_survive_a_warm_start():
    """With a tiny C every variable is at its bound: all duals of a row are equal."""
    X, y = make_problem(n=60, k=4)
    model = fit("llw", "hinge", X, y, C=1e-5, warm_start=True)
    b = model.dual_coef_.toarray()
    own = is_own(y, 4)
    assert_allclose(b[own], 0.75e-5, rtol=1e-12)
    assert_allclose(b[~own], -0.25e-5, rtol=1e-12)
    objective, coef = model.objective_, model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ <= 1
    assert_allclose(model.objective_, objective, rtol=1e-12)
    assert_allclose(model.coef_, coef, rtol=1e-9)
    # Bounds move with C: four times C is four times W as long as all stay there.
    warm = model.set_params(C=4e-5).fit(X, y)
    assert_allclose(warm.coef_, 4 * coef, rtol=1e-9)


# Lee-Lin-Wahba


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_iter", [1, 200])
@pytest.mark.parametrize("k", [3, 17, 70, 200])
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_of_llw_sum_to_zero(loss, k, max_iter, dtype):
    X, y = make_sparse_problem(n=k + 200, d=50, k=k, dtype=dtype)
    model = LinearSVM("llw", loss=loss, tol=1e-4, max_iter=max_iter, random_state=0)
    model.fit(X, y)
    W = class_weights(model)
    terms = np.abs(augmented(model, X)).T @ np.abs(model.dual_coef_.toarray())
    rounding = 2 * np.sqrt(k) * np.finfo(dtype).eps * terms.sum(axis=1)
    assert (np.abs(W.sum(axis=0)) <= rounding).all()
    assert np.abs(W[:, -1]).max() > 0  # the intercepts too


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_of_a_stream_of_llw_sum_to_zero(loss):
    X, y = make_problem(n=200, k=5)
    model = LinearSVM("llw", loss=loss, random_state=0)
    for start in range(0, 200, 20):
        part = slice(start, start + 20)
        model.partial_fit(X[part], y[part], classes=np.arange(5))
        W = class_weights(model)
        assert_allclose(W.sum(axis=0), 0, atol=1e-12 * np.abs(W).max())


@pytest.mark.parametrize("loss", LOSSES)
def test_llw_is_fisher_consistent_without_features(loss):
    """One constant feature: the most frequent class wins, not "none of them"."""
    y = np.repeat([0, 1, 2], [40, 35, 25])
    model = fit("llw", loss, np.ones((100, 1)), y, C=10.0)
    assert (model.predict(np.ones((1, 1))) == 0).all()


# One-vs-rest


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("k", [3, 5, 70])
@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_ovr_is_a_binary_problem_per_class(loss, k, intercept):
    X, y = make_problem(n=60 + k, k=k)
    weight = np.random.default_rng(1).uniform(0.2, 2, size=len(y))
    parameters = {"C": 0.2, "fit_intercept": intercept, "intercept_scaling": 2.0}
    model = fit("ovr", loss, X, y, weight, **parameters)
    binary = [fit("ovr", loss, X, y == m, weight, **parameters) for m in range(k)]
    objectives = [one.objective_ for one in binary]
    assert_allclose(model.objective_, sum(objectives), rtol=3e-9)
    assert_allclose(
        model.dual_objective_, sum(one.dual_objective_ for one in binary), rtol=3e-9
    )
    weights = np.vstack([class_weights(one) for one in binary])
    assert_close(class_weights(model), weights, sum(objectives))
    scores = np.column_stack([one.decision_function(X) for one in binary])
    assert_allclose(model.decision_function(X), scores, atol=2e-3)


@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_ovr_is_the_meta_estimator(loss):
    X, y = make_problem(n=80, k=4)
    binary = LinearSVM(
        "ovr", loss=loss, tol=1e-9, max_iter=100_000, C=0.2, random_state=0
    )
    model = fit("ovr", loss, X, y, C=0.2)
    meta = OneVsRestClassifier(binary).fit(X, y)
    assert_allclose(
        model.decision_function(X), meta.decision_function(X), rtol=0, atol=1e-3
    )
    assert (model.predict(X) == meta.predict(X)).mean() > 0.98


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("names", [[0, 1], ["no", "yes"], [False, True], [-1, 1]])
@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_binary_ovr_is_one_problem(loss, names, dtype):
    X, labels = make_problem(n=60, k=2)
    X = X.astype(dtype)
    y = np.array(names)[labels]
    # Dual variables of Newton steps stay double: rounded, their weights on features as
    # they come would not be near those of the model, and nothing would be certified.
    model = fit("ovr", loss, X, y, tol=1e-3, solver="dual")
    assert model.coef_.shape == (1, X.shape[1])
    assert model.intercept_.shape == (1,)
    assert model.dual_coef_.shape == (60, 1)
    assert model.coef_.dtype == model.dual_coef_.dtype == dtype
    b = model.dual_coef_.toarray()[:, 0]
    assert (b[labels == 1] >= 0).all() and (b[labels == 0] <= 0).all()
    assert b[labels == 1].any() and b[labels == 0].any()
    scores = model.decision_function(X)
    assert scores.shape == (60,)
    assert_array_equal(model.predict(X) == names[1], scores > 0)
    assert model.score(X, y) > 0.7
    assert_array_equal(model.support_, np.flatnonzero(b))


@pytest.mark.parametrize("loss", BINARY_LOSSES)
def test_binary_ovr_is_symmetric(loss):
    X, y = make_problem(n=60, k=2)
    model, mirrored = fit("ovr", loss, X, y), fit("ovr", loss, X, 1 - y)
    assert_allclose(model.objective_, mirrored.objective_, rtol=2e-9)
    assert_close(class_weights(model), -class_weights(mirrored), model.objective_)


# Two classes


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_with_two_classes_all_machines_are_the_binary_one(loss, C):
    """With v = w_1 - w_0, cs and ww are 1/4 |v|^2 + C loss(v): half of ovr with 2 C.

    With v / 2 = w_1 = -w_0, llw is 1/4 |v|^2 + C loss(v / 2): twice ovr with C / 2.
    """
    X, y = make_problem(n=50, k=4, seed=4)
    y = y % 2
    for machine in ("cs", "ww"):
        model = fit(machine, loss, X, y, C=C)
        binary = fit("ovr", loss, X, y, C=2 * C)
        assert_allclose(model.objective_, binary.objective_ / 2, rtol=3e-9)
        assert_close(model.coef_, binary.coef_, 4 * binary.objective_)
    model = fit("llw", loss, X, y, C=C)
    binary = fit("ovr", loss, X, y, C=C / 2)
    assert_allclose(model.objective_, 2 * binary.objective_, rtol=3e-9)
    assert_close(model.coef_, 2 * binary.coef_, 8 * binary.objective_)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_shapes(machine, loss):
    for k in (2, 3, 70):
        X, y = make_problem(n=60 + k, d=5, k=k)
        model = fit(machine, loss, X, y, C=0.1, tol=1e-2)
        rows = 1 if k == 2 else n_columns(machine, k)
        assert model.coef_.shape == (rows, 5)
        assert model.intercept_.shape == (rows,)
        assert model.dual_coef_.shape == (len(y), n_columns(machine, k))
        assert model.decision_function(X).shape == ((len(y), k) if k > 2 else (len(y),))
