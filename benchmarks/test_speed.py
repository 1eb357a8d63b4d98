"""Tests of the speed tables: objectives, peers, the search, the race, the page."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from . import objectives, page, speed
from .contests import CONTESTS
from .data import Dataset, load
from .measure import combine_seeds
from .objectives import Formulation
from .peers import Liblinear, LiblinearPairs
from .results import Optima
from .solvers import Fastest, Fit, Polymargin, Solver
from .test_benchmarks import ENVIRONMENT


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
    return speed.Goal(Dataset("tiny", X, y, X, y), FakeFormulation("cs"), target=1.1)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("contest", CONTESTS.values(), ids=lambda c: c.words)
def test_objective_agrees_with_the_model(kind, contest):
    data = small_digits(kind=kind)
    solver = Polymargin(contest.formulation)
    model = solver.model(data.X.astype(np.float64), data.y)
    objective = contest.formulation.objective(data.X, data.y, model.coef_)
    assert objective == pytest.approx(model.objective_, rel=1e-6)
    assert contest.formulation.accuracy(data.X, data.y, model.coef_) == pytest.approx(
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
    assert objectives.ovr_objective(X, y, weights, loss) == pytest.approx(one_vs_rest)
    assert objectives.ovo_objective(X, y, weights, loss) == pytest.approx(one_vs_one)


def test_objective_of_maxent_is_least_at_the_model_of_scikit_learn():
    data = small_digits()
    model = LogisticRegression(fit_intercept=False, tol=1e-8, max_iter=1000)
    weights = model.fit(data.X, data.y).coef_.astype(np.float64)
    least = objectives.maxent_objective(data.X, data.y, weights)
    rng = np.random.default_rng(0)
    for step in (1e-2, 1e-1):
        moved = weights + step * rng.standard_normal(weights.shape)
        assert objectives.maxent_objective(data.X, data.y, moved) > least


def test_votes_decide_one_vs_one():
    X, y = np.eye(3), np.array([0, 1, 2])
    beats = np.array([[-1, 1, -1], [-1, -1, 1], [-1, -1, 1]])  # of (0,1) (0,2) (1,2)
    assert objectives.vote_accuracy(X, y, beats) == 1.0
    assert objectives.vote_accuracy(X, y, -beats) < 1.0
    cycle = np.array([[-1.0], [3.0], [-1.0]])  # each class wins one of its two pairs
    for label, share in enumerate((0.0, 0.0, 1.0)):  # the sums are -2, 0 and 2
        found = objectives.vote_accuracy(np.ones((1, 1)), np.array([label]), cycle)
        assert found == share


@pytest.mark.parametrize("number", list(CONTESTS))
def test_tight_peers_agree_on_the_optimum(number):
    """Every peer solves the problem whose objective it is judged by."""
    contest, data = CONTESTS[number], small_digits(200, n_classes=4)
    found = []
    for make in contest.peers:
        for solver in make().candidates(data):
            fit = solver.fit(data.X, data.y, solver.tolerances[-1])
            found.append(contest.formulation.objective(data.X, data.y, fit.weights))
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
    search = speed.search_ladder(solver, goal, seed=2)
    assert search.tolerance == 0.1
    assert solver.asked == [(1.0, 2), (0.1, 2)]
    assert [step["objective"] for step in search.steps] == [2.0, 1.1]


@pytest.mark.parametrize("reason", [{"seconds": 200.0}, {"exhausted": True}])
def test_search_gives_up(goal, reason):
    solver = Fake("fake", **reason)
    assert speed.search_ladder(solver, goal).tolerance is None
    assert len(solver.asked) == 1


def test_race_names_the_fastest_and_gives_up_the_others_early(goal):
    slow = Fake("slow", seconds=9.0)
    fast = Fake("fast", seconds=1.0)
    late = Fake("late", seconds=2.0)
    never = Fake("never", tolerances=(1.0,), seconds=0.1)
    unfit = Fake("unfit")
    rival = Fastest(
        "all",
        [
            *((solver, lambda data: True) for solver in (never, slow, fast, late)),
            (unfit, lambda data: False),
        ],
    )
    winner, search, steps = speed.race(rival, goal)
    assert (winner.name, search.tolerance) == ("fast", 0.1)
    assert list(steps) == ["never", "slow", "fast", "late"]
    assert len(late.asked) == 1  # its first fit took longer than all of the fastest
    assert not unfit.asked


def contest_of(peers, monkeypatch, goal, tmp_path):
    """A contest of fakes for `time_to_optimum`, with its context."""
    contest = CONTESTS[7]
    rivals = {contest.ours: Fake(contest.ours, seconds=0.5), **peers}
    fake = type("FakeContest", (), {})()
    fake.formulation, fake.ours = goal.formulation, contest.ours
    fake.rivals = lambda: (rivals, [])
    monkeypatch.setattr(speed, "load", lambda name: goal.data)
    best = {"objective": 1.1 / 1.001, "gap": 0.0}
    monkeypatch.setattr(speed, "optimum", lambda *args: best)
    return fake, speed.Context(2, 2, Optima(tmp_path))


def test_slow_peers_are_run_once(monkeypatch, goal, tmp_path):
    peers = {
        "quick": Fake("quick", seconds=1.0),
        "slow": Fake("slow", tolerances=(0.1,), seconds=200.0),
        "hopeless": Fake("hopeless", seconds=300.0),
    }
    contest, context = contest_of(peers, monkeypatch, goal, tmp_path)
    record = speed.time_to_optimum(contest, "tiny", context)
    assert len(peers["quick"].asked) == 2 * (2 + 2)  # searches and timings, two seeds
    assert len(peers["slow"].asked) == len(peers["hopeless"].asked) == 1
    solvers = record["solvers"]
    assert solvers["quick"]["seconds"] == 1.0
    assert solvers["slow"]["seconds"] == 200.0
    assert solvers["hopeless"]["at_least"] == 300.0
    text = page.render(
        {7: [{"table": 7, "data": "tiny", "environment": ENVIRONMENT, **record}]}
    )
    assert "| 200† | 400x | > 300† | > 600x |" in text


def test_bars_take_the_faster_of_the_main_peers():
    def timed(seconds):
        entry = {"tolerance": 0.1, "spread": 1.0, "accuracy": 0.9, "reached": True}
        return combine_seeds([{**entry, "seconds": seconds, "epochs": 1, "gap": 0.1}])

    contest, never = CONTESTS[7], combine_seeds([{"tolerance": None}])
    times = {"a": (8.0, 16.0), "b": (None, 4.0), "c": (None, None)}
    records = [
        {
            "table": 7,
            "data": name,
            "environment": ENVIRONMENT,
            "shape": {"n": 1, "d": 1, "k": 6, "nnz": 1},
            "data_bytes": 1,
            "optimum": {"objective": 1.0, "gap": 0.0},
            "solvers": {
                contest.ours: timed(1.0),
                "LIBLINEAR -s 1": timed(dual) if dual else never,
                "LIBLINEAR -s 2": timed(primal) if primal else never,
                "LinearSVC, dual": {**timed(2.0), "fastest": "x", "races": {"x": []}},
            },
            "default": timed(1.0),
        }
        for name, (dual, primal) in times.items()
    ]
    text = page.render({7: records})
    both = "the faster of LIBLINEAR -s 1 and LIBLINEAR -s 2"
    assert f"geometric mean over {both}: 4.00, to reach at least 5: **missed**" in text
    assert "smallest ratio (c): 2.00, to reach at least 1.2: **reached**" in text
    assert "did not get there on c" in text
    assert "the data: x." in text


def test_optimum_is_kept_by_formulation(tmp_path):
    data, optima = small_digits(100), Optima(tmp_path)
    find = partial(speed.optimum, data, optima=optima)
    hinge, squared = (
        find(Formulation("ovr", loss)) for loss in ("hinge", "squared_hinge")
    )
    assert hinge["gap"] <= 1e-5
    assert hinge["objective"] != squared["objective"]
    assert find(Formulation("ovr", "hinge")) == hinge
