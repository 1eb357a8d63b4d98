"""Every driver that a table makes is what the protocol says."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from problems import make_problem

from polymargin._core import core
from polymargin.access.gram import Gram
from polymargin.access.kernels import make_kernel
from polymargin.access.rows import Rows
from polymargin.driver.kernel.solvers import KERNEL_SOLVERS, kernel_driver
from polymargin.driver.linear.solvers import (
    SOLVER_NAMES,
    SOLVERS,
    linear_driver,
    solver_of,
)
from polymargin.driver.options import KernelOptions, LinearOptions
from polymargin.driver.protocol import EpochReport, KernelDriver, LinearDriver
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import MACHINES

X, Y = make_problem(n=60, k=3)
MACHINE_NAMES = sorted({name for name, _ in MACHINES})


def stated(machine):
    return state_problem(machine, Y, np.arange(3), 1.0, np.ones(len(Y)), None)


def check_epoch(driver, problem):
    assert driver.interrupted is False
    report = driver.epoch(float("inf"))
    assert report.visits > 0 and report.moves > 0 and report.stopped is False
    assert report.violation >= 0 and np.isfinite(report.dual)
    driver.rebuild()
    primal, dual, violation = driver.certify()
    assert dual <= primal * (1 + 1e-9) and violation >= 0
    indptr, classes, values = driver.duals()
    assert len(indptr) == len(Y) + 1 and len(classes) == len(values) == indptr[-1]
    driver.set_duals(indptr.astype(np.int64), classes.astype(np.int32), 0 * values)


@pytest.mark.parametrize("pair", MACHINES, ids="-".join)
@pytest.mark.parametrize("solver", SOLVER_NAMES)
def test_linear_drivers(solver, pair):
    machine, options = MACHINES[pair], LinearOptions(solver=solver)
    problem, rows = stated(machine), Rows(X, options.bias)
    if solver != "auto" and not SOLVERS[solver].solves(machine):
        with pytest.raises(ValueError, match=f"solver='{solver}' does not train"):
            linear_driver(rows, problem, options)
        return
    driver = linear_driver(rows, problem, options)
    assert solver_of(driver, options) == ("dual" if solver == "auto" else solver)
    assert isinstance(driver, LinearDriver)
    check_epoch(driver, problem)
    assert driver.weights().shape == (X.shape[1] + 1, problem.n_columns)
    assert driver.release_weights().shape == (X.shape[1] + 1, problem.n_columns)


@pytest.mark.parametrize("pair", MACHINES, ids="-".join)
@pytest.mark.parametrize("solver", KERNEL_SOLVERS)
def test_kernel_drivers(solver, pair):
    machine = MACHINES[pair]
    if not machine.formulation.kernels or pair[1] == "logistic":
        pytest.skip("no kernel machine")
    kernel = make_kernel("rbf", "scale", 3, 0.0, X)
    gram, options = Gram(kernel, kernel.points(X)), KernelOptions(solver=solver)
    row, two_variables = machine.formulation, solver in ("s2do", "smo")
    refused = two_variables and machine.loss not in row.two_variable
    if solver == "binary":
        refused = not (row.separate or row.by_pairs)
    if refused:
        with pytest.raises(ValueError, match=f"solver='{solver}' does not train"):
            kernel_driver(gram, stated(machine), options)
        return
    driver = kernel_driver(gram, stated(machine), options)
    assert isinstance(driver, KernelDriver)
    check_epoch(driver, stated(machine))
    assert driver.kernel_evaluations > 0


def test_the_core_reports_the_same():
    names = {field.name for field in fields(EpochReport)}
    assert names == {name for name in dir(core.EpochReport) if not name.startswith("_")}


@pytest.mark.parametrize("options", [LinearOptions(), KernelOptions()])
def test_options_are_frozen(options):
    with pytest.raises(FrozenInstanceError):
        options.tol = 1.0
