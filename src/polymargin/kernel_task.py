"""What a driver needs to train a kernel machine."""

from dataclasses import dataclass

from .kernel import Kernel
from .points import ChosenPoints, Points
from .precomputed import Positions
from .problem import Problem


@dataclass(frozen=True)
class KernelTask:
    """What a driver needs to train a kernel machine.

    Attributes
    ----------
    kernel : Kernel
    points : Points, Positions or ChosenPoints
        What is trained on, as the kernel knows it.
    problem : Problem
    tol : float
    violation_tol : float or None
    cache_bytes : float
    shrinking : bool
    seed : int
    threads : int
    """

    kernel: Kernel
    points: Points | Positions | ChosenPoints
    problem: Problem
    tol: float
    violation_tol: float | None
    cache_bytes: float
    shrinking: bool
    seed: int
    threads: int
