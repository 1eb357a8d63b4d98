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

from ...access.csr import check_compressed
from ...base.annotations import Estimator, FilePath
from ...base.finite import all_finite
from ...estimators.linear_svm import LinearSVM
from ...estimators.maxent import MaxEnt
from ...machine.registry import FORMULATIONS
from ..atomic import open_atomic
from .errors import ModelFileError

_ARGMAX = "MCSVM_CS"  # scores of all classes, of which the largest wins
_TYPES = [
    (row, name, loss, solver)
    for row in FORMULATIONS.values()
    for name, loss, solver in row.liblinear.values()
]
# Of binary problems, by loss and solver.
_SOLVERS = {(loss, solver): name for row, name, loss, solver in _TYPES if row.separate}
# The solver matters where there is another.
_PARAMETERS = {
    name: {"machine": row.name}
    | ({} if loss == "hinge" else {"loss": loss, "solver": solver})
    for row, name, loss, solver in _TYPES
}
_COUNTS = ("nr_class", "nr_feature")
_INT = np.iinfo(np.int32)


def export_liblinear(model: Estimator, path: FilePath) -> None:
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polymargin
    >>> model = polymargin.LinearSVM("ovr").fit([[0.0], [1.0]], [-1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     polymargin.export_liblinear(model, folder + "/small.model")
    ...     print(Path(folder, "small.model").read_text().splitlines()[0])
    solver_type L2R_L1LOSS_SVC_DUAL
    """
    if not isinstance(model, LinearSVM | MaxEnt):
        raise TypeError(
            f"{type(model).__name__} is no linear machine, which is all that LIBLINEAR "
            f"knows; give a LinearSVM or a MaxEnt."
        )
    check_is_fitted(model)
    if hasattr(model, "multilabel_"):
        raise ValueError(
            "model has several labels a row, which LIBLINEAR does not know; save it by "
            "polymargin.save instead."
        )
    if hasattr(model, "centroids_"):
        raise ValueError(
            "model predicts among candidates, which LIBLINEAR does not know; save it "
            "by polymargin.save instead."
        )
    labels, rows = _whole_labels(model.classes_), check_compressed(model.coef_, "coef_")
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
    with open_atomic(path) as file:
        file.write(head.encode())
        for weights in rows.T.tolist():
            file.write((line % tuple(weights)).encode())


def import_liblinear(path: FilePath) -> LinearSVM:
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

    Examples
    --------
    >>> import tempfile
    >>> import polymargin
    >>> model = polymargin.LinearSVM("cs").fit([[0.0], [1.0], [2.0]], [1, 2, 3])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     polymargin.export_liblinear(model, folder + "/small.model")
    ...     same = polymargin.import_liblinear(folder + "/small.model")
    >>> same.machine, same.predict([[0.0], [2.0]]).tolist()
    ('cs', [1, 3])
    """
    try:
        return _make(*_read(Path(path)))
    except ModelFileError as problem:
        raise ModelFileError(
            f"{path} cannot be loaded as a model of LIBLINEAR: {problem}."
        ) from None


def _solver_type(model: Estimator) -> str:
    if isinstance(model, MaxEnt):
        binary = len(model.classes_) == 2
        return _SOLVERS["logistic", "dual"] if binary else _ARGMAX
    row = FORMULATIONS[model.machine]
    if row.by_pairs and len(model.classes_) > 2:
        raise ValueError(
            f"machine={model.machine!r} votes, which LIBLINEAR does not; train another "
            f"machine."
        )
    if row.columns_per_class:
        return _ARGMAX
    by_tron = _SOLVERS.get((model.loss, "tron"))
    if by_tron and getattr(model, "solver_", None) == "tron":
        return by_tron
    return _SOLVERS[model.loss, "dual"]


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
    if not all_finite(values):
        raise ModelFileError(f"{what} are not finite")
    return values
