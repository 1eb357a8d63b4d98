"""Our classes for skl2onnx, which converts pipelines of scikit-learn."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import MissingIndicator

from ...base.annotations import Estimator, Rows
from ...estimators.kernel_svm import KernelSVM
from ...estimators.linear_svm import LinearSVM
from ...estimators.maxent import MaxEnt
from ...estimators.online_svm import OnlineSVM
from ...tables.words import Words
from .onnx_builder import OPSET, Graph
from .onnx_machines import add_outputs

# What skl2onnx asks of the last step of a pipeline; probabilities are a matrix anyway.
_OPTIONS = {"zipmap": [True, False, "columns"]}


def import_skl2onnx() -> Any:
    """Return the module, or say how to install it."""
    try:
        import skl2onnx
    except ImportError:
        raise ImportError(
            "pipelines are converted by the package skl2onnx; pip install "
            "'polymargin[onnx]'."
        ) from None
    return skl2onnx


def register_onnx_converters() -> None:
    """Let skl2onnx convert pipelines with our machines.

    After it, ``skl2onnx.convert_sklearn`` and ``skl2onnx.to_onnx`` know `LinearSVM`,
    `MaxEnt`, `KernelSVM` and `OnlineSVM`: the outputs are ``label``, ``scores`` and,
    where the machine has them, ``probabilities``, as those of `export_onnx`, which
    needs no such call. Registered are also the transformers of `tabular` and
    scikit-learn's `MissingIndicator`, which skl2onnx does not know. To be called once;
    again is no harm.

    Examples
    --------
    >>> import skl2onnx  # doctest: +SKIP
    >>> polymargin.register_onnx_converters()  # doctest: +SKIP
    >>> graph = skl2onnx.to_onnx(model, X[:1])  # doctest: +SKIP
    """
    register = import_skl2onnx().update_registered_converter
    for estimator in (LinearSVM, MaxEnt, KernelSVM, OnlineSVM):
        alias = f"Polymargin{estimator.__name__}"
        register(
            estimator,
            alias,
            _shapes,
            _convert_machine,
            parser=_parse_machine,
            options=_OPTIONS,
        )
    register(Words, "PolymarginWords", _shape_of_words, _convert_words)
    register(Sublinear, "PolymarginSublinear", _same_shape, _convert_sublinear)
    register(MissingIndicator, "PolymarginFlags", _shape_of_flags, _convert_flags)


def _outputs_of(machine: Any, dtype: Any, name: str = "", rows: str = "X") -> Graph:
    """Return the graph of a machine, for rows of a type."""
    import onnx

    made = Graph(onnx, np.dtype(dtype), rows, name)
    add_outputs(made, machine)
    return made


def _dtype_of(variable: Any) -> np.dtype:
    from skl2onnx.common.data_types import DoubleTensorType

    double = isinstance(variable.type, DoubleTensorType)
    return np.dtype(np.float64 if double else np.float32)


def _tensor_type(value: Any) -> Any:
    """Return the type of an output in the terms of skl2onnx."""
    from onnx import TensorProto
    from skl2onnx.common import data_types

    tensor = value.type.tensor_type
    shape = [one.dim_value or None for one in tensor.shape.dim]
    kinds = {
        TensorProto.FLOAT: data_types.FloatTensorType,
        TensorProto.DOUBLE: data_types.DoubleTensorType,
        TensorProto.INT64: data_types.Int64TensorType,
        TensorProto.STRING: data_types.StringTensorType,
        TensorProto.BOOL: data_types.BooleanTensorType,
    }
    return kinds[tensor.elem_type](shape)


def _parse_machine(
    scope: Any, model: Estimator, inputs: Any, custom_parsers: Any = None
) -> Any:
    """Say what comes out of a machine."""
    operator = scope.declare_local_operator(f"Polymargin{type(model).__name__}", model)
    operator.inputs = inputs
    for value in _outputs_of(model, _dtype_of(inputs[0])).outputs:
        operator.outputs.append(
            scope.declare_local_variable(value.name, _tensor_type(value))
        )
    return operator.outputs


def _shapes(operator: Any) -> None:
    dtype = _dtype_of(operator.inputs[0])
    values = _outputs_of(operator.raw_operator, dtype).outputs
    for variable, value in zip(operator.outputs, values, strict=True):
        variable.type = _tensor_type(value)


def _convert_machine(scope: Any, operator: Any, container: Any) -> None:
    """Put our nodes into the graph of skl2onnx."""
    import onnx

    if container.target_opset < OPSET:
        raise RuntimeError(
            f"machines of polymargin need target_opset={OPSET}, at least"
        )
    dtype = _dtype_of(operator.inputs[0])
    prefix = f"{scope.get_unique_operator_name('polymargin')}_"
    names = [variable.full_name for variable in operator.inputs]
    rows = f"{prefix}rows"
    joined = names[0]
    if len(names) > 1:
        joined = f"{prefix}joined"
        container.add_node("Concat", names, joined, name=f"{prefix}join", axis=1)
    number = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    container.add_node("Cast", joined, rows, name=f"{prefix}cast", to=number)
    made = _outputs_of(operator.raw_operator, dtype, prefix, rows)
    container.initializers.extend(made.constants)
    given = {
        value.name: variable.full_name
        for value, variable in zip(made.outputs, operator.outputs, strict=True)
    }
    value_of = onnx.helper.get_attribute_value
    for at, node in enumerate(made.nodes):
        container.add_node(
            node.op_type,
            list(node.input),
            [given.get(name, name) for name in node.output],
            op_version=OPSET,
            name=f"{prefix}{at}",
            **{one.name: value_of(one) for one in node.attribute},
        )


def _shape_of_words(operator: Any) -> None:
    from skl2onnx.common.data_types import StringTensorType

    width = sum(variable.type.shape[1] for variable in operator.inputs)
    operator.outputs[0].type = StringTensorType([None, width])


def _convert_words(scope: Any, operator: Any, container: Any) -> None:
    """Words as they are; "" is a missing one."""
    import onnx

    name = scope.get_unique_operator_name("polymargin_words")
    words, result = operator.inputs[0].full_name, operator.outputs[0].full_name
    missing = operator.raw_operator.missing
    if not missing:
        container.add_node("Identity", words, result, name=name)
        return
    container.add_node(
        "LabelEncoder",
        words,
        f"{name}_told",
        op_domain="ai.onnx.ml",
        op_version=2,
        name=f"{name}_tell",
        keys_strings=[""],
        values_int64s=[1],
        default_int64=0,
    )
    container.add_node(
        "Cast",
        f"{name}_told",
        f"{name}_none",
        name=f"{name}_cast",
        to=onnx.TensorProto.BOOL,
    )
    container.initializers.append(
        onnx.numpy_helper.from_array(np.array([missing], object), f"{name}_missing")
    )
    container.add_node(
        "Where", [f"{name}_none", f"{name}_missing", words], result, name=name
    )


class Sublinear(TransformerMixin, BaseEstimator):
    """Counts as TF-IDF takes them with ``sublinear_tf=True``: 1 + log x, 0 of 0."""

    def transform(self, X: Rows) -> Any:
        """Return the same shape."""
        with np.errstate(divide="ignore"):
            return np.maximum(1 + np.log(X), 0)


def _same_shape(operator: Any) -> None:
    operator.outputs[0].type = copy(operator.inputs[0].type)


def _convert_sublinear(scope: Any, operator: Any, container: Any) -> None:
    import onnx

    name = scope.get_unique_operator_name("polymargin_sublinear")
    one = np.ones(1, _dtype_of(operator.inputs[0]))
    container.initializers.append(onnx.numpy_helper.from_array(one, f"{name}_one"))
    counts, log = operator.inputs[0].full_name, f"{name}_log"
    container.add_node("Log", counts, log, name=f"{name}_logarithm")
    container.add_node("Add", [log, f"{name}_one"], f"{name}_sum", name=f"{name}_add")
    result = operator.outputs[0].full_name
    container.add_node("Relu", f"{name}_sum", result, name=name)


def _shape_of_flags(operator: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    double = _dtype_of(operator.inputs[0]) == np.float64
    kind = DoubleTensorType if double else FloatTensorType
    operator.outputs[0].type = kind([None, len(operator.raw_operator.features_)])


def _convert_flags(scope: Any, operator: Any, container: Any) -> None:
    """NaN as 1, numbers as 0, of the columns that have NaN in training."""
    import onnx

    flags = operator.raw_operator
    if not np.isnan(flags.missing_values):
        raise NotImplementedError("missing values other than NaN have no flags in ONNX")
    name = scope.get_unique_operator_name("polymargin_flags")
    number = onnx.helper.np_dtype_to_tensor_dtype(_dtype_of(operator.inputs[0]))
    at = onnx.numpy_helper.from_array(flags.features_.astype(np.int64), f"{name}_at")
    container.initializers.append(at)
    rows = operator.inputs[0].full_name
    container.add_node(
        "Gather", [rows, f"{name}_at"], f"{name}_of", name=f"{name}_gather", axis=1
    )
    container.add_node("IsNaN", f"{name}_of", f"{name}_nan", name=f"{name}_is_nan")
    container.add_node(
        "Cast", f"{name}_nan", operator.outputs[0].full_name, name=name, to=number
    )
