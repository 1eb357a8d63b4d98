"""The driver of an online machine in model files: what it has learned, to go on from.

Kernel rows that were kept for later steps are not written, they may be many; a driver
that goes on computes them again.
"""

import math
from dataclasses import asdict

import numpy as np
import scipy.sparse as sp

from ...driver.online.driver import OnlineDriver
from ...driver.options import OnlineOptions
from ...machine.registry import MACHINES, Machine
from .attribute_codecs import COUNT, SIZE, TRUE, Codec, choice, number, or_none
from .errors import ModelFileError
from .json_values import read_value, write_value
from .kernel_codecs import read_kernel_and_points, write_kernel, write_points
from .tensors import TensorReader, TensorWriter, fields

_POSITIVE = number(least=math.ulp(0.0))
_OPTIONS = {
    "selection": choice(("gain", "random")),
    "schedule": choice(("adaptive", "fixed")),
    "hits": SIZE,
    "violation_tol": number(least=0),
    "budget": or_none(SIZE),
    "cost": choice(("work", "time")),
    "revisit": TRUE,
    "cache_bytes": _POSITIVE,
}
_ARRAYS = {"labels": "i", "loss_weights": "f", "curvatures": "f", "examples": "i"}
_OF_0_1 = {"machine": ["cs", "hinge"]}  # which knew no other
_OPTIONS_OF_0_1 = {"revisit": True}
_IN_FILES = {"loss_weights": "caps"}  # the name that 0.1.0 gave it
_MATRICES = ("coefficients", "gradients")
_COUNTS = ("n_seen", "n_computed", "threads")
_MOST = 2**63 - 1
_MOST_WEIGHT = 1e100  # of a kind of step
_MOST_HITS = 2**31 - 1
_ROUNDING = 1e-6  # of the sum of coefficients, as a share of their bound


def _write_driver(writer: TensorWriter, name: str, driver: OnlineDriver) -> dict:
    state = driver.export()
    options = asdict(state["options"])
    machine = state["machine"]
    entry = {
        "machine": [machine.name, machine.loss],
        "options": {key: write_value(value) for key, value in options.items()},
        "kernel": write_kernel(writer, f"{name}.kernel", state["kernel"]),
        "points": write_points(writer, f"{name}.points", state["points"]),
        "values_of_row": float(state["values_of_row"]),
        "state": write_value(state["state"]),
    }
    for key in _ARRAYS:
        written = _IN_FILES.get(key, key)
        entry[written] = writer.tensor(f"{name}.{written}", state[key])
    for key in _MATRICES:
        entry[key] = writer.matrix(f"{name}.{key}", state[key])
    return entry | {key: int(state[key]) for key in _COUNTS}


def _read_driver(reader: TensorReader, entry) -> OnlineDriver:
    entry = fields(
        _OF_0_1 | entry if isinstance(entry, dict) else entry,
        "machine",
        "options",
        "kernel",
        "points",
        "values_of_row",
        "state",
        *(_IN_FILES.get(key, key) for key in _ARRAYS),
        *_MATRICES,
        *_COUNTS,
    )
    kernel, points = read_kernel_and_points(reader, entry["kernel"], entry["points"])
    options = _read_options(reader, entry["options"])
    known = {
        "machine": _read_machine(entry["machine"]),
        "kernel": kernel,
        "points": points,
        "options": options,
        "values_of_row": number(least=0).read(reader, entry["values_of_row"]),
        "state": _read_state(entry["state"], options),
        "n_classes": reader.n_classes,
    }
    for key in _COUNTS:
        known[key] = COUNT.read(reader, entry[key])
        if known[key] > _MOST:
            raise ModelFileError(f"{key} is too large")
    for key, kinds in _ARRAYS.items():
        known[key] = reader.tensor(entry[_IN_FILES.get(key, key)], kinds, 1)
    for key in _MATRICES:
        known[key] = reader.matrix(entry[key], canonical=True)
    _check_patterns(known)
    return OnlineDriver.restore(**known)


def _read_machine(entry) -> Machine:
    words = isinstance(entry, list) and all(isinstance(word, str) for word in entry)
    machine = MACHINES.get(tuple(entry)) if words else None
    if machine is None or machine.loss not in machine.formulation.online:
        raise ModelFileError("it learns a machine that cannot be learned online")
    return machine


