"""``polymargin tune``: the best C, and gamma of a kernel, by cross-validation."""

import argparse

from .data_files import is_store, read_data
from .exit_status import INTERRUPTED as STOPPED
from .exit_status import OK, UNCONVERGED, UsageError
from .model_files import model_metadata
from .options import (
    DATA,
    add_column_options,
    add_data_options,
    add_machine_options,
    add_output_options,
    numbers,
    positive,
    weights_apart,
)
from .output_files import check_target
from .progress_display import make_progress

HELP = "Find the best C, and gamma of a kernel, by cross-validation."
INTERRUPTED = "stopped; nothing is written."
EXAMPLES = """\
  polymargin tune news.svm                        # C of a linear machine
  polymargin tune digits.npz --kernel rbf         # C and gamma
  polymargin tune news.svm --Cs 0.01,0.1,1,10 --no-growth -o news.polymargin
  polymargin tune news.svm -m ww --json
  polymargin tune letter.npz --budget 60          # at most a minute

A grid goes on beyond its edge as long as the best point is there, and clearly better
than its neighbour.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    add = parser.add_argument
    add("data", help=DATA)
    add("--Cs", type=numbers, metavar="numbers", help="with commas; powers of 2 or 4")
    add("--gammas", type=numbers, metavar="numbers", help="around that of scale")
    add("--no-growth", action="store_true", help="stay within the grid")
    add(
        "--budget",
        type=positive,
        metavar="seconds",
        help="most of the whole search; what it has found by then is the answer",
    )
    add("--cross-validate", "-v", type=int, metavar="folds", help="5 if not given")
    add("--output", "-o", metavar="file", help="write the model of the best point")
    add_machine_options(parser)
    add_column_options(parser)
    add_data_options(parser)
    add_output_options(parser)


translate = weights_apart


def run(arguments: argparse.Namespace) -> int:
    """Search, print the table, and train with the best if asked to."""
    from .. import save
    from .estimator_choice import choose, classes_of, translate_solver_type
    from .features import make_features
    from .fitting import fit_model, folds_of, search
    from .standard_streams import print_json
    from .training_report import in_folds, point_dict

    if arguments.output is not None:
        check_target(arguments.output, arguments.data)
    translate_solver_type(arguments)
    if is_store(arguments.data):
        raise UsageError(
            f"{arguments.data} is a row store, which has no folds; tune on a sample of "
            f"its rows in a file."
        )
    data = read_data(arguments, arguments.data)
    if data.label_names is not None:
        raise UsageError(
            f"{arguments.data} has several labels a row, and tune takes one; use "
            f"`polymargin train`."
        )
    features = make_features(arguments, data)
    data = features.known_to(data)
    X = features.fit(data)
    choice = choose(arguments, X, classes_of(data))
    if arguments.gammas is not None and not choice.has_gamma:
        raise UsageError("--gammas means nothing without a kernel; add --kernel rbf.")
    folds = folds_of(data.y, arguments.cross_validate, arguments.seed)
    if folds is None:
        raise UsageError("-v 0 leaves nothing to choose by; give 2 or more.")
    progress = make_progress(arguments.quiet)
    tuning = search(
        choice,
        features,
        data,
        folds,
        arguments.n_jobs,
        progress,
        arguments.Cs,
        arguments.gammas,
        grow=not arguments.no_growth,
        budget=arguments.budget,
    )
    found = {
        "data": arguments.data,
        "machine": str(choice),
        "points": [point_dict(point) for point in tuning.points],
        "best": point_dict(tuning.best),
        "search_status": tuning.status,
    }
    talks = not (arguments.json or arguments.quiet)
    if talks:
        best = ", ".join(f"{k} = {v:.4g}" for k, v in tuning.best.parameters.items())
        print(
            f"{choice}\n\n{tuning}\n\nbest      {best}: {in_folds(tuning.best.scores)}"
        )
        if tuning.status == "max_time":
            tried = len(tuning.points)
            print(f"          the time was over after {tried} points; see --budget")
    status = OK
    if arguments.output is not None:
        choice.estimator.set_params(**tuning.best.parameters)
        fit = fit_model(choice, X, data.y, progress)
        model = features.pipeline(fit.model, data.feature_names)
        save(model, arguments.output, metadata=model_metadata(arguments.data, data))
        found |= fit.as_dict() | {"model": arguments.output}
        status = STOPPED if fit.interrupted else OK if fit.converged else UNCONVERGED
        if talks:
            print(f"model     {arguments.output}")
    if arguments.json:
        print_json(found)
    return status
