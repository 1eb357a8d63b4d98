"""Plain values as JSON, which come back as they were: numbers, text, tuples, dicts."""

import math
from numbers import Integral, Real

import numpy as np

from .errors import ModelFileError

_MOST_DEPTH = 8


def write_value(value):
    """Return `value` as JSON has it.

    Infinities and NaN are ``{"float": "inf"}``, tuples ``{"tuple": [...]}``, dicts
    ``{"dict": [[key, value], ...]}``. Scalars of NumPy become those of Python.

    Raises
    ------
    TypeError
        If it is something else.
    """
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    if isinstance(value, list):
        return [write_value(item) for item in value]
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return {"tuple": [write_value(item) for item in value.tolist()]}
    if isinstance(value, tuple):
        return {"tuple": [write_value(item) for item in value]}
    if isinstance(value, dict):
        pairs = [[write_value(key), write_value(item)] for key, item in value.items()]
        return {"dict": pairs}
    raise TypeError(f"{value!r} is neither a number nor text")


def read_value(entry, depth: int = 0):
    """Return the value that `write_value` has written."""
    if depth > _MOST_DEPTH:
        raise ModelFileError("a value is nested too deeply")
    if entry is None or isinstance(entry, bool | int | float | str):
        return entry
    if isinstance(entry, list):
        return [read_value(item, depth + 1) for item in entry]
    if isinstance(entry, dict) and len(entry) == 1:
        [(kind, content)] = entry.items()
        if kind == "float" and content in ("inf", "-inf", "nan"):
            return float(content)
        if kind == "tuple" and isinstance(content, list):
            return tuple(read_value(item, depth + 1) for item in content)
        if kind == "dict" and isinstance(content, list):
            return dict(_read_pair(pair, depth + 1) for pair in content)
    raise ModelFileError("a value is of an unknown kind")


def _read_pair(pair, depth: int):
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelFileError("an entry of a dict is not a key and a value")
    key, value = (read_value(item, depth) for item in pair)
    if not isinstance(key, bool | int | float | str):
        raise ModelFileError("a key of a dict is neither a number nor text")
    return key, value
