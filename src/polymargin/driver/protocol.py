"""What a driver is, what it reports, and what makes one.

A driver trains step by step; `driver.loop` runs it. Some are written in C++, where they
are bound with the methods below, others in Python.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..machine.registry import Machine

Blocks = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class EpochReport:
    """What a driver says after an epoch. Those in C++ return `core.EpochReport`, which
    has the same attributes.

    Attributes
    ----------
    visits : int
        Examples that were looked at.
    moves : int
        How many of the visits changed a dual variable.
    evaluations : int
        Derivatives computed, one for each class of each visit; 0 if not counted.
    violation : float
        Largest violation of the optimality conditions that was seen.
    dual : float
        Dual objective, exact up to rounding.
    primal_estimate : float
        Objective with every loss as it was last seen: not a bound.
    stopped : bool
        Whether the epoch ended before its end, by its time or a signal.
    epochs : int
        How many there were; the last of them may have been stopped.
    """

    visits: int
    moves: int
    violation: float
    dual: float
    primal_estimate: float
    stopped: bool = False
    epochs: int = 1
    evaluations: int = 0


class Driver(Protocol):
    """Trains a model, epoch by epoch.

    One that has `starts_with_weights`, and it is true, is given the dual variables of
    another C as they are, if they are feasible, and so begins with the same weights. To
    others, variables that were at their bound are given at their new bound.

    One that has `newton_steps` says how many of its epochs were that. One that has
    `iterations` has a count of its own, of something else than epochs.

    One that has ``epochs_at_once(seconds, most)`` runs as many epochs as it sees no
    reason to end, where nobody asks what happened in between.
    """

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""

    def epoch(self, seconds: float) -> EpochReport:
        """Run one epoch, of what kind is the driver's business, in so many seconds."""

    def rebuild(self) -> None:
        """Remove accumulated rounding, if there is any."""

    def certify(self) -> tuple[float, float, float] | None:
        """Return (primal, dual, violation) of the model, or None after a signal."""

    def duals(self) -> Blocks | None:
        """Return the dual blocks of the examples as (indptr, classes, values).

        None where they are too many to be handed out.
        """

    def set_duals(self, indptr, classes, values) -> None:
        """Start from these dual blocks, which are feasible."""


@runtime_checkable
class LinearDriver(Driver, Protocol):
    """Trains weights W of shape (features, columns), the constant feature last."""

    def weights(self) -> np.ndarray:
        """Return a copy of W."""

    def release_weights(self) -> np.ndarray:
        """Return W; the driver is of no use afterwards."""


@runtime_checkable
class KernelDriver(Driver, Protocol):
    """Trains coefficients of examples, whose kernel rows it asks for."""

    @property
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""


@dataclass(frozen=True)
class Solver:
    """A way to train: a row in a table of solvers.

    Attributes
    ----------
    name : str
    solves : callable
        ``solves(machine)``: whether it can train a machine.
    make : callable
        ``make(rows, problem, options)`` returns a driver. Rows and options are those of
        its family: `Rows` and `LinearOptions`, or `Gram` and `KernelOptions`.
    violation_tol : float or None
        Violation at which it stops unless the user says so; None: it stops by the gap.
    """

    name: str
    solves: Callable[[Machine], bool]
    make: Callable[..., Driver]
    violation_tol: float | None = None


def table_of(*solvers: Solver) -> dict[str, Solver]:
    """Return solvers by name, in this order."""
    return {solver.name: solver for solver in solvers}


def check_solves(
    solvers: dict[str, Solver],
    name: str,
    machine: Machine,
    trained: Machine | None = None,
    also: Iterable[str] = (),
) -> Solver:
    """Return the solver of this name, or say which ones train the machine.

    Parameters
    ----------
    solvers : dict of Solver
    name : str
    machine : Machine
        What the user asks for.
    trained : Machine or None
        What the solver gets to see, if that is another.
    also : iterable of str
        Other names that are possible.
    """
    trained = trained or machine
    if not solvers[name].solves(trained):
        able = [solver.name for solver in solvers.values() if solver.solves(trained)]
        costs = "" if machine.costs is None else " and costs"
        raise ValueError(
            f"solver={name!r} does not train machine={machine.name!r} with "
            f"loss={machine.loss!r}{costs}; choose one of {', '.join([*also, *able])}."
        )
    return solvers[name]
