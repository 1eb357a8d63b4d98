"""The machines on a Dask cluster: same objective, same certificate.

================== ===========================================================
linear_estimators  `DaskLinearSVM` and `DaskMaxEnt`
kernel_estimator   `DaskKernelSVM`; kernel_features, its features of low rank
training           what they share: `fit`
prediction_mixin   what a fitted one does; lazy_prediction, partition by partition
collections        from Dask collections to the data of partitions
partition_data     rows, labels and weights of a partition, checked
partition_summary  what has to be known of all of them to state the problem
partition          a partition as a part of the problem
feature_statistics what has to be known of features; feature_units, their scales
local_round        a round in one partition: the tasks that workers run
round_messages     what a partition tells of it; weight_changes, changes of W by rows
consensus          what partitions agree on; consensus_state, its matrices
rounds             the run of all rounds; adaptation, what it learns on its way
latest_model       the model of the last round that ended
round_records      what is known of every round; run_size, of the whole run
recovery_points    where states come from when a worker is gone
checkpoint         restartable state on disk; state_arrays, what is written
own_folder         where: a marked folder of ours inside the user's
warm_start         from one fit to the next
tasks              client and futures of a fit; interrupts, Ctrl-C while it waits
rounds_plot        `plot_rounds`
================== ===========================================================
"""

try:
    import distributed  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "polymargin.dask needs dask.distributed; install polymargin[dask]."
    ) from missing

from .kernel_estimator import DaskKernelSVM
from .linear_estimators import DaskLinearSVM, DaskMaxEnt
from .rounds_plot import plot_rounds

__all__ = ["DaskKernelSVM", "DaskLinearSVM", "DaskMaxEnt", "plot_rounds"]
