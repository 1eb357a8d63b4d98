"""The shared matrices are those of the method of multipliers, written out."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from problems import make_problem, make_sparse_problem

from polymargin import LinearSVM
from polymargin.dask.adaptation import Pace, Residuals, first_sigma
from polymargin.dask.consensus import advance
from polymargin.dask.consensus_state import round_start, zero_state
from polymargin.dask.feature_statistics import (
    FeatureStatistics,
    add_statistics,
    statistics_of,
)
from polymargin.dask.feature_units import (
    FeatureUnits,
    choose_units,
    partition_in_units,
    units_from_curvature,
)
from polymargin.dask.local_round import RoundOrder, run_round
from polymargin.dask.partition import make_partition
from polymargin.dask.partition_data import check_partition_data
from polymargin.dask.round_messages import RoundMessage, RoundSums
from polymargin.dask.weight_changes import pack_change

D, K, PARTS = 7, 3, 4


class WrittenOut:
    """Multipliers lambda_k of every partition, and no shortcut."""

    def __init__(self, features):
        shape = (len(features.counts), K)
        self.counts, self.units = features.counts[:, None], features.units[:, None]
        self.own = [np.zeros(shape) for _ in range(PARTS)]
        self.last_own = self.own
        self.multipliers = self.last_multipliers = self.own
        self.Z = self.last_Z = np.zeros(shape)

    def ahead(self, momentum):
        Z = self.Z + momentum * (self.Z - self.last_Z)
        pairs = zip(self.multipliers, self.last_multipliers, strict=True)
        return Z, [now + momentum * (now - last) for now, last in pairs]

    def move(self, changes, has, sigma, momentum):
        """Take a round; returns what `Residuals` calls multipliers and apart."""
        Z, multipliers = self.ahead(momentum)
        own = [a + b for a, b in zip(self.own, changes, strict=True)]
        # Where the partitions' models end, and Z between them and zero.
        models = [Z + sigma * (a - b) for a, b in zip(own, multipliers, strict=True)]
        mean = sum(h * x / sigma for h, x in zip(has, models, strict=True))
        total = sum(h * b for h, b in zip(has, multipliers, strict=True))
        new = (total + mean) / (self.units + self.counts / sigma)
        found = [
            h * (b + (x - new) / sigma)
            for h, b, x in zip(has, multipliers, models, strict=True)
        ]
        self.last_Z, self.Z, self.own = self.Z, new, own
        self.last_multipliers, self.multipliers = self.multipliers, found
        pairs = list(zip(has, found, own, multipliers, strict=True))
        moved = sum(np.sum(h * (a - b) ** 2) for h, a, _, b in pairs)
        apart = sum(np.sum(h * (w - b) ** 2) for h, _, w, b in pairs)
        return moved, apart, np.sum(self.counts * (new - Z) ** 2)


@pytest.mark.parametrize("everywhere", [True, False])
def test_matrices_are_those_of_multipliers(monkeypatch, everywhere):
    random = np.random.default_rng(0)
    has = [
        np.ones((D, 1)) if everywhere else random.integers(0, 2, (D, 1)).astype(float)
        for _ in range(PARTS)
    ]
    counts = sum(has).ravel().astype(int)
    features = FeatureUnits(counts, 4.0 ** random.integers(-2, 3, D))
    units = features.units[:, None]
    found = []
    monkeypatch.setattr(
        Pace,
        "after",
        lambda self, residuals: found.append(residuals) or paces[len(found)],
    )
    paces = [
        Pace(sigma, PARTS, momentum)
        for sigma, momentum in [(2.0, 0.0), (1.5, 0.3), (1.5, 0.6), (0.7, 0.0), (2, 0)]
    ]
    model, oracle = zero_state(features, K, np.float64, paces[0]), WrittenOut(features)
    last = [np.zeros((D, K))] * PARTS
    for pace in paces[:-1]:
        start = round_start(model)
        ahead, multipliers = oracle.ahead(pace.momentum)
        for k in range(PARTS):  # where the driver of partition k begins
            begin = start.start - pace.sigma * pace.momentum * last[k]
            expected = ahead - pace.sigma * (multipliers[k] - oracle.own[k])
            assert np.allclose((begin - expected) * has[k], 0, atol=1e-12)
        assert np.allclose(start.consensus, oracle.Z)
        changes = [random.normal(size=(D, K)) * h for h in has]
        moved = sum(
            np.sum((now - pace.momentum * before) ** 2)
            for now, before in zip(changes, last, strict=True)
        )
        message = RoundMessage(
            pack_change(sum(changes), None, D, np.dtype(float)),
            RoundSums(losses=1.0, terms=2.0, moved_squares=moved, own_squares=3.0),
        )
        # Without units.
        Z, W = np.sqrt(units) * model.consensus, model.weights / np.sqrt(units)
        squares = np.sum(Z**2), np.sum(W**2)
        model = advance(model, [message], latest=False)
        expected = oracle.move(changes, has, pace.sigma, pace.momentum)
        residuals = found[-1]
        got = residuals.multipliers, residuals.apart, residuals.consensus
        assert got == pytest.approx(expected)
        assert residuals.model == pytest.approx(np.sum(counts[:, None] * oracle.Z**2))
        assert model.objective == pytest.approx(1.0 + squares[0] / 2)
        assert model.dual == pytest.approx(2.0 - squares[1] / 2)
        assert np.allclose(model.weights, sum(oracle.own))
        # The multipliers of all partitions add up to the gradient of the regulariser.
        assert np.allclose(sum(oracle.multipliers), units * oracle.Z)
        last = changes


def test_safe_sigma_without_momentum_is_cocoa():
    """Then every partition begins from W, and the dual never falls."""
    X, y = make_problem(n=90, d=5, k=3)
    history = list(rounds(X, y, Pace(3.0, 3.0), 12, still=True, units=False))
    for model in history[:-1]:
        assert np.allclose(round_start(model).start, model.weights)
    duals = [model.dual for model in history[1:]]
    assert (np.diff(duals) > 0).all()


def rounds(X, y, pace, number, still=False, sizes=3, units=True, **parameters):
    """Yield the models of rounds without a cluster."""
    settings = LinearSVM(**{"C": 0.5, "fit_intercept": False} | parameters)
    machine, classes = settings._machine(), np.unique(y)
    partitions = [
        make_partition(
            check_partition_data(X[rows], y[rows]),
            settings._driver_options(seed=0),
            None,
            machine,
            settings.C,
            classes,
            None,
            X.dtype,
        )
        for rows in np.array_split(np.arange(len(y)), sizes)
    ]
    statistics = add_statistics([statistics_of(partition) for partition in partitions])
    features = choose_units(statistics, sizes if units else 1)
    partitions = [partition_in_units(partition, features) for partition in partitions]
    model = zero_state(features, len(classes), X.dtype, pace)
    results = [None] * sizes
    yield model
    for round_number in range(number):
        order = RoundOrder(round_number, 0, 1.0, X.dtype)
        results = [
            run_round(k, part, results[k], round_start(model, part.features), order)
            for k, part in enumerate(partitions)
        ]
        model = advance(model, [result.message for result in results], latest=False)
        if still:
            model = replace(
                model, pace=pace, ahead=model.consensus, shift_ahead=model.shift
            )
        yield model


@pytest.mark.parametrize("sparse", [False, True])
def test_any_sigma_reaches_the_optimum(sparse):
    """With and without momentum, and where partitions have few of the features."""
    if sparse:
        X, y = make_sparse_problem(n=90, d=400, k=3, nonzeros=5)
        X = sp.csr_array(X)
    else:
        X, y = make_problem(n=90, d=5, k=3)
    best = LinearSVM(C=0.5, fit_intercept=False, tol=1e-7, max_iter=10**5).fit(X, y)
    for pace in (Pace(3.0, 3.0), Pace(0.5, 3.0), Pace(0.05, 3.0)):
        *_, model = rounds(X, y, pace, 300)
        assert model.dual <= best.objective_ * (1 + 1e-9)
        assert model.primal >= best.dual_objective_ * (1 - 1e-9)
        assert model.primal - model.dual <= 1e-3 * best.objective_


def smallest_gap(*arguments, **parameters):
    models = list(rounds(*arguments, **parameters))[1:]
    return min((model.primal - model.dual) / model.primal for model in models)


def test_visits_are_not_lost_between_rounds():
    """Else what is seldom visited would never be."""
    X, y = make_sparse_problem(n=600, d=300, k=3, nonzeros=6)
    pace = Pace(first_sigma(3, 0.5 * 6), 3.0)
    adaptive, permuted = (
        smallest_gap(X, y, pace, 60, order=order) for order in ("acf", "permuted")
    )
    assert adaptive < 3 * permuted < 1e-3


def test_pace_balances_and_begins_anew():
    pace = Pace(1.0, 8.0)
    balanced = Residuals(1.0, 1.0, 1.0, 1.0, 0.0)
    second = pace.after(balanced)
    assert (second.sigma, second.momentum) == (1.0, 0.0)
    third = second.after(replace(balanced, multipliers=0.1, consensus=0.1, apart=0.1))
    assert third.momentum > 0
    grown = third.after(balanced)  # the residual is as large as at first
    assert (grown.momentum, grown.weight) == (0.0, 1.0)
    # Own models far from Z: a smaller sigma, but only when it is looked at.
    far = replace(balanced, apart=100.0)
    assert pace.after(far).sigma == 1.0
    assert 1 / 3.0 <= pace.after(replace(far, own=1.0)).sigma < 1.0
    near = replace(balanced, apart=1e-6, own=1.0)
    assert 1.0 < pace.after(near).sigma <= 3.0
    assert replace(pace, sigma=8.0).after(near).sigma == 8.0  # never unsafe
    assert [replace(pace, rounds=n).measures_own for n in (3, 4, 5)] == [0, 1, 0]


def test_first_sigma():
    assert first_sigma(1, 5.0) == 1.0
    assert first_sigma(16, 2.0) == 2.0
    assert first_sigma(16, 1e-9) == 16.0
    assert first_sigma(16, 0.0) == 16.0


def words(n=600, d=300, k=3):
    """Rows like text: a few words each, most of which are rare."""
    random = np.random.default_rng(0)
    frequency = 1 / np.arange(1, d + 1)
    rows = [
        random.choice(d, 8, replace=False, p=frequency / frequency.sum())
        for _ in range(n)
    ]
    ends = 8 * np.arange(n + 1)
    X = sp.csr_array((np.full(8 * n, 8**-0.5), np.ravel(rows), ends), shape=(n, d))
    scores = X @ random.normal(size=(d, k)) + 0.3 * random.normal(size=(n, k))
    return X, scores.argmax(axis=1)


def test_units_suit_words_and_intercept():
    X, y = words()
    pace = Pace(first_sigma(3, 0.5 * 2), 3.0)
    with_units, without = (
        smallest_gap(X, y, pace, 40, units=units, fit_intercept=True)
        for units in (True, False)
    )
    assert with_units < without / 10


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "compact"])
def test_rows_in_units(kind, intercept):
    """Scores stay the same to the last bit, and so does what dual variables add up."""
    X, y = make_sparse_problem(n=30, d=40 if kind == "compact" else 5, k=3, nonzeros=2)
    X = X[:, : X.shape[1] if kind == "compact" else 5]
    X = X.toarray() if kind == "dense" else sp.csr_array(X)
    settings = LinearSVM(fit_intercept=intercept, intercept_scaling=2.0)
    data = check_partition_data(X[:12], y[:12])
    partition = make_partition(
        data,
        settings._driver_options(seed=0),
        None,
        settings._machine(),
        settings.C,
        np.unique(y),
        None,
        X.dtype,
    )
    assert (partition.features is not None) == (kind == "compact")
    statistics = statistics_of(partition)
    dense = np.asarray(X.todense() if sp.issparse(X) else X)[:12]
    if intercept:
        dense = np.column_stack([dense, np.full(12, 2.0)])
    np.testing.assert_allclose(statistics.squares, (dense**2).sum(axis=0))
    random = np.random.default_rng(0)
    units = 4.0 ** random.integers(-3, 4, len(statistics.counts))
    features = FeatureUnits(statistics.counts, units)
    scaled = partition_in_units(partition, features)
    own = slice(None) if partition.features is None else partition.features
    roots = np.sqrt(features.units)
    W = random.normal(size=(dense.shape[1], 3))
    sums = []
    for part, weights in ((partition, W), (scaled, W / roots[:, None])):
        driver = part.driver(0)
        driver.set_weights(weights[own].astype(X.dtype))
        sums.append(driver.partial_sums())
    assert sums[0] == sums[1]
    np.testing.assert_array_equal(
        partition.X.data, check_partition_data(X[:12], y[:12]).X.data
    )


def test_units():
    # A mean of 3 among a thousand rare words, and two that are not rare.
    curvature = np.concatenate([np.full(1000, 1.0), [60.0, 1952.0, 0.0]])
    units = units_from_curvature(curvature)
    np.testing.assert_array_equal(units[:1002] / units[1001], [*[16] * 1000, 4, 1])
    assert units[-1] == 1
    assert (np.log2(units) % 2 == 0).all()
    assert 1 / 4 <= (units @ curvature) / curvature.sum() <= 4
    np.testing.assert_array_equal(units_from_curvature(np.zeros(3)), 1)
    extreme = units_from_curvature(np.array([1e-300, 1e300]))
    assert np.isfinite(extreme).all() and (extreme > 0).all()
    alone = choose_units(
        FeatureStatistics(np.ones(2, int), np.array([1.0, 100.0]), 5), 1
    )
    np.testing.assert_array_equal(alone.units, 1)
