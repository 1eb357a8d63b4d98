"""Reading ranges of rows, and what is expected of losses between two certificates."""

import json
from zlib import crc32

import numpy as np
import pytest
from problems import make_problem, make_sparse_problem
from row_store_problems import make_store

from polymargin import open_rows
from polymargin.access.row_store.reused_buffers import ReusedBuffers
from polymargin.driver.linear.stored.loss_shortfall import LossShortfall


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
    ranges, buffers = store.row_ranges(10), ReusedBuffers()
    whole = store.read(ranges, buffers)
    assert_same(whole, store.read(ranges))
    # Less fits where more was, and takes its place.
    some = store.read(ranges[2:4], buffers)
    assert_same(some, store.read(ranges[2:4]))
    values = [X.data if sparse else X for X in (whole.X, some.X)]
    assert np.shares_memory(*values)
    # Nobody else's memory is written to.
    apart = store.read(ranges[:3])
    copies = [np.array(apart.X.data if sparse else apart.X), apart.labels.copy()]
    store.read(ranges, buffers)
    assert_same([apart.X.data if sparse else apart.X, apart.labels], copies)


def test_the_format_stays(tmp_path):
    """A store written by hand, as the first version wrote it, opens and is read."""
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    labels = np.array([1, 0, 1], dtype="<i4")
    content = X.tobytes().ljust(64, b"\0") + labels.tobytes()
    (tmp_path / "block-00000.bin").write_bytes(content)
    header = {
        "format": "polymargin rows",
        "version": 1,
        "polymargin": "0.1.0",
        "rows": 3,
        "features": 2,
        "nonzeros": 6,
        "layout": "dense",
        "dtype": "float64",
        "index": "int32",
        "weighted": False,
        "classes": {
            "type": "str",
            "labels": ["a", "b"],
            "rows": [1, 2],
            "weights": [1.0, 2.0],
        },
        "feature_names": None,
        "zero_based": None,
        "blocks": [[3, 6, crc32(content)]],
    }
    header["checksum"] = crc32(json.dumps(header, sort_keys=True).encode())
    (tmp_path / "header.json").write_text(json.dumps(header))
    store = open_rows(tmp_path)
    assert store.n_segments == 1
    rows = store.load()
    np.testing.assert_array_equal(rows.X, X)
    assert rows.y.tolist() == ["b", "a", "b"]


def test_buffers_grow():
    buffers = ReusedBuffers()
    first = buffers.array("values", (3, 2), np.float64)
    first[:] = 7
    second = buffers.array("values", (4, 2), np.float64)
    second[:] = 8
    assert first.shape == (3, 2) and (first == 7).all()
    assert not np.shares_memory(second, buffers.array("others", (4, 2), np.float64))
    assert np.shares_memory(second, buffers.array("values", (8,), np.int32))


def test_optimism_follows_what_certificates_show():
    shortfall = LossShortfall()
    assert [shortfall.expect_after_pass() for _ in range(3)] == [0, 0, 0]
    # From an objective of 8 to a difference of 1 in three passes: half in each.
    shortfall.learn(1.0, 8.0)
    assert [shortfall.expect_after_pass() for _ in range(2)] == pytest.approx(
        [0.5, 0.25]
    )
    shortfall.learn(0.81, 8.0)
    assert [shortfall.expect_after_pass() for _ in range(2)] == pytest.approx(
        [0.729, 0.6561]
    )


@pytest.mark.parametrize("difference", [-1.0, 0.0])
def test_optimism_without_a_reason(difference):
    shortfall = LossShortfall()
    shortfall.expect_after_pass()
    shortfall.learn(difference, 8.0)
    assert shortfall.expect_after_pass() == 0
    shortfall.learn(2.0, 8.0)
    assert 0 < shortfall.expect_after_pass() <= 2


def test_optimism_always_ends():
    """Or there would never be another certificate."""
    shortfall = LossShortfall()
    shortfall.expect_after_pass()
    shortfall.learn(1.0, 8.0)
    shortfall.expect_after_pass()
    shortfall.learn(4.0, 8.0)
    expected = [shortfall.expect_after_pass() for _ in range(100)]
    assert 3 < expected[0] < 4
    assert expected[-1] < 1e-3
    shortfall.learn(0.0, 0.0)
    assert shortfall.expect_after_pass() == 0
