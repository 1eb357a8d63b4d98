"""The machines: one row each, with its axes, its name and what can be done with it.

`formulation` says what the axes are. Whatever lists machines (docstrings, the command
line, errors, solvers, model files) asks this table. It needs no NumPy:
`polymargin --help` reads it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .formulation import HINGES, Formulation, others, share

if TYPE_CHECKING:
    import numpy as np

_SIMPLEX = (
    "exact",
    "sort",
    "pivot",
    "bisection",
    "bisection_printed",
    "active_set",
    "smo",
    "frank_wolfe",
    "fixed_point",
)


FORMULATIONS = {
    row.name: row
    for row in (
        Formulation(
            "cs",
            "Crammer-Singer",
            "counts the worst wrong class",
            margin="relative",
            variables="others",
            aggregation="max",
            costs=True,
            two_variable=("hinge",),  # else the penalty couples all of a block
            online=HINGES,
            reduced=True,
            tried=("linear",),
            comparison={"hinge": ("exponentiated_gradient", "cutting_plane")},
            liblinear={4: ("MCSVM_CS", "hinge", "dual")},
        ),
        Formulation(
            "ww",
            "Weston-Watkins",
            "counts every wrong class inside the margin",
            margin="relative",
            variables="others",
            aggregation="sum",
            costs=True,
            two_variable=HINGES,
            online=HINGES,
            reduced=True,
            tried=("kernel",),
        ),
        Formulation(
            "llw",
            "Lee-Lin-Wahba",
            "counts every wrong class above ``-1/(k-1)``",
            margin="absolute",
            variables="others",
            aggregation="sum",
            sums_to_zero=True,
            other_target=share,
            costs=True,
            two_variable=HINGES,
        ),
        Formulation(
            "ovr",
            "one-vs-rest",
            "solves a binary problem for each class",
            margin="absolute",
            variables="all",
            aggregation="sum",
            losses=(*HINGES, "logistic"),
            label_sets=True,
            two_variable=HINGES,
            reduced=True,
            tron=("squared_hinge", "logistic"),
            sparse=("squared_hinge", "logistic"),
            probabilities=("logistic",),
            tried=("linear",),
            liblinear={
                0: ("L2R_LR", "logistic", "tron"),
                1: ("L2R_L2LOSS_SVC_DUAL", "squared_hinge", "dual"),
                2: ("L2R_L2LOSS_SVC", "squared_hinge", "tron"),
                3: ("L2R_L1LOSS_SVC_DUAL", "hinge", "dual"),
                7: ("L2R_LR_DUAL", "logistic", "dual"),
            },
        ),
        Formulation(
            "adm",
            "absolute margins with discriminative maximum",
            "counts the worst wrong class above ``-1/(k-1)``",
            margin="absolute",
            variables="others",
            aggregation="max",
            sums_to_zero=True,
            other_target=share,
            costs=True,
            two_variable=("hinge",),
        ),
        Formulation(
            "ats",
            "absolute margins with total sum",
            "counts the label below 1 and every other class above -1",
            margin="absolute",
            variables="all",
            aggregation="sum",
            sums_to_zero=True,
            two_variable=HINGES,
        ),
        Formulation(
            "atm",
            "absolute margins with total maximum",
            "counts the worst of these",
            margin="absolute",
            variables="all",
            aggregation="max",
            sums_to_zero=True,
            two_variable=("hinge",),
        ),
        Formulation(
            "mmr",
            "maximum margin regression",
            "counts the label alone, below 1",
            margin="absolute",
            variables="label",
            aggregation="sum",
            sums_to_zero=True,
            two_variable=HINGES,
        ),
        Formulation(
            "rm",
            "reinforced multicategory",
            "counts the label below k - 1 and every other class above -1",
            margin="absolute",
            variables="all",
            aggregation="sum",
            sums_to_zero=True,
            label_target=others,
            two_variable=HINGES,
        ),
        Formulation(
            "ovo",
            "one-vs-one",
            "solves a binary problem for each pair of classes",
            margin="absolute",
            variables="all",
            aggregation="sum",
            losses=(*HINGES, "logistic"),
            by_pairs=True,
            two_variable=HINGES,
            tron=("squared_hinge", "logistic"),
            row_stores=False,
            partitions=False,
            probabilities=("logistic",),
            tried=("kernel",),
        ),
        Formulation(
            "maxent",
            "maximum entropy",
            "is a logistic loss of all classes together",
            margin="relative",
            variables="others",
            aggregation="sum",
            losses=("log",),
            estimator="MaxEnt",
            kernels=False,
            reduced=True,
            sparse=("log",),
            probabilities=("log",),
            tried=("linear",),
        ),
    )
}


@dataclass(frozen=True)
class Machine:
    """A machine with one of its losses.

    Attributes
    ----------
    formulation : Formulation
    loss : str
    costs : ndarray of shape (n_classes, n_classes) or None
        What the targets of other classes are multiplied by, for each label and class.
        The dual variables of machines with other costs are feasible: they are equal.
    """

    formulation: Formulation
    loss: str
    costs: "np.ndarray | None" = field(default=None, compare=False, repr=False)

    def __reduce__(self):
        return _restored, (self.name, self.loss, self.costs)

    def with_costs(self, costs: "np.ndarray | None") -> "Machine":
        """Return the machine with these costs, or say which ones have any."""
        if costs is not None and not self.formulation.costs:
            able = names_of(lambda row: row.costs)
            raise ValueError(
                f"costs are not for machine={self.name!r}; choose one of "
                f"{', '.join(able)}, or costs=None."
            )
        return replace(self, costs=costs) if costs is not None else self

    @property
    def name(self) -> str:
        return self.formulation.name

    @property
    def restricted(self) -> tuple[str, ...]:
        """The restricted solvers that its blocks can be solved by."""
        if self.loss == "log":
            return "exact", "pairs"
        if self.loss == "logistic":
            return ("exact",)
        row = self.formulation
        if row.aggregation == "max" and self.loss == "hinge":
            return _SIMPLEX if row.margin == "relative" else ("exact",)
        if row.aggregation == "max" and row.variables == "all":
            return ("exact",)  # penalty and coupling differ in signs
        return "exact", "active_set"

    @property
    def bound(self) -> str | None:
        """What the example's C bounds: the "sum" of a block, "each" variable, or None;
        "share" if variables are shares of C, which move with it.
        """
        if self.loss == "squared_hinge":
            return None
        if self.loss != "hinge":
            return "share"
        return "sum" if self.formulation.aggregation == "max" else "each"

    def axes(self, n_columns: int):
        """Return the machine as the core knows it, for blocks of so many classes."""
        import numpy as np  # not for those who list names

        from .._core import core

        row = self.formulation
        pair_targets = np.zeros(0)
        if self.costs is not None:
            pair_targets = row.other_target(n_columns) * self.costs.ravel()
        return core.MachineAxes(
            margin=row.margin,
            variables=row.variables,
            aggregation=row.aggregation,
            sums_to_zero=row.sums_to_zero,
            loss=self.loss,
            label_target=row.label_target(n_columns),
            other_target=row.other_target(n_columns),
            pair_targets=pair_targets,
        )


MACHINES = {
    (row.name, loss): Machine(row, loss)
    for row in FORMULATIONS.values()
    for loss in row.losses
}


def names_of(able: Callable[[Formulation], object]) -> tuple[str, ...]:
    """Return the names of the machines that are able to do something."""
    return tuple(name for name, row in FORMULATIONS.items() if able(row))


# Of `LinearSVM`; maximum entropy is an estimator of its own.
MACHINE_NAMES = names_of(lambda row: row.estimator == "LinearSVM")
KERNEL_MACHINE_NAMES = names_of(lambda row: row.kernels)
ONLINE_MACHINE_NAMES = names_of(lambda row: row.online)
LOSSES = tuple(
    dict.fromkeys(loss for name in MACHINE_NAMES for loss in FORMULATIONS[name].losses)
)
RESTRICTED = tuple(
    dict.fromkeys(
        name
        for machine in MACHINES.values()
        if machine.name in MACHINE_NAMES
        for name in machine.restricted
    )
)


def binary_machine(loss: str) -> Machine:
    """Return the machine of a binary problem, of a pair of classes for example."""
    return next(
        machine
        for machine in MACHINES.values()
        if machine.formulation.separate and machine.loss == loss
    )


def _restored(name: str, loss: str, costs) -> Machine:
    """Return a machine that was pickled."""
    return find_machine(name, loss).with_costs(costs)


def find_machine(name: str, loss: str, restricted: str = "exact") -> Machine:
    """Return a machine, or say which losses or restricted solvers it has."""
    machine = MACHINES.get((name, loss))
    if machine is None:
        known = FORMULATIONS[name].losses if name in FORMULATIONS else ()
        raise ValueError(
            f"loss={loss!r} is not a loss of machine={name!r}; choose one of "
            f"{', '.join(known)}."
        )
    if restricted not in machine.restricted:
        raise ValueError(
            f"restricted={restricted!r} does not solve the blocks of machine={name!r} "
            f"with loss={loss!r}; choose one of {', '.join(machine.restricted)}."
        )
    return machine
