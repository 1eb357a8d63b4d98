"""SMO and S2DO against an interior-point method, and what they promise besides."""

from time import sleep

import numpy as np
import pytest
import scipy.sparse as sp
from decomposition_problems import GramKernel, gaussian, linear, make_driver, train
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import make_problem
from reference import kernel_optimum, solve_kernel_dual
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler

from polymargin.access.gram import Gram
from polymargin.access.kernels import make_kernel
from polymargin.driver.kernel.two_variable import TwoVariableDriver
from polymargin.driver.options import KernelOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import FORMULATIONS, MACHINES

# Of one-vs-one, the binary problems are trained.
SOLVED = [
    pair
    for pair, machine in MACHINES.items()
    if machine.loss in machine.formulation.two_variable
    and not machine.formulation.by_pairs
]
KERNELS = {"rbf": lambda X: gaussian(X, 0.5), "linear": linear}


def make_odd_problem(k=3, seed=0):
    """Some rows twice, some of these with another label; some weights zero."""
    X, y = make_problem(n=30, d=3, k=k, seed=seed)
    X[20:26] = X[10:16]
    rng = np.random.default_rng(seed)
    loss_weights = rng.choice([0.0, 0.3, 1.0, 4.0], size=len(y))
    return X, y, loss_weights


def optimum(machine, loss, gram, labels, loss_weights):
    """By an interior-point method: on the dual or, where it stalls on that, on the
    primal problem.
    """
    row = FORMULATIONS[machine]
    stalls = row.aggregation == "max" and row.sums_to_zero
    solve = kernel_optimum if stalls else solve_kernel_dual
    return solve(machine, loss, gram, labels, loss_weights)


def check_optimal(driver, best):
    run, _ = train(driver)
    assert run.certificate.dual == pytest.approx(best, rel=1e-6)
    assert run.certificate.primal == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("working_set_size", [1, 2])
@pytest.mark.parametrize("machine, loss", SOLVED)
def test_optimum(machine, loss, working_set_size, kernel):
    X, y, loss_weights = make_odd_problem()
    gram = KERNELS[kernel](X)
    driver, _ = make_driver(machine, loss, gram, y, loss_weights, working_set_size)
    check_optimal(driver, optimum(machine, loss, gram, y, loss_weights))


@pytest.mark.parametrize("gamma", [1e-10, 1e-4, 1e5])
@pytest.mark.parametrize("machine, loss", SOLVED)
def test_nearly_constant_and_nearly_diagonal_kernels(machine, loss, gamma):
    X, y, loss_weights = make_odd_problem(seed=1)
    gram = gaussian(X, gamma)
    driver, _ = make_driver(machine, loss, gram, y, loss_weights)
    check_optimal(driver, optimum(machine, loss, gram, y, loss_weights))


@pytest.mark.parametrize("k", [2, 9])
@pytest.mark.parametrize("machine, loss", SOLVED)
def test_few_and_many_classes(machine, loss, k):
    X, y, loss_weights = make_odd_problem(k=k, seed=2)
    gram = gaussian(X, 0.5)
    driver, _ = make_driver(machine, loss, gram, y, loss_weights)
    check_optimal(driver, optimum(machine, loss, gram, y, loss_weights))


@pytest.mark.parametrize("machine, loss", SOLVED)
def test_single_precision(machine, loss):
    X, y, loss_weights = make_odd_problem(seed=3)
    gram = gaussian(X, 0.5)
    driver, _ = make_driver(machine, loss, gram.astype(np.float32), y, loss_weights)
    best = optimum(machine, loss, gram, y, loss_weights)
    run, _ = train(driver, tol=1e-5)
    assert run.certificate.dual == pytest.approx(best, rel=1e-5)
    assert run.certificate.primal == pytest.approx(best, rel=2e-5)


@pytest.mark.parametrize("machine, loss", SOLVED)
def test_weights_are_repetitions(machine, loss):
    X, y = make_problem(n=25, d=3, k=3, seed=4)
    times = np.random.default_rng(0).integers(0, 4, size=len(y))
    gram, again = gaussian(X, 0.5), np.repeat(np.arange(len(y)), times)
    weighted, _ = make_driver(machine, loss, gram, y, times.astype(float))
    repeated, _ = make_driver(
        machine, loss, gram[np.ix_(again, again)], y[again], np.ones(len(again))
    )
    best = train(weighted)[0].certificate.dual
    check_optimal(repeated, best)


