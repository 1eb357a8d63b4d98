"""The linear machines on a Dask cluster: same objective, same certificate.

=========== ==================================================================
estimators  `DaskLinearSVM` and `DaskMaxEnt`; training, what they share
collections from Dask collections to partitions
partition   a partition and its state between two rounds
local_round a round in one partition: the tasks that workers run
changes     what travels: changes of W, by rows
rounds      the run of all rounds; adaptation, what it learns on its way
checkpoint  restartable state in a folder
tasks       client and futures of a fit
prediction  lazy predictions
=========== ==================================================================
"""

try:
    import distributed  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "polymargin.dask needs dask.distributed; install polymargin[dask]."
    ) from missing

from .estimators import DaskLinearSVM, DaskMaxEnt
from .kernel_estimator import DaskKernelSVM

__all__ = ["DaskKernelSVM", "DaskLinearSVM", "DaskMaxEnt"]
