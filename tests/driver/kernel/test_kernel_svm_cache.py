"""The cache of kernel rows: its size is kept, and what is in it is never wrong."""

from time import perf_counter

import numpy as np
import peak_memory
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_problems import SOME_KERNEL_PAIRS, accurate
from problems import make_problem
from sklearn.datasets import make_classification

from polymargin import KernelSVM
from polymargin._core import core
from polymargin.access.cache_filler import CacheFiller
from polymargin.access.gram import Gram
from polymargin.access.kernels import make_kernel
from polymargin.driver.kernel.working_sets import BlockDriver
from polymargin.driver.options import KernelOptions
from polymargin.machine.problem import Problem
from polymargin.machine.registry import MACHINES


@pytest.mark.parametrize("cache_size", [1e-6, 2e-3, 2e-2])
@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_a_tiny_cache_gives_the_same_optimum(machine, loss, cache_size):
    """Room for two rows of 80 values, for a few, and for a fifth of them."""
    X, y = make_problem(n=80, k=3)
    ample = accurate(machine, loss, tol=1e-6).fit(X, y)
    tiny = accurate(machine, loss, tol=1e-6, cache_size=cache_size).fit(X, y)
    assert tiny.objective_ == pytest.approx(ample.objective_, rel=2e-6)
    # One-vs-one trains fewer pairs at a time; shrinking may save more than is lost.
    if machine != "ovo" and cache_size < 0.01:
        assert tiny.n_kernel_evaluations_ > ample.n_kernel_evaluations_


def make_driver(X, y, cache_bytes, threads=1, kernel="rbf"):
    made = make_kernel(kernel, "scale", 3, 0.0, X)
    problem = Problem(MACHINES["ww", "hinge"], y, y.max() + 1, np.ones(len(y)))
    options = KernelOptions(cache_bytes=cache_bytes, threads=threads)
    return BlockDriver(Gram(made, made.points(X)), problem, options)


def make_rows(X, cache_bytes, threads=1, kernel="rbf"):
    made = make_kernel(kernel, "scale", 3, 0.0, X)
    n = len(X)
    driver = core.WorkingSets64(
        np.ones(n),
        (np.arange(n) % 2).astype(np.int32),
        np.ones(n),
        2,
        MACHINES["ww", "hinge"].axes(2),
        cache_bytes,
        cache_bytes,
        0,
        1,
    )
    return CacheFiller(driver, Gram(made, made.points(X)), threads)


@pytest.mark.parametrize("cache_bytes", [1, 20_000, 200_000, 1e9])
def test_rows_and_working_set_share_the_room(cache_bytes):
    X, y = make_problem(n=300, k=3)
    driver = make_driver(X, y, cache_bytes)
    most = max(cache_bytes, 2 * 8 * 320 / 0.75)  # two rows, which are padded
    fullest = 0
    for _ in range(5):
        driver.epoch(float("inf"))
        rows = driver._core.cached * 8 * len(driver._core.columns)
        square = 8 * len(driver._working) ** 2
        assert rows + square <= most
        fullest = max(fullest, rows)
    if cache_bytes == 200_000:
        assert fullest > 0.6 * cache_bytes


def test_nothing_is_computed_twice_if_there_is_room():
    X, y = make_problem(n=200, k=3)
    model = accurate(tol=1e-6).fit(X, y)
    assert len(model.support_) * 200 <= model.n_kernel_evaluations_ <= 200 * 200


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1000),
    capacity=st.integers(2, 12),
    n_fetches=st.integers(1, 12),
    threads=st.integers(1, 2),
)
def test_rows_in_the_cache_are_right(seed, capacity, n_fetches, threads):
    """Scores of one coefficient are a kernel row: whichever are fetched, also late."""
    rng = np.random.default_rng(seed)
    n = 30
    X = rng.normal(size=(n, 2))
    rows = make_rows(X, capacity * 8 * 32, threads)
    solver = rows.core
    assert solver.capacity == capacity
    gram = rows.kernel(rows.points, rows.points)
    for _ in range(n_fetches):
        some = rng.choice(n, size=rng.integers(1, capacity + 1), replace=False)
        some = some.astype(np.int32)
        if rng.random() < 0.3:
            in_time = rows.fetch(some, end=perf_counter() - 1)
            assert in_time == (len(rows.incomplete) == 0)
            continue
        assert rows.fetch(some)
        assert solver.cached <= capacity
        duals = np.zeros(n)
        duals[some] = 1.0
        indptr = np.concatenate([[0], np.cumsum(duals != 0)])
        wrong = (1 - np.sort(some) % 2).astype(np.int32)
        solver.set_duals(indptr, wrong, np.ones(len(some)))
        solver.clear_scores()
        solver.add_blocks(some)
        dual = solver.certify()[1]
        signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) * duals
        # b = (u, -u) for the first class: the norm is twice that of one column.
        assert len(some) - dual == pytest.approx(signs @ gram @ signs, abs=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_that_an_error_left_incomplete_are_not_used(threads):
    X, _ = make_problem(n=3000, d=2, k=3)
    calls = []

    def kernel(A, B):
        calls.append(len(B))
        if len(calls) == failing:
            raise KeyboardInterrupt
        return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))

    failing = 0
    rows = make_rows(X, 1e6, threads, kernel)
    failing = len(calls) + 2
    some = np.array([5, 7], dtype=np.int32)
    with pytest.raises(KeyboardInterrupt):
        rows.fetch(some)
    assert rows.n_evaluations == 0
    before = len(calls)
    assert rows.fetch(some)
    assert len(calls) - before == 3  # all tiles again
    assert rows.n_evaluations == 2 * 3000
    assert rows.fetch(some) and len(calls) - before == 3


PEAK = """
    import sys
    import numpy as np
    from peak_memory import peak
    from polymargin import KernelSVM

    machine, cache_size = sys.argv[1], float(sys.argv[2])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 5)), rng.integers(3, size=4000)
    model = KernelSVM(machine, cache_size=cache_size, max_iter=60, gamma=1.0, tol=0)
    import warnings
    warnings.simplefilter("ignore")
    model.fit(X[:1500], y[:1500])  # imports what is imported late, and fills buffers
    before = peak()
    model.fit(X, y)
    print((peak() - before) / 1e6)
"""


@pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_peak(run_python, helpers_on_path, machine):
    """All rows are 128 megabytes; labels are random, so that all of them are wanted."""
    few = float(run_python(PEAK, machine, 20, env=helpers_on_path))
    all_of_them = float(run_python(PEAK, machine, 1000, env=helpers_on_path))
    assert few < 20 * 1.05 + 10  # scores, dual variables and tiles
    assert all_of_them > 60


@pytest.mark.parametrize("machine", ["ww", "cs"])
def test_a_cache_that_is_nearly_large_enough(machine):
    """The shrunk problem is not solved further than what was left out is known."""
    X, y = make_classification(
        3000,
        10,
        n_informative=8,
        n_redundant=0,
        n_classes=6,
        class_sep=1.5,
        random_state=0,
    )
    model = KernelSVM(machine, C=10.0, gamma=0.02, cache_size=40, random_state=0)
    model.set_params(max_iter=40).fit(X, y)
    assert model.status_ == "converged"
    assert model.n_kernel_evaluations_ > len(y) ** 2  # it did not find room for all
