"""A machine as nodes of an ONNX graph: label, scores and probabilities."""

import numpy as np
import scipy.sparse as sp

from ...access.csr import check_compressed
from ...estimators.linear_training import LinearTraining
from ...estimators.maxent import MaxEnt
from ...machine.block_algebra import class_pairs
from ...prediction.expansion import Expansion
from .onnx_builder import Graph


def add_outputs(made: Graph, model) -> None:
    """Add all that a machine answers to a graph, as its outputs.

    Parameters
    ----------
    made : Graph
    model : LinearSVM, MaxEnt, KernelSVM or OnlineSVM
    """
    if hasattr(model, "multilabel_"):
        return _add_several(made, model)
    if hasattr(model, "centroids_"):
        raise ValueError(
            "model predicts among candidates, which is not exported to ONNX; save it "
            "by polymargin.save instead."
        )
    label, scores, probabilities = _answers(made, model, _scores(made, model))
    k, labels = len(model.classes_), _labels(model.classes_)
    names = made.constant(labels, labels.dtype)
    made.call("label", made.node("Gather", names, label), labels.dtype, ["rows"])
    made.call("scores", scores, made.dtype, ["rows", k] if k > 2 else ["rows"])
    if probabilities is not None:
        made.call("probabilities", probabilities, made.dtype, ["rows", k])


def _add_several(made: Graph, model) -> None:
    """Add the same where rows have any number of labels: a column for each class."""
    columns = ["rows", len(model.classes_)]
    scores = _scores(made, model)
    above = made.node("Greater", scores, made.constant(model.thresholds_))
    made.call("label", made.cast(above, np.int64), np.dtype(np.int64), columns)
    made.call("scores", scores, made.dtype, columns)
    if model.loss == "logistic":
        made.call("probabilities", made.node("Sigmoid", scores), made.dtype, columns)


def _labels(classes: np.ndarray) -> np.ndarray:
    if classes.dtype.kind in "UO":
        return classes.astype(object)
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    return classes


def _scores(made: Graph, model) -> str:
    """Return the scores of the columns of the model, one column with two classes."""
    if isinstance(model, LinearTraining):
        coef = check_compressed(model.coef_, "coef_")
        coef = coef.toarray() if sp.issparse(coef) else coef
        products = made.node("MatMul", made.rows, made.constant(coef.T))
        return made.node("Add", products, made.constant(model.intercept_))
    expansion: Expansion = model._expansion
    coefficients = check_compressed(expansion.coefficients, "dual_coef_")
    if sp.issparse(coefficients):
        coefficients = coefficients.toarray()
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
