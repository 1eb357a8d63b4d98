"""What a fitted estimator of each class is made of, and what must agree in it."""

import numpy as np
import scipy.sparse as sp

from ...access.precomputed import Positions
from ...driver.kernel.solvers import KERNEL_SOLVERS_USED
from ...driver.linear.solvers import SOLVERS_USED
from ...driver.online.stream import HISTORY_FIELDS
from ...estimators.kernel_svm import KernelSVM
from ...estimators.linear_svm import LinearSVM
from ...estimators.maxent import MaxEnt
from ...estimators.online_svm import OnlineSVM
from ...machine.block_algebra import block_shape
from .attribute_codecs import (
    COSTS,
    COUNT,
    HISTORY,
    HISTORY_OF_LISTS,
    LABELS,
    MATRIX,
    MEASURE,
    PARAMETERS,
    PROBLEM,
    SIZE,
    TEXT,
    TRUE,
    WEIGHTS,
    choice,
    number,
    or_none,
    vector,
)
from .kernel_codecs import EXPANSION
from .layout import Layout, agree
from .online_codec import DRIVER

_STATUSES = (
    "converged",
    "max_iter",
    "max_time",
    "max_rounds",
    "interrupted",
    "callback",
    "precision",
    "partial",
    "complete",
)
_COMMON = {
    "classes_": LABELS,
    "n_features_in_": SIZE,
    "feature_names_in_": TEXT,
    "status_": choice(_STATUSES),
    "n_iter_": COUNT,
    "objective_": MEASURE,
    "dual_gap_": MEASURE,
    "violation_": MEASURE,
}
_CERTIFIED = {**_COMMON, "dual_objective_": MEASURE, "history_": HISTORY}
_SOLVERS = {*SOLVERS_USED, *KERNEL_SOLVERS_USED}
_LINEAR = {
    **_CERTIFIED,
    "solver_": choice(_SOLVERS),
    "coef_": WEIGHTS,
    "intercept_": vector("f"),
    "n_parameters_": PARAMETERS,
    "dual_coef_": MATRIX,
    "support_": vector("i"),
    "_fitted": PROBLEM,
}
_COSTS = {"costs_": MATRIX}
_CANDIDATES = {
    "centroids_": MATRIX,
    "class_order_": vector("i"),
    "frequent_classes_": vector("i"),
}
_SEVERAL = {"multilabel_": TRUE, "thresholds_": vector("f")}
_KERNEL = {
    **_CERTIFIED,
    "solver_": choice(_SOLVERS),
    "gamma_": or_none(number(least=0)),
    "temperature_": number(least=0),
    "n_kernel_evaluations_": COUNT,
    "_expansion": EXPANSION,
    "dual_coef_": MATRIX,
    "support_": vector("i"),
    "support_vectors_": MATRIX,
    "n_support_": vector("i"),
    "_coefficients": MATRIX,
    "_fitted": PROBLEM,
}
_ONLINE = {
    **_COMMON,
    "gamma_": or_none(number(least=0)),
    "_driver": DRIVER,
    "_history": HISTORY_OF_LISTS,
}


def _check_common(model) -> None:
    costs = getattr(model, "costs_", None)
    agree(costs is None or costs.shape == 2 * (len(model.classes_),), "costs_")
    names = getattr(model, "feature_names_in_", None)
    agree(names is None or len(names) == model.n_features_in_, "feature_names_in_")


def _check_training(model, coefficients, n_columns: int) -> None:
    """Check what is known of the rows of the training."""
    if coefficients is not None:
        agree(sp.issparse(coefficients), "dual_coef_")
        agree(coefficients.shape[1] == n_columns, "dual_coef_")
    problem = getattr(model, "_fitted", None)
    if problem is not None:
        agree(coefficients is not None, "_fitted")
        agree(len(problem.labels) == coefficients.shape[0], "_fitted")
        agree(problem.n_columns == n_columns, "_fitted")
        agree(problem.labels.max(initial=0) < len(model.classes_), "_fitted")
    support = getattr(model, "support_", None)
    if support is not None and len(support):
        agree((support[1:] > support[:-1]).all() and support[0] >= 0, "support_")
        if coefficients is not None:
            agree(support[-1] < coefficients.shape[0], "support_")


