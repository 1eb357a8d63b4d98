"""Kernel machines on many rows: in single precision, with room for their kernel.

Of very many rows those are trained on that tell: the support vectors of parts, each
trained alone. What a part can do without, the whole can nearly always, too (a cascade,
as in Graf et al., Parallel support vector machines, NIPS 2004).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from ..base.byte_counts import half_of_free_memory

MANY = 8_000  # rows whose kernel, in double precision, is above the usual cache
MOST_AT_ONCE = 30_000  # rows: the kernel of more finds no room
_PART = 15_000
_TOL = 1e-2  # of parts


def with_room(machine: Any, X: Any) -> tuple[Any, Any]:
    """Return a machine and rows, ready to be fitted: those of few rows as they are.

    Parameters
    ----------
    machine : estimator
        With a kernel or without.
    X : ndarray or CSR matrix

    Returns
    -------
    machine : estimator
        Another one with a larger cache, if there are many rows.
    X : ndarray or CSR matrix
        In single precision then.
    """
    if not hasattr(machine, "kernel") or X.shape[0] < MANY:
        return machine, X
    wanted = 4.2 * X.shape[0] ** 2  # bytes, and a little more
    cache = max(min(wanted, half_of_free_memory()) / 1e6, machine.cache_size)
    callbacks = getattr(machine, "_skl_callbacks", None) or []
    machine = clone(machine).set_params(cache_size=cache)
    return machine.set_callbacks(*callbacks), X.astype(np.float32, copy=False)


def telling_rows(
    machine: Any,
    X: Any,
    y: np.ndarray,
    watch: Callable[[float, str], None] | None = None,
) -> np.ndarray | None:
    """Return the numbers of the rows to train on, in order; None for all.

    Parameters
    ----------
    machine : estimator
        Not trained; it is not changed.
    X : ndarray or CSR matrix
    y : ndarray
    watch : callable or None, default=None
        Told which share of the parts is trained, and in words, after each.

    Returns
    -------
    rows : ndarray of int or None
        Support vectors of parts, one part after the other until there are as many as
        can be trained on at once; and all rows of a class that has none among them.
    """
    if not hasattr(machine, "kernel") or len(y) <= MOST_AT_ONCE:
        return None
    parts = _parts(y, -(-len(y) // _PART), machine.random_state)
    found = [np.empty(0, dtype=np.intp)]
    for number, rows in enumerate(parts, 1):
        if (y[rows] == y[rows[0]]).all():
            continue  # nothing to tell apart
        part, X_part = with_room(clone(machine).set_params(tol=_TOL), X[rows])
        found.append(rows[part.fit(X_part, y[rows]).support_])
        if watch is not None:
            many = sum(map(len, found))
            watch(number / len(parts), f"part {number}, {many:,} support vectors")
        if sum(map(len, found)) + len(found[-1]) > MOST_AT_ONCE:
            break
    kept = np.concatenate(found)
    others = np.flatnonzero(~np.isin(y, y[kept]))
    return np.sort(np.concatenate([kept, others]))


def weighted_as_all(machine: Any, y: np.ndarray) -> Any:
    """Return a machine whose weights of classes do not change if rows are left out."""
    if getattr(machine, "class_weight", None) != "balanced":
        return machine
    classes = np.unique(y)
    weights = compute_class_weight("balanced", classes=classes, y=y)
    return machine.set_params(class_weight=dict(zip(classes, weights, strict=True)))


def _parts(y: np.ndarray, count: int, random_state: int | None) -> list[np.ndarray]:
    """Deal rows into parts at random, those of each class to all in turn."""
    rng = np.random.default_rng(random_state)
    shuffled = rng.permutation(len(y))
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    return [np.sort(by_class[at::count]) for at in range(count)]
