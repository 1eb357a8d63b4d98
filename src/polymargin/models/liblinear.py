"""LIBLINEAR's model files, out and in.

They are text: a few lines of words and numbers, and then the weights, a line for every
feature and one more for the constant feature if there is a bias::

    solver_type MCSVM_CS
    nr_class 3
    label 0 1 2
    nr_feature 4
    bias 1
    w
    0.21 -0.1 -0.11
    ...

With two classes there is one weight per feature, whose positive side is the *first*
label; but MCSVM_CS always has one per class.
"""

import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..aside import written_aside
from ..linear import LinearSVM
from ..maxent import MaxEnt
from .errors import ModelFileError

_ARGMAX = "MCSVM_CS"  # scores of all classes, of which the largest wins
_SOLVERS = {  # with TRON, and otherwise
    "hinge": ("L2R_L1LOSS_SVC_DUAL", "L2R_L1LOSS_SVC_DUAL"),
    "squared_hinge": ("L2R_L2LOSS_SVC", "L2R_L2LOSS_SVC_DUAL"),
    "logistic": ("L2R_LR", "L2R_LR_DUAL"),
}
_PARAMETERS = {
    _ARGMAX: {"machine": "cs"},
    "L2R_L1LOSS_SVC_DUAL": {"machine": "ovr"},
    "L2R_L2LOSS_SVC_DUAL": {
        "machine": "ovr",
        "loss": "squared_hinge",
        "solver": "dual",
    },
    "L2R_L2LOSS_SVC": {"machine": "ovr", "loss": "squared_hinge", "solver": "tron"},
    "L2R_LR": {"machine": "ovr", "loss": "logistic", "solver": "tron"},
    "L2R_LR_DUAL": {"machine": "ovr", "loss": "logistic", "solver": "dual"},
}
_COUNTS = ("nr_class", "nr_feature")
_INT = np.iinfo(np.int32)


def export_liblinear(model, path) -> None:
    """Write a linear model as LIBLINEAR does; its `predict` then answers as ours.

    One-vs-rest becomes the solver type of its loss, with the same probabilities if that
    is logistic. The other machines are written as MCSVM_CS, as is `MaxEnt` unless there
    are two classes: the class with the largest score wins there, too, whatever it was
    trained for.

    Parameters
    ----------
    model : LinearSVM or MaxEnt
        Fitted, with integers as labels. Not one-vs-one with more than two classes.

    path : str or PathLike
    """
    if not isinstance(model, LinearSVM | MaxEnt):
        raise TypeError(
            f"{type(model).__name__} is no linear machine, which is all that LIBLINEAR "
            f"knows; give a LinearSVM or a MaxEnt."
        )
    check_is_fitted(model)
    labels, rows = _whole_labels(model.classes_), model.coef_
    binary = len(labels) == 2
    solver = _solver_type(model)
    rows = rows.toarray() if sp.issparse(rows) else rows
    rows, bias = rows.astype(np.float64), -1.0
    if model.fit_intercept:
        bias = float(model.intercept_scaling)
        constants = model.intercept_.astype(np.float64) / bias
        rows = np.column_stack([rows, constants])
    if binary:
        labels = labels[::-1]  # the first is the positive one
        if solver == _ARGMAX:
            rows = np.vstack([rows / 2, -rows / 2])
    head = (
        f"solver_type {solver}\n"
        f"nr_class {len(labels)}\n"
        f"label {' '.join(map(str, labels))}\n"
        f"nr_feature {model.n_features_in_}\n"
        f"bias {bias:.17g}\n"
        f"w\n"
    )
    line = "%.17g " * len(rows) + "\n"
    with written_aside(path) as file:
        file.write(head.encode())
        for weights in rows.T.tolist():
            file.write((line % tuple(weights)).encode())


def import_liblinear(path) -> LinearSVM:
    """Read a classifier that LIBLINEAR has written; it answers as `predict` there.

    Only where scores are exactly equal may the answers differ: LIBLINEAR decides for
    the class that came first in its training, polymargin for the smaller label. There
    is no certificate. C is not in the file, nor whether the loss was weighted: set them
    before `fit`.

    Parameters
    ----------
    path : str or PathLike
        A model of the solvers 0 to 4 and 7: L2-regularised classification.

    Returns
    -------
    model : LinearSVM

    Raises
    ------
    ModelFileError
        If it is no such file; a ValueError.
    """
    try:
        return _make(*_read(Path(path)))
    except ModelFileError as problem:
        raise ModelFileError(
            f"{path} cannot be loaded as a model of LIBLINEAR: {problem}."
        ) from None