def _n_columns(model) -> int:
    """Return how many columns the weights have in training."""
    if hasattr(model, "multilabel_"):
        return len(model.classes_)
    none = np.zeros(0, dtype=int)
    return block_shape(model._machine(), none, len(model.classes_))[0]


def _check_linear(model) -> None:
    _check_common(model)
    n_columns = _n_columns(model)
    several = hasattr(model, "multilabel_")
    rows = 1 if len(model.classes_) == 2 and not several else n_columns
    if several:
        agree(hasattr(model, "thresholds_"), "thresholds_")
        agree(model.thresholds_.shape == (rows,), "thresholds_")
        agree(model._machine().formulation.label_sets, "multilabel_")
    agree(model.coef_.shape == (rows, model.n_features_in_), "coef_")
    agree(model.intercept_.shape == (rows,), "intercept_")
    agree(model.intercept_.dtype == model.coef_.dtype, "intercept_")
    _check_candidates(model)
    _check_training(model, getattr(model, "dual_coef_", None), n_columns)


def _check_candidates(model) -> None:
    there = [hasattr(model, name) for name in _CANDIDATES]
    agree(all(there) or not any(there), "centroids_")
    if any(there):
        agree(model.candidates is not None, "candidates")
        agree(sp.issparse(model.coef_) and sp.issparse(model.centroids_), "centroids_")
        agree(model.centroids_.shape == model.coef_.shape, "centroids_")
        agree(model.centroids_.dtype == model.coef_.dtype, "centroids_")
        every = np.arange(len(model.classes_))
        for name in ("class_order_", "frequent_classes_"):
            agree(np.array_equal(np.sort(getattr(model, name)), every), name)


def _check_expansion(model, expansion, n_columns: int) -> None:
    points, coefficients = expansion.points, expansion.coefficients
    agree(coefficients.shape[1] == n_columns, "its coefficients")
    if isinstance(points, Positions):
        most = points.at.max(initial=-1)
        agree(most < model.n_features_in_, "its support vectors")
    else:
        agree(points.rows.shape[1] == model.n_features_in_, "its support vectors")


def _check_kernel(model) -> None:
    _check_common(model)
    n_columns = _n_columns(model)
    _check_expansion(model, model._expansion, n_columns)
    n = len(model._expansion.points)
    agree(model.dual_coef_.shape == (n, n_columns), "dual_coef_")
    for coefficients in (model.dual_coef_, model._expansion.coefficients):
        by_pairs = model._machine().formulation.by_pairs
        agree(by_pairs or not sp.issparse(coefficients), "dual_coef_")
    _check_training(model, getattr(model, "_coefficients", None), n_columns)
    if hasattr(model, "support_"):
        agree(hasattr(model, "n_support_"), "n_support_")
        agree(model.n_support_.shape == (len(model.classes_),), "n_support_")
        agree(len(model.support_) == n, "support_")
        agree(hasattr(model, "support_vectors_"), "support_vectors_")
        shapes = (0, 0), (n, model.n_features_in_)
        agree(model.support_vectors_.shape in shapes, "support_vectors_")


def _check_online(model) -> None:
    _check_common(model)
    _check_expansion(model, model._driver.expansion(), len(model.classes_))
    history = model._history
    agree(history is None or set(history) == set(HISTORY_FIELDS), "its history")


def _layout(estimator: type, *what) -> Layout:
    return Layout(estimator.__module__, estimator.__name__, *what)


_OF_TRAINING = ("_fitted", "_coefficients")
ESTIMATORS = (
    *(
        _layout(
            linear,
            _LINEAR | of_its_own,
            ("classes_", "n_features_in_", "coef_", "intercept_"),
            _check_linear,
            (*_OF_TRAINING, "dual_coef_", "support_"),
            parameters,
        )
        for linear, of_its_own, parameters in (
            (LinearSVM, _COSTS | _SEVERAL | _CANDIDATES, {"costs": COSTS}),
            (MaxEnt, {}, {}),
        )
    ),
    _layout(
        KernelSVM,
        _KERNEL | _COSTS,
        ("classes_", "n_features_in_", "_expansion", "dual_coef_", "gamma_"),
        _check_kernel,
        _OF_TRAINING,
        {"costs": COSTS},
        {"fit_intercept": False},
    ),
    _layout(
        OnlineSVM,
        _ONLINE,
        ("classes_", "n_features_in_", "_driver", "_history", "gamma_"),
        _check_online,
    ),
)
