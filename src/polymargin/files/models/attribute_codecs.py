"""Fitted attributes: how each is written, and read with care."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from reprlib import repr  # of what may be long

import numpy as np
import scipy.sparse as sp

from ...machine.problem import Problem
from ...machine.registry import MACHINES
from ...prediction.linear_model import NumberOfParameters
from .errors import ModelFileError
from .json_values import read_value, write_value
from .stored_weights import read_weights, write_weights
from .tensors import TensorReader, TensorWriter, fields


@dataclass(frozen=True)
class Codec:
    """How an attribute is written and read.

    Attributes
    ----------
    write : callable
        ``write(writer, name, value)`` returns its entry in the document.
    read : callable
        ``read(reader, entry)`` returns the value, or raises `ModelFileError`.
    shape : str
        Of an array, a letter for each dimension: the same letter is the same size in
        all attributes of an estimator, and d the number of its features.
    """

    write: Callable
    read: Callable
    shape: str = ""


def number(least: float = -math.inf, whole: bool = False, finite: bool = True) -> Codec:
    """Return the codec of numbers that are at least `least`."""

    def read(reader, entry):
        value = read_value(entry)
        right = type(value) is int or (type(value) is float and not whole)
        if not right or value < least or (finite and not math.isfinite(value)):
            raise ModelFileError(f"{repr(value)} is not a number that can be there")
        return value

    return Codec(lambda writer, name, value: write_value(value), read)


def choice(names: Collection[str]) -> Codec:
    """Return the codec of words that are one of `names`."""

    def read(reader, entry):
        if not isinstance(entry, str) or entry not in names:
            raise ModelFileError(
                f"{repr(entry)} is not one of {', '.join(sorted(names))}"
            )
        return entry

    return Codec(lambda writer, name, value: value, read)


def or_none(codec: Codec) -> Codec:
    """Return the codec that also has None."""
    return Codec(
        lambda writer, name, value: (
            None if value is None else codec.write(writer, name, value)
        ),
        lambda reader, entry: None if entry is None else codec.read(reader, entry),
        codec.shape,
    )


def _read_truth(reader, entry) -> bool:
    if entry is not True:
        raise ModelFileError(f"{repr(entry)} is not the truth value that can be there")
    return True


TRUE = Codec(lambda writer, name, value: bool(value), _read_truth)
COUNT = number(least=0, whole=True)
SIZE = number(least=1, whole=True)
MEASURE = number(finite=False)
LABELS = Codec(lambda writer, *what: writer.labels(*what), TensorReader.labels)
TEXT = Codec(lambda writer, *what: writer.text(*what), TensorReader.text)
WEIGHTS = Codec(write_weights, read_weights)
MATRIX = Codec(lambda writer, *what: writer.matrix(*what), TensorReader.matrix)


def vector(kinds: str) -> Codec:
    """Return the codec of arrays with one dimension of these kinds of numbers."""
    return Codec(
        lambda writer, *what: writer.tensor(*what),
        lambda reader, entry: reader.tensor(entry, kinds, 1),
    )


def _write_history(writer: TensorWriter, name: str, history: dict) -> dict:
    return {
        field: writer.tensor(f"{name}.{field}", np.asarray(values))
        for field, values in history.items()
    }


def _read_history(reader: TensorReader, entry) -> dict:
    if not isinstance(entry, dict) or not entry:
        raise ModelFileError("a history is not a table")
    columns = {
        name: reader.tensor(tensor, "if", 1, finite=False)
        for name, tensor in entry.items()
    }
    if len({len(column) for column in columns.values()}) > 1:
        raise ModelFileError("a history has columns of different lengths")
    return columns


HISTORY = or_none(Codec(_write_history, _read_history))
HISTORY_OF_LISTS = or_none(
    Codec(
        _write_history,
        lambda reader, entry: {
            name: column.tolist()
            for name, column in _read_history(reader, entry).items()
        },
    )
)


def _read_parameters(reader: TensorReader, entry) -> NumberOfParameters:
    kept, full = (COUNT.read(reader, part) for part in _list_of(entry, 2))
    return NumberOfParameters(kept, full)


PARAMETERS = Codec(lambda writer, name, value: list(value), _read_parameters)


def _write_costs(writer: TensorWriter, name: str, costs):
    if costs is None or isinstance(costs, str | dict):
        return write_value(costs)
    if callable(costs):
        raise ValueError(
            f"costs={costs} is code, which a model file never holds; call "
            f"set_params(costs=model.costs_), which does not change the fitted model."
        )
    if hasattr(costs, "index") and hasattr(costs, "columns"):  # of pandas
        return write_value(costs.to_dict("index"))
    return {"matrix": writer.matrix(name, np.asarray(costs, dtype=np.float64))}


def _read_costs(reader: TensorReader, entry):
    if isinstance(entry, dict) and set(entry) == {"matrix"}:
        return reader.matrix(entry["matrix"])
    costs = read_value(entry)
    if costs is not None and not isinstance(costs, str | dict):
        raise ModelFileError("costs are neither a name nor a table")
    return costs


COSTS = Codec(_write_costs, _read_costs)


def _write_problem(writer: TensorWriter, name: str, problem: Problem) -> dict:
    entry = {
        "machine": [problem.machine.name, problem.machine.loss],
        "n_columns": problem.n_columns,
        "labels": writer.tensor(f"{name}.labels", problem.labels),
        "caps": writer.tensor(f"{name}.caps", problem.loss_weights),  # name of 0.1.0
    }
    if problem.label_sets is not None:
        sets = problem.label_sets.astype(np.float32)
        entry["label_sets"] = writer.matrix(f"{name}.label_sets", sets)
    if problem.lost_means is not None:
        entry["lost_means"] = writer.tensor(f"{name}.lost_means", problem.lost_means)
    return entry


def _read_problem(reader: TensorReader, entry) -> Problem:
    known = ["machine", "n_columns", "labels", "caps"]
    if isinstance(entry, dict):
        known += [name for name in ("lost_means", "label_sets") if name in entry]
    entry = fields(entry, *known)
    pair = tuple(_list_of(entry["machine"], 2))
    if not all(isinstance(word, str) for word in pair) or pair not in MACHINES:
        raise ModelFileError("it was trained by an unknown machine")
    labels = reader.tensor(entry["labels"], "i", 1)
    loss_weights = reader.tensor(entry["caps"], "f", 1)
    n_columns = SIZE.read(reader, entry["n_columns"])
    if len(labels) != len(loss_weights) or labels.min(initial=0) < -1:
        raise ModelFileError("its problem has not one label and one C for every row")
    means = None
    if "lost_means" in entry:
        means = reader.tensor(entry["lost_means"], "f", 1)
        if len(means) != len(labels):
            raise ModelFileError("its problem has not one mean for every row")
    sets = None
    if "label_sets" in entry:
        sets = reader.matrix(entry["label_sets"], canonical=True)
        if not sp.issparse(sets) or sets.shape != (len(labels), n_columns):
            raise ModelFileError("its problem has not one set of labels for every row")
        sets = sp.csr_array(sets, dtype=bool)
    return Problem(MACHINES[pair], labels, n_columns, loss_weights, means, sets)


PROBLEM = Codec(_write_problem, _read_problem)


def _list_of(entry, length: int) -> list:
    if not isinstance(entry, list) or len(entry) != length:
        raise ModelFileError(f"an entry is not a list of {length}")
    return entry
