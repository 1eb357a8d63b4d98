"""What `train` tells: lines for people as it goes, or one object for programs."""

import sys

from .estimator_choice import classes_of, density
from .standard_streams import print_json


class TrainingReport:
    """Takes note of what is done, and tells it.

    Parameters
    ----------
    arguments : Namespace
    data : Data
    """

    def __init__(self, arguments, data):
        self.talks = not (arguments.json or arguments.quiet)
        self.json = arguments.json
        rows, features = data.X.shape
        classes = len(classes_of(data))
        self.found = {
            "data": arguments.data,
            "rows": rows,
            "features": features,
            "classes": classes,
        }
        self.line(
            "data",
            f"{arguments.data}: {rows:,} rows, {features:,} features "
            f"({100 * density(data.X):.3g} % not zero), {classes:,} classes",
        )

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
        words = f"{model.n_iter_} epochs, {fit.seconds:.2f} s"
        if fit.interrupted:
            words += ", stopped by Ctrl-C, nothing is certified"
        else:
            words += f", duality gap {model.dual_gap_:.1e} ({model.status_})"
        self.line("trained", words)
        self.line("model", str(target))

    def add_heldout(self, source: str, accuracy: float, rows: int) -> None:
        self.found["heldout"] = {"data": source, "rows": rows, "accuracy": accuracy}
        right = round(accuracy * rows)
        self.line("accuracy", f"{100 * accuracy:.2f} % of {source} ({right}/{rows})")

    def add_folds(self, scores) -> None:
        self.found["cross_validation"] = folds_dict(scores)
        self.line("accuracy", in_folds(scores))

    def finish(self) -> None:
        """Print the object, if that is wanted."""
        if self.json:
            print_json(self.found)


def in_folds(scores) -> str:
    """Return accuracies on folds in words."""
    mean, spread = 100 * scores.mean(), 100 * scores.std()
    return f"{mean:.2f} % ± {spread:.2f} by {len(scores)}-fold cross-validation"


def folds_dict(scores) -> dict:
    """Return accuracies on folds for JSON."""
    return {"folds": len(scores), "accuracy": scores.mean(), "scores": scores}


def point_dict(point) -> dict:
    """Return a point of a grid for JSON."""
    return {**point.parameters, **folds_dict(point.scores), "seconds": point.seconds}
