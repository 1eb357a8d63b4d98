"""``polymargin evaluate``: how good a model is on labelled data."""

import argparse

from .data_files import read_for
from .exit_status import OK, UsageError
from .model_files import read_model, which_is_the_model
from .options import DATA, add_data_options, add_html_option
from .unseen_values import note_unseen

HELP = "Measure a model on data: accuracy, precision and recall, confusions."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin evaluate news.polymargin news.t.svm
  polymargin evaluate flowers.polymargin table.csv --label species --json

A label that the model does not know counts as wrong. Balanced accuracy is
the mean recall of the labels that the data has.
"""
_MOST = 20  # labels in a table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("model", help="a file that `train` has written")
    parser.add_argument("data", help=DATA)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, for programs"
    )
    add_data_options(parser)
    add_html_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from ..files.models.evaluation import evaluate
    from .output_files import check_target, write_page
    from .standard_streams import print_json

    data_path, model_path = which_is_the_model(arguments.model, arguments.data)
    if arguments.html is not None:
        check_target(arguments.html, data_path, model_path)
    model = read_model(model_path)
    data = read_for(model, arguments, data_path)
    if data.y is None:
        raise ValueError(f"{data_path} has no labels; `predict` needs none.")
    if data.label_names is not None and arguments.html is not None:
        raise UsageError(
            f"{data_path} has several labels a row, and --html is for one; leave it "
            f"out."
        )
    evaluation = evaluate(model, data.X, data.y, label_names=data.label_names)
    note_unseen(model, data, data_path)
    found = {"model": model_path, "data": data_path} | evaluation.to_dict()
    if arguments.html is not None:
        write_page(arguments.html, found, "evaluate")
    if arguments.json:
        print_json(found)
    else:
        print(f"{model_path} on {data_path}\n", *evaluation.lines(_MOST), sep="\n")
    return OK
