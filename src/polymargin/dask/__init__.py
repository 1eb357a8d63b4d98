"""The machines on a Dask cluster: same objective, same certificate.

================ =============================================================
estimators       `DaskLinearSVM` and `DaskMaxEnt`
kernel_estimator `DaskKernelSVM`; kernel_features, its features of low rank
training         what they share: `fit`; answers, what a fitted one does
collections      from Dask collections to partitions
partition        a partition and its state between two rounds
labels           what all partitions together have
local_round      a round in one partition: the tasks that workers run
changes          what travels: changes of W, by rows
rounds           the run of all rounds; adaptation, what it learns on its way
lineage          where states come from when a worker is gone
checkpoint       restartable state in a folder
warm             from one fit to the next
tasks            client and futures of a fit
prediction       lazy predictions
picture          `plot_rounds`
================ =============================================================
"""

try:
    import distributed  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "polymargin.dask needs dask.distributed; install polymargin[dask]."
    ) from missing

from .estimators import DaskLinearSVM, DaskMaxEnt
from .kernel_estimator import DaskKernelSVM
from .picture import plot_rounds

__all__ = ["DaskKernelSVM", "DaskLinearSVM", "DaskMaxEnt", "plot_rounds"]
