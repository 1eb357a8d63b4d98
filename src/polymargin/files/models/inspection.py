"""Looks into fitted models, for a `Description`."""

import json
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ...access.csr import check_compressed
from ...base.annotations import Estimator, Labels, Rows
from ...estimators.label_checks import check_ones
from ...estimators.linear_training import LinearTraining
from ...explanation.explain import telling_features
from ...explanation.feature_names import names_of_features
from ...explanation.parts import take_apart
from ...machine.block_algebra import class_pairs
from .description import Description
from .evaluation import evaluate


def describe(
    model: Estimator,
    X: Rows = None,
    y: Labels = None,
    top: int = 10,
    *,
    feature_names: Any = None,
) -> Description:
    """Describe a fitted model: its size, certificate, features and mistakes.

    Parameters
    ----------
    model : LinearSVM, MaxEnt, KernelSVM, OnlineSVM, or a pipeline that ends with one
        Features have the names that they have in the pipeline: columns, words,
        column=value.

    X : data frame, array-like or CSR matrix of shape (n_samples, n_columns) or None
        Rows to predict, as the model takes them.

    y : array-like of shape (n_samples,) or None, default=None
        Their labels; an indicator matrix if the model knows several a row.

    top : int, default=10
        How many features of a class, support vectors and mistakes to show.

    feature_names : sequence of str or None, default=None
        Names of columns, if the model knows none.

    Returns
    -------
    description : Description

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polymargin import LinearSVM, describe
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> description = describe(LinearSVM(random_state=0).fit(X, y), X, y, top=1)
    >>> description.features[0]["features"]
    ['petal length (cm)']
    >>> print(description)  # doctest: +ELLIPSIS
    LinearSVM: Crammer-Singer, hinge loss
      classes  ...
    """
    whole = model
    steps, model = take_apart(whole)
    if (X is None) != (y is None):
        raise ValueError("X and y are rows and their labels: give both, or neither.")
    if top < 0:
        raise ValueError(f"top={top!r} is negative; give the number of things to tell.")
    if isinstance(model, LinearTraining):
        names = names_of_features(steps, model, feature_names)
        about = _about_linear(model, names, top)
    else:
        about = _about_kernel(model, top)
    machine = model._machine()
    loss = "logistic" if machine.loss == "log" else machine.loss
    return Description(
        estimator=type(model).__name__,
        machine=machine.name,
        loss=loss,
        parameters=_changed(model),
        classes=model.classes_.tolist(),
        n_features=int(model.n_features_in_),
        certificate=_certificate(model),
        steps=[type(step).__name__ for step in steps],
        evaluation=None if X is None else _evaluation(whole, model, X, y, top),
        metadata=getattr(whole, "metadata_", {}),
        **about,
    )


def _evaluation(
    whole: Estimator, model: Estimator, X: Rows, y: Labels, top: int
) -> Any:
    if not getattr(model, "multilabel_", False):
        return evaluate(whole, X, y, top)
    y = check_array(y, accept_sparse="csr")
    check_ones(y)
    names = getattr(whole, "metadata_", {}).get("labels", model.classes_)
    if y.shape[1] != len(names):
        raise ValueError(
            f"y has {y.shape[1]} columns, but the model knows {len(names)} labels; "
            f"give a column for each of them."
        )
    return evaluate(whole, X, y, top, label_names=np.asarray(names))


def _certificate(model: Estimator) -> dict[str, Any]:
    names = {
        "status": "status_",
        "n_iter": "n_iter_",
        "objective": "objective_",
        "dual_objective": "dual_objective_",
        "gap": "dual_gap_",
        "violation": "violation_",
    }
    known = {
        name: getattr(model, attribute)
        for name, attribute in names.items()
        if hasattr(model, attribute)
    }
    history = getattr(model, "history_", None)
    if history and len(history.get("seconds", ())):
        known["seconds"] = float(history["seconds"][-1])
    return known


def _changed(model: Estimator) -> dict[str, Any]:
    """Return the parameters that are not the default, as JSON can hold them."""
    default = type(model)().get_params(deep=False)
    return {
        name: _plain(value)
        for name, value in model.get_params(deep=False).items()
        if name not in ("machine", "loss") and repr(value) != repr(default[name])
    }


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return str(value)
    return value


def _about_linear(model: Estimator, names: Any, top: int) -> dict[str, Any]:
    coef = model.coef_
    sizes = getattr(model, "n_parameters_", None)
    about = {
        "n_parameters": int(np.prod(coef.shape) if sizes is None else sizes.kept),
        "n_nonzeros": _count_nonzeros(coef),
        "features": telling_features(model, names, top),
    }
    if hasattr(model, "support_"):
        about["n_support"] = len(model.support_)
    return about


def _count_nonzeros(matrix: Any) -> int:
    sparse = sp.issparse(matrix)
    return int(matrix.count_nonzero() if sparse else np.count_nonzero(matrix))


def _about_kernel(model: Estimator, top: int) -> dict[str, Any]:
    coefficients = check_compressed(model.dual_coef_, "dual_coef_")
    kernel = model._expansion.kernel.plain
    about = {
        "n_parameters": int(np.prod(coefficients.shape)),
        "n_nonzeros": _count_nonzeros(coefficients),
        "n_support": coefficients.shape[0],
        "kernel": {"name": _plain(model.kernel)}
        | {
            name: _plain(value)
            for name, value in (
                ("gamma", kernel.gamma_),
                ("degree", getattr(kernel, "degree", None)),
                ("coef0", getattr(kernel, "coef0", None)),
            )
            if value is not None
        },
    }
    if hasattr(model, "support_"):
        about["n_support_by_class"] = model.n_support_.tolist()
        about["support"] = _heaviest(model, coefficients, top)
    return about


def _heaviest(model: Estimator, coefficients: Any, top: int) -> list[dict[str, Any]]:
    """Return the support vectors with the largest coefficients in all."""
    weights = np.abs(coefficients).sum(axis=1)
    order = np.argsort(-weights, kind="stable")[:top]
    heaviest = coefficients[order]
    heaviest = heaviest.toarray() if sp.issparse(heaviest) else heaviest
    favoured = _by_class(model, heaviest).argmax(axis=1)
    rows = model.support_[order].tolist()
    return [
        {
            "row": None if row < 0 else row,  # came in a stream
            "weight": weight,
            "label": label,
        }
        for row, weight, label in zip(
            rows,
            weights[order].tolist(),
            model.classes_[favoured].tolist(),
            strict=True,
        )
    ]


def _by_class(model: Estimator, coefficients: Any) -> np.ndarray:
    """Return coefficients with a column for each class; of pairs, their sums."""
    if coefficients.shape[1] == 1:
        return np.column_stack([-coefficients, coefficients])
    if not model._machine().formulation.by_pairs:
        return coefficients
    first, second = class_pairs(coefficients.shape[1])
    classes = np.arange(len(model.classes_))
    signs = 1.0 * (second[:, None] == classes) - (first[:, None] == classes)
    return coefficients @ signs