@pytest.mark.parametrize("machine", ["ww", "llw"])
@pytest.mark.parametrize("data", ["iris", "digits"])
def test_two_variables_take_fewer_iterations(machine, data):
    """The claim of Dogan et al. (2011), table 3."""
    X, y = (load_iris if data == "iris" else load_digits)(return_X_y=True)
    X = StandardScaler().fit_transform(X[::3])
    gram, loss_weights = gaussian(X, 2 / X.shape[1]), np.full(len(X), 2.0)
    iterations, duals = [], []
    for size in (1, 2):
        driver, _ = make_driver(machine, "hinge", gram, y[::3], loss_weights, size)
        run, count = train(driver, violation_tol=1e-3)
        assert run.status == "converged"
        assert run.certificate.violation <= 1e-3
        iterations.append(count)
        duals.append(run.certificate.dual)
    assert iterations[1] < 0.7 * iterations[0]
    assert duals[0] == pytest.approx(duals[1], rel=1e-3)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", ["rbf", "poly"])
def test_kernels_of_rows(name, storage):
    """With shrinking, the columns of the kernel rows are in no order at all."""
    X, y = make_problem(n=150, d=3, k=4, seed=11, noise=0.2)
    X = storage(X)
    kernel = make_kernel(name, 0.3, 2, 1.0, X)
    points, loss_weights = kernel.points(X), np.full(len(y), 5.0)
    problem = state_problem(
        MACHINES["ww", "hinge"], y, np.arange(4), 1.0, loss_weights, None
    )
    options = KernelOptions(cache_bytes=30 * 160 * 8)
    driver = TwoVariableDriver(Gram(kernel, points), problem, options)
    looked_up, _ = make_driver("ww", "hinge", kernel(points, points), y, loss_weights)
    duals = [train(each, 1e-3)[0].certificate.dual for each in (driver, looked_up)]
    assert driver.kernel_evaluations > 150**2
    assert duals[0] == pytest.approx(duals[1], rel=1e-3)


