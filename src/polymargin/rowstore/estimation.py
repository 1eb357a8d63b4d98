"""Estimators on a row store: what a fit needs, and predictions block by block."""

import warnings
from collections.abc import Callable
from contextlib import contextmanager

import numpy as np

from ..machine import Machine
from .checks import check_features, check_fit, check_labelled
from .driver import PieceDriver
from .plan import plan_memory
from .problem import StoredProblem, state_stored_problem
from .store import RowStore


def state_stored(
    estimator, machine: Machine, store: RowStore, y, sample_weight
) -> StoredProblem:
    """Check what is to be fitted, and set what is known before."""
    check_fit(estimator, machine, store, y, sample_weight)
    estimator.classes_ = store.classes
    estimator.n_features_in_ = store.n_features
    estimator.__dict__.pop("feature_names_in_", None)
    if store.feature_names is not None:
        estimator.feature_names_in_ = np.array(store.feature_names, dtype=object)
    return state_stored_problem(machine, store, estimator.C, estimator.class_weight)


def stored_driver(estimator, store: RowStore, problem: StoredProblem) -> PieceDriver:
    """Return the driver of a fit."""
    fills_blocks = problem.machine.bound == "share"
    plan = plan_memory(store, problem.n_columns, fills_blocks, estimator.fit_intercept)
    return PieceDriver(estimator, store, problem, plan)


def by_blocks(estimator, answer: Callable, store: RowStore) -> np.ndarray:
    """Return what a method of an estimator answers, in the order of the store."""
    check_features(estimator, store)
    with _without_names():
        return np.concatenate([answer(block.X) for block in store.blocks()])


@contextmanager
def _without_names():
    """Let scikit-learn not miss the names of features, which blocks do not have."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def stored_score(estimator, store: RowStore, y, sample_weight) -> float:
    """Return the share of the rows, by weight, whose labels are predicted."""
    if y is not None or sample_weight is not None:
        raise ValueError(
            "y and sample_weight must be None where X is a row store, which holds them."
        )
    check_features(estimator, store)
    check_labelled(store)
    right = total = 0.0
    with _without_names():
        for X, y, weights in store.blocks():
            hits = estimator.predict(X) == y
            right += hits.sum() if weights is None else weights[hits].sum()
            total += len(y) if weights is None else weights.sum()
    return float(right / total)
