"""``polymargin inspect``: what is in a model."""

import argparse

from .data_files import is_store, read_for
from .exit_status import OK, UsageError
from .model_files import read_model, which_is_the_model
from .options import DATA, add_data_options

HELP = "Show a model (machine, sizes, gap, features, support vectors) or a row store."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin inspect news.polymargin
  polymargin inspect flowers.polymargin --top 3
  polymargin inspect news.polymargin news.t.svm     # with a confusion table
  polymargin inspect news.polymargin --json
  polymargin inspect big.rows
"""
_MOST = 20  # labels of a row store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    add = parser.add_argument
    add("model", help="a file that `train` has written, or a text model of LIBLINEAR")
    add("data", nargs="?", help=DATA)
    add("--top", type=int, default=10, metavar="number", help="features of a class")
    add("--json", action="store_true", help="print one JSON object, for programs")
    add_data_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Describe and print."""
    from .. import describe
    from .standard_streams import print_json

    path, data_path = arguments.model, arguments.data
    if data_path is None and is_store(path):
        _show_store(path, arguments.json)
        return OK
    if data_path is not None:
        data_path, path = which_is_the_model(path, data_path)
    model = read_model(path)
    names = getattr(model, "feature_names_in_", None)
    X = y = None
    if data_path is not None:
        data = read_for(model, arguments, data_path)
        X, y = data.X, data.y
        if data.label_names is not None:
            raise UsageError(
                f"{data_path} has several labels a row, and inspect takes one; use "
                f"`polymargin evaluate`."
            )
        if y is None:
            raise ValueError(f"{data_path} has no labels; put one before each row.")
    if names is not None and not hasattr(model, "steps"):
        model.feature_names_in_ = names
    description = describe(model, X, y, top=arguments.top)
    if arguments.json:
        print_json({"model": path} | description.to_dict())
    else:
        print(f"{path}\n\n{description}")
    return OK


def _show_store(path: str, as_json: bool) -> None:
    from ..access.row_store.store import open_rows
    from .standard_streams import print_json

    found = open_rows(path).summary()
    if as_json:
        print_json({"store": path} | found)
        return
    print(f"{path}\n")
    for name, value in found.items():
        if name != "labels":
            text = f"{value:,}" if type(value) is int else f"{value}"
            print(f"{name.replace('_', ' '):<9} {text}")
    for label, rows in (found["labels"] or [])[:_MOST]:
        print(f"  {label}: {rows:,} rows")
    if found["labels"] and len(found["labels"]) > _MOST:
        print(f"  and {len(found['labels']) - _MOST:,} labels more")
