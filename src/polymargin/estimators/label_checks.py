"""Checks of labels: one a row or several, and of which kind they are."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import type_of_target

from ..base.annotations import Estimator, Labels
from ..machine.registry import Machine, names_of


def is_indicator(y: Labels) -> bool:
    """Whether y has a column for each label; not if validation will refuse it."""
    if y is None or getattr(y, "ndim", 2) != 2:
        return False
    return bool(type_of_target(y, input_name="y") == "multilabel-indicator")


def kind_of(labels: np.ndarray) -> str:
    """Return of which kind labels are: two of one kind can be told apart."""
    kind = labels.dtype.kind
    if kind == "O" and all(isinstance(label, str) for label in labels.tolist()):
        return "U"  # as pandas has them
    return "i" if kind == "u" else kind


def check_one_label(y: Labels) -> None:
    """Raise if y has sets of labels, in one way or another."""
    if isinstance(y, list) and y and isinstance(y[0], set | frozenset):
        raise ValueError(
            f"y has sets of labels, such as {y[0]!r}; make an indicator matrix of "
            f"them, e.g. by scikit-learn's MultiLabelBinarizer."
        )
    if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1 and is_indicator(y):
        raise ValueError(
            f"y has the shape {y.shape}, several labels a row, and this takes one; "
            f"only fit of LinearSVM('ovr') takes several."
        )


def check_ones(y: Any) -> None:
    """Raise unless an indicator matrix has ones and zeros alone."""
    values = y.data if sp.issparse(y) else y
    others = values[(values != 0) & (values != 1)]
    if len(others):
        raise ValueError(
            f"y has several columns and the value {others[0].item()!r}; give 1 where a "
            f"row has the label and 0 where it has not, e.g. y > 0."
        )


def check_several(estimator: Estimator, machine: Machine) -> None:
    """Raise unless an estimator may be fitted to several labels a row."""
    able = names_of(lambda row: row.label_sets)
    if not machine.formulation.label_sets or not hasattr(estimator, "thresholds"):
        raise ValueError(
            f"y has several labels a row, which machine={machine.name!r} of "
            f"{type(estimator).__name__} does not take; use LinearSVM with "
            f"machine={' or '.join(map(repr, able))}, or give one label a row."
        )
    for name in ("class_weight", "costs"):
        if getattr(estimator, name) is not None:
            raise ValueError(
                f"{name} is for one label a row; leave it out, or weigh rows by "
                f"sample_weight."
            )
