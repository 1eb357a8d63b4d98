"""How a linear machine is trained: the solvers by name, and how "auto" chooses."""

import numpy as np

from ...access.rows import Rows
from ...machine.problem import Problem
from ...machine.registry import Machine, names_of
from ..options import LinearOptions
from ..protocol import LinearDriver, Solver, check_solves, table_of
from .cutting_plane import CuttingPlane
from .dual import dual_driver, exponentiated_gradient_driver
from .newton.driver import NewtonDriver
from .tron import TronDriver
from .tron_pairs import TronPairs


def tron_driver(rows: Rows, problem: Problem, options: LinearOptions) -> LinearDriver:
    """The trust-region Newton method, in Python on products in C++.

    One-vs-rest problems share their passes over the rows; of one-vs-one, every pair has
    rows of its own and is trained by itself.
    """
    kind = TronPairs if problem.machine.formulation.by_pairs else TronDriver
    return kind(rows.core, rows.dtype, rows.empty, problem, options)


def _for_comparison(name: str, make) -> Solver:
    """A solver of the machines whose rows in the registry say so."""

    def solves(machine: Machine) -> bool:
        return name in machine.formulation.comparison.get(machine.loss, ())

    return Solver(name, solves, make)


SOLVERS = table_of(
    Solver("dual", lambda machine: True, dual_driver),
    Solver(
        "tron", lambda machine: machine.loss in machine.formulation.tron, tron_driver
    ),
    Solver("newton", lambda machine: True, NewtonDriver),
    _for_comparison("exponentiated_gradient", exponentiated_gradient_driver),
    _for_comparison("cutting_plane", CuttingPlane),
)
SOLVER_NAMES = ("auto", *SOLVERS)


# Where "auto" takes Newton steps: at least so many rows of a binary problem, and such a
# mean of C_i |x_i|^2. Pairs share no passes over the rows and need more to be worth it.
MANY_ROWS = 1000
FEW_FEATURES = 100
ILL_CONDITIONED, ILL_CONDITIONED_PAIRS = 20.0, 50.0


def newton_pays(rows: Rows, problem: Problem) -> bool:
    """Whether Newton steps are likely to beat the dual method, if they can be taken.

    They do where rows are many for the features, and C_i |x_i|^2, by which the dual
    problem is ill-conditioned, is large. One-vs-rest with squared hinge, on six dense
    data sets: the dual method was ahead for means up to 5, both were equal at 10, and
    Newton steps were 1.4 to 36 times faster for means from 23 to 2000; with logistic
    loss on letter, satimage and shuttle, 0.4 to 0.7 times as fast up to 10, 1.3 to 1.5
    times at 23 and 31, 2.4 to 14 times from 99 to 990. One-vs-one on these three and
    page blocks: 0.3 to 1.2 times as fast up to 10, 0.9 to 1.5 times from 23 to 31, 1.4
    to 17 times from 69 to 990. These have up to 36 features. With the 256 of usps and
    the 784 of mnist, in these newer measurements, the dual method was mostly ahead
    even for means from 90 to 2000, and 20 times and more on the separable pairs of usps
    with squared hinge.
    """
    n, d = rows.shape
    machine, of_a_problem = problem.machine, n
    by_pairs = machine.formulation.by_pairs
    if by_pairs:
        of_a_problem = 2 * n / (1 + problem.labels.max())  # of a pair, in the mean
    if of_a_problem < MANY_ROWS or of_a_problem < 10 * d:
        return False
    if d > FEW_FEATURES and (by_pairs or machine.loss != "squared_hinge"):
        return False
    sample = slice(None, None, 1 + n // 1000)
    mean = float(np.mean(problem.loss_weights[sample] * rows.squared_norms(sample)))
    return mean >= (ILL_CONDITIONED_PAIRS if by_pairs else ILL_CONDITIONED)


def choose_solver(rows: Rows, problem: Problem, options: LinearOptions) -> str:
    """Return the name of the solver; "auto" decides by what is known of X and C_i."""
    name, machine = options.solver, problem.machine
    if options.features == "reduced":
        _check_reduced(name, machine)
        return "dual"
    if name == "auto":
        able = SOLVERS["tron"].solves(machine)
        return "tron" if able and newton_pays(rows, problem) else "dual"
    return check_solves(SOLVERS, name, machine, also=["auto"]).name


def linear_driver(
    rows: Rows, problem: Problem, options: LinearOptions
) -> tuple[str, LinearDriver]:
    """Return the name of the solver that is used, and its driver."""
    name = choose_solver(rows, problem, options)
    return name, SOLVERS[name].make(rows, problem, options)


def _check_reduced(name: str, machine: Machine) -> None:
    if not machine.formulation.reduced:
        able = names_of(lambda row: row.reduced)
        raise ValueError(
            f"features='reduced' is not for machine={machine.name!r}; choose one of "
            f"{', '.join(able)}, or features='full'."
        )
    if name not in ("auto", "dual"):
        raise ValueError(
            f"features='reduced' is not for solver={name!r}; choose 'dual', or "
            f"features='full'."
        )
