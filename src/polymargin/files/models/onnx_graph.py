"""ONNX: a fitted model as a graph of matrix operations, for other runtimes.

The graph has the input ``X`` and the outputs ``label``, ``scores`` (what
`decision_function` returns) and, where the model has them, ``probabilities``.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ...estimators.kernel_svm import KernelSVM
from ...estimators.linear_training import LinearTraining
from ...estimators.maxent import MaxEnt
from ...estimators.online_svm import OnlineSVM
from ...machine.block_algebra import class_pairs
from ...prediction.expansion import Expansion
from ..atomic import open_atomic
from .onnx_builder import Graph

_MOST_BYTES = 2**31 - 2**20  # of a protocol buffer


def export_onnx(model, path=None, *, dtype=None):
    """Write a fitted model as an ONNX graph.

    The graph takes a batch of dense rows, ``X``, and returns ``label``, ``scores`` and,
    for `MaxEnt`, ``loss="logistic"`` and ``probability=True``, ``probabilities``; but
    not those of one-vs-one with more than two classes, which need the solution of a
    linear system. Kernel machines hold a kernel value for every row of the batch and
    every support vector.

    Parameters
    ----------
    model : LinearSVM, MaxEnt, KernelSVM or OnlineSVM
        Fitted. Not with a function as kernel; if the kernel is precomputed, ``X`` is
        the kernel of the rows with those of the training.

    path : str, PathLike or None, default=None
        Where to write it, if anywhere.

    dtype : {"float32", "float64"} or None, default=None
        Number format of the graph; None is that of the model. More runtimes know
        float32.

    Returns
    -------
    graph : onnx.ModelProto
    """
    try:
        import onnx
    except ImportError:
        raise ImportError(
            "export_onnx needs the package onnx; pip install 'polymargin[onnx]'."
        ) from None
    if not isinstance(model, LinearTraining | KernelSVM | OnlineSVM):
        raise TypeError(
            f"{type(model).__name__} is no machine of polymargin; give a LinearSVM, "
            f"MaxEnt, KernelSVM or OnlineSVM."
        )
    check_is_fitted(model)
    made = Graph(onnx, _number_format(model, dtype))
    scores = _scores(made, model)
    _name_outputs(made, model, *_answers(made, model, scores))
    proto = made.model(type(model).__name__, int(model.n_features_in_))
    if path is not None:
        if proto.ByteSize() > _MOST_BYTES:
            raise ValueError(
                f"The graph has {proto.ByteSize():,} bytes and ONNX files have less "
                f"than 2 GB; use dtype='float32', or polymargin.save."
            )
        onnx.checker.check_model(proto)
        with open_atomic(path) as file:
            file.write(proto.SerializeToString())
    return proto


def _number_format(model, dtype) -> np.dtype:
    if dtype is None:
        linear = isinstance(model, LinearTraining)
        return (model.coef_ if linear else model.dual_coef_).dtype
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype!r} must be 'float32', 'float64' or None.")
    return np.dtype(dtype)


def _name_outputs(made: Graph, model, label, scores, probabilities) -> None:
    k, labels = len(model.classes_), _labels(model.classes_)
    names = made.constant(labels, labels.dtype)
    made.call("label", made.node("Gather", names, label), labels.dtype, ["rows"])
    made.call("scores", scores, made.dtype, ["rows", k] if k > 2 else ["rows"])
    if probabilities is not None:
        made.call("probabilities", probabilities, made.dtype, ["rows", k])


def _labels(classes: np.ndarray) -> np.ndarray:
    if classes.dtype.kind in "UO":
        return classes.astype(object)
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    return classes


def _scores(made: Graph, model) -> str:
    """Return the scores of the columns of the model, one column with two classes."""
    if isinstance(model, LinearTraining):
        coef = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        products = made.node("MatMul", "X", made.constant(coef.T))
        return made.node("Add", products, made.constant(model.intercept_))
    expansion: Expansion = model._expansion
    coefficients = expansion.coefficients
    if len(model.classes_) == 2 and coefficients.shape[1] == 2:
        coefficients = coefficients[:, 1:] - coefficients[:, :1]
    values = expansion.kernel.nodes(made, expansion.points)
    return made.node("MatMul", values, made.constant(coefficients))


def _answers(made: Graph, model, scores: str) -> tuple[str, str, str | None]:
    """Return positions of labels, confidences and probabilities."""
    k, pairs = len(model.classes_), model._machine().formulation.by_pairs
    if k == 2:
        single = made.node("Squeeze", scores, made.whole(1))
        won = made.node("Greater", single, made.constant(0.0))
        return made.cast(won, np.int64), single, _of_two(made, model, scores)
    exact = scores
    if pairs:
        exact = _votes(made, scores, k)
        scores = made.cast(exact, made.dtype)
    label = made.node("ArgMax", exact, axis=1, keepdims=0)
    return label, scores, _of_many(made, model, scores, pairs)


def _votes(made: Graph, scores: str, k: int) -> str:
    """What `coupling.votes` counts, in double precision as there."""
    first, second = class_pairs(k * (k - 1) // 2)
    classes = np.arange(k)
    of_first, of_second = first[:, None] == classes, second[:, None] == classes

    def multiply(rows: str, matrix) -> str:
        return made.node("MatMul", rows, made.constant(matrix, np.float64))

    scores = made.cast(scores, np.float64)
    zero, one, three = (made.constant(value, np.float64) for value in (0, 1, 3))
    won = made.cast(made.node("Greater", scores, zero), np.float64)
    lost = made.node("Sub", one, won)
    votes = made.node("Add", multiply(won, of_second), multiply(lost, of_first))
    sums = multiply(scores, of_second * 1.0 - of_first)
    size = made.node("Mul", made.node("Add", made.node("Abs", sums), one), three)
    return made.node("Add", votes, made.node("Div", sums, size))


def _of_two(made: Graph, model, scores: str) -> str | None:
    """Return the probabilities of two classes from log-odds in one column."""
    scores = _log_odds(made, model, scores)
    if scores is None:
        return None
    both = made.node("Concat", made.node("Neg", scores), scores, axis=1)
    return made.node("Sigmoid", both)


def _of_many(made: Graph, model, scores: str, pairs: bool) -> str | None:
    logistic = getattr(model, "loss", None) == "logistic"
    if logistic and pairs:
        return None  # coupled by a linear system
    scores = _log_odds(made, model, scores)
    if scores is None:
        return None
    if logistic:  # log of the sigmoid of each
        scores = made.node("Neg", made.node("Softplus", made.node("Neg", scores)))
    return made.node("Softmax", scores, axis=1)


def _log_odds(made: Graph, model, scores: str) -> str | None:
    """Return scores in the unit of log-odds, if the model knows it."""
    if isinstance(model, MaxEnt) or getattr(model, "loss", None) == "logistic":
        return scores
    if getattr(model, "probability", False) and hasattr(model, "temperature_"):
        return made.node("Mul", scores, made.constant(model.temperature_))
    return None
