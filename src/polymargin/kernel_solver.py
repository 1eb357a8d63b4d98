"""How a kernel machine is trained: the solvers by name."""

from collections.abc import Callable
from dataclasses import dataclass

from .block import BlockDriver
from .kernel_pairs import KernelPairs
from .kernel_task import KernelTask
from .machine import Machine, binary_machine
from .two_variable import SOLVED, TwoVariableDriver


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
        task.shrinking,
    )


def _two_variables(working_set_size: int) -> KernelSolver:
    """Decomposition with so many variables at a time."""

    def driver(task: KernelTask) -> TwoVariableDriver:
        return TwoVariableDriver(
            task.kernel,
            task.points,
            task.problem,
            working_set_size,
            cache_bytes=task.cache_bytes,
            violation_tol=task.violation_tol or _VIOLATION,
            shrinking=task.shrinking,
            threads=task.threads,
        )

    def solves(machine: Machine) -> bool:
        return (machine.name, machine.loss) in SOLVED

    return KernelSolver(solves, driver, _VIOLATION)


_VIOLATION = 1e-3  # where the paper on S2DO stops
KERNEL_SOLVERS = {
    "block": KernelSolver(lambda machine: True, _block),
    "s2do": _two_variables(2),
    "smo": _two_variables(1),
}


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
