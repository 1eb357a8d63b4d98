"""Models outside of the process: files, other programs' formats, descriptions.

================= ============================================================
save_load         `save` and `load`: what is in a model file
estimator_layouts what the estimators are made of, and what must agree in them
attribute_codecs  how attributes are written, and read with care
kernel_codecs     kernels and expansions
online_codec      the driver of `OnlineSVM`
tensors           arrays as tensors of a file
json_values       numbers and text as JSON
safetensors_file  the bytes of a file
liblinear         LIBLINEAR's model files
onnx_graph        ONNX, for other runtimes; onnx_builder, its nodes
inspection        `describe`: looks into a model
description       what there is to say about it; text_table, its tables
evaluation        what its predictions on data are worth
================= ============================================================
"""

from .errors import ModelFileError
from .save_load import load, read_metadata, save

__all__ = ["ModelFileError", "load", "read_metadata", "save"]
