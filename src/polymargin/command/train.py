"""``polymargin train``: from a file of data to a file with a model."""

import argparse
from pathlib import Path

from .data_files import is_store, read_data
from .exit_status import INTERRUPTED as STOPPED
from .exit_status import OK, UNCONVERGED, UsageError
from .label_sets import prepare
from .model_files import model_metadata, model_path
from .options import (
    DATA,
    add_column_options,
    add_data_options,
    add_html_option,
    add_machine_options,
    add_output_options,
    positive,
    weights_apart,
)
from .output_files import check_target
from .progress_display import make_progress
from .standard_streams import note

HELP = "Train a model, say how good it is, and write it to a file."
INTERRUPTED = "stopped before there was a model; nothing is written."
EXAMPLES = """\
  polymargin train table.csv                   # writes table.polymargin
  polymargin train table.csv heldout.csv       # accuracy on a held-out file
  polymargin train table.csv --label species --drop id -o flowers.polymargin
  polymargin train table.csv --columns         # what would be made of each column
  polymargin train table.csv --html table.html # the report as a page with plots
  polymargin train news.svm -c auto            # the best C by cross-validation
  polymargin train digits.npz --kernel rbf -c 10 --gamma 0.02
  polymargin train news.svm -s 4 -c 0.5 -e 0.01 -v 10     # as LIBLINEAR has it
  zcat news.svm.gz | polymargin train - --json
  polymargin train tags.svm --thresholds f1    # several labels a row: 1,5,9 3:0.4
  polymargin train big.rows --memory-limit 2GB # a row store, which `convert` makes

Columns of a table are told apart: numbers are centred and scaled, their missing
cells imputed and flagged; words are one-hot, or TF-IDF if they are text; dates are
numbers; constants and identifiers are left out. The model file has all of it, so
`predict` takes rows as they come.

Unless an option names a machine, a few linear and kernel machines are compared by
cross-validation within --budget, and the most accurate is taken; a linear one, if
it is as good. --quick trains one machine with C = 1: one-vs-one with the kernel rbf
for at most 20,000 rows of at most 1,000 features of which a tenth is not zero,
a linear Crammer-Singer machine otherwise.

Ctrl-C ends the training; the model trained so far is written, and the exit status
is 130.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    add = parser.add_argument
    add("data", help=DATA)
    add("heldout", nargs="?", help="data to measure accuracy on")
    add("--test", metavar="file", help="the same as heldout")
    add(
        "--output", "-o", metavar="file", help="the model; data.polymargin if not given"
    )
    add(
        "-c",
        "--C",
        dest="C",
        type=_C,
        metavar="number",
        help="weight of the losses, 1 if a machine is named; auto: the best by "
        "cross-validation, with gamma if there is one (also as -C)",
    )
    add("-C", dest="C", action="store_const", const="auto", help=argparse.SUPPRESS)
    add(
        "--cross-validate",
        "-v",
        type=int,
        metavar="folds",
        help="folds to measure by, 5 if there is no held-out file; 0 for none, then "
        "nothing is compared; the model is written all the same",
    )
    add(
        "--budget",
        type=positive,
        default=30.0,
        metavar="seconds",
        help="for comparing machines, 30 if not given; training and measuring the one "
        "that is taken comes on top",
    )
    add(
        "--thresholds",
        choices=("f1",),
        help="of scores, with several labels a row: those with the best F1 on rows "
        "that were left out; zero if not given",
    )
    add("--quick", action="store_true", help="compare nothing, train one machine")
    add(
        "--columns",
        action="store_true",
        help="show what would be made of each column, and train nothing",
    )
    add(
        "--memory-limit",
        metavar="bytes",
        help="what training on a row store may use, such as 2GB; half of the free "
        "memory if not given",
    )
    add_machine_options(parser)
    add_column_options(parser)
    add_data_options(parser)
    add_output_options(parser)
    add_html_option(parser)


translate = weights_apart


def _C(text: str) -> float | str:
    return text if text == "auto" else positive(text)


def run(arguments: argparse.Namespace) -> int:
    """Read, choose, train, write, measure, and say so."""
    from .. import save
    from .estimator_choice import (
        Choice,
        asks_for_machine,
        choose,
        classes_of,
        shared_parameters,
        translate_solver_type,
    )
    from .features import make_features
    from .fitting import (
        compare_machines,
        cross_validate,
        fit_model,
        folds_of,
        measured,
        search,
    )
    from .training_report import TrainingReport

    heldout = _heldout(arguments)
    target = arguments.output or model_path(arguments.data)
    given = arguments.data, *filter(None, [heldout])
    check_target(target, *given)
    if arguments.html is not None:
        check_target(arguments.html, *given, str(target))
    translate_solver_type(arguments)
    _check_store(arguments)
    data = read_data(arguments, arguments.data)
    prepare(arguments, data)
    features = make_features(arguments, data)
    data = features.known_to(data)
    if arguments.columns:
        return _show_columns(arguments, data, features)
    X, classes = features.fit(data), classes_of(data)
    choice = choose(arguments, X, classes)
    folds = None
    if not is_store(arguments.data):
        folds = folds_of(data.y, arguments.cross_validate, arguments.seed)
    if arguments.C == "auto" and folds is None:
        raise UsageError("-c auto needs at least two folds; give -v 2 or more.")
    test = None
    if heldout is not None:
        test = read_data(arguments, heldout, like=data)
    report = TrainingReport(arguments, data, features)
    progress = make_progress(arguments.quiet)
    comparison = None
    if arguments.C == "auto":
        tuning = search(
            choice,
            features,
            data,
            folds,
            arguments.n_jobs,
            progress,
            budget=arguments.budget,
        )
        choice.estimator.set_params(**tuning.best.parameters)
        report.add_tuning(tuning)
    elif arguments.C is not None:
        choice.estimator.set_params(C=arguments.C)
    elif folds is not None and not (asks_for_machine(arguments) or arguments.quick):
        shared = shared_parameters(arguments, classes)
        comparison = compare_machines(arguments, features, data, shared, progress)
        report.add_comparison(comparison)
        if comparison.best.accuracy <= comparison.baseline:
            note(
                "nothing that was tried is better than the most frequent class; the "
                "columns tell nothing of the label, or rows are too few."
            )
        choice = Choice.of(comparison, arguments)
    report.add_choice(choice)

    fit = fit_model(choice, X, data.y, progress, all_rows=comparison is None)
    model = features.pipeline(fit.model, data.feature_names)
    save(model, target, metadata=model_metadata(arguments.data, data))
    report.add_fit(fit, target)
    if fit.interrupted:
        note(f"stopped; the model trained so far is in {target}.")
        report.finish()
        return STOPPED
    try:
        if test is not None:
            _measure_heldout(heldout, test, model, report)
        if folds is not None and _wants_folds(arguments, test):
            if comparison is None:
                options = choice, features, data, folds, arguments.n_jobs, progress
                report.add_folds(*cross_validate(*options))
            else:
                report.add_folds(*measured(comparison, model.classes_))
    except KeyboardInterrupt:
        note(f"stopped; the model in {target} is complete, its accuracy is not known.")
        report.finish()
        return STOPPED
    report.finish()
    return OK if fit.converged else UNCONVERGED


def _show_columns(arguments, data, features) -> int:
    from .standard_streams import print_json

    if arguments.json:
        found = {"data": arguments.data, "columns": features.as_dicts()}
        print_json(found | {"label": data.label_name})
    elif features.columns:
        print(*features.with_label(data).lines(everything=True), sep="\n")
    else:
        print(f"features are {features.what or 'as they are'}")
    return OK


def _measure_heldout(source: str, test, model, report) -> None:
    from ..files.models.evaluation import evaluate

    if test.y is None:  # of a row store
        report.add_accuracy(source, model.score(test.X), test.X.shape[0])
    else:
        names = test.label_names
        report.add_heldout(source, evaluate(model, test.X, test.y, label_names=names))


def _check_store(arguments) -> None:
    """Say what goes with a row store only, and what does not."""
    if not is_store(arguments.data):
        if arguments.memory_limit is not None:
            raise UsageError(
                f"--memory-limit is for row stores; make one of {arguments.data} with "
                f"`polymargin convert`."
            )
        return
    if arguments.C == "auto" or arguments.cross_validate:
        raise UsageError(
            f"{arguments.data} is a row store, which has no folds; give -c a number "
            f"and measure accuracy on a held-out file."
        )


def _heldout(arguments) -> str | None:
    if arguments.heldout and arguments.test:
        raise UsageError(
            f"{arguments.heldout} and --test {arguments.test} are both held-out data; "
            f"give one."
        )
    heldout = arguments.heldout or arguments.test
    if heldout == "-" == arguments.data:
        raise UsageError("only one file can be standard input.")
    if heldout is not None and heldout != "-" and not Path(heldout).exists():
        raise FileNotFoundError(
            2,
            "No such file; the second file is held-out data, -o names the model",
            heldout,
        )
    return heldout


def _wants_folds(arguments, test) -> bool:
    """Whether accuracy is to be measured by cross-validation."""
    if arguments.C == "auto":
        return False
    return arguments.cross_validate is not None or test is None