def _read_options(reader: TensorReader, entry) -> OnlineOptions:
    if isinstance(entry, dict):
        entry = _OPTIONS_OF_0_1 | entry
    entry = fields(entry, "steps", *_OPTIONS)
    options = {
        name: codec.read(reader, entry[name]) for name, codec in _OPTIONS.items()
    }
    steps = _numbers(read_value(entry["steps"]), 2, float)
    if options["hits"] > _MOST_HITS or (options["budget"] or 0) > _MOST:
        raise ModelFileError("an option of the online machine is too large")
    return OnlineOptions(steps=steps, **options)


def _read_state(entry, options: OnlineOptions) -> tuple:
    """Return random numbers, rates of steps, and what is counted; see the core."""
    state = read_value(entry)
    if not isinstance(state, tuple) or len(state) != 6:
        raise ModelFileError("the state of the online machine is incomplete")
    random = _numbers(state[0], 4, int, 2**64 - 1)
    weights = _numbers(state[1], 3, float, _MOST_WEIGHT, -_MOST_WEIGHT)
    if not any(random):
        raise ModelFileError("the online machine would draw the same for ever")
    if options.schedule == "fixed" and weights != options.weights:
        raise ModelFileError("the online machine has another schedule than it says")
    steps, work = _numbers(state[3], 3, int), _numbers(state[4], 2, int)
    (computed,) = _numbers((state[5],), 1, int)
    return random, weights, (-1, -1, -1), steps, work, computed


def _numbers(
    values, length: int, kind: type, most: float = _MOST, least: float = 0
) -> tuple:
    if (
        not isinstance(values, tuple)
        or len(values) != length
        or not all(type(value) in (int, kind) for value in values)
        or not all(least <= value <= most for value in values)
    ):
        raise ModelFileError("the state of the online machine has impossible numbers")
    return tuple(kind(value) for value in values)


def _check_patterns(known: dict) -> None:
    """Raise unless every support pattern has what a step on it relies on.

    That is a coefficient of its label, not negative, and others, not positive, which
    add up to the same; and the bound that its machine has, if any.
    """
    n, k = len(known["points"]), known["n_classes"]
    labels, loss_weights = known["labels"], known["loss_weights"]
    coefficients, gradients = known["coefficients"], known["gradients"]
    if any(known[key].shape != (n,) for key in _ARRAYS):
        raise ModelFileError("its support patterns do not have one label and C each")
    if any(
        not sp.issparse(known[key])
        or known[key].shape != (n, k)
        or known[key].dtype != np.float64
        for key in _MATRICES
    ):
        raise ModelFileError("its coefficients do not fit its support patterns")
    if not (
        np.array_equal(coefficients.indices, gradients.indices)
        and np.array_equal(coefficients.indptr, gradients.indptr)
    ):
        raise ModelFileError("its gradients are not where its coefficients are")
    if n == 0:
        return
    if labels.min() < 0 or labels.max() >= k:
        raise ModelFileError("a support pattern has an impossible label")
    if (loss_weights <= 0).any() or (known["curvatures"] < 0).any():
        raise ModelFileError("a support pattern has no positive C")
    counts = np.diff(coefficients.indptr)
    rows = np.repeat(np.arange(n), counts)
    own = coefficients.indices == labels[rows]
    signs = np.where(own, 1.0, -1.0) * coefficients.data
    positive = np.bincount(rows[own], weights=signs[own], minlength=n)
    sums = np.bincount(rows, weights=coefficients.data, minlength=n)
    bounded, most = {
        "sum": (positive, loss_weights),
        "each": (signs[~own], loss_weights[rows[~own]]),
        None: (0.0, np.inf),
    }[known["machine"].bound]
    if (
        (counts < 2).any()
        or (np.bincount(rows[own], minlength=n) != 1).any()
        or (signs < 0).any()
        or np.any(bounded > most * (1 + _ROUNDING))
        or (np.abs(sums) > _ROUNDING * np.maximum(positive, loss_weights)).any()
    ):
        raise ModelFileError("the coefficients of a support pattern are not feasible")


DRIVER = Codec(_write_driver, _read_driver)
