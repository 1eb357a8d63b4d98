"""Tests of objectives, peers, the search along ladders and the race."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmark_records import run_in
from sklearn.linear_model import LogisticRegression

from benchmarks.contests.linear import MATCHES
from benchmarks.harness import ladder, objectives
from benchmarks.harness.data import Dataset, load
from benchmarks.harness.objectives import Formulation
from benchmarks.harness.solvers import (
    Fastest,
    Fit,
    Liblinear,
    LiblinearPairs,
    Polymargin,
    Solver,
)


def small_digits(n=300, kind=np.asarray, n_classes=10) -> Dataset:
    digits = load("digits")
    rows = np.flatnonzero(digits.y < n_classes)[:n]
    X, y = kind(digits.X[rows]), digits.y[rows]
    return Dataset("digits", X, y, digits.X_test, digits.y_test)


class Fake(Solver):
    """Gives an objective of 1 + tolerance in the seconds it is told."""

    def __init__(self, name, tolerances=(1.0, 0.1, 0.01), seconds=0.0, **details):
        self.name, self.tolerances = name, tolerances
        self.seconds, self.details = seconds, details
        self.asked = []

    def fit(self, X, y, tolerance, seed=0):
        self.asked.append((tolerance, seed))
        return Fit(self.seconds, np.full((2, 1), tolerance), self.details)


class FakeFormulation(Formulation):
    def objective(self, X, y, weights):
        return 1 + float(weights[0, 0])

    def accuracy(self, X, y, weights):
        return 0.5


@pytest.fixture
def goal():
    X, y = np.ones((4, 1), np.float32), np.array([0, 1, 0, 1])
    return ladder.Goal(Dataset("tiny", X, y, X, y), FakeFormulation("cs"), target=1.1)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("match", MATCHES.values(), ids=lambda match: match.words)
def test_objective_agrees_with_the_model(kind, match):
    data = small_digits(kind=kind)
    solver = Polymargin(match.formulation)
    model = solver.model(data.X.astype(np.float64), data.y)
    objective = match.formulation.objective(data.X, data.y, model.coef_)
    assert objective == pytest.approx(model.objective_, rel=1e-6)
    assert match.formulation.accuracy(data.X, data.y, model.coef_) == pytest.approx(
        model.score(data.X, data.y)
    )


@pytest.mark.parametrize("loss", objectives.BINARY_LOSSES)
def test_objectives_of_binary_machines_sum_over_their_problems(loss):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), np.arange(30) % 3
    weights = rng.standard_normal((3, 4))
    written = {
        "hinge": lambda z: max(0, 1 - z),
        "squared_hinge": lambda z: max(0, 1 - z) ** 2,
        "logistic": lambda z: np.log(1 + np.exp(-z)),
    }[loss]
    one_vs_rest = one_vs_one = 0.5 * (weights**2).sum()
    for m in range(3):
        for x, label in zip(X, y, strict=True):
            one_vs_rest += written((1 if label == m else -1) * weights[m] @ x)
    for w, (first, second) in zip(weights, [(0, 1), (0, 2), (1, 2)], strict=True):
        for x, label in zip(X, y, strict=True):
            if label in (first, second):
                one_vs_one += written((1 if label == second else -1) * w @ x)
    for machine, expected in (("ovr", one_vs_rest), ("ovo", one_vs_one)):
        found = Formulation(machine, loss).objective(X, y, weights)
        assert found == pytest.approx(expected)


def test_objective_of_maxent_is_least_at_the_model_of_scikit_learn():
    data = small_digits()
    model = LogisticRegression(fit_intercept=False, tol=1e-8, max_iter=1000)
    weights = model.fit(data.X, data.y).coef_.astype(np.float64)
    least = Formulation("maxent").objective(data.X, data.y, weights)
    rng = np.random.default_rng(0)
    for step in (1e-2, 1e-1):
        moved = weights + step * rng.standard_normal(weights.shape)
        assert Formulation("maxent").objective(data.X, data.y, moved) > least


def test_votes_decide_one_vs_one():
    X, y = np.eye(3), np.array([0, 1, 2])
    beats = np.array([[-1, 1, -1], [-1, -1, 1], [-1, -1, 1]])  # of (0,1) (0,2) (1,2)
    assert Formulation("ovo").accuracy(X, y, beats) == 1.0
    assert Formulation("ovo").accuracy(X, y, -beats) < 1.0
    cycle = np.array([[-1.0], [3.0], [-1.0]])  # each class wins one of its two pairs
    for label, share in enumerate((0.0, 0.0, 1.0)):  # the sums are -2, 0 and 2
        found = Formulation("ovo").accuracy(np.ones((1, 1)), np.array([label]), cycle)
        assert found == share


@pytest.mark.parametrize("number", list(MATCHES))
def test_tight_peers_agree_on_the_optimum(number):
    """Every peer solves the problem whose objective it is judged by."""
    match, data = MATCHES[number], small_digits(200, n_classes=4)
    found = []
    for make in match.peers:
        for solver in make().candidates(data):
            fit = solver.fit(data.X, data.y, solver.tolerances[-1])
            found.append(match.formulation.objective(data.X, data.y, fit.weights))
    assert max(found) == pytest.approx(min(found), rel=2e-3)


@pytest.mark.parametrize("kind", [1, 2, 3, 7, 0])
def test_liblinear_with_two_classes_is_one_problem(kind):
    loss = {3: "hinge", 1: "squared_hinge", 2: "squared_hinge"}.get(kind, "logistic")
    data = small_digits(100, n_classes=2)
    single = Liblinear(kind).fit(data.X, data.y, 1e-4)
    paired = LiblinearPairs(kind).fit(data.X, data.y, 1e-4)
    assert single.weights.shape == paired.weights.shape == (1, 64)
    one, other = Formulation("ovr", loss), Formulation("ovo", loss)
    assert one.objective(data.X, data.y, single.weights) == pytest.approx(
        other.objective(data.X, data.y, paired.weights), rel=1e-3
    )
    assert one.accuracy(data.X, data.y, single.weights) > 0.95
    assert other.accuracy(data.X, data.y, paired.weights) > 0.95


def test_liblinear_says_when_no_tolerance_gets_further(capfd):
    data = small_digits(300)
    hard = 1000 * data.X  # far too large a scale for 300 iterations
    assert Liblinear(3).fit(hard, data.y, 1e-4).details["exhausted"]
    assert not Liblinear(3).fit(data.X, data.y, 1).details["exhausted"]
    assert capfd.readouterr().out == ""


def test_search_stops_at_the_loosest_that_reaches(goal):
    solver = Fake("fake")
    search = ladder.search_ladder(solver, goal, seed=2)
    assert search.tolerance == 0.1
    assert solver.asked == [(1.0, 2), (0.1, 2)]
    assert [step["objective"] for step in search.steps] == [2.0, 1.1]


@pytest.mark.parametrize("reason", [{"seconds": 200.0}, {"exhausted": True}])
def test_search_gives_up(goal, reason):
    solver = Fake("fake", **reason)
    assert ladder.search_ladder(solver, goal).tolerance is None
    assert len(solver.asked) == 1


def test_race_names_the_fastest_and_gives_up_the_others_early(goal):
    slow = Fake("slow", seconds=9.0)
    fast = Fake("fast", seconds=1.0)
    late = Fake("late", seconds=2.0)
    never = Fake("never", tolerances=(1.0,), seconds=0.1)
    unfit = Fake("unfit")
    rival = Fastest(
        "all",
        [never, slow, fast, late, unfit],
        lambda solver, data: solver is not unfit,
    )
    winner, search, steps = ladder.race(rival, goal)
    assert (winner.name, search.tolerance) == ("fast", 0.1)
    assert list(steps) == ["never", "slow", "fast", "late"]
    assert len(late.asked) == 1  # its first fit took longer than all of the fastest
    assert not unfit.asked


def test_seeds_are_combined_by_their_median():
    common = {"tolerance": 0.1, "spread": 1.5, "reached": True}
    entries = [
        {**common, "seconds": float(seconds), "accuracy": seconds / 10}
        for seconds in (3, 1, 2)
    ]
    combined = ladder.combine_seeds(entries)
    assert (combined["seconds"], combined["range"]) == (2.0, [1.0, 3.0])
    assert combined["accuracy"] == pytest.approx(0.2)
    assert "seconds" not in ladder.combine_seeds([*entries, {"tolerance": None}])


def test_slow_peers_are_run_once(monkeypatch, goal, tmp_path):
    peers = {
        "quick": Fake("quick", seconds=1.0),
        "slow": Fake("slow", tolerances=(0.1,), seconds=200.0),
        "hopeless": Fake("hopeless", seconds=300.0),
    }
    match = ladder.Match("fakes", goal.formulation, (), ())
    rivals = {match.ours: Fake(match.ours, seconds=0.5), **peers}
    monkeypatch.setattr(ladder.Match, "rivals", lambda self: rivals)
    monkeypatch.setattr(ladder, "load", lambda name: goal.data)
    best = {"objective": 1.1 / 1.001, "gap": 0.0}
    monkeypatch.setattr(ladder, "optimum", lambda *args: best)
    run = run_in(tmp_path, repeats=2, seeds=2)
    record = ladder.time_to_optimum(match, "tiny", run)
    assert len(peers["quick"].asked) == 2 * (2 + 2)  # searches and timings, two seeds
    assert len(peers["slow"].asked) == len(peers["hopeless"].asked) == 1
    solvers = record["solvers"]
    assert solvers["quick"]["seconds"] == 1.0
    assert solvers["slow"]["seconds"] == 200.0
    assert solvers["hopeless"]["at_least"] == 300.0


def test_peers_that_are_missing_are_left_out():
    def missing():
        raise ImportError("nobody is at home")

    match = ladder.Match("alone", Formulation("cs"), (missing,), ())
    assert list(match.rivals()) == ["polymargin cs"]


def test_optimum_is_kept_by_formulation(tmp_path):
    data = small_digits(100)
    hinge, squared = (
        ladder.optimum(data, tmp_path, Formulation("ovr", loss))
        for loss in ("hinge", "squared_hinge")
    )
    assert hinge["gap"] <= 1e-5
    assert hinge["objective"] != squared["objective"]
    assert ladder.optimum(data, tmp_path, Formulation("ovr", "hinge")) == hinge
