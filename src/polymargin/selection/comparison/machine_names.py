"""Machines of a comparison: names on a command line become estimators."""

import ast
from collections.abc import Iterable, Mapping
from importlib import import_module

from sklearn.base import BaseEstimator, clone, is_classifier

from ...estimators.kernel_svm import KernelSVM
from ...estimators.linear_svm import LinearSVM
from ...estimators.maxent import MaxEnt
from ...estimators.online_svm import OnlineSVM
from ...machine.registry import FORMULATIONS, LOSSES, MACHINE_NAMES, names_of

_SINGLE = {
    **dict.fromkeys(names_of(lambda row: row.estimator == MaxEnt.__name__), MaxEnt),
    "larank": lambda: OnlineSVM(selection="random"),
    "gala": lambda: OnlineSVM(selection="gain"),
}
_KERNEL = "kernel-"


def find_machines(machines) -> dict[str, BaseEstimator]:
    """Return estimators by the names they have in the tables.

    Parameters
    ----------
    machines : str, estimator, mapping or sequence
        Descriptions such as "cs", "ovr-squared_hinge", "kernel-ww", "maxent", "larank",
        "gala" or "sklearn.svm.LinearSVC", followed by parameters if any
        ("cs:order=permuted,tol=1e-4"), after another name if wanted
        ("SDM=cs:order=permuted"); estimators; pairs (name, either); or a mapping of
        names to either.

    Returns
    -------
    estimators : dict of str to estimator

    Examples
    --------
    >>> find_machines(["ww", "SDM=cs:order=permuted"])
    {'ww': LinearSVM(machine='ww'), 'SDM': LinearSVM(order='permuted')}
    """
    if isinstance(machines, str) or hasattr(machines, "fit"):
        machines = [machines]
    if isinstance(machines, Mapping):
        machines = list(machines.items())
    if not isinstance(machines, Iterable):
        raise TypeError(f"machines={machines!r} is no list of machines; give one.")
    found: dict[str, BaseEstimator] = {}
    for entry in machines:
        name, estimator = _find(entry)
        if name in found:
            raise ValueError(
                f"machines has {name!r} twice; give the second another name, as in "
                f"'other={name}'."
            )
        found[name] = estimator
    if not found:
        raise ValueError("machines is empty; name one, such as 'cs'.")
    return found


def describe(estimator: BaseEstimator) -> str:
    """Return the estimator with all parameters that are not the defaults, on a line."""
    return " ".join(repr(estimator).split())


def _find(entry) -> tuple[str, BaseEstimator]:
    if isinstance(entry, str):
        return _from_text(entry)
    if isinstance(entry, tuple) and len(entry) == 2:
        name, machine = entry
        if isinstance(machine, str):
            return str(name), _from_text(machine)[1]
        return str(name), _check(machine)
    return type(entry).__name__, _check(entry)


def _check(estimator) -> BaseEstimator:
    if not isinstance(estimator, BaseEstimator) or not is_classifier(estimator):
        raise TypeError(
            f"machine {estimator!r} is no classifier of scikit-learn's kind; give one."
        )
    return clone(estimator)


def _from_text(text: str) -> tuple[str, BaseEstimator]:
    description, _, rest = text.partition(":")
    name, _, kind = description.rpartition("=")
    estimator = _from_kind(kind, text)
    parameters = _parameters(rest, text)
    for parameter in parameters:
        if parameter not in estimator.get_params():
            raise ValueError(
                f"machine {text!r} has no parameter {parameter!r}; choose from "
                f"{', '.join(estimator.get_params(deep=False))}."
            )
    return name or text, estimator.set_params(**parameters)


def _from_kind(kind: str, text: str) -> BaseEstimator:
    if kind in _SINGLE:
        return _SINGLE[kind]()
    if "." in kind:
        return _imported(kind)
    make = KernelSVM if kind.startswith(_KERNEL) else LinearSVM
    machine, _, loss = kind.removeprefix(_KERNEL).partition("-")
    row = FORMULATIONS.get(machine)
    known = row and (row.kernels if make is KernelSVM else machine in MACHINE_NAMES)
    if not known or (loss and loss not in LOSSES):
        raise ValueError(
            f"machine {text!r} is not known; choose one of {', '.join(MACHINE_NAMES)}, "
            f"possibly with kernel- before it and with -{', -'.join(LOSSES)} after it, "
            f"or {', '.join(_SINGLE)}, or a class such as sklearn.svm.LinearSVC."
        )
    return make(machine, loss=loss) if loss else make(machine)


def _imported(kind: str) -> BaseEstimator:
    module, _, name = kind.rpartition(".")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"machine {kind!r} cannot be imported ({error}); check its spelling."
        ) from error
    if not (isinstance(make, type) and issubclass(make, BaseEstimator)):
        raise ValueError(f"machine {kind!r} is no estimator; name a class of them.")
    return _check(make())


def _parameters(text: str, whole: str) -> dict:
    """Read ``a=1,b=word``; values that are no Python literals are strings."""
    parameters = {}
    for pair in filter(None, text.split(",")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(
                f"machine {whole!r} has a parameter without value, {pair!r}; write "
                f"{pair}=value."
            )
        try:
            parameters[name.strip()] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            parameters[name.strip()] = value
    return parameters
