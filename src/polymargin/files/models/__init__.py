"""Models outside of the process: files, other programs' formats, descriptions.

=================== ==========================================================
save_load           `save` and `load`: what is in a model file
layout              the registry of classes that a file can hold: a row for each
estimator_layouts   rows of our estimators, and what must agree in them
compound_layouts    pipelines, unions, column transformers
transformer_layouts transformers of scikit-learn; table_layouts, our own
transformer_checks  what must agree in transformers
estimator_entries   an estimator, and those that it is made of, in the document
attribute_codecs    how attributes are written, and read with care
transformer_codecs  categories, vocabularies and other parts of transformers
kernel_codecs       kernels and expansions
online_codec        the driver of `OnlineSVM`
tensors             arrays as tensors of a file
json_values         numbers and text as JSON
safetensors_file    the bytes of a file
liblinear           LIBLINEAR's model files
onnx_graph          ONNX, for other runtimes; onnx_machines and onnx_builder, nodes
onnx_pipelines      ONNX of whole pipelines; onnx_converters, for skl2onnx
inspection          `describe`: looks into a model
description         what there is to say about it; text_table, its tables
evaluation          what its predictions on data are worth
=================== ==========================================================
"""

from .errors import ModelFileError
from .save_load import load, read_metadata, save

__all__ = ["ModelFileError", "load", "read_metadata", "save"]
