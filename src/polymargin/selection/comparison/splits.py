"""Which rows are for what: stratified parts of a data set."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..protocols import Protocol
from .datasets import Dataset


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train with and to test with, and parts of the former to choose by.

    Attributes
    ----------
    train, test : ndarray of int
        Rows of the data set.
    parts : list of pairs of ndarrays
        Positions in `train`: to train with, and to score.
    """

    train: np.ndarray
    test: np.ndarray
    parts: list[tuple[np.ndarray, np.ndarray]]


def n_splits(dataset: Dataset, protocol: Protocol) -> int:
    """Return how many splits of a data set there are: one, if it came divided."""
    given = protocol.given_split and dataset.n_given_train is not None
    return 1 if given else protocol.repeats


def make_split(dataset: Dataset, protocol: Protocol, number: int, seed: int) -> Split:
    """Make one of the splits, the same for the same numbers.

    Parameters
    ----------
    dataset : Dataset
    protocol : Protocol
    number : int
        Which of the splits.
    seed : int
        Of all of them.

    Returns
    -------
    split : Split
    """
    rng = np.random.default_rng([seed, number])
    y = dataset.y
    if protocol.given_split and dataset.n_given_train is not None:
        rows = np.arange(len(y))
        train, test = np.split(rows, [dataset.n_given_train])
        fit, validation = train, rows[:0]
        if protocol.validation_share:
            share = protocol.validation_share / (1 - protocol.test_share)
            fit, validation = stratified_parts(y[train], [1 - share, share], rng)
    else:
        shares = [protocol.validation_share, protocol.test_share]
        shares = [1 - sum(shares), *shares]
        fit, validation, test = stratified_parts(y, shares, rng)
    train = np.sort(np.concatenate([fit, validation])) if len(validation) else fit
    if len(test) == 0:
        raise ValueError(
            f"data set {dataset.name!r} has too few rows for test_share="
            f"{protocol.test_share:g}; give more rows."
        )
    return Split(train, test, _parts(y, train, fit, validation, protocol, rng))


def stratified_parts(
    y: np.ndarray, shares: Sequence[float], rng: np.random.Generator
) -> list[np.ndarray]:
    """Divide rows at random so that every part has its share of every class.

    A share that is no whole number is rounded up or down at random; every class has a
    row in the first part, so that the smallest classes can be trained.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    shares : sequence of float
        They add up to 1.
    rng : Generator

    Returns
    -------
    parts : list of ndarrays of int
        Rows, ascending.
    """
    parts: list[list[np.ndarray]] = [[] for _ in shares]
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        cuts = np.floor(np.cumsum(shares)[:-1] * len(rows) + rng.random()).astype(int)
        cuts = np.clip(cuts, 1, len(rows))
        for part, chosen in zip(parts, np.split(rows, cuts), strict=True):
            part.append(chosen)
    return [np.sort(np.concatenate(part)) for part in parts]


def _parts(y, train, fit, validation, protocol: Protocol, rng) -> list:
    """Positions in `train` of the rows that choose the parameters."""
    if not protocol.grid:
        return []
    if len(validation):
        return [(np.searchsorted(train, fit), np.searchsorted(train, validation))]
    labels = y[train]
    folds = StratifiedKFold(
        protocol.folds, shuffle=True, random_state=int(rng.integers(2**31))
    )
    return _folds(folds, labels, protocol.folds)


def _folds(folds: StratifiedKFold, labels: np.ndarray, n_folds: int) -> list:
    """Folds; classes with fewer rows than folds are in some training parts only."""
    if np.bincount(labels).max() < n_folds:
        raise ValueError(
            f"folds={n_folds} is more than the rows of the largest class; choose fewer."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # smallest class below n_folds
        return list(folds.split(np.zeros(len(labels)), labels))
