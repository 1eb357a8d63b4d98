"""What `train` tells: lines for people as it goes, or one object for programs."""

import shutil
import sys
from pathlib import Path

from ..base.byte_counts import format_bytes
from ..base.counted import counted
from ..files.data.label_column import is_guessed
from .estimator_choice import classes_of, density
from .output_files import write_page
from .standard_streams import print_json

_MOST_LABELS = 30  # in tables


class TrainingReport:
    """Takes note of what is done, and tells it.

    Parameters
    ----------
    arguments : Namespace
    data : Data
    features : Features
    """

    def __init__(self, arguments, data, features):
        self.talks = not (arguments.json or arguments.quiet)
        self.json, self.html = arguments.json, arguments.html
        rows, width = data.X.shape
        classes = len(classes_of(data))
        self.found = {
            "data": arguments.data,
            "rows": rows,
            "features": width,
            "classes": classes,
        }
        if features.columns:
            self.found["columns"] = features.as_dicts()
            what = counted(width, "columns")
        else:
            what = f"{width:,} features ({100 * density(data.X):.3g} % not zero)"
        where = f" in column {data.label_name!r}" if data.label_name else ""
        self.found["label"] = data.label_name
        self.line(
            "data",
            f"{arguments.data}: {rows:,} rows, {what}, {classes:,} classes{where}",
        )
        if arguments.label is None and is_guessed(data.label_name):
            self.line("label", "in the last column; --label names another")
        for number, text in enumerate(features.lines()):
            self.line("" if number else "columns", text)

    def line(self, name: str, text: str) -> None:
        if self.talks:
            print(f"{name:<9} {text}")
            if sys.stdout.isatty():
                sys.stdout.flush()

    def add_tuning(self, tuning) -> None:
        best = tuning.best
        self.found["tuning"] = {
            "points": [point_dict(point) for point in tuning.points],
            "best": point_dict(best),
        }
        self.line("tuned", f"{len(tuning.points)} points, {in_folds(best.scores)}")

    def add_choice(self, choice) -> None:
        parameters = choice.estimator.get_params()
        names = ("machine", "loss", "kernel", "C", "gamma", "features")
        self.found["machine"] = {
            "estimator": type(choice.estimator).__name__,
            **{name: parameters[name] for name in names if name in parameters},
            "reason": choice.reason or None,
        }
        words = f"{choice}, C = {parameters['C']:g}"
        if choice.has_gamma:
            gamma = parameters["gamma"]
            words += f", gamma = {gamma if isinstance(gamma, str) else f'{gamma:g}'}"
        because = f" ({choice.reason})" if choice.reason else ""
        self.line("machine", words + because)

    def add_fit(self, fit, target) -> None:
        self.found |= fit.as_dict() | {"model": str(target)}
        model = fit.model
        words = f"{counted(model.n_iter_, 'epochs')}, {fit.seconds:.2f} s"
        if fit.interrupted:
            words += ", stopped by Ctrl-C, nothing is certified"
        else:
            words += f", duality gap {model.dual_gap_:.1e} ({model.status_})"
        if fit.rows is not None:
            words += f", on the {fit.rows:,} rows that are support vectors of a part"
        self.line("trained", words)
        size = Path(target).stat().st_size
        self.found["model_bytes"] = size
        words = f"{target}, {format_bytes(size)}"
        if hasattr(model, "n_parameters_"):
            kept = model.n_parameters_[0]
            self.found["n_parameters"] = kept
            words += f", {kept:,} weights"
        self.line("model", words)

    def add_comparison(self, comparison) -> None:
        best_of = {}
        for trial in comparison.trials:
            kind = trial.candidate.machine, trial.candidate.family
            if trial.right:
                best_of.setdefault(kind, trial)
        self.found["comparison"] = {
            "trials": [
                trial_dict(trial) | {"taken": trial is comparison.best}
                for trial in comparison.trials
                if trial.right
            ],
            "baseline": comparison.baseline,
            "complete": comparison.complete,
            "seconds": comparison.seconds,
        }
        tried = len(self.found["comparison"]["trials"])
        ended = "" if comparison.complete else ", until the --budget was spent"
        self.line(
            "compared",
            f"{tried} settings in {comparison.seconds:.1f} s{ended}; accuracy on "
            f"held-out rows of the best of each machine:",
        )
        for trial in best_of.values():
            self.line(
                "",
                f"{100 * trial.accuracy:6.2f} %  {trial.candidate} "
                f"(folds: {len(trial.scores)})",
            )
        self.line("", f"{100 * comparison.baseline:6.2f} %  the most frequent class")

    def add_accuracy(self, source: str, accuracy: float, rows: int) -> None:
        self.found["heldout"] = {"data": source, "rows": rows, "accuracy": accuracy}
        right = round(accuracy * rows)
        self.line("accuracy", f"{100 * accuracy:.2f} % of {source} ({right}/{rows})")

    def add_heldout(self, source: str, evaluation) -> None:
        self.add_accuracy(source, evaluation.accuracy, evaluation.n_rows)
        self.found["heldout"] |= evaluation.to_dict()
        self._show(evaluation)

    def add_folds(self, scores, evaluation) -> None:
        self.found["cross_validation"] = folds_dict(scores) | {
            "evaluation": evaluation.to_dict()
        }
        self.line("accuracy", in_folds(scores))
        self._show(evaluation)

    def _show(self, evaluation) -> None:
        if self.talks:
            width = shutil.get_terminal_size().columns
            print("", *evaluation.lines(_MOST_LABELS, width), sep="\n")

    def finish(self) -> None:
        """Write the page and print the object, if that is wanted."""
        if self.html is not None:
            write_page(self.html, self.found, "train")
            self.line("page", self.html)
        if self.json:
            print_json(self.found)


def in_folds(scores) -> str:
    """Return accuracies on folds in words."""
    mean, spread = 100 * scores.mean(), 100 * scores.std()
    if len(scores) == 1:
        return f"{mean:.2f} % on one fold that was held out"
    return f"{mean:.2f} % ± {spread:.2f} by {len(scores)}-fold cross-validation"


def folds_dict(scores) -> dict:
    """Return accuracies on folds for JSON."""
    return {"folds": len(scores), "accuracy": scores.mean(), "scores": scores}


def point_dict(point) -> dict:
    """Return a point of a grid for JSON."""
    return {**point.parameters, **folds_dict(point.scores), "seconds": point.seconds}


def trial_dict(trial) -> dict:
    """Return a setting that was tried, for JSON."""
    candidate = trial.candidate
    return {
        "machine": candidate.machine,
        "kernel": None if candidate.gamma is None else "rbf",
        **candidate.parameters,
        **folds_dict(trial.scores),
        "accuracy": trial.accuracy,
        "seconds": trial.seconds,
    }
