"""From a kernel and rows to a driver and its model: exact, and on features of low rank.

Both ways give a driver and a function ``model(last)`` that returns the attributes of
the model as it is, as `Training` wants them.
"""

import numpy as np

from .expansion import Expansion
from .kernel import Kernel
from .kernel_solver import kernel_driver
from .kernel_task import KernelTask
from .linear import LinearSVM
from .nystroem import NystroemFeatures
from .precomputed import Positions
from .problem import Problem
from .solver import SOLVERS, choose_solver

_MEGABYTE = 1e6


def prepare_exact(estimator, kernel: Kernel, X, problem: Problem, seed, threads):
    """Train with the kernel itself; `estimator` has the parameters of `KernelSVM`."""
    points = kernel.points(X)
    driver = kernel_driver(
        estimator.solver,
        KernelTask(
            kernel,
            points,
            problem,
            estimator.tol,
            estimator._violation_tol(),
            _MEGABYTE * estimator.cache_size,
            estimator.shrinking,
            seed,
            threads,
        ),
    )
    estimator.solver_ = estimator.solver
    labels = problem.labels - problem.labels.min()  # a binary problem begins at -1

    def model(last):
        coefficients = problem.coefficients(*driver.duals())
        support = np.flatnonzero(np.diff(coefficients.indptr))
        dual_coef = coefficients[support].toarray()
        vectors = np.empty((0, 0), dtype=kernel.dtype)
        if not isinstance(points, Positions):
            vectors = X[support]
        return {
            "_expansion": Expansion(kernel, points.keep(support), dual_coef),
            "dual_coef_": dual_coef,
            "support_": support,
            "support_vectors_": vectors,
            "n_support_": np.bincount(labels[support], minlength=labels.max() + 1),
            "n_kernel_evaluations_": driver.kernel_evaluations,
        }

    return driver, model


def prepare_nystroem(estimator, kernel: Kernel, X, problem: Problem, seed, threads):
    """Train a linear machine on features; `estimator` as in `prepare_exact`."""
    features = NystroemFeatures(kernel, estimator.rank, seed)
    points = kernel.points(X)
    rows = features.fit(points).transform(points, threads)
    linear = LinearSVM(
        estimator.machine,
        loss=estimator.loss,
        tol=estimator.tol,
        violation_tol=estimator._violation_tol(),
        fit_intercept=False,
        n_jobs=estimator.n_jobs,
        random_state=seed,
    )
    linear.classes_ = estimator.classes_
    estimator.solver_ = choose_solver("auto", problem, rows)
    driver = SOLVERS[estimator.solver_].driver(linear, rows, problem)
    n_landmarks = len(features.landmarks_)

    def model(last):
        weights = driver.release_weights() if last else driver.weights()
        expansion = features.expansion(weights)
        return {
            "_expansion": expansion,
            "dual_coef_": expansion.coefficients,
            "n_kernel_evaluations_": n_landmarks * (n_landmarks + len(points)),
        }

    return driver, model
