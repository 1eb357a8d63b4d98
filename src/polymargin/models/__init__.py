"""Models outside of the process: files, other programs' formats, descriptions.

=========== ==================================================================
files       `save` and `load`: what is in a model file
layouts     what the estimators are made of, and what must agree in them
kinds       how kinds of attributes are written, and read with care
kernels     kernels and expansions
online      the driver of `OnlineSVM`
arrays      arrays as tensors of a file
values      numbers and text as JSON
container   the safetensors format: the bytes of a file
liblinear   LIBLINEAR's model files
onnx_graph  ONNX, for other runtimes; graph, its nodes
inspection  `describe`: looks into a model
description what there is to say about it; text, its tables
evaluation  what its predictions on data are worth
=========== ==================================================================
"""

from .errors import ModelFileError
from .files import load, read_metadata, save

__all__ = ["ModelFileError", "load", "read_metadata", "save"]
