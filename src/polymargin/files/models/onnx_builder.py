"""An ONNX graph in the making."""

import numpy as np

from ..._version import __version__

OPSET = 18
_IR_VERSION = 9  # old enough for runtimes of the years before


class Graph:
    """Nodes and constants of a graph that is being made.

    Parameters
    ----------
    onnx : module
        Optional, and so imported by those who need it.
    dtype : dtype
        Number format of the input, and of constants.
    rows : str
        Name of the input.
    prefix : str
        What all other names begin with, where the graph is a part of another.
    """

    def __init__(self, onnx, dtype: np.dtype, rows: str = "X", prefix: str = ""):
        self.onnx, self.dtype, self.rows, self.prefix = onnx, dtype, rows, prefix
        self.nodes: list = []
        self.constants: list = []
        self.outputs: list = []

    def node(self, operator: str, *inputs: str, **attributes) -> str:
        """Add an operator, and return the name of its result."""
        result = f"{self.prefix}{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(
            self.onnx.helper.make_node(operator, inputs, [result], **attributes)
        )
        return result

    def constant(self, values, dtype=None) -> str:
        """Add an array, in the number format of the graph, and return its name."""
        array = np.ascontiguousarray(
            values, dtype=self.dtype if dtype is None else dtype
        )
        name = f"{self.prefix}constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def whole(self, *values: int) -> str:
        """Add integers, such as axes."""
        return self.constant(values, np.int64)

    def type_of(self, dtype):
        """Return ONNX's number for a type of NumPy."""
        return self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def cast(self, name: str, dtype) -> str:
        """Convert a result."""
        return self.node("Cast", name, to=self.type_of(dtype))

    def call(self, name: str, result: str, dtype, shape: list) -> None:
        """Give a result a name of its own, as an output of the graph."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [result], [name]))
        self.outputs.append(
            self.onnx.helper.make_tensor_value_info(name, self.type_of(dtype), shape)
        )

    def model(self, name: str, n_features: int):
        """Return the whole of it, for rows of so many features."""
        helper = self.onnx.helper
        rows = helper.make_tensor_value_info(
            self.rows, self.type_of(self.dtype), ["rows", n_features]
        )
        graph = helper.make_graph(
            self.nodes, name, [rows], self.outputs, self.constants
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=_IR_VERSION,
            producer_name="polymargin",
            producer_version=__version__,
        )
