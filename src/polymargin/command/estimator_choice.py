"""From the words of a command line and the shape of the data to an estimator."""

import argparse
from dataclasses import dataclass

from ..machine.registry import FORMULATIONS
from .exit_status import UsageError
from .standard_streams import note

# LIBLINEAR's -s: machine, loss, solver; which one does not matter for its default way
# to logistic regression.
_SOLVER_TYPES = {
    number: (row.name, loss, solver if number > 0 else None)
    for row in FORMULATIONS.values()
    for number, (_, loss, solver) in row.liblinear.items()
}
_UNSUPPORTED = {
    5: "-s 5 has an L1 penalty, which is not here; for a sparse model use "
    "--machine ovr --loss squared_hinge --features reduced",
    6: "-s 6 has an L1 penalty, which is not here; for a sparse model use "
    "--machine ovr --loss logistic --features reduced",
    11: "-s 11 is regression, which is not here; use LIBLINEAR itself",
    12: "-s 12 is regression, which is not here; use LIBLINEAR itself",
    13: "-s 13 is regression, which is not here; use LIBLINEAR itself",
    21: "-s 21 finds outliers, which is not here; use LIBLINEAR itself",
}
_LINEAR_SOLVERS = ("dual", "tron", "exponentiated_gradient", "cutting_plane")
_KERNEL_SOLVERS = ("binary", "block", "s2do", "smo")
# A kernel is taken unasked where it trains in seconds.
MOST_ROWS, MOST_FEATURES, LEAST_DENSITY = 20_000, 1_000, 0.1


@dataclass(frozen=True)
class Choice:
    """An estimator that is ready to be trained, and why it is this one.

    Attributes
    ----------
    estimator : estimator
    reason : str
        In words; empty if the user has chosen.
    """

    estimator: object
    reason: str

    @classmethod
    def of(cls, comparison, arguments: argparse.Namespace) -> "Choice":
        """Return the machine that a comparison has found best."""
        options = {"random_state": arguments.seed, "n_jobs": arguments.n_jobs}
        estimator = comparison.best.candidate.estimator(**options)
        return cls(estimator, comparison.reason)

    @property
    def has_kernel(self) -> bool:
        return "kernel" in self.estimator.get_params()

    @property
    def has_gamma(self) -> bool:
        return self.has_kernel and self.estimator.kernel != "linear"

    def __str__(self) -> str:
        estimator = self.estimator
        parameters = estimator.get_params()
        words = [estimator._machine().formulation.full_name]
        if parameters.get("loss", "hinge") != "hinge":
            words.append(f"{parameters['loss'].replace('_', ' ')} loss")
        words.append(f"{estimator.kernel} kernel" if self.has_kernel else "linear")
        return ", ".join(words)


def translate_solver_type(arguments: argparse.Namespace) -> None:
    """Set machine, loss and solver as LIBLINEAR's -s says, and say so.

    It needs no data, so that a misuse is told before they are read.
    """
    number = arguments.solver_type
    if number is None:
        return
    if arguments.machine or arguments.loss or arguments.solver:
        raise UsageError(
            f"-s {number} names machine, loss and solver; leave out --machine, --loss "
            f"and --solver, or -s."
        )
    if number not in _SOLVER_TYPES:
        *first, last = sorted(_SOLVER_TYPES)
        few = ", ".join(map(str, first))
        known = f"-s {number} is not known; choose from {few} and {last}"
        raise UsageError(_UNSUPPORTED.get(number, known) + ".")
    arguments.machine, arguments.loss, arguments.solver = _SOLVER_TYPES[number]
    words = f"-s {number} is --machine {arguments.machine} --loss {arguments.loss}"
    if arguments.solver is not None:
        words += f" --solver {arguments.solver}"
    if arguments.bias is None:
        words += "; there is an intercept, which -B -1 leaves out"
    note(f"{words}.")


def asks_for_machine(arguments: argparse.Namespace) -> bool:
    """Whether the options say which machine to train, or with which C."""
    names = "machine loss solver_type solver gamma degree coef0 bias features costs C"
    given = [getattr(arguments, name) for name in names.split()]
    asked = any(value is not None for value in given)
    return asked or arguments.kernel != "auto" or arguments.probability


def shared_parameters(arguments: argparse.Namespace, classes) -> dict:
    """Return what the options say of every machine."""
    parameters = {
        "tol": arguments.tol,
        "max_iter": arguments.max_iter,
        "max_time": arguments.max_time,
        "class_weight": _class_weight(arguments.weights, classes),
    }
    return {name: value for name, value in parameters.items() if value is not None}


