"""ONNX: a fitted model as a graph of matrix operations, for other runtimes.

The graph has the input ``X`` and the outputs ``label``, ``scores`` (what
`decision_function` returns) and, where the model has them, ``probabilities``.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...base.annotations import Estimator, FilePath
from ...estimators.linear_training import LinearTraining
from ...explanation.parts import MACHINES
from ..atomic import open_atomic
from .onnx_builder import Graph
from .onnx_machines import add_outputs
from .onnx_pipelines import pipeline_graph

_MOST_BYTES = 2**31 - 2**20  # of a protocol buffer


def export_onnx(
    model: Estimator, path: FilePath | None = None, *, dtype: Any = None
) -> Any:
    """Write a fitted model, or a whole pipeline, as an ONNX graph.

    The graph takes a batch of dense rows, ``X``, and returns ``label``, ``scores`` and,
    for `MaxEnt`, ``loss="logistic"`` and ``probability=True``, ``probabilities``; but
    not those of one-vs-one with more than two classes, which need the solution of a
    linear system. Kernel machines hold a kernel value for every row of the batch and
    every support vector.

    Of a pipeline, transformers are converted by skl2onnx. The graph takes rows as the
    pipeline does: if it was fitted to a table with columns of several kinds, there is
    an input for each column, of shape (rows, 1): numbers of type float32, and strings,
    where "" is a missing one.

    Parameters
    ----------
    model : LinearSVM, MaxEnt, KernelSVM, OnlineSVM, or a pipeline that ends with one
        Fitted. Not with a function as kernel; if the kernel is precomputed, ``X`` is
        the kernel of the rows with those of the training.

    path : str, PathLike or None, default=None
        Where to write it, if anywhere.

    dtype : {"float32", "float64"} or None, default=None
        Number format of the graph; None is that of the model, and float32 for a
        pipeline. More runtimes know float32.

    Returns
    -------
    graph : onnx.ModelProto

    Examples
    --------
    >>> import polymargin
    >>> model = polymargin.MaxEnt().fit([[0.0], [1.0]], [0, 1])
    >>> graph = polymargin.export_onnx(model).graph
    >>> [output.name for output in graph.output]
    ['label', 'scores', 'probabilities']
    """
    try:
        import onnx
    except ImportError:
        raise ImportError(
            "export_onnx needs the package onnx; pip install 'polymargin[onnx]'."
        ) from None
    if isinstance(model, MACHINES):
        check_is_fitted(model)
        made = Graph(onnx, _number_format(model, dtype))
        add_outputs(made, model)
        proto = made.model(type(model).__name__, int(model.n_features_in_))
    else:
        proto = pipeline_graph(model, _number_format(None, dtype or "float32"))
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


def _number_format(model: Estimator, dtype: Any) -> np.dtype:
    if dtype is None:
        linear = isinstance(model, LinearTraining)
        return (model.coef_ if linear else model.dual_coef_).dtype
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype!r} must be 'float32', 'float64' or None.")
    return np.dtype(dtype)
