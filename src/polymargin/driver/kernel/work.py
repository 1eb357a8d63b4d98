"""Operations of a round of working sets, and of Newton steps to the end.

Only what grows with the problem is counted, and what small ones wait for: the constants
are operations that take as long on one machine.
"""

from math import log

import numpy as np
import scipy.sparse as sp

from ...machine.problem import Problem
from ...machine.projection import Blocks
from ..options import KernelOptions
from .newton.driver import KernelNewtonDriver
from .newton.factors import cheapest_form
from .newton.system import shares_mean

ROUND, STEP = 1e7, 3e7  # of a round and of a step, however small
VALUE = 100.0  # of a kernel value
# Newton steps for every factor of e between the gaps, beside the first ones.
STEPS, FIRST_STEPS, MOST_STEPS = 5.0, 4.0, 40.0
LEAST_WORK = FIRST_STEPS * STEP  # of Newton steps to the end


def round_work(problem: Problem, working_size: int, visits: int) -> float:
    """Return the operations of a round of working sets.

    A visit changes the scores of the working set, the round those of all examples.
    """
    changed = visits + len(problem.labels)
    return 2.0 * changed * working_size * problem.n_columns + ROUND


def newton_work(
    problem: Problem, duals: sp.csr_array, options: KernelOptions, ratio: float
) -> float:
    """Return the operations of Newton steps from dual variables to the end.

    Parameters
    ----------
    problem : Problem
    duals : csr_array
        The dual variables, in the number format of the kernel.
    options : KernelOptions
    ratio : float
        Of the gap to the gap at the end.

    Returns
    -------
    work : float
        Infinite if there is no room for what they need.
    """
    rows = np.flatnonzero(np.diff(duals.indptr))
    n, support = len(problem.labels), len(rows)
    if KernelNewtonDriver.bytes_for(1.2 * support, n) > options.cache_bytes:
        return np.inf
    blocks = Blocks(
        problem.machine,
        problem.labels[rows],
        problem.loss_weights[rows],
        problem.n_columns,
    )
    # What is at its bound up to rounding is at its bound.
    u = blocks.feasible(duals[rows].toarray() * (1 + 1e-6))
    free = blocks.step_curvature(u, 1.0)
    n_rows = len(np.unique(free.rows))
    counts = np.bincount(free.classes, minlength=problem.n_columns)
    _, of_system = cheapest_form(
        n_rows, counts, KernelNewtonDriver.room_of(options), shares_mean(blocks)
    )
    of_products = 6.0 * n * n_rows * problem.n_columns
    steps = min(FIRST_STEPS + STEPS * log(max(ratio, 1.0)), MOST_STEPS)
    return VALUE * support * n + steps * (of_system + of_products + STEP)
