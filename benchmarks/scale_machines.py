"""The machines of the benchmark of partitions: in memory, and their Dask twins."""

from polymargin import LinearSVM, MaxEnt

# As in all benchmarks of linear machines: C = 1, no intercept.
SAME = {"C": 1.0, "fit_intercept": False, "random_state": 0}
HINGE, SQUARED, MAXENT = "ovr hinge", "ovr squared hinge", "maxent"
MACHINES = ("cs", SQUARED, MAXENT)
_LINEAR = {
    "cs": {"machine": "cs"},
    HINGE: {"machine": "ovr", "loss": "hinge"},
    SQUARED: {"machine": "ovr", "loss": "squared_hinge"},
}


def in_memory(machine: str, **parameters):
    """An estimator of a machine, for rows in memory, on one thread."""
    if machine == MAXENT:
        return MaxEnt(**SAME, **parameters)
    return LinearSVM(**_LINEAR[machine], **SAME, **parameters)


def on_partitions(machine: str, client, **parameters):
    """The same for partitions, on the processes of a client."""
    from polymargin.dask import DaskLinearSVM, DaskMaxEnt

    if machine == MAXENT:
        return DaskMaxEnt(client=client, **SAME, **parameters)
    return DaskLinearSVM(client=client, **_LINEAR[machine], **SAME, **parameters)
