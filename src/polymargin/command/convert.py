"""``polymargin convert``: data and models from one format to another."""

import argparse

from .data_files import load_options, read_any
from .exit_status import OK, UsageError
from .model_files import MODEL_SUFFIX, STORE_SUFFIX, is_liblinear, is_model, read_model
from .options import add_data_options
from .output_files import check_target

HELP = "Convert data between formats, to row stores, and models from and to others."
INTERRUPTED = "stopped; nothing is written."
EXAMPLES = """\
  polymargin convert news.svm news.npz
  polymargin convert table.csv table.svm.gz --label species
  polymargin convert news.polymargin news.model    # text, for LIBLINEAR's predict
  polymargin convert news.polymargin news.onnx
  polymargin convert news.model news.polymargin
  polymargin convert big.svm.gz big.rows --dtype float32   # more than memory holds

What comes in is told by its content, what goes out by its name: .polymargin and
.onnx are models; data is .svm (or .svmlight, .libsvm), .csv, .tsv or .npz, and .rows
is a folder with shuffled rows to train from disk, made in one pass with bounded
memory; a model under any other name becomes LIBLINEAR's text.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("source", help="data or a model; - is data on standard input")
    parser.add_argument("target", help="the file to write")
    add_data_options(parser)
    add = parser.add_argument_group("row stores").add_argument
    add(
        "--dtype",
        choices=("float32", "float64"),
        help="of the values; those of arrays, or float64, if not given",
    )
    add("--memory-limit", default="1GB", metavar="bytes", help="1GB if not given")
    add(
        "--segment-size",
        "--block-size",
        default="64MB",
        metavar="bytes",
        help="of a file of rows; 64MB if not given",
    )
    add("--seed", type=int, default=0, metavar="number", help="0 if not given")
    add("--quiet", "-q", action="store_true", help="show no progress")


def run(arguments: argparse.Namespace) -> int:
    """Read the one, write the other."""
    from .. import export_liblinear, export_onnx, save, save_data

    source, target = arguments.source, arguments.target
    store = target.rstrip("/").endswith(STORE_SUFFIX)
    if not store:
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
    if store:
        _make_store(arguments)
        return OK
    data = read_any(arguments, source)
    save_data(
        data.X,
        data.y,
        target,
        feature_names=data.feature_names,
        label_names=data.label_names,
    )
    return OK


def _make_store(arguments: argparse.Namespace) -> None:
    """Convert to a row store, with progress; one of that name is replaced."""
    from ..files.conversion.conversion import convert
    from .progress_display import make_progress

    progress = make_progress(arguments.quiet)
    try:
        convert(
            arguments.source,
            arguments.target,
            **load_options(arguments),
            dtype=arguments.dtype,
            segment_size=arguments.segment_size,
            memory_limit=arguments.memory_limit,
            random_state=arguments.seed,
            overwrite=True,
            watch=lambda rows, share: progress.show(share or 0.0, f"{rows:,} rows"),
        )
    finally:
        progress.clear()
