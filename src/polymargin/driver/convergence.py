"""From what was learned online to the optimum, by the method of working sets.

Here, and not in online/, because it is a driver with a kernel that trains.
"""

import numpy as np
import scipy.sparse as sp

from ..access.gram import Gram
from ..machine.block_algebra import duals_of
from ..machine.problem import Problem
from .epochs import Run, run_epochs
from .kernel.working_sets import BlockDriver
from .loop import Stopping
from .online.driver import OnlineDriver
from .options import KernelOptions


def train_to_optimum(
    online: OnlineDriver,
    points,
    problem: Problem,
    examples: np.ndarray,
    coefficients: sp.csr_array,
    stopping: Stopping,
    options: KernelOptions,
) -> Run:
    """Train on `points`, and let the online driver go on from the solution.

    Parameters
    ----------
    online : OnlineDriver
        Gets the support patterns of the solution.
    points : Points or Positions
    problem : Problem
        Of these points.
    examples : ndarray of int
        Which they are, as the online driver knows them.
    coefficients : csr_array
        To begin with.
    stopping : Stopping
    options : KernelOptions
    """
    driver = BlockDriver(Gram(online.kernel, points), problem, options)
    duals = duals_of(problem.machine, coefficients, problem.labels)
    driver.set_duals(
        duals.indptr.astype(np.int64), duals.indices.astype(np.int32), duals.data
    )
    run = run_epochs(driver, stopping)
    solution = problem.coefficients(*driver.duals())
    support = np.flatnonzero(np.diff(solution.indptr))
    online.replace(
        points.take(support),
        problem.labels[support],
        problem.loss_weights[support],
        examples[support],
        solution[support],
    )
    return run
