"""Candidates: optima and certificates of the restricted machine, in plain NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from class_groups import grouped_rows
from numpy.testing import assert_allclose, assert_array_equal
from problems import rotated
from reference import solve_primal

from polymargin.access.class_tiles import TILE
from polymargin.access.rows import Rows
from polymargin.driver.linear.candidates import CandidateDriver
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import Problem
from polymargin.machine.registry import find_machine

PAIRS = [
    (machine, loss)
    for machine in ("cs", "ww", "ovr")
    for loss in ("hinge", "squared_hinge")
]


def make_driver(machine, loss, X, y, candidates, C=1.0, bias=1.0, **options):
    k = y.max() + 1
    weights = C * (1 + np.arange(len(y)) % 3)
    problem = Problem(find_machine(machine, loss, "exact"), y, k, weights)
    options = LinearOptions(candidates=candidates, bias=bias, **options)
    return CandidateDriver(Rows(X, bias), problem, options)


def train(driver, gap=1e-6, epochs=3000):
    """Run until the driver itself says that it is there."""
    for _ in range(epochs // 10):
        for _ in range(10):
            driver.epoch(np.inf)
        primal, dual, _ = driver.certify()
        if primal - dual <= gap * primal:
            return primal, dual
    raise AssertionError(f"the gap is {(primal - dual) / primal}")


def seen_classes(driver):
    """Whether each row sees each class."""
    tiles, n = driver.tiles, len(driver.tiles_of_rows)
    seen = np.zeros((n, tiles.n_classes), dtype=bool)
    places = tiles.places(driver.tiles_of_rows)
    rows = np.repeat(np.arange(n), places.shape[1]).reshape(places.shape)
    there = places < tiles.n_classes
    seen[rows[there], tiles.order[places[there]]] = True
    return seen


def features_of(X, bias):
    X = X.toarray() if sp.issparse(X) else X
    return np.column_stack([X, np.full(len(X), bias)]) if bias else X


def objectives(driver, X, bias):
    """Primal and dual objective of the machine on the candidates, from its formulas."""
    problem = driver.problem
    machine, C, y = problem.machine, problem.loss_weights, problem.labels
    features, seen = features_of(X, bias), seen_classes(driver)
    n, k = seen.shape
    label = np.arange(k) == y[:, None]
    u = problem.blocks(*driver.duals()).toarray()
    assert (u >= 0).all()
    assert not u[~seen].any()
    relative = machine.name != "ovr"
    if relative:
        assert not u[label].any()
        b = np.where(label, u.sum(axis=1, keepdims=True), -u)
    else:
        b = np.where(label, u, -u)
    W = b.T @ features
    scores = features @ W.T
    own = scores[np.arange(n), y][:, None]
    h = 1 - own + scores if relative else 1 - np.where(label, 1, -1) * scores
    h = np.where(seen & ~label if relative else seen, np.maximum(h, 0), 0)
    squared = machine.loss == "squared_hinge"
    h_loss = h**2 if squared else h
    losses = h_loss.max(axis=1) if machine.name == "cs" else h_loss.sum(axis=1)
    sums = u.sum(axis=1)
    penalty = 0.0
    if squared:
        squares = sums**2 if machine.name == "cs" else (u**2).sum(axis=1)
        penalty = (squares / (4 * C)).sum()
    else:
        most = sums if machine.name == "cs" else u.max(axis=1)
        assert (most <= C * (1 + 1e-9)).all()
    half_norm = (W**2).sum() / 2
    return half_norm + (C * losses).sum(), sums.sum() - penalty - half_norm, W


@pytest.mark.parametrize(
    ("machine", "loss", "k", "candidates", "bias"),
    rotated(PAIRS, [20, 37, 48], [16, 32], [0.0, 1.0], times=2),
)
def test_certificate_is_that_of_the_candidates(machine, loss, k, candidates, bias):
    X, y = grouped_rows(k)
    driver = make_driver(machine, loss, X, y, candidates, bias=bias)
    primal, dual = train(driver)
    by_hand, dual_by_hand, W = objectives(driver, X, bias)
    assert_allclose([primal, dual], [by_hand, dual_by_hand], rtol=1e-8)
    assert_allclose(driver.weights().toarray().T, W, rtol=0, atol=1e-8)
    assert driver.tiles_of_rows.shape[1] == min(-(-candidates // TILE), -(-k // TILE))
    assert seen_classes(driver)[np.arange(len(y)), y].all()


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_all_classes_are_the_machine_itself(machine, loss):
    k = 5
    X, y = grouped_rows(k, d=60)
    driver = make_driver(machine, loss, X, y, k)
    primal, dual = train(driver)
    best, _ = solve_primal(
        machine, loss, features_of(X, 1.0), y, driver.problem.loss_weights
    )
    assert_allclose([primal, dual], best, rtol=2e-6)


@pytest.mark.parametrize("machine", ["cs", "ww", "ovr"])
def test_fewer_candidates_bound_the_machine_from_below(machine):
    X, y = grouped_rows(50)
    few, more, all_of_them = (
        train(make_driver(machine, "hinge", X, y, candidates))
        for candidates in (16, 32, 50)
    )
    # Not equal either: some classes that count were left out.
    assert few[1] < more[0]
    assert few[0] < all_of_them[1] * (1 - 1e-4)
    assert more[1] <= all_of_them[0]


def test_number_formats_and_storages_agree():
    X, y = grouped_rows(40)
    found = []
    for rows in (X, X.toarray(), X.astype(np.float32), sp.csr_array(X, dtype=float)):
        driver = make_driver("cs", "hinge", rows, y, 32)
        found.append(train(driver, gap=1e-4)[1])
        assert driver.weights().dtype == rows.dtype
    assert_allclose(found, found[0], rtol=2e-4)


def test_threads_do_not_change_the_model():
    X, y = grouped_rows(40)
    one, three = (
        make_driver("ww", "hinge", X, y, 32, threads=threads) for threads in (1, 3)
    )
    assert train(one) == train(three)
    assert (one.weights() != three.weights()).nnz == 0


def test_dual_variables_go_out_and_in():
    X, y = grouped_rows(60)
    driver, other = (make_driver("cs", "hinge", X, y, 32) for _ in range(2))
    train(driver)
    other.set_duals(*driver.duals())
    assert_allclose(other.certify(), driver.certify(), rtol=1e-12)
    # Of fewer candidates, what they still are.
    fewer = make_driver("cs", "hinge", X, y, 16)
    fewer.set_duals(*driver.duals())
    kept = fewer.problem.blocks(*fewer.duals()).toarray()
    before = driver.problem.blocks(*driver.duals()).toarray()
    seen = seen_classes(fewer)
    assert_array_equal(kept, np.where(seen, before, 0))
    assert 0 < kept.sum() < before.sum()


def test_rows_that_say_nothing():
    X, y = grouped_rows(40)
    X.data[X.indptr[3] : X.indptr[4]] = 0
    X.eliminate_zeros()
    weights = np.ones(len(y))
    weights[:2] = 0
    problem = Problem(find_machine("ww", "hinge", "exact"), y, 40, weights)
    driver = CandidateDriver(
        Rows(X, 0.0), problem, LinearOptions(candidates=16, bias=0)
    )
    primal, dual = train(driver)
    by_hand, dual_by_hand, _ = objectives(driver, X, 0.0)
    assert_allclose(primal, by_hand, rtol=1e-8)
    # The loss of an empty row is fixed: it counts in both.
    assert_allclose(dual, dual_by_hand + (TILE - 1), rtol=1e-6)