def test_crammer_singer_takes_two_variables_either_way():
    X, y = make_problem(n=60, k=4, seed=5)
    runs = []
    for size in (1, 2):
        driver, _ = make_driver(
            "cs", "hinge", gaussian(X, 0.3), y, np.ones(len(y)), size
        )
        runs.append((train(driver)[1], driver.duals()[2].tolist()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("machine", ["adm", "atm"])
def test_pairs_of_two_examples_take_fewer_iterations(machine):
    """Where points are much alike, what one example gives another takes."""
    X, y = make_problem(n=80, d=3, k=4, seed=5)
    iterations, duals = [], []
    for size in (1, 2):
        driver, _ = make_driver(
            machine, "hinge", gaussian(X, 0.01), y, np.ones(len(y)), size
        )
        run, count = train(driver, violation_tol=1e-4)
        assert run.status == "converged"
        iterations.append(count)
        duals.append(run.certificate.dual)
    assert iterations[1] < 0.5 * iterations[0]
    assert duals[0] == pytest.approx(duals[1], rel=1e-4)


@given(
    seed=st.integers(0, 1000),
    rows=st.integers(0, 60),
    shrinking=st.booleans(),
    single=st.booleans(),
    pair=st.sampled_from(SOLVED),
)
@settings(max_examples=40, deadline=None)
def test_cache_of_any_size(seed, rows, shrinking, single, pair):
    """Rows are never more than there is room for, and never wrong."""
    X, y = make_problem(n=50, d=3, k=3, seed=seed)
    gram = gaussian(X, 0.5).astype(np.float32 if single else np.float64)
    loss_weights = np.full(len(y), 2.0)
    best = optimum(*pair, gram.astype(np.float64), y, loss_weights)
    room = rows * (gram[0].nbytes + 64)  # rows are padded to whole packs
    driver, kernel = make_driver(
        *pair, gram, y, loss_weights, cache_bytes=room, shrinking=shrinking
    )
    for _ in range(60):
        report = driver.epoch(np.inf)
        assert driver.cached_rows * gram[0].nbytes <= max(room, 2 * gram[0].nbytes)
        if report.violation <= 1e-3:
            break
    primal, dual, violation = driver.certify()
    assert violation <= 1.1e-3
    assert dual <= best * (1 + 1e-5) <= primal * (1 + 2e-5)
    assert driver.kernel_evaluations == kernel.evaluations
    if rows >= len(y) and not shrinking:
        assert kernel.evaluations <= gram.size


def test_shrinking_saves_kernel_evaluations():
    X, y = make_problem(n=600, d=3, k=4, seed=10, noise=0.3)
    gram, loss_weights = gaussian(X, 0.5), np.full(len(y), 10.0)
    spent, duals = [], []
    for shrinking in (True, False):
        driver, kernel = make_driver(
            "ww",
            "hinge",
            gram,
            y,
            loss_weights,
            cache_bytes=50 * 600 * 8,
            shrinking=shrinking,
        )
        run, _ = train(driver, violation_tol=1e-3)
        spent.append(kernel.evaluations)
        duals.append(run.certificate.dual)
    assert spent[0] < 0.8 * spent[1]
    assert duals[0] == pytest.approx(duals[1], rel=1e-4)


@pytest.mark.parametrize("machine, loss", SOLVED)
def test_start_from_dual_variables(machine, loss):
    X, y, loss_weights = make_odd_problem(seed=6)
    gram = gaussian(X, 0.5)
    first, _ = make_driver(machine, loss, gram, y, loss_weights)
    run, _ = train(first)
    second, _ = make_driver(machine, loss, gram, y, loss_weights)
    second.set_duals(*first.duals())
    primal, dual, _ = second.certify()
    assert primal == pytest.approx(run.certificate.primal, rel=1e-12)
    assert dual == pytest.approx(run.certificate.dual, rel=1e-12)
    assert train(second)[1] == 0


def test_same_model_every_time():
    X, y = make_problem(n=80, k=4, seed=7)
    values = []
    for _ in range(2):
        driver, _ = make_driver(
            "llw", "hinge", gaussian(X, 0.5), y, np.ones(80), cache_bytes=20 * 80 * 8
        )
        train(driver, violation_tol=1e-3)
        values.append(driver.duals()[2].tolist())
    assert values[0] == values[1]


@pytest.mark.parametrize("machine, loss", SOLVED)
def test_nothing_to_train_on(machine, loss):
    """All weights zero, or all points zero in the space of the kernel."""
    X, y = make_problem(n=20, k=3)
    driver, kernel = make_driver(machine, loss, linear(X), y, np.zeros(20))
    assert driver.epoch(np.inf).moves == 0
    assert driver.certify()[:2] == (0, 0)
    driver, _ = make_driver(machine, loss, np.zeros((20, 20)), y, np.ones(20))
    assert driver.epoch(np.inf).moves == 0
    primal, dual, _ = driver.certify()
    assert primal == pytest.approx(dual)
    assert primal > 0
    assert kernel.evaluations == 0


class Failing(GramKernel):
    """A kernel that fails once, when it has been asked often enough."""

    def __init__(self, gram, error):
        super().__init__(gram)
        self.error, self.left = error, 20

    def __call__(self, left, right):
        self.left -= 1
        if self.left == 0:
            raise self.error("no value today")
        return super().__call__(left, right)


def test_failing_kernel_leaves_a_usable_driver():
    X, y, loss_weights = make_odd_problem(seed=8)
    gram = gaussian(X, 0.5)
    driver, _ = make_driver("ww", "hinge", Failing(gram, RuntimeError), y, loss_weights)
    with pytest.raises(RuntimeError, match="no value today"):
        for _ in range(100):
            driver.epoch(np.inf)
    check_optimal(driver, solve_kernel_dual("ww", "hinge", gram, y, loss_weights))


def test_interrupted_in_the_kernel():
    X, y, loss_weights = make_odd_problem(seed=8)
    gram = gaussian(X, 0.5)
    driver, _ = make_driver(
        "ww", "hinge", Failing(gram, KeyboardInterrupt), y, loss_weights
    )
    run, _ = train(driver)
    assert run.status == "interrupted"
    assert len(driver.duals()[2]) >= 10
    check_optimal(driver, solve_kernel_dual("ww", "hinge", gram, y, loss_weights))


class Slow(GramKernel):
    """A kernel that takes a millisecond at least for every row."""

    rows = 0

    def __call__(self, left, right):
        sleep(0.001)
        self.rows += 1
        return super().__call__(left, right)


def test_time_limit():
    """The core looks at its clock every 20 milliseconds, and a step has two rows."""
    X, y = make_problem(n=800, k=5, seed=9, noise=0.4)
    kernel, loss_weights = Slow(gaussian(X, 0.1)), np.full(800, 100.0)
    driver, _ = make_driver("llw", "hinge", kernel, y, loss_weights, cache_bytes=0)
    before = kernel.rows
    report = driver.epoch(0.0)
    assert report.stopped and 0 < kernel.rows - before <= 20 + 2
    primal, dual, _ = driver.certify()
    assert 0 < dual < primal


def test_squared_crammer_singer():
    X, y, loss_weights = make_odd_problem()
    with pytest.raises(ValueError, match="solver='s2do' does not train machine='cs'"):
        make_driver("cs", "squared_hinge", linear(X), y, loss_weights)
