"""A kernel machine as a linear one, on features of low rank.

Here, and not in kernel/, because it is a linear driver that trains.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.utils import check_random_state

from ..access.gram import Gram
from ..access.nystroem import NystroemFeatures
from ..access.rows import Rows
from ..machine.problem import Problem
from .linear.solvers import linear_driver, solver_of
from .options import KernelOptions, LinearOptions
from .protocol import LinearDriver


@dataclass(frozen=True)
class LowRank:
    """A linear driver on features.

    Attributes
    ----------
    features : NystroemFeatures
    driver : LinearDriver
    n_kernel_evaluations : int
        Kernel values that the features took.
    """

    features: NystroemFeatures
    driver: LinearDriver
    n_kernel_evaluations: int

    @property
    def solver(self) -> str:
        """What the driver has done so far, by name."""
        return solver_of(self.driver, LinearOptions())


def low_rank_driver(
    gram: Gram,
    problem: Problem,
    rank: int,
    options: KernelOptions,
    poll: Callable = lambda: None,
) -> LowRank:
    """Return a driver of the machine with the approximated kernel.

    Parameters
    ----------
    gram : Gram
        Of what is trained on.
    problem : Problem
    rank : int
        Number of landmarks.
    options : KernelOptions
    poll : callable
        Called often while features are computed; may raise to end it.
    """
    points = gram.points
    features = NystroemFeatures(gram.kernel, rank, options.seed).fit(points, poll)
    rows = Rows(features.transform(points, options.threads, poll))
    driver = linear_driver(rows, problem, linear_options(options))
    n_landmarks = len(features.landmarks_)
    return LowRank(features, driver, n_landmarks * (n_landmarks + len(points)))


def linear_options(options: KernelOptions) -> LinearOptions:
    """Return how to train on the features."""
    return LinearOptions(
        tol=options.tol,
        violation_tol=options.violation_tol,
        bias=0.0,
        seed=check_random_state(options.seed).randint(2**31),
        threads=options.threads,
    )
