"""Protocols are data, and the splits they ask for are what they say."""

import dataclasses
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from polymargin.selection.comparison.datasets import make_dataset
from polymargin.selection.comparison.splits import (
    make_split,
    n_splits,
    stratified_parts,
)
from polymargin.selection.protocols import PROTOCOLS, Protocol, find_protocol


@pytest.fixture(scope="module")
def digits():
    return make_dataset("digits", *load_digits(return_X_y=True))


def test_what_the_papers_say():
    holdout = PROTOCOLS["holdout"]
    assert holdout.grid["C"] == (0.01, 0.03, 0.1, 0.3, 1, 3, 10)
    assert (holdout.repeats, holdout.validation_share, holdout.test_share) == (
        10,
        0.2,
        0.2,
    )
    assert PROTOCOLS["passes"].passes == (1, 3, 5)
    assert not PROTOCOLS["passes"].grid
    single = PROTOCOLS["single-split"]
    assert single.given_split and single.repeats == 1
    assert single.grid["C"] == tuple(2.0**power for power in range(-5, 4))
    nested = PROTOCOLS["nested"]
    assert set(nested.grid) == {"C", "gamma"}
    assert (nested.folds, nested.summary, nested.repeats) == (5, "median", 10)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_survives_json(name):
    protocol = PROTOCOLS[name]
    assert Protocol(**json.loads(json.dumps(protocol.as_dict()))) == protocol


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PROTOCOLS["holdout"].repeats = 3
    with pytest.raises(TypeError):
        PROTOCOLS["holdout"].grid["C"] = (1.0,)
    with pytest.raises(TypeError):
        PROTOCOLS["mine"] = PROTOCOLS["holdout"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repeats": 0}, "repeats=0"),
        ({"test_share": 0.9}, "test_share=0.9"),
        ({"test_share": 0.0}, "test_share=0"),
        ({"grid": {"C": []}}, "grid has no values for 'C'"),
        ({"grid": {"C": [0.0]}}, "the value 0 for 'C', which is not positive"),
        ({"validation_share": 0.0}, "folds=0"),
        ({"summary": "mode"}, "summary='mode'"),
        ({"level": 1.0}, "level=1"),
    ],
)
def test_bad_values(change, words):
    with pytest.raises(ValueError, match=words):
        replace(PROTOCOLS["holdout"], **change)


def test_unknown_name():
    with pytest.raises(ValueError, match=r"'leave-one-out' is not known; .*holdout"):
        find_protocol("leave-one-out")


def test_holdout_parts(digits):
    split = make_split(digits, PROTOCOLS["holdout"], 0, seed=0)
    (fit, validation), n = split.parts[0], len(digits.y)
    assert len(split.parts) == 1
    together = np.sort(np.concatenate([split.train, split.test]))
    np.testing.assert_array_equal(together, np.arange(n))
    np.testing.assert_array_equal(
        np.sort(np.concatenate([fit, validation])), np.arange(len(split.train))
    )
    for rows, share in (
        (split.test, 0.2),
        (split.train[fit], 0.6),
        (split.train[validation], 0.2),
    ):
        counts, wanted = np.bincount(digits.y[rows]), share * np.bincount(digits.y)
        assert (np.abs(counts - wanted) < 1 + 1e-9).all()


def test_splits_differ_and_repeat(digits):
    protocol = PROTOCOLS["passes"]
    first, again, second, other = (
        make_split(digits, protocol, number, seed).test
        for number, seed in ((0, 0), (0, 0), (1, 0), (0, 1))
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_shares_are_right_on_average():
    y = np.repeat(np.arange(200), 3)  # 0.6 rows of every class are to be tested
    _, part = stratified_parts(y, [0.8, 0.2], np.random.default_rng(0))
    assert set(np.bincount(y[part], minlength=200)) == {0, 1}
    assert abs(len(part) - 120) < 4 * np.sqrt(200 * 0.24)


def test_smallest_classes_are_trained():
    y = np.array([0] * 10 + [1])
    for seed in range(20):
        train, _ = stratified_parts(y, [0.6, 0.4], np.random.default_rng(seed))
        assert 10 in train


def test_folds(digits):
    split = make_split(digits, PROTOCOLS["nested"], 0, seed=0)
    scored = np.concatenate([part for _, part in split.parts])
    assert len(split.parts) == 5
    np.testing.assert_array_equal(np.sort(scored), np.arange(len(split.train)))


def test_given_split(digits):
    X, y = digits.X, digits.y
    divided = make_dataset("digits", X[:1000], y[:1000], X[1000:], y[1000:])
    split = make_split(divided, PROTOCOLS["single-split"], 0, seed=0)
    np.testing.assert_array_equal(split.train, np.arange(1000))
    np.testing.assert_array_equal(split.test, np.arange(1000, len(y)))
    assert n_splits(divided, PROTOCOLS["single-split"]) == 1
    # Other protocols put the rows together first, as the paper did.
    assert n_splits(divided, PROTOCOLS["holdout"]) == 10
    mixed = make_split(divided, PROTOCOLS["holdout"], 0, seed=0).test
    assert mixed.min() < 1000 < mixed.max()
