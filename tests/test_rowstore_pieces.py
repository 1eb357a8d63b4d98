"""Reading pieces, and what is expected of losses between two certificates."""

import numpy as np
import pytest
from problems import make_problem, make_sparse_problem
from rowstore_problems import make_store

from polymargin.rowstore.optimism import Optimism
from polymargin.rowstore.pieces import Buffers


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        if hasattr(one, "toarray"):
            one, other = one.toarray(), other.toarray()
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_buffers_are_used_again(tmp_path, sparse):
    make = make_sparse_problem if sparse else make_problem
    X, y = make(n=60, d=9, k=3)
    store = make_store(tmp_path, X, y)
    pieces, buffers = store.pieces(10), Buffers()
    whole = store.read(pieces, buffers)
    assert_same(whole, store.read(pieces))
    # Less fits where more was, and takes its place.
    some = store.read(pieces[2:4], buffers)
    assert_same(some, store.read(pieces[2:4]))
    values = [X.data if sparse else X for X in (whole.X, some.X)]
    assert np.shares_memory(*values)
    # Nobody else's memory is written to.
    apart = store.read(pieces[:3])
    copies = [np.array(apart.X.data if sparse else apart.X), apart.labels.copy()]
    store.read(pieces, buffers)
    assert_same([apart.X.data if sparse else apart.X, apart.labels], copies)


def test_buffers_grow():
    buffers = Buffers()
    first = buffers.array("values", (3, 2), np.float64)
    first[:] = 7
    second = buffers.array("values", (4, 2), np.float64)
    second[:] = 8
    assert first.shape == (3, 2) and (first == 7).all()
    assert not np.shares_memory(second, buffers.array("others", (4, 2), np.float64))
    assert np.shares_memory(second, buffers.array("values", (8,), np.int32))


def test_optimism_follows_what_certificates_show():
    optimism = Optimism()
    assert [optimism.next_pass() for _ in range(3)] == [0, 0, 0]
    # From an objective of 8 to a difference of 1 in three passes: half in each.
    optimism.learn(1.0, 8.0)
    assert [optimism.next_pass() for _ in range(2)] == pytest.approx([0.5, 0.25])
    optimism.learn(0.81, 8.0)
    assert [optimism.next_pass() for _ in range(2)] == pytest.approx([0.729, 0.6561])


@pytest.mark.parametrize("difference", [-1.0, 0.0])
def test_optimism_without_a_reason(difference):
    optimism = Optimism()
    optimism.next_pass()
    optimism.learn(difference, 8.0)
    assert optimism.next_pass() == 0
    optimism.learn(2.0, 8.0)
    assert 0 < optimism.next_pass() <= 2


def test_optimism_always_ends():
    """Or there would never be another certificate."""
    optimism = Optimism()
    optimism.next_pass()
    optimism.learn(1.0, 8.0)
    optimism.next_pass()
    optimism.learn(4.0, 8.0)
    expected = [optimism.next_pass() for _ in range(100)]
    assert 3 < expected[0] < 4
    assert expected[-1] < 1e-3
    optimism.learn(0.0, 0.0)
    assert optimism.next_pass() == 0
