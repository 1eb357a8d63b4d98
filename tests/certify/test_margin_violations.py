"""Tests of target margin violations and of the bounds that 004 builds on them."""

from math import e, log, log2, sqrt

import numpy as np
import pytest

from polymargin import KernelSVM
from polymargin.certify.margin_violations import (
    binary_risk_bound,
    leading_terms,
    margin_violations,
    risk_bound,
)


def test_violations_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(20, 4)), rng.integers(0, 4, 20)
    found = margin_violations(scores, labels, 0.5)
    for i, y in enumerate(labels):
        for c in range(4):
            z = max(0.5 - scores[i, y] + scores[i, c], 0) if c != y else 0
            assert found[i, c] == pytest.approx(z)


def test_the_sum_is_the_loss_of_weston_watkins():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    model = KernelSVM("ww", C=2.0, gamma=0.5, tol=1e-9).fit(X, y)
    loss = 2.0 * margin_violations(model.decision_function(X), y).sum()
    coefficients = model.dual_coef_
    coefficients = getattr(coefficients, "toarray", lambda: coefficients)()
    support = X[model.support_]
    kernel = np.exp(-0.5 * ((support[:, None] - support[None]) ** 2).sum(axis=2))
    if coefficients.shape[0] != len(support):
        coefficients = coefficients.T
    norm = 0.5 * np.sum(coefficients * (kernel @ coefficients))
    assert norm + loss == pytest.approx(model.objective_, rel=1e-6)


def test_the_example_of_the_first_footnote():
    """One input, three classes with 40, 30 and 30 % of the examples.

    One-vs-all scores every class -1 and so cannot tell them apart: the risk is 2/3
    where 0.6 is possible, and every example is a whole margin away from two classes.
    Weston-Watkins, which minimises the sum, takes the first class.
    """
    X, y = np.ones((100, 1)), np.repeat([0, 1, 2], [40, 30, 30])
    one_vs_all = KernelSVM("ovr", C=1.0, tol=1e-8).fit(X, y)
    scores = one_vs_all.decision_function(X)
    np.testing.assert_allclose(scores, -1.0, atol=1e-6)
    exact = np.full((100, 3), -1.0)
    assert margin_violations(exact, y).sum() == 200.0
    joint = KernelSVM("ww", C=1.0, tol=1e-8).fit(X, y)
    assert (joint.predict(X) == 0).all()
    np.testing.assert_allclose((joint.predict(X) != y).mean(), 0.6)
    # [1 - a]_+ for both others of 40, and 1 + a and 1 of each of 60: least at a = 1.
    total = margin_violations(joint.decision_function(X), y).sum()
    assert total == pytest.approx(180.0, abs=1e-4)


def test_the_bound_of_two_classes_by_hand():
    spread = 2 * (sqrt(3.0 * 4.0) + 1.0)
    by_hand = (2 / 50) * (
        (5 + 64 * spread**2)
        * log2(65 * 50 * (1 + spread) ** 3)
        * log2(9 * e * 50 * (1 + spread))
        + log2(64 * 50**1.5 * 4.0 / 0.05)
    )
    assert binary_risk_bound(3.0, 50, 5, 4.0) == pytest.approx(by_hand)


def test_the_bound_sums_over_pairs():
    labels = np.repeat([0, 1, 2], [5, 3, 2])
    scores = np.zeros((10, 3))  # every violation is one
    total = 0.0
    for size, both in ((5 + 3, 8.0), (5 + 2, 7.0), (3 + 2, 5.0)):
        likely = size / 10 + sqrt((log(6) - log(0.1)) / 2) / sqrt(10)
        spread = 2 * (sqrt(both * 2.0) + 1.0)
        logs = log2(65 * size * (1 + spread) ** 3) * log2(9 * e * size * (1 + spread))
        last = log2(128 * size**1.5 * 2.0 / 0.1)
        total += likely * (2 / size) * ((7 + 64 * spread**2) * logs + last)
    found = risk_bound(scores, labels, 7, width=2.0, delta=0.1)
    assert found == pytest.approx(total)


def test_the_bound_grows_with_the_violations():
    labels = np.repeat([0, 1, 2], 20)
    good = 2.0 * np.eye(3)[labels]
    bad = 0.1 * np.eye(3)[labels]
    assert risk_bound(good, labels, 3, width=4) < risk_bound(bad, labels, 3, width=4)
    assert leading_terms(6.0, 60, 3, 3) == pytest.approx((6 * 3 + 6.0) / 60)


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="do not match; pass a row of scores"):
        margin_violations(np.zeros((3, 2)), [0, 1])
    with pytest.raises(ValueError, match="margin=0 must be positive"):
        margin_violations(np.zeros((2, 2)), [0, 1], 0)