def choose(arguments: argparse.Namespace, X, classes) -> Choice:
    """Return the estimator that the options ask for, or that suits the data.

    Parameters
    ----------
    arguments : Namespace
        Of `add_machine_options`, after `translate_solver_type`.
    X : array, CSR matrix or row store
        Features.
    classes : ndarray

    Returns
    -------
    choice : Choice
    """
    from ..estimators.kernel_svm import KernelSVM
    from ..estimators.linear_svm import LinearSVM
    from ..estimators.maxent import MaxEnt

    machine, loss = arguments.machine, arguments.loss
    solver = None if arguments.solver == "auto" else arguments.solver
    kernel, reason = _kernel(arguments, X, machine, loss, solver)
    shared = {
        "machine": machine,
        "loss": loss,
        "solver": solver,
        "costs": arguments.costs,
        **shared_parameters(arguments, classes),
    }
    of_linear = {
        "features": arguments.features,
        "thresholds": getattr(arguments, "thresholds", None),
        **_intercept(arguments.bias),
    }
    of_kernel = {
        "gamma": arguments.gamma,
        "degree": arguments.degree,
        "coef0": arguments.coef0,
        "probability": arguments.probability or None,
    }
    if kernel != "linear":
        kind, own, foreign = KernelSVM, of_kernel | {"kernel": kernel}, of_linear
    elif _is_linear_only(machine):
        kind, own, foreign = MaxEnt, of_linear, of_kernel | {"loss": loss}
        foreign |= {"solver": solver, "costs": arguments.costs}
        shared = {name: v for name, v in shared.items() if name not in foreign}
        del shared["machine"]
    else:
        kind, own, foreign = LinearSVM, of_linear, of_kernel
    _refuse(foreign, kind.__name__)
    given = {name: v for name, v in (shared | own).items() if v is not None}
    estimator = kind(**given, random_state=arguments.seed, n_jobs=arguments.n_jobs)
    _check(estimator)
    return Choice(estimator, reason)


def _is_linear_only(machine: str | None) -> bool:
    """Whether a machine has no kernel, and is an estimator of its own."""
    return machine is not None and FORMULATIONS[machine].estimator == "MaxEnt"


def _kernel(arguments, X, machine, loss, solver) -> tuple[str, str]:
    """Return the kernel and, if nobody has asked for it, the reason."""
    if is_stored(X):
        if arguments.kernel not in ("auto", "linear"):
            raise UsageError(
                f"--kernel {arguments.kernel} needs all rows in memory; leave it out, "
                f"or train on the file that the row store was made from."
            )
        return "linear", "rows in a store"
    if arguments.kernel != "auto":
        return arguments.kernel, ""
    linear = (
        arguments.solver_type is not None
        or _is_linear_only(machine)
        or loss == "logistic"
        or solver in _LINEAR_SOLVERS
        or arguments.features is not None
        or arguments.bias is not None
    )
    kernel = (
        arguments.gamma is not None
        or arguments.probability
        or solver in _KERNEL_SOLVERS
    )
    if linear:
        return "linear", ""
    if kernel:
        return "rbf", ""
    rows, features = X.shape
    if rows > MOST_ROWS:
        return "linear", f"more than {MOST_ROWS:,} rows"
    if features > MOST_FEATURES:
        return "linear", f"more than {MOST_FEATURES:,} features"
    if density(X) < LEAST_DENSITY:
        return "linear", "sparse rows"
    return "rbf", f"at most {MOST_ROWS:,} rows of few, dense features"


def is_stored(X) -> bool:
    """Whether rows are in a row store."""
    from ..access.row_store.store import RowStore

    return isinstance(X, RowStore)


def classes_of(data):
    """Return the different labels of data, in order."""
    import numpy as np

    if data.label_names is not None:
        return data.label_names
    return data.X.classes if is_stored(data.X) else np.unique(data.y)


def density(X) -> float:
    """Return the share of values that are not zero."""
    import numpy as np
    import scipy.sparse as sp

    if is_stored(X):
        return X.density
    filled = X.nnz if sp.issparse(X) else np.count_nonzero(X)
    return filled / max(X.shape[0] * X.shape[1], 1)


def _intercept(bias: float | None) -> dict:
    if bias is None:
        return {}
    if bias <= 0:
        return {"fit_intercept": False}
    return {"intercept_scaling": bias}


def _class_weight(weights: list[str] | None, labels):
    """Read weights of classes, whose labels may be written in several ways."""
    from ..files.data.label_rule import label_text

    if not weights:
        return None
    if weights == ["balanced"]:
        return "balanced"
    classes = {label_text(label): label for label in labels.tolist()}
    found = {}
    for word in ",".join(weights).split(","):
        text, _, number = word.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not text or not 0 <= weight < float("inf"):
            raise UsageError(
                f"--weights {word} is not label=number with a number that is not "
                f"negative; write for example --weights 1=5."
            )
        label = text if text in classes else _as_number(text)
        if label not in classes:
            raise UsageError(
                f"--weights {word} names the label {text!r}, which the data does not "
                f"have; its labels begin with {', '.join(list(classes)[:5])}."
            )
        found[classes[label]] = weight
    return found


def _as_number(text: str) -> str:
    """Return a number as labels are written: 1.0 as 1."""
    from ..files.data.label_rule import label_text

    try:
        return label_text(float(text))
    except ValueError:
        return text


def _refuse(foreign: dict, kind: str) -> None:
    words = {"fit_intercept": "bias", "intercept_scaling": "bias"}
    for name, value in foreign.items():
        if value is not None:
            raise UsageError(
                f"--{words.get(name, name).replace('_', '-')} means nothing to "
                f"{kind}, which the other options ask for; leave it out."
            )


def _check(estimator) -> None:
    """Say now what the fit would say of parameters."""
    try:
        estimator._validate_params()
        estimator._machine()
    except ValueError as error:
        raise UsageError(str(error)) from error