def _solver_type(model) -> str:
    if isinstance(model, MaxEnt):
        return "L2R_LR_DUAL" if len(model.classes_) == 2 else _ARGMAX
    if model.machine == "ovo" and len(model.classes_) > 2:
        raise ValueError(
            "machine='ovo' votes, which LIBLINEAR does not; train another machine."
        )
    if model.machine in ("ovr", "ovo"):
        by_tron, otherwise = _SOLVERS[model.loss]
        return by_tron if getattr(model, "solver_", None) == "tron" else otherwise
    return _ARGMAX


def _whole_labels(classes: np.ndarray) -> list[int]:
    if classes.dtype.kind in "biuf":
        labels = [int(label) for label in classes.tolist()]
        if all(
            label == own and _INT.min <= label <= _INT.max
            for label, own in zip(labels, classes.tolist(), strict=True)
        ):
            return labels
    raise ValueError(
        f"LIBLINEAR has 32-bit integers as labels, and {classes.tolist()[0]!r} or "
        f"another one is none; train with integers, e.g. those of LabelEncoder."
    )


def _read(path: Path) -> tuple[dict[str, list[str]], np.ndarray]:
    """Return the words of the head by their first one, and the weights."""
    head: dict[str, list[str]] = {}
    with open(path, encoding="ascii", errors="replace") as file:
        for number in range(1, 100):
            words = file.readline(1 << 24).split()
            if words == ["w"]:
                return head, _floats(file.read(), "the weights")
            if not words or words[0] in head:
                raise ModelFileError(
                    f"line {number} should be one of solver_type, nr_class, label, "
                    f"nr_feature, bias, w"
                )
            head[words[0]] = words[1:]
    raise ModelFileError("its head does not end")


def _make(head: dict[str, list[str]], weights: np.ndarray) -> LinearSVM:
    needed = {"solver_type", "label", "bias", *_COUNTS}
    if not needed <= set(head):
        raise ModelFileError(f"it has no {', '.join(sorted(needed - set(head)))}")
    solver = " ".join(head["solver_type"])
    if solver not in _PARAMETERS:
        raise ModelFileError(
            f"solver_type {solver!r} is none of {', '.join(_PARAMETERS)}"
        )
    n_classes, n_features = (_whole(head[name], name) for name in _COUNTS)
    labels = [_whole([word], "label", _INT.min) for word in head["label"]]
    if n_classes < 2 or n_features < 1 or len(set(labels)) != n_classes:
        raise ModelFileError("it does not have one label for each of two classes")
    bias = _floats(" ".join(head["bias"]), "bias").tolist()
    if len(bias) != 1:
        raise ModelFileError("bias is not one number")
    has_bias = bias[0] > 0
    n_columns = 1 if n_classes == 2 and solver != _ARGMAX else n_classes
    n_rows = n_features + (bias[0] >= 0)
    if len(weights) != n_rows * n_columns:
        raise ModelFileError(
            f"it has {len(weights)} weights where {n_rows} lines of {n_columns} are "
            f"expected"
        )
    weights = weights.reshape(n_rows, n_columns)
    if not has_bias:
        weights = weights[:n_features]  # a constant feature of zero says nothing
    order = np.argsort(labels)
    if n_columns > 1:
        weights = weights[:, order]
    elif order[0] == 0:  # the positive side is that of the smaller label
        weights = -weights
    model = LinearSVM(
        fit_intercept=has_bias,
        intercept_scaling=bias[0] if has_bias else 1.0,
        **_PARAMETERS[solver],
    )
    model.classes_ = np.array(labels)[order]
    model.n_features_in_ = n_features
    model.__dict__.update(model._model(np.ascontiguousarray(weights)))
    return model


def _whole(words: list[str], name: str, least: int = 0) -> int:
    try:
        (value,) = map(int, words)
    except ValueError:
        raise ModelFileError(f"{name} is not a whole number") from None
    if not least <= value <= _INT.max:
        raise ModelFileError(f"{name} is out of range")
    return value


def _floats(text: str, what: str) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that the text ends before its end
        try:
            values = np.fromstring(text, dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            raise ModelFileError(f"{what} are not numbers only") from None
    if not np.isfinite(values).all():
        raise ModelFileError(f"{what} are not finite")
    return values
