"""The methods of the papers as printed, visit by visit, beside their formulas in NumPy.

A driver makes one visit at a time. Which row it was shows in the dual variables; what
the visit should have done is computed from those before it, by the paper's equations.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem

from polymargin import LinearSVM
from polymargin.access.rows import Rows
from polymargin.driver.linear.dual import dual_driver
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import Problem
from polymargin.machine.registry import find_machine

K = 5
C = 0.7


def blocks(driver, n):
    """The dual variables as the driver keeps them: a row for each example."""
    indptr, classes, values = driver.duals()
    found = np.zeros((n, K))
    found[np.repeat(np.arange(n), np.diff(indptr)), classes] = values
    return found


class Visits:
    """A driver, one visit at a time.

    Parameters
    ----------
    machine : str
    options : parameters of LinearOptions
    """

    def __init__(self, machine="cs", n=40, scale=1.0, **options):
        self.X, self.y = make_problem(n=n, d=6, k=K, seed=8, scale=scale)
        self.n = n
        loss = "log" if machine == "maxent" else "hinge"
        problem = Problem(find_machine(machine, loss), self.y, K, np.full(n, C))
        options = LinearOptions(**({"order": "permuted", "bias": 0.0} | options))
        self.driver = dual_driver(Rows(self.X), problem, options)

    def __iter__(self):
        """Variables before and after, the row that moved or None, and the report."""
        while True:
            before = blocks(self.driver, self.n)
            report = self.driver.epoch(np.inf, 0.5 / self.n)
            assert report.visits == 1
            after = blocks(self.driver, self.n)
            moved = np.flatnonzero((before != after).any(axis=1))
            assert len(moved) <= 1
            yield before, after, moved[0] if len(moved) else None, report

    def alpha(self, u):
        """The alpha of 000 and 002 for cs, from what the driver keeps."""
        alpha = -u.copy()
        rows = np.arange(self.n)
        alpha[rows, self.y] = u.sum(axis=1)
        return alpha

    def gradient(self, alpha, i):
        """(4) of 002, (5) of 000."""
        return alpha.T @ self.X @ self.X[i] + (np.arange(K) != self.y[i])

    def caps(self, i):
        return np.where(np.arange(K) == self.y[i], C, 0.0)


def algorithm_3(beta_hat, z, tau):
    """Bisection as printed in 002: beta, and how often the interval was halved."""
    low, high, s, halved = 0.0, beta_hat.max(), np.inf, 0
    while abs(s) / z > tau:
        theta = (low + high) / 2
        s = np.maximum(beta_hat - theta, 0).sum() - z
        low, high = (low, theta) if s < 0 else (theta, high)
        halved += 1
    return np.maximum(beta_hat - theta, 0), halved


@pytest.mark.parametrize("tau", [1e-1, 1e-2, 1e-5])
@pytest.mark.parametrize("lists", [True, "classes"])
def test_bisection_is_algorithm_3(tau, lists):
    visits = Visits(
        restricted="bisection_printed", restricted_tol=tau, shrinking=lists, order="acf"
    )
    moves, off = 0, []
    for before, after, i, report in visits:
        if i is None:
            continue
        alpha = visits.alpha(before)
        norm = np.linalg.norm(visits.X[i])
        g, caps = visits.gradient(alpha, i), visits.caps(i)
        beta_hat = norm * (caps - alpha[i]) + g / norm  # lemma 1
        if lists == "classes" and report.evaluations < K:
            continue  # it looked at some of the classes alone
        beta, _ = algorithm_3(beta_hat, C * norm, tau)
        expected = alpha.copy()
        expected[i] = caps - beta / norm
        assert_allclose(visits.alpha(after)[i], expected[i], rtol=1e-9, atol=1e-12)
        W = expected.T @ visits.X
        f = 0.5 * (W**2).sum() + (expected * (np.arange(K) != visits.y[:, None])).sum()
        assert_allclose(-report.dual, f, rtol=1e-9, atol=1e-9)  # (3), wherever it is
        assert_allclose(visits.driver.weights(), W.T, rtol=1e-9, atol=1e-10)
        off.append(abs(expected[i].sum()) / C)
        moves += 1
        if moves == 150:
            break
    assert max(off) <= tau * (1 + 1e-6)
    assert max(off) > tau / 10  # it does leave the feasible set


def test_bisection_as_printed_may_lose():
    """No test of gain: a coarse tolerance makes the dual objective of (3) fall."""
    visits = Visits(restricted="bisection_printed", restricted_tol=0.3)
    duals = [found[-1].dual for _, found in zip(range(400), visits, strict=False)]
    assert min(np.diff(duals)) < 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_its_certificate_is_that_of_feasible_variables():
    X, y = make_problem(n=60, d=6, k=K, seed=9)
    parameters = {"order": "cyclic", "fit_intercept": False, "random_state": 0}
    best = LinearSVM(fit_intercept=False, tol=1e-9).fit(X, y).objective_
    for tau in (0.3, 1e-2):
        model = LinearSVM(
            restricted="bisection_printed",
            restricted_tol=tau,
            max_iter=60,
            tol=1e-6,
            **parameters,
        ).fit(X, y)
        assert (
            model.dual_objective_ <= best * (1 + 1e-9) <= model.objective_ * (1 + 1e-9)
        )
        assert_allclose(model.dual_coef_.T @ X, model.coef_, rtol=1e-6, atol=1e-9)
    assert model.dual_gap_ < 0.1


def smo(visits, before, i, sweeps):
    """Supplement A of 002: q goes round the variables with alpha < C, p = argmax g.

    A step makes g of p and q the same, and rounding decides which of them the next step
    takes: all that may come out.
    """
    caps, y = visits.caps(i), visits.y[i]
    square = visits.X[i] @ visits.X[i]
    start = visits.alpha(before)
    results = [(start[i], visits.gradient(start, i))]
    for q in [*range(K)] * sweeps:
        reached = []
        for alpha, g in results:
            # The label's distance to C is a difference: zero but for rounding.
            if caps[q] - alpha[q] <= 1e-12 * (q == y):
                reached.append((alpha, g))
                continue
            for p in np.flatnonzero(g >= g.max() - 1e-9):
                step = (g[q] - g[p]) / (2 * square)
                step = min(max(step, alpha[q] - caps[q]), caps[p] - alpha[p])
                change = np.zeros(K)
                if p != q:
                    change[[p, q]] = step, -step
                reached.append((alpha + change, g + square * change))
        results = []
        for one in reached:
            if not any(np.allclose(one[0], other[0], atol=1e-11) for other in results):
                results.append(one)
    return [alpha for alpha, _ in results]


@pytest.mark.parametrize("sweeps", [1, 2])
def test_smo_of_several_sweeps(sweeps):
    visits = Visits(restricted="smo", restricted_sweeps=sweeps)
    moves = certain = 0
    for before, after, i, _ in visits:
        if i is None:
            continue
        expected = smo(visits, before, i, sweeps)
        found = visits.alpha(after)[i]
        assert min(np.abs(found - one).max() for one in expected) < 1e-9
        certain += len(expected) == 1
        moves += 1
        if moves == 150:
            break
    assert certain > 30


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sweeps_approach_the_exact_solution():
    X, y = make_problem(n=100, d=6, k=K, seed=3)
    parameters = {
        "order": "cyclic",
        "shrinking": False,
        "max_iter": 1,
        "solver": "dual",
        "random_state": 0,
    }
    exact = LinearSVM(**parameters).fit(X, y).coef_
    away = [
        np.linalg.norm(
            LinearSVM(restricted="smo", restricted_sweeps=sweeps, **parameters)
            .fit(X, y)
            .coef_
            - exact
        )
        for sweeps in (1, 4, 16)
    ]
    assert away[0] > away[1] > away[2]
    assert away[2] < 0.05 * away[0]


def test_cyclic_goes_round_in_one_order():
    """In maximum entropy every visit moves, so that all of them are seen."""
    rounds = {}
    for order in ("cyclic", "permuted"):
        visits = iter(Visits("maxent", order=order))
        rounds[order] = [[next(visits)[2] for _ in range(40)] for _ in range(3)]
    first, *others = rounds["cyclic"]
    assert others == [first, first]
    assert sorted(first) == [*range(40)] != first
    assert rounds["permuted"][0] != rounds["permuted"][1]


def free_and_removed(machine, before):
    """Variables that shrunk loops of 000 look at, and rows that they leave out."""
    if machine == "ww":
        free = (before > 0) & (before < C)  # section 3
        return free, ~free.any(axis=1)
    count = (before > 0).sum(axis=1)  # section 2.1: alpha = 0, or one class with -C
    full = before.max(axis=1) >= C * (1 - 1e-9)
    return before > 0, (count == 0) | ((count == 1) & full)


@pytest.mark.parametrize("machine", ["cs", "ww"])
def test_shrunk_loops_are_those_of_section_2_1(machine):
    """Modification 2 of 000, what is removed, and the budget of effective loops."""
    visits = Visits(
        machine,
        n=60,
        scale=3.0,
        shrinking="classes",
        cooling=False,
        violation_tol=1e-12,
        restricted="active_set",
    )
    spans, spent, shrunk = [], 0, 0
    while len(spans) < 6:
        before = blocks(visits.driver, visits.n)
        report = visits.driver.round(np.inf)
        after = blocks(visits.driver, visits.n)
        if report.evaluations == K * visits.n:  # a full loop
            spans += [spent] if spent else []
            spent = 0
            continue
        shrunk += 1
        spent += report.evaluations
        free, removed = free_and_removed(machine, before)
        own = np.arange(K) == visits.y[:, None]
        assert report.visits == (~removed).sum()
        assert report.evaluations == (free | own)[~removed].sum()
        moved = before != after
        assert not moved[removed].any()
        assert not (moved & ~free).any()
    # They end when the effort exceeds five loops, which is found out after a loop.
    assert max(spans) > 5 * K * visits.n
    assert max(spans) <= 6 * K * visits.n
    assert shrunk > 20


def test_lists_change_nothing_but_what_is_looked_at():
    """Without shrinking, blocks of few classes give the same model as lists."""
    X, y = make_problem(n=80, d=6, k=K, seed=4)
    models = [
        LinearSVM(
            machine,
            solver="dual",
            order="permuted",
            shrinking=shrinking,
            tol=1e-9,
            max_iter=100_000,
            random_state=0,
        ).fit(X, y)
        for machine in ("cs", "ww")
        for shrinking in (True, "classes")
    ]
    for plain, listed in (models[:2], models[2:]):
        assert listed.status_ == "converged"
        assert_allclose(listed.objective_, plain.objective_, rtol=1e-8)
        assert_allclose(listed.coef_, plain.coef_, atol=1e-3)


def test_quarters_of_a_loop():
    """Looks four times within a loop, as in figure 5: the same visits, cut in four."""
    whole, parts = (Visits(shrinking=False) for _ in range(2))
    reports = [whole.driver.epoch(np.inf, 1.0) for _ in range(3)]
    quarters = [parts.driver.epoch(np.inf, 0.25) for _ in range(12)]
    assert [report.visits for report in quarters] == [10] * 12
    assert_array_equal(blocks(whole.driver, 40), blocks(parts.driver, 40))
    assert reports[-1].dual == quarters[-1].dual
    assert sum(report.evaluations for report in quarters) == 3 * 40 * K
