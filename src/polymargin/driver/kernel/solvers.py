"""How a kernel machine is trained: the solvers by name."""

from functools import partial

from ...access.gram import Gram
from ...machine.problem import Problem
from ...machine.registry import Machine, binary_machine
from ..options import KernelOptions
from ..protocol import KernelDriver, Solver, check_solves, table_of
from .newton.driver import KernelNewtonDriver
from .pairs import KernelPairs
from .separate import (
    SMALL_PAIR,
    SeparateDecomposition,
    SeparateDriver,
    is_separate,
)
from .switching import BOTH, BlockThenNewton
from .two_variable import VIOLATION, TwoVariableDriver
from .working_sets import BlockDriver


def _has_two_variable_steps(machine: Machine) -> bool:
    return machine.costs is None and machine.loss in machine.formulation.two_variable


def _decomposition(
    gram: Gram, problem: Problem, options: KernelOptions, working_set_size: int
) -> KernelDriver:
    """SMO or S2DO; of one-vs-rest a problem for each class, on one kernel matrix.

    Where that matrix finds no room, the classes are one problem, with a cache of rows.
    """
    separate = problem.machine.formulation.separate
    needed = SeparateDriver.bytes_for(gram, problem, options.threads)
    if separate and needed <= options.cache_bytes:
        return SeparateDecomposition(gram, problem, options, working_set_size)
    return TwoVariableDriver(gram, problem, options, working_set_size)


def _two_variables(name: str, working_set_size: int) -> Solver:
    """Decomposition with so many variables at a time."""
    make = partial(_decomposition, working_set_size=working_set_size)
    return Solver(name, _has_two_variable_steps, make, VIOLATION)


def _newton(gram: Gram, problem: Problem, options: KernelOptions) -> KernelDriver:
    """Newton steps from the beginning, when any kernel row may be needed."""
    needed = KernelNewtonDriver.bytes_for(len(gram), len(gram))
    if needed > options.cache_bytes:
        raise ValueError(
            f"solver='newton' keeps all kernel values of {len(gram)} rows, which takes "
            f"cache_size={needed / 1e6:.0f} or more, not "
            f"{options.cache_bytes / 1e6:g}; raise cache_size, or choose "
            f"solver='block'."
        )
    return KernelNewtonDriver(gram, problem, options)


def _separate(gram: Gram, problem: Problem, options: KernelOptions) -> KernelDriver:
    """Binary problems on a matrix that must find room."""
    needed = SeparateDriver.bytes_for(gram, problem, options.threads)
    if needed > options.cache_bytes:
        raise ValueError(
            f"solver='binary' keeps all kernel values of {len(gram)} rows, which takes "
            f"cache_size={needed / 1e6:.3g} or more, not "
            f"{options.cache_bytes / 1e6:g}; raise cache_size, or choose "
            f"solver='block'."
        )
    return SeparateDriver(gram, problem, options)


def _pair_alone(gram: Gram, problem: Problem, options: KernelOptions) -> KernelDriver:
    """The driver of one pair, if pairs do not share a matrix."""
    needed = SeparateDriver.bytes_for(gram, problem, options.threads)
    if len(gram) <= SMALL_PAIR and needed <= options.cache_bytes:
        return SeparateDriver(gram, problem, options)
    return BlockThenNewton(gram, problem, options)


# Of one-vs-one, they train the binary problems, "binary" all of them together.
KERNEL_SOLVERS = table_of(
    Solver("auto", lambda machine: True, BlockThenNewton),
    Solver("binary", is_separate, _separate),
    Solver("block", lambda machine: True, BlockDriver),
    Solver("newton", lambda machine: True, _newton),
    _two_variables("s2do", 2),
    _two_variables("smo", 1),
)


# What `solver_` may say after a fit.
KERNEL_SOLVERS_USED = (*(name for name in KERNEL_SOLVERS if name != "auto"), BOTH)


def solver_of(driver: KernelDriver, options: KernelOptions) -> str:
    """Return what a driver has done so far, for `solver_`."""
    named = "block" if options.solver == "auto" else options.solver
    return getattr(driver, "solver", None) or named


def kernel_driver(gram: Gram, problem: Problem, options: KernelOptions) -> KernelDriver:
    """Return the driver of a solver, or say which solvers there are."""
    machine, name = problem.machine, options.solver
    if name == "auto" and is_separate(machine):
        name = "binary" if SeparateDriver.pays(gram, problem, options) else name
    if not machine.formulation.by_pairs or name == "binary":
        return check_solves(KERNEL_SOLVERS, name, machine).make(gram, problem, options)
    binary = binary_machine(machine.loss)
    solver = check_solves(KERNEL_SOLVERS, name, machine, binary)
    make = _pair_alone if name == "auto" else solver.make
    return KernelPairs(gram, problem, options, make)
