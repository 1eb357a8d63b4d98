"""``polymargin predict``: a label for each row."""

import argparse

from .data_files import read_for
from .exit_status import OK, UsageError
from .label_sets import names_for, predicted_words
from .model_files import read_model, which_is_the_model
from .options import DATA, add_data_options
from .output_files import open_text_output
from .unseen_values import note_unseen

HELP = "Predict the label of each row, one a line."
INTERRUPTED = "stopped; an output file is not written."
EXAMPLES = """\
  polymargin predict new.svm news.polymargin              # labels on standard output
  polymargin predict new.svm news.polymargin labels.txt
  polymargin predict new.csv flowers.polymargin --probabilities
  cat new.svm | polymargin predict - news.polymargin | sort | uniq -c

If the data has labels that the model knows, standard error says how many are right.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    add = parser.add_argument
    add("data", help=DATA + "; labels may be missing")
    add("model", help="a file that `train` has written")
    add("output", nargs="?", help="where to write; standard output if not given")
    add("-o", "--output", dest="target", metavar="file", help="the same as output")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--scores",
        action="store_true",
        help="the label and the score of each class, after a line that names them",
    )
    group.add_argument(
        "--probabilities",
        "-b",
        action="store_true",
        help="the label and the probability of each class, after such a line",
    )
    add("--quiet", "-q", action="store_true", help="say nothing of accuracy")
    add_data_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict and write."""
    from ..files.data.label_rule import label_texts
    from .standard_streams import flush_output

    if arguments.output and arguments.target:
        raise UsageError(
            f"{arguments.output} and --output {arguments.target} are both where to "
            f"write; give one."
        )
    target = arguments.output or arguments.target
    data_path, model_path = which_is_the_model(arguments.model, arguments.data)
    model = read_model(model_path)
    values = _values_of(model, arguments)
    data = read_for(model, arguments, data_path, optional=True)
    predicted = predicted_words(model, model.predict(data.X))
    note_unseen(model, data, data_path)
    with open_text_output(target) as stream:
        if values is None:
            stream.writelines(f"{label}\n" for label in predicted)
        else:
            names = names_for(model)
            names = model.classes_ if names is None else names
            stream.write("labels " + " ".join(label_texts(names)) + "\n")
            for label, row in zip(predicted, values(data.X).tolist(), strict=True):
                numbers = " ".join(f"{number:.9g}" for number in row)
                stream.write(f"{label} {numbers}\n")
    flush_output()
    if not arguments.quiet and data.y is not None:
        _tell_accuracy(data.y, data.label_names, predicted, model)
    return OK


def _values_of(model, arguments):
    """Return the function whose values follow each label, if any."""
    import numpy as np

    if arguments.probabilities:
        if not hasattr(model, "predict_proba"):
            raise UsageError(
                "--probabilities: this model has none; train it with --machine maxent, "
                "with --loss logistic or, if it has a kernel, with --probability."
            )
        return model.predict_proba
    if not arguments.scores:
        return None

    def scores(X):
        found = model.decision_function(X)
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    return scores


def _tell_accuracy(labels, label_names, predicted: list[str], model) -> None:
    import sys

    from ..files.data.label_rule import label_texts
    from ..files.data.label_sets import words_of_sets

    if label_names is not None:
        truth = words_of_sets(labels, label_names).tolist()
        if not any(truth):
            return  # nobody has said
    else:
        truth = label_texts(labels)
    if label_names is None and set(truth).isdisjoint(label_texts(model.classes_)):
        return  # they stand for nothing, as the zeros of unlabelled svmlight text
    right = sum(map(str.__eq__, truth, predicted))
    share = 100 * right / len(truth)
    print(f"Accuracy = {share:.4f}% ({right}/{len(truth)})", file=sys.stderr)
