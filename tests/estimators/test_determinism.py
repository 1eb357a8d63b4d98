"""Same seed, same model: on any number of threads, in any company."""

import os
import random
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    SOME_PAIRS,
    as_hard,
    make_model,
    make_problem,
    make_sparse_problem,
    rotated,
    with_classes,
)

from polymargin import LinearSVM
from polymargin._core import available_instruction_sets

ORDERS = [("acf", True), ("permuted", False), ("permuted", True)]


def fit(X, y, machine="cs", loss="hinge", **parameters):
    parameters = {"random_state": 0} | parameters
    return make_model(machine, loss, **parameters).fit(X, y)


def assert_identical(a, b):
    assert_array_equal(a.coef_, b.coef_)
    assert_array_equal(a.intercept_, b.intercept_)
    assert_array_equal(a.dual_coef_.toarray(), b.dual_coef_.toarray())
    assert a.objective_ == b.objective_
    assert a.dual_objective_ == b.dual_objective_
    assert a.violation_ == b.violation_
    assert a.n_iter_ == b.n_iter_


@pytest.mark.parametrize(("order", "shrinking"), ORDERS)
@pytest.mark.parametrize(
    ("machine", "loss", "k"), with_classes(4, 70, pairs=SOME_PAIRS)
)
def test_number_of_threads(machine, loss, k, order, shrinking):
    # More rows than a thread takes at once, so that there is something to share.
    X, y = make_sparse_problem(n=5000, d=300, k=k)
    parameters = {
        "machine": machine,
        "loss": loss,
        "order": order,
        "shrinking": shrinking,
        "tol": 1e-2,
        "C": as_hard(machine, loss, k, 1.0),
    }
    one = fit(X, y, n_jobs=1, **parameters)
    for n_jobs in (1, 2, 4):
        assert_identical(fit(X, y, n_jobs=n_jobs, **parameters), one)


@pytest.mark.parametrize(
    ("machine", "loss", "order", "dtype"),
    rotated(
        [pair for pair in SOME_PAIRS if pair[0] != "ovo"],
        ["acf", "permuted"],
        [np.float32, np.float64],
    ),
)
def test_number_of_threads_with_many_classes(machine, loss, order, dtype):
    X, y = make_sparse_problem(n=2000, d=400, k=1000, dtype=dtype)
    C = as_hard(machine, loss, 1000, 1.0)
    parameters = {"machine": machine, "loss": loss, "order": order, "tol": 0.1, "C": C}
    one = fit(X, y, n_jobs=1, **parameters)
    for n_jobs in (2, 3):
        assert_identical(fit(X, y, n_jobs=n_jobs, **parameters), one)


@pytest.mark.parametrize(("order", "shrinking"), ORDERS)
def test_seeds_differ(order, shrinking):
    X, y = make_problem(n=80)
    parameters = {"order": order, "shrinking": shrinking, "tol": 1e-2}
    first = fit(X, y, random_state=0, **parameters)
    second = fit(X, y, random_state=1, **parameters)
    assert not np.array_equal(first.coef_, second.coef_)


def test_random_state_instance():
    X, y = make_problem(n=80)
    generator = np.random.RandomState(3)
    first, second = (fit(X, y, random_state=generator) for _ in range(2))
    assert not np.array_equal(first.coef_, second.coef_)  # the generator moves on
    assert_identical(fit(X, y, random_state=np.random.RandomState(3)), first)


def test_a_second_fit_of_the_same_estimator_is_the_same():
    X, y = make_problem(n=80)
    model = fit(X, y)
    coef = model.coef_.copy()
    assert_array_equal(model.fit(X, y).coef_, coef)


def test_no_global_random_state_is_touched():
    X, y = make_problem()
    random.seed(7)
    legacy = np.random.mtrand._rand  # what np.random.rand and its like draw from
    legacy.seed(7)
    expected = np.random.RandomState(7).get_state()[1], random.getstate()
    fit(X, y, random_state=0)
    LinearSVM(random_state=0).partial_fit(X, y, np.unique(y))
    assert_array_equal(legacy.get_state()[1], expected[0])
    assert legacy.get_state()[2] == np.random.RandomState(7).get_state()[2]
    assert random.getstate() == expected[1]


def test_fits_in_threads_equal_fits_in_a_row():
    problems = [make_problem(n=400, d=10, k=5, seed=seed) for seed in range(6)]
    parameters = [
        {"machine": machine, "loss": loss, "n_jobs": 2} for machine, loss in SOME_PAIRS
    ]
    jobs = [(problem, choice) for problem in problems for choice in parameters]
    expected = [fit(*problem, **choice) for problem, choice in jobs]
    found = [None] * len(jobs)
    start = threading.Barrier(len(jobs))

    def work(number):
        problem, choice = jobs[number]
        start.wait()
        found[number] = fit(*problem, **choice)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(found, expected, strict=True):
        assert_identical(a, b)


OBJECTIVES = """
    import sys
    import numpy as np
    from polymargin import _core
    from problems import (
        ALL_PAIRS, few_classes, make_model, make_problem, make_sparse_problem, rotated
    )

    print(_core.core.instruction_set)
    for dtype, tol in ((np.float64, 1e-7), (np.float32, 1e-4)):
        for machine, loss, k in rotated(ALL_PAIRS, [2, 3, 9, 17, 33, 70], times=2):
            k = few_classes(machine, k)
            for X, y in (
                make_problem(n=k + 60, d=9, k=k),
                make_sparse_problem(n=k + 60, d=30, k=k),
            ):
                model = make_model(
                    machine,
                    loss,
                    C=0.1,
                    tol=tol,
                    max_iter=100_000,
                    random_state=0,
                ).fit(X.astype(dtype), y)
                print(tol, model.objective_)
"""


def test_instruction_sets_reach_the_same_objective(run_python, helpers_on_path):
    names = available_instruction_sets()
    assert names[0] == "generic"
    found = {}
    for name in names:
        env = helpers_on_path | {"POLYMARGIN_INSTRUCTION_SET": name}
        first, *lines = run_python(OBJECTIVES, env=env).splitlines()
        assert first == name
        found[name] = np.array([line.split() for line in lines], dtype=float)
        assert len(found[name]) == 2 * 2 * len(ALL_PAIRS) * 2
    for name in names[1:]:
        tol = found[name][:, 0]
        ratio = found[name][:, 1] / found["generic"][:, 1]
        assert (np.abs(ratio - 1) <= 2 * tol).all()


def test_the_fastest_instruction_set_is_the_default(run_python):
    env = {k: v for k, v in os.environ.items() if k != "POLYMARGIN_INSTRUCTION_SET"}
    script = "from polymargin._core import core; print(core.instruction_set)"
    assert run_python(script, env=env).strip() == available_instruction_sets()[-1]


def test_unknown_instruction_set(run_python):
    env = os.environ | {"POLYMARGIN_INSTRUCTION_SET": "mmx"}
    done = run_python("from polymargin import LinearSVM", env=env, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: POLYMARGIN_INSTRUCTION_SET='mmx'")
    assert "generic" in last and last.endswith(".")


def test_warm_start_is_deterministic():
    X, y = make_problem(n=80)
    models = []
    for n_jobs in (1, 2):
        model = fit(X, y, warm_start=True, n_jobs=n_jobs)
        models.append(model.set_params(C=3.0, tol=1e-5).fit(X, y))
    assert_identical(*models)
    assert_allclose(models[0].dual_gap_, 0, atol=1e-5)
