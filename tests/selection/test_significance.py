"""Tests of significance against worked examples, and against their definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polymargin import significance

# AUC of four variants of C4.5 on 14 data sets: Demsar (2006), table 6.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],  # ranks 2 and 3 there, before rounding
        [0.957, 0.978, 0.946, 0.970],
    ]
)

# Pairs of C4.5, 1-NN, naive Bayes, Kernel and CN2: Garcia and Herrera (2008).
GARCIA = [
    0.004848763,
    0.8064959,
    4.486991e-08,
    0.012763008,
    0.010112334,
    0.007963489,
    0.743971478,
    1.736118e-07,
    0.024744672,
    0.002880485,
]


def test_ranks_and_friedman_of_demsar():
    result = significance.friedman(DEMSAR)
    np.testing.assert_allclose(result.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert result.chi_squared == pytest.approx(9.28, abs=5e-3)
    assert result.f == pytest.approx(3.69, abs=5e-3)
    assert result.p == pytest.approx(stats.f.sf(result.f, 3, 39))
    assert result.p < 0.05


def test_critical_difference_of_demsar():
    # 2.569 sqrt(4 * 5 / (6 * 14))
    assert significance.critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert significance.critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=5e-3)


def test_wilcoxon_of_demsar():
    result = significance.wilcoxon(DEMSAR[:, 1], DEMSAR[:, 0], ["C4.5+m", "C4.5"])
    assert result.statistic == 12  # the smaller of the sums 93 and 12
    assert result.p < 0.05
    assert result.effect > 0


def test_wilcoxon_without_difference():
    result = significance.wilcoxon([1, 2], [1, 2])
    assert (result.p, result.effect) == (1, 0)


def test_adjusted_p_values_of_garcia_and_herrera():
    # Shaffer's factors for five methods are 10, 6, 6, 6, 6, 4, 4, 3, 2, 1.
    order = np.argsort(GARCIA)
    p = np.array(GARCIA)[order]
    expected = {
        "nemenyi": np.minimum(10 * p, 1),
        "holm": np.minimum(np.maximum.accumulate(p * np.arange(10, 0, -1)), 1),
        "shaffer": np.minimum(
            np.maximum.accumulate(p * [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]), 1
        ),
    }
    for adjustment, values in expected.items():
        adjusted = significance.adjust(GARCIA, 5, adjustment)
        np.testing.assert_allclose(adjusted[order], values, rtol=1e-12)


def exhaustive_sets(methods):
    """As Garcia and Herrera define them: by a split in two, and both sides' sets."""
    sets = {frozenset(combinations(methods, 2))}
    for size in range(1, len(methods)):
        for left in combinations(methods, size):
            right = tuple(method for method in methods if method not in left)
            sets |= {
                first | second
                for first in exhaustive_sets(left)
                for second in exhaustive_sets(right)
            }
    return sets


@pytest.mark.parametrize("n_methods", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_bergmann_by_definition(n_methods, seed):
    pairs = list(combinations(range(n_methods), 2))
    p = np.random.default_rng(seed).uniform(size=len(pairs)) ** 3
    value = dict(zip(pairs, p, strict=True))
    sets = [found for found in exhaustive_sets(tuple(range(n_methods))) if found]
    expected = [
        min(1, max(len(s) * min(value[q] for q in s) for s in sets if pair in s))
        for pair in pairs
    ]
    adjusted = significance.adjust(p, n_methods, "bergmann")
    np.testing.assert_allclose(adjusted, expected)


@given(
    st.integers(2, 6).flatmap(
        lambda k: st.lists(
            st.floats(0, 1), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2
        ).map(lambda p: (k, p))
    )
)
@settings(deadline=None)
def test_sharper_adjustments_are_never_larger(case):
    k, p = case
    by_name = {
        name: significance.adjust(p, k, name) for name in significance.ADJUSTMENTS
    }
    assert np.all(by_name["nemenyi"] >= by_name["holm"] - 1e-15)
    assert np.all(by_name["holm"] >= by_name["shaffer"] - 1e-15)
    assert np.all(by_name["shaffer"] >= by_name["bergmann"] - 1e-15)
    assert np.all(by_name["bergmann"] >= np.asarray(p) - 1e-15)


def test_all_pairs():
    pairs = significance.compare_all_pairs(DEMSAR, ["C4.5", "m", "cf", "m+cf"], "holm")
    assert [pair.p for pair in pairs] == sorted(pair.p for pair in pairs)
    best = pairs[0]
    assert {best.first, best.second} == {"C4.5", "m+cf"}
    # z = (3.143 - 1.964) / sqrt(4 * 5 / (6 * 14))
    assert abs(best.statistic) == pytest.approx(2.416, abs=5e-3)
    assert best.statistic < 0 and best.effect < 0  # C4.5 is worse
    assert best.adjusted_p == pytest.approx(6 * best.p)
    assert "m+cf is ahead" in str(best)


def test_false_alarms_are_rare():
    random = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        pairs = significance.compare_all_pairs(random.normal(size=(25, 4)))
        alarms += min(pair.adjusted_p for pair in pairs) < 0.05
    assert alarms <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)


def test_groups():
    groups = significance.groups_without_difference([3.143, 2.0, 2.893, 1.964], 1.25)
    assert groups == [[3, 1, 2, 0]] or groups == [[3, 1, 2], [1, 2, 0]]
    assert significance.groups_without_difference([1, 2, 5, 5.5], 1) == [[0, 1], [2, 3]]
    assert significance.groups_without_difference([1, 3, 5], 1) == []
    assert significance.groups_without_difference([1, 2, 3], 1) == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: significance.friedman([[1, 2], [2, 1]]), "at least 3 methods"),
        (lambda: significance.average_ranks([1, 2]), "scores has shape"),
        (lambda: significance.average_ranks([[1, np.nan], [1, 2]]), "first in row 0"),
        (lambda: significance.adjust([0.1], 3, "holm"), "3 methods have 3 pairs"),
        (lambda: significance.adjust([0.1], 2, "none"), "choose one of nemenyi"),
        (lambda: significance.adjust([0.1] * 55, 11, "bergmann"), "at most 10"),
        (lambda: significance.wilcoxon([1], [1, 2]), "one score of each method"),
        (
            lambda: significance.compare_all_pairs([[1, 2], [1, 2]], ["a"]),
            "names has 1 entries",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
