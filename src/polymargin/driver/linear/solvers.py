"""How a linear machine is trained: the solvers by name."""

from ...access.rows import Rows
from ...machine.formulation import HINGES
from ...machine.problem import Problem
from ...machine.registry import Machine, names_of
from ..options import LinearOptions
from ..protocol import LinearDriver, Solver, check_solves, table_of
from .candidates import CandidateDriver, uses_candidates
from .coordinate.driver import SOLVER as COORDINATE
from .coordinate.driver import CoordinateDriver
from .cutting_plane import CuttingPlane
from .dual import dual_driver, exponentiated_gradient_driver
from .free_intercept import FreeInterceptDriver
from .newton.driver import NewtonDriver
from .switching import BOTH, SwitchingDriver
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
    """A solver of the machines whose rows in the registry say so, without costs."""

    def solves(machine: Machine) -> bool:
        named = machine.formulation.comparison.get(machine.loss, ())
        return name in named and machine.costs is None

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
# Those for rows with any number of labels.
SOLVERS_OF_SETS = ("auto", "dual", "newton")
# Those for intercepts that are not penalised.
FREE = "free"
SOLVERS_WITH_FREE = ("auto", "dual", "newton")
# What `solver_` may say after a fit.
SOLVERS_USED = (*SOLVERS, BOTH, COORDINATE)
PENALTIES = ("l2", "l1", "group")


def solvers_of(machine: Machine) -> tuple[str, ...]:
    """Return the names of what trains a machine."""
    able = (name for name, solver in SOLVERS.items() if solver.solves(machine))
    return "auto", *able


def linear_driver(rows: Rows, problem: Problem, options: LinearOptions) -> LinearDriver:
    """Return the driver of the solver that the options name, or say who could."""
    if options.by_features:
        _check_sparse(options, problem.machine)
        rows.check_lengths()
        return CoordinateDriver(rows, problem, options)
    if options.fit_intercept == FREE:
        _check_free(options)
        return FreeInterceptDriver(rows, problem, options, _penalised_driver)
    return _penalised_driver(rows, problem, options)


def _penalised_driver(
    rows: Rows, problem: Problem, options: LinearOptions
) -> LinearDriver:
    name, machine = options.solver, problem.machine
    if options.restricted == "bisection_printed" and machine.costs is not None:
        raise ValueError(
            "restricted='bisection_printed' is not for costs; choose 'bisection', or "
            "costs=None."
        )
    if problem.label_sets is not None:
        _check_sets(name, options.features)
    if uses_candidates(problem, options):
        _check_candidates(problem, options)
        return CandidateDriver(rows, problem, options)
    if options.features == "reduced":
        _check_reduced(name, machine)
        return dual_driver(rows, problem, options)
    if name == "auto":
        return SwitchingDriver(rows, problem, options)
    solver = check_solves(SOLVERS, name, machine, also=["auto"])
    if name != "dual":
        rows.check_lengths()
    return solver.make(rows, problem, options)


def solver_of(driver: LinearDriver, options: LinearOptions) -> str:
    """Return what a driver has done so far, for `solver_`."""
    named = "dual" if options.solver == "auto" else options.solver
    return getattr(driver, "solver", named)


def _check_free(options: LinearOptions) -> None:
    """Raise unless intercepts may be without a penalty."""
    possible = {
        "solver": SOLVERS_WITH_FREE,
        "features": ("full",),
        "candidates": (None,),
        "violation_tol": (None,),
    }
    _check_possible(options, possible, "fit_intercept='free'", "fit_intercept=True")


def _check_sparse(options: LinearOptions, machine: Machine) -> None:
    """Raise unless penalties may make weights zero, or weights have bounds."""
    bounded = options.weight_bounds is not None
    if bounded and options.penalty == "group":
        raise ValueError(
            "weight_bounds are not for penalty='group'; choose penalty='l1' or 'l2', "
            "or weight_bounds=None."
        )
    what = "weight_bounds" if bounded else f"penalty={options.penalty!r}"
    verb, instead = "is", "penalty='l2'"
    if bounded:
        verb, instead = "are", "weight_bounds=None"
    if machine.loss not in machine.formulation.sparse:
        raise ValueError(
            f"{what} {verb} not for machine={machine.name!r} with "
            f"loss={machine.loss!r}; choose machine='ovr' with loss='squared_hinge' or "
            f"'logistic'{'' if bounded else ', MaxEnt'}, or {instead}."
        )
    possible = {
        "solver": ("auto",),
        "features": ("full",),
        "candidates": (None,),
        "violation_tol": (None,),
    }
    _check_possible(options, possible, what, instead)


def _check_possible(
    options: LinearOptions, all_possible: dict, what: str, instead: str
) -> None:
    for name, possible in all_possible.items():
        given = getattr(options, name)
        if given not in possible:
            raise ValueError(
                f"{name}={given!r} is not for {what}; choose "
                f"{' or '.join(map(repr, possible))}, or {instead}."
            )


def _check_sets(name: str, features: str) -> None:
    """Raise unless rows may have several labels."""
    if features != "full":
        raise ValueError(
            "features='reduced' is for one label a row; choose features='full'."
        )
    if name not in SOLVERS_OF_SETS:
        raise ValueError(
            f"solver={name!r} is for one label a row; choose one of "
            f"{', '.join(SOLVERS_OF_SETS)}."
        )


def _check_candidates(problem: Problem, options: LinearOptions) -> None:
    """Raise unless rows can be trained against a part of the classes."""
    machine, many = problem.machine, f"candidates={options.candidates}"
    if not machine.formulation.takes_candidates:
        able = names_of(lambda row: row.takes_candidates)
        raise ValueError(
            f"{many} is not for machine={machine.name!r}; choose one of "
            f"{', '.join(able)}, or candidates=None."
        )
    for name, given, possible in (
        ("loss", machine.loss, HINGES),
        ("solver", options.solver, ("auto", "dual")),
        ("features", options.features, ("full",)),
    ):
        if given not in possible:
            raise ValueError(
                f"{many} is not for {name}={given!r}; choose {possible[0]!r}, or "
                f"candidates=None."
            )
    if machine.costs is not None:
        raise ValueError(f"{many} is not for costs; leave them out, or candidates.")
    if problem.label_sets is not None:
        raise ValueError(
            f"{many} is for one label a row; choose candidates=None for several."
        )


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
