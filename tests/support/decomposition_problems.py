"""Kernels whose values are looked up, and what else tests of kernel drivers need."""

from dataclasses import dataclass

import numpy as np

from polymargin.access.gram import Gram
from polymargin.driver.epochs import run_epochs
from polymargin.driver.kernel.two_variable import TwoVariableDriver
from polymargin.driver.loop import Stopping
from polymargin.driver.options import KernelOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import MACHINES


def gaussian(X, gamma):
    """The matrix of exp(-gamma |x - y|^2)."""
    return np.exp(-gamma * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))


def linear(X):
    return X @ X.T


@dataclass
class Places:
    """Points that are known by their position in a matrix."""

    at: np.ndarray

    def take(self, chosen):
        return Places(self.at[chosen])

    def __len__(self):
        return len(self.at)


class GramKernel:
    """A kernel from its matrix, which counts what it is asked for."""

    def __init__(self, gram):
        self.gram = gram
        self.evaluations = 0

    def points(self):
        return Places(np.arange(len(self.gram)))

    def __call__(self, left, right):
        self.evaluations += len(left) * len(right)
        return self.gram[np.ix_(left.at, right.at)]

    def diagonal(self, points):
        return self.gram.diagonal()[points.at].copy()


def make_driver(
    machine, loss, gram, labels, loss_weights, working_set_size=2, **options
):
    """The driver, and its kernel."""
    classes = np.arange(labels.max() + 1)
    problem = state_problem(
        MACHINES[machine, loss], labels, classes, 1.0, loss_weights, None
    )
    kernel = gram if isinstance(gram, GramKernel) else GramKernel(gram)
    gram = Gram(kernel, kernel.points())
    options = KernelOptions(**{"cache_bytes": 200e6} | options)
    driver = TwoVariableDriver(gram, problem, options, working_set_size)
    return driver, kernel


class Counted:
    """A driver whose iterations are counted."""

    def __init__(self, driver):
        self.driver = driver
        self.iterations = 0

    def __getattr__(self, name):
        return getattr(self.driver, name)

    def epoch(self, seconds):
        report = self.driver.epoch(seconds)
        self.iterations += report.visits
        return report


def train(driver, tol=1e-8, violation_tol=None, max_iter=5000):
    """Run a driver; return how it went, and how many iterations it took."""
    counted = Counted(driver)
    run = run_epochs(counted, Stopping(tol, violation_tol, max_iter=max_iter))
    return run, counted.iterations
