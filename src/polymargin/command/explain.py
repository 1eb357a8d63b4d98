"""``polymargin explain``: why a model says what it says."""

import argparse

from .data_files import read_for
from .exit_status import OK, UsageError
from .model_files import read_model, which_is_the_model
from .options import DATA, add_data_options
from .output_files import check_target

HELP = "Explain a model, or the prediction of a row: which features decide."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin explain news.polymargin                      # words of each class
  polymargin explain flowers.polymargin iris.csv          # which columns matter
  polymargin explain flowers.polymargin iris.csv 83       # why this row is its class
  polymargin explain flowers.polymargin iris.csv 83 --against virginica
  polymargin explain flowers.polymargin iris.csv --plot columns.png

Rows are counted from 0. A feature of a linear machine contributes its value times
the difference of the weights of the two classes. A machine with a kernel has no
weights: columns are shuffled, and what accuracy that costs is their importance.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    add = parser.add_argument
    add("model", help="a file that `train` has written, or a text model of LIBLINEAR")
    add("data", nargs="?", help=DATA)
    add("row", nargs="?", type=int, help="number of a row of the data, from 0")
    add("--against", metavar="label", help="the class to compare the row's to")
    add("--top", type=int, default=10, metavar="number", help="features to tell")
    add("--plot", metavar="file", help="draw it, with matplotlib: .png, .svg or .pdf")
    add("--json", action="store_true", help="print one JSON object, for programs")
    add("--seed", type=int, default=0, metavar="number", help="of the shuffling")
    add_data_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explain and print."""
    from .. import explain
    from ..estimators.linear_training import LinearTraining
    from ..explanation.parts import take_apart
    from ..files.data.label_rule import labels_like
    from .standard_streams import print_json

    path, data_path = arguments.model, arguments.data
    if data_path is not None:
        data_path, path = which_is_the_model(path, data_path)
    if arguments.plot is not None:
        check_target(arguments.plot, *filter(None, [path, data_path]))
    model = read_model(path)
    if data_path is None and not isinstance(take_apart(model)[1], LinearTraining):
        raise UsageError(
            f"the machine in {path} has a kernel, and so no weight for a feature; give "
            f"a file of data, to see which of its columns matter."
        )
    names = getattr(model, "feature_names_in_", None)
    X = y = against = None
    if data_path is not None:
        data = read_for(model, arguments, data_path, optional=True)
        X, y = data.X, data.y
        if y is None and arguments.row is None:
            raise UsageError(
                f"{data_path} has no labels to measure accuracy by; give the number of "
                f"a row to explain."
            )
    if arguments.against is not None:
        if arguments.row is None:
            raise UsageError("--against goes with the number of a row.")
        import numpy as np

        against = labels_like(np.array([arguments.against]), model.classes_)[0]
    told = explain(
        model,
        X,
        None if arguments.row is not None else y,
        row=arguments.row,
        against=against,
        feature_names=names,
        top=arguments.top,
        random_state=arguments.seed,
    )
    if arguments.plot is not None:
        told.plot().savefig(arguments.plot, dpi=150)
    if arguments.json:
        print_json({"model": path} | told.to_dict())
    else:
        print(told)
    return OK
