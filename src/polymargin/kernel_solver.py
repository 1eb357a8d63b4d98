"""How a kernel machine is trained: the solvers by name."""

from collections.abc import Callable
from dataclasses import dataclass

from .block import BlockDriver
from .kernel_pairs import KernelPairs
from .kernel_task import KernelTask
from .machine import Machine, binary_machine


@dataclass(frozen=True)
class KernelSolver:
    """A way to train a kernel machine.

    Attributes
    ----------
    solves : callable
        Whether it can train a machine. Of one-vs-one, it trains the binary problems.
    driver : callable
        Makes a driver, as `solver` describes them but without weights, from a
        `KernelTask`.
    violation_tol : float or None
        Where to stop unless the user says so.
    """

    solves: Callable[[Machine], bool]
    driver: Callable[[KernelTask], object]
    violation_tol: float | None = None


def _block(task: KernelTask) -> BlockDriver:
    return BlockDriver(
        task.kernel,
        task.points,
        task.problem,
        task.cache_bytes,
        task.seed,
        task.threads,
    )


KERNEL_SOLVERS = {"block": KernelSolver(lambda machine: True, _block)}


def kernel_driver(name: str, task: KernelTask):
    """Return the driver of a solver, or say which solvers there are."""
    machine, solver = task.problem.machine, KERNEL_SOLVERS[name]
    pairs = machine.margin == "one_vs_one"
    solved = binary_machine(machine.loss) if pairs else machine
    if not solver.solves(solved):
        able = [other for other, s in KERNEL_SOLVERS.items() if s.solves(solved)]
        raise ValueError(
            f"solver={name!r} does not train machine={machine.name!r} with "
            f"loss={machine.loss!r}; choose one of {', '.join(able)}."
        )
    return KernelPairs(task, solver.driver) if pairs else solver.driver(task)
