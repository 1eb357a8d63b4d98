"""Arrays and attributes that are not what they were."""

import random

import numpy as np
import scipy.sparse as sp

_NUMBERS = (np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 1e-320)
_INTEGERS = (-1, 0, 1, 10**6, 2**31 - 1, -(2**31), 2**62)


def change_array(value, rng: random.Random):
    """Return an array, or a number, with other values, another length or type."""
    if not isinstance(value, np.ndarray):
        numbers = (*_INTEGERS, *_NUMBERS, None, "a")
        return rng.choice(numbers)
    array = value.copy()
    kind = rng.randrange(6)
    if kind == 0:
        return array[: len(array) // 2] if array.ndim else array
    if kind == 1 and array.ndim:
        return np.concatenate([array, array])
    if kind == 2 and array.dtype.kind != "U":
        return array.astype(rng.choice(("f4", "f8", "i4", "i8", ">f8", "U5")))
    if kind == 3:
        return array.reshape(-1) if array.ndim > 1 else array[None]
    if array.size and array.dtype.kind in "iuf":
        flat = array.reshape(-1)
        odd = _NUMBERS if array.dtype.kind == "f" else _INTEGERS
        for _ in range(rng.choice((1, 3))):
            with np.errstate(all="ignore"):
                number = np.array(rng.choice(odd)).astype(array.dtype)
            flat[rng.randrange(len(flat))] = number
    return array


def tampered(target, rng: random.Random) -> None:
    """Change one attribute of an object, at some depth."""
    names = [name for name, value in vars(target).items() if value is not None]
    name = rng.choice(names)
    value = getattr(target, name)
    if sp.issparse(value) and value.format == "csr":
        part = rng.choice(("data", "indices", "indptr"))
        setattr(value, part, change_array(getattr(value, part), rng))
    elif hasattr(value, "__dict__") and vars(value) and rng.random() < 0.8:
        try:
            tampered(value, rng)
        except (AttributeError, TypeError):  # frozen
            return
    elif isinstance(value, np.ndarray | int | float):
        try:
            setattr(target, name, change_array(value, rng))
        except (AttributeError, TypeError):
            return
