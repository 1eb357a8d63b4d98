"""``polymargin convert``: data and models from one format to another."""

import argparse

from .files import (
    MODEL_SUFFIX,
    check_target,
    is_liblinear,
    is_model,
    read_any,
    read_model,
)
from .options import add_data_options
from .usage import OK, UsageError

HELP = "Convert data between svmlight, CSV and npz, and models to and from LIBLINEAR."
INTERRUPTED = "stopped; nothing is written."
EXAMPLES = """\
  polymargin convert news.svm news.npz
  polymargin convert table.csv table.svm.gz --label species
  polymargin convert news.polymargin news.model    # text, for LIBLINEAR's predict
  polymargin convert news.polymargin news.onnx
  polymargin convert news.model news.polymargin

What comes in is told by its content, what goes out by its name: .polymargin and
.onnx are models; data is .svm (or .svmlight, .libsvm), .csv, .tsv or .npz; a model
under any other name becomes LIBLINEAR's text.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("source", help="data or a model; - is data on standard input")
    parser.add_argument("target", help="the file to write")
    add_data_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the one, write the other."""
    from .. import export_liblinear, export_onnx, save, save_data

    source, target = arguments.source, arguments.target
    check_target(target, source)
    if is_model(source) or is_liblinear(source):
        model = read_model(source)
        if target.endswith(MODEL_SUFFIX):
            save(model, target, metadata={"data": source})
        elif target.endswith(".onnx"):
            export_onnx(model, target)
        else:
            export_liblinear(model, target)
        return OK
    if target.endswith((MODEL_SUFFIX, ".onnx")):
        raise UsageError(
            f"{source} is no model, so it cannot become {target}; train one with "
            f"`polymargin train {source}`."
        )
    data = read_any(arguments, source)
    save_data(data.X, data.y, target, feature_names=data.feature_names)
    return OK
