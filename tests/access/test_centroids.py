"""Centroids, the classes near to them, and scores of listed classes, against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from class_groups import grouped_rows
from numpy.testing import assert_allclose, assert_array_equal

from polymargin.access.centroids import KEPT_SHARE, Centroids, listed_scores
from polymargin.access.class_tiles import TILE, ClassTiles
from polymargin.access.rows import Rows


def make(k=40, dtype=np.float64, weights=None):
    X, y = grouped_rows(k, dtype=dtype)
    weights = np.ones(len(y)) if weights is None else weights
    return X, y, Centroids.of_rows(X, y, weights, k)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_directions_of_the_sums(dtype):
    X, y, centroids = make(dtype=dtype)
    found = centroids.matrix.toarray()
    assert found.dtype == dtype
    assert_allclose((found**2).sum(axis=1), 1, rtol=1e-5)
    for m, row in enumerate(found):
        mean = X[y == m].toarray().sum(axis=0)
        kept = row != 0
        share = (mean[kept] ** 2).sum() / (mean**2).sum()
        assert share >= KEPT_SHARE
        # The least of what was kept is needed, and nothing larger was left out.
        least = np.min(mean[kept] ** 2)
        assert share - least / (mean**2).sum() <= KEPT_SHARE + 1e-6
        assert (mean[~kept] ** 2).max() <= least * (1 + 1e-6)
        assert_allclose(row[kept], mean[kept] / np.linalg.norm(mean[kept]), rtol=1e-5)


def test_weights_are_repetitions():
    X, y = grouped_rows(20)
    weights = np.arange(len(y)) % 3.0
    weighted = Centroids.of_rows(X, y, weights, 20)
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    repeated = Centroids.of_rows(X[again], y[again], np.ones(len(again)), 20)
    assert_allclose(weighted.matrix.toarray(), repeated.matrix.toarray(), atol=1e-12)
    assert_array_equal(weighted.frequent, repeated.frequent)


def nearest_by_hand(X, centroids, groups, own, count):
    """Groups by the largest product of their classes, then the frequent ones."""
    products = X.toarray() @ centroids.matrix.toarray().T
    found = []
    for i, row in enumerate(products):
        best = [row[groups == g].max() for g in range(groups.max() + 1)]
        near = [g for g in np.argsort(-np.array(best), kind="stable") if best[g] > 0]
        near += [g for g in groups[centroids.frequent] if g not in near]
        near = list(dict.fromkeys(near))[:count]
        if own is not None and own[i] not in near:
            near[-1] = own[i]
        found.append(sorted(near))
    return np.array(found)


@pytest.mark.parametrize("with_own", [False, True])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_nearest_groups(count, with_own):
    X, _, centroids = make(k=43)
    X = sp.vstack([X, sp.csr_array((2, X.shape[1]))], format="csr")  # two empty rows
    groups = np.random.default_rng(0).permutation(np.arange(43) // 7)
    own = np.resize(groups[::-1], X.shape[0]) if with_own else None
    rows = Rows(X, 1.0)  # the constant feature is no word
    found = centroids.nearest(rows, count, 1, groups, own)
    assert_array_equal(found, nearest_by_hand(X, centroids, groups, own, count))
    assert_array_equal(centroids.nearest(rows, count, 3, groups, own), found)
    dense = Rows(X.toarray() + 0.0)
    assert_array_equal(centroids.nearest(dense, count, 1, groups, own), found)


def test_like_classes_are_neighbours():
    # Classes of a family have their words in one place and no others.
    rng = np.random.default_rng(1)
    families = rng.permutation(np.repeat(np.arange(8), TILE))
    X = np.zeros((len(families), 80))
    for m, family in enumerate(families):
        X[m, 10 * family : 10 * family + 10] = 0.5 + rng.random(10)
    y = np.arange(len(families))
    centroids = Centroids.of_rows(sp.csr_array(X), y, np.ones(len(y)), len(y))
    order = centroids.order(TILE, seed=0)
    assert_array_equal(np.sort(order), y)
    assert_array_equal(centroids.order(TILE, seed=0), order)
    tiles = families[order].reshape(-1, TILE)
    assert (tiles == tiles[:, :1]).mean() > 0.9


@pytest.mark.parametrize("k", [1, 15, 16, 17, 70])
def test_every_class_has_a_place(k):
    tiles = ClassTiles(np.random.default_rng(k).permutation(k))
    assert_array_equal(tiles.order[tiles.place], np.arange(k))
    places = tiles.places(np.arange(len(tiles))[None, :])[0]
    assert_array_equal(places, np.arange(TILE * len(tiles)))
    assert tiles.count_for(1) == 1
    assert tiles.count_for(10**9) == len(tiles)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_listed_scores(dtype):
    rng = np.random.default_rng(0)
    X, _ = grouped_rows(20, dtype=dtype)
    coef = rng.normal(size=(20, X.shape[1])) * (rng.random((20, X.shape[1])) < 0.2)
    coef[3] = 0
    coef = sp.csr_array(coef.astype(dtype))
    intercept = rng.normal(size=20).astype(dtype)
    classes = rng.integers(0, 20, size=(X.shape[0], 4)).astype(np.int32)
    full = X.toarray() @ coef.toarray().T + intercept
    expected = np.take_along_axis(full, classes, axis=1)
    for rows in (Rows(X), Rows(X.toarray())):
        for threads in (1, 3):
            found = listed_scores(rows, coef, intercept, classes, threads)
            assert found.dtype == dtype
            assert_allclose(found, expected, rtol=0, atol=20 * np.finfo(dtype).eps)
