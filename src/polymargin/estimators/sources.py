"""Where the rows of a fit, a prediction or a score come from: memory, or a disk.

`source_of` is the one place that looks at what X is; all others ask what it returns.
"""

import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import accuracy_score

from ..access.csr import check_compressed
from ..access.row_store.store import RowStore
from ..access.rows import Rows
from ..driver.linear.solvers import linear_driver
from ..driver.linear.stored.driver import stored_driver
from ..driver.linear.stored.problem import StoredProblem, state_stored_problem
from ..driver.options import LinearOptions
from ..driver.protocol import LinearDriver
from ..machine.problem import Problem
from ..machine.registry import Machine, names_of

# What training on a row store can be told; the last is what to recommend.
_POSSIBLE_ON_DISK = {
    "solver": ("auto", "dual"),
    "features": ("full",),
    "fit_intercept": (False, True),
    "candidates": (None,),
    "penalty": ("l2",),
    "weight_bounds": (None,),
    "order": ("acf", "permuted"),
    "warm_start": (False,),
}


class InMemory:
    """Arrays, or what can be made arrays of."""

    def __init__(self, X, y, sample_weight):
        self.X, self.y, self.sample_weight = X, y, sample_weight

    def state(self, estimator, machine: Machine):
        """Return X and y, checked, and the problem that they state.

        Lets the estimator know classes and features.
        """
        return estimator._state_arrays(machine, self.X, self.y, self.sample_weight)

    @staticmethod
    def driver(X, problem: Problem, options: LinearOptions) -> LinearDriver:
        """Return the driver that trains on X."""
        single = problem.machine.formulation.by_pairs or problem.n_columns == 1
        return linear_driver(Rows(X, options.bias, single), problem, options)

    def predict_with(self, estimator, predict: Callable) -> np.ndarray:
        """Return what ``predict(X)`` says of all rows."""
        return predict(check_compressed(self.X))

    def accuracy(self, estimator) -> float:
        """Return the share of the rows, by weight, whose labels are predicted."""
        predicted = estimator.predict(self.X)
        return accuracy_score(self.y, predicted, sample_weight=self.sample_weight)


class OnDisk:
    """A row store, with its labels and weights. Its methods are those of `InMemory`."""

    def __init__(self, store: RowStore, y, sample_weight):
        for name, value in {"y": y, "sample_weight": sample_weight}.items():
            if value is not None:
                raise ValueError(
                    f"{name} must be None where X is a row store, which holds it; "
                    f"convert the data with other labels or weights instead."
                )
        self.store = store

    def state(self, estimator, machine: Machine):
        _check_possible(estimator, machine)
        _check_classes(self.store, type(estimator).__name__)
        store = self.store
        estimator.classes_ = store.classes
        estimator.n_features_in_ = store.n_features
        estimator.__dict__.pop("feature_names_in_", None)
        if store.feature_names is not None:
            estimator.feature_names_in_ = np.array(store.feature_names, dtype=object)
        machine = estimator._with_costs(machine)
        weights = estimator.C, estimator.class_weight
        return store, None, state_stored_problem(machine, store, *weights)

    @staticmethod
    def driver(X, problem: StoredProblem, options: LinearOptions):
        return stored_driver(X, problem, options)

    def predict_with(self, estimator, predict: Callable) -> np.ndarray:
        _check_features(self.store, estimator)
        with _UnnamedFeatures():
            parts = [predict(rows.X) for rows in self.store.segments()]
        return sp.vstack(parts) if sp.issparse(parts[0]) else np.concatenate(parts)

    def accuracy(self, estimator) -> float:
        _check_features(self.store, estimator)
        _check_labelled(self.store)
        right = total = 0.0
        with _UnnamedFeatures():
            for X, y, weights in self.store.segments():
                hits = estimator.predict(X) == y
                right += hits.sum() if weights is None else weights[hits].sum()
                total += len(y) if weights is None else weights.sum()
        return float(right / total)


def source_of(X, y=None, sample_weight=None) -> InMemory | OnDisk:
    """Return the source of the rows of `X`, an array or a row store."""
    kind = OnDisk if isinstance(X, RowStore) else InMemory
    return kind(X, y, sample_weight)


class _UnnamedFeatures(warnings.catch_warnings):
    """Lets scikit-learn not miss the names of features, which parts of a store lack."""

    def __enter__(self):
        super().__enter__()
        warnings.filterwarnings("ignore", "X does not have valid feature names")


def _check_possible(estimator, machine: Machine) -> None:
    """Raise if an estimator cannot be fitted to a store as it is."""
    if not machine.formulation.row_stores:
        able = names_of(lambda row: row.row_stores and row.estimator == "LinearSVM")
        raise ValueError(
            f"machine={machine.name!r} is not trained on a row store; choose one of "
            f"{', '.join(able)}, or read the rows into memory with load()."
        )
    given = vars(estimator._driver_options())
    given = given | {"warm_start": estimator.warm_start}
    for name, possible in _POSSIBLE_ON_DISK.items():
        if given[name] not in possible:
            raise ValueError(
                f"{name}={given[name]!r} is not possible on a row store; choose "
                f"{possible[-1]!r}, or read the rows into memory with load()."
            )


def _check_classes(store: RowStore, who: str) -> None:
    """Raise if the labels of a store are not those of a classification."""
    _check_labelled(store)
    if len(store.classes) < 2:
        raise ValueError(
            f"{who} needs at least two classes, but {store.path} has one only: "
            f"{store.classes.tolist()[0]!r}; convert rows of other classes, too."
        )
    if store.classes.dtype.kind == "f" and (store.classes % 1).any():
        raise ValueError(
            f"Unknown label type: continuous; {store.path} has labels that are no "
            f"whole numbers."
        )
    if not store.header.class_weights.sum() > 0:
        raise ValueError(
            f"{store.path} has no row with a weight above zero; convert it again with "
            f"other weights."
        )


def _check_labelled(store: RowStore) -> None:
    if store.classes is None:
        raise ValueError(f"{store.path} has no labels; convert data that has.")


def _check_features(store: RowStore, estimator) -> None:
    """Raise if a model was trained with other features."""
    if store.n_features != estimator.n_features_in_:
        raise ValueError(
            f"{store.path} has {store.n_features} features, but "
            f"{type(estimator).__name__} is expecting {estimator.n_features_in_} "
            f"features as input; convert the data with n_features="
            f"{estimator.n_features_in_}."
        )
