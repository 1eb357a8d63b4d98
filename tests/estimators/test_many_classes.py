"""More than 64 classes: dual variables are kept sparse, and nothing else changes."""

import numpy as np
import peak_memory
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    OVO_PAIRS,
    PAIRS,
    as_hard,
    bounded_by_loss_weight,
    dual_block,
    dual_objective,
    is_bounded,
    make_model,
    make_problem,
    make_sparse_problem,
    n_columns,
    primal_objective,
    rotated,
)


def fit(X, y, machine, loss, **parameters):
    parameters = {"tol": 1e-5, "max_iter": 5000, "random_state": 0} | parameters
    return make_model(machine, loss, **parameters).fit(X, y)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(PAIRS, [65, 70, 200, 1000]))
def test_certified_and_independent_of_the_schedule(machine, loss, k):
    X, y = make_sparse_problem(n=k + 200, d=100, k=k)
    C = as_hard(machine, loss, k, 1.0)
    model = fit(X, y, machine, loss, C=C)
    loss_weights = np.full(len(y), C)
    primal = primal_objective(model, X, y, loss_weights)
    dual = dual_objective(model, X, y, loss_weights)
    assert model.status_ == "converged"
    assert_allclose(
        [model.objective_, model.dual_objective_], [primal, dual], rtol=1e-9
    )
    assert primal - dual <= 1.0001e-5 * primal
    plain = fit(X, y, machine, loss, C=C, order="permuted", shrinking=False)
    assert_allclose(model.objective_, plain.objective_, rtol=2e-5)
    shrunk = fit(X, y, machine, loss, C=C, order="permuted")
    assert_allclose(shrunk.objective_, plain.objective_, rtol=2e-5)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(PAIRS, [65, 300]))
def test_duals_are_sparse_and_feasible(machine, loss, k):
    X, y = make_sparse_problem(n=k + 300, d=100, k=k)
    C = as_hard(machine, loss, k, 0.5)
    model = fit(X, y, machine, loss, C=C)
    u = dual_block(model, y)
    assert u.min() >= 0
    if is_bounded(model):
        bounded = bounded_by_loss_weight(model, u)
        assert bounded.max() <= C * (1 + 1e-12)
    if machine == "cs":
        assert model.dual_coef_.nnz < 0.3 * u.size
    assert model.dual_coef_.has_sorted_indices
    assert_allclose(
        (model.dual_coef_.T @ X).toarray(), model.coef_, atol=1e-10 * np.abs(u).max()
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_class_count_up_to_the_widest_pack(dtype):
    """Padding to the width of a vector must not add or lose a class."""
    tol = 1e-3
    for k in [*range(2, 36), 63, 64, 65, 66, 127, 128, 129]:
        X, y = make_problem(n=k + 30, d=5, k=k, seed=k)
        X = X.astype(dtype)
        for machine, loss in PAIRS if k > 12 else ALL_PAIRS:
            model = fit(X, y, machine, loss, C=0.01, tol=tol)
            loss_weights = np.full(len(y), 0.01)
            rows = n_columns(machine, k) if k > 2 else 1
            assert model.coef_.shape == (rows, 5)
            primal = primal_objective(model, X, y, loss_weights)
            dual = dual_objective(model, X, y, loss_weights)
            assert primal - dual <= (tol + 1e-5) * primal
            assert_allclose(model.objective_, primal, rtol=1e-5)


@pytest.mark.parametrize(("machine", "loss"), OVO_PAIRS)
def test_a_problem_for_each_of_many_pairs(machine, loss):
    X, y = make_sparse_problem(n=400, d=100, k=80)
    model = fit(X, y, machine, loss, C=10.0, tol=1e-4)
    loss_weights = np.full(len(y), 10.0)
    assert model.coef_.shape == (80 * 79 // 2, 100)
    primal = primal_objective(model, X, y, loss_weights)
    assert_allclose(model.objective_, primal, rtol=1e-9)
    dual = dual_objective(model, X, y, loss_weights)
    assert_allclose(model.dual_objective_, dual, rtol=1e-9)
    assert primal - dual <= 1.0001e-4 * primal
    assert model.score(X, y) > 0.9


def test_predictions_with_many_classes():
    X, y = make_sparse_problem(n=3000, d=2000, k=1000)
    model = fit(X, y, "cs", "hinge", tol=1e-2)
    assert model.score(X, y) > 0.9
    scores = X @ model.coef_.T + model.intercept_
    assert_array_equal(model.predict(X), scores.argmax(axis=1))


TEN_THOUSAND = """
    import sys
    import numpy as np
    from peak_memory import peak
    from polymargin import LinearSVM
    from problems import make_sparse_problem

    n, d, k = 20_000, 1000, 10_000
    X, y = make_sparse_problem(n, d, k, dtype=np.float32)
    LinearSVM(tol=1).fit(X[:50], y[:50] % 3)
    before = peak()
    model = LinearSVM(sys.argv[1], tol=0.05, C=1.0, max_iter=30, random_state=0)
    model.fit(X, y)
    used = peak() - before
    assert model.coef_.shape == (k, d)
    assert (model.predict(X[:500]) == y[:500]).mean() > 0.5
    print(used, n * k * 4, d * k * 4, model.dual_gap_)
"""


@pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
def test_ten_thousand_classes_in_bounded_memory(run_python, helpers_on_path):
    """Far from the n k dual variables: a few copies of W, and what is not zero."""
    out = run_python(TEN_THOUSAND, "cs", env=helpers_on_path)
    used, duals, weights, gap = map(float, out.split())
    assert used < duals / 2
    assert used < 6 * weights + 100e6
    assert gap <= 0.05
