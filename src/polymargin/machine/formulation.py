"""What a row of the registry of machines says.

A machine is a point on axes. With scores ``s_m``, the label ``y`` and ``Y_m = +1`` for
the label and ``-1`` for others, the block of an example has variables ``u_m >= 0`` with

- `margin`: violations ``h_m = t_m - (s_y - s_m)`` if it is "relative", and
  ``h_m = t_m - Y_m s_m`` if it is "absolute";
- `variables`: which classes have one: the "others", "all", or the "label" alone;
- `aggregation`: the loss counts the "sum" over these classes, or the "max";
- `sums_to_zero`: whether the weights of the classes sum to zero;
- `label_target`, `other_target`: the targets ``t``, as functions of the classes k.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

HINGES = ("hinge", "squared_hinge")
# What `costs` may be called, besides tables and functions.
COST_RULES = ("ordinal", "tree")


def one(k: int) -> float:
    """Target of most machines."""
    return 1.0


def share(k: int) -> float:
    """Target of a class that shares the margin with all others but the label."""
    return 1.0 / (k - 1) if k > 1 else 1.0


def others(k: int) -> float:
    """Target of a label that is to outweigh all others."""
    return float(k - 1)


@dataclass(frozen=True)
class Formulation:
    """A row of the table: a machine with every loss that it has.

    Attributes
    ----------
    name, full_name : str
        As programs and as people call it.
    meaning : str
        What it counts, to follow its name in a sentence.
    margin, variables, aggregation, sums_to_zero
        The axes, see above.
    losses : tuple of str
    label_target, other_target : callable
        Of the number of classes.
    by_pairs : bool
        Whether there is a binary problem for every pair of classes, of these axes.
    estimator : str
        The class of the linear machine.
    kernels : bool
        Whether `KernelSVM` trains it.
    two_variable : tuple of str
        Losses with which steps of one or two variables train it.
    online : tuple of str
        Losses with which `OnlineSVM` learns it: those with exchanges between classes.
    reduced : bool
        Whether weights of features that a class has not may be left out.
    tron : tuple of str
        Losses with which Newton's method on the primal trains it.
    sparse : tuple of str
        Losses with which penalties that make weights zero train it.
    row_stores, partitions : bool
        Whether rows may stay on disk, and in the partitions of a cluster.
    label_sets : bool
        Whether a row may have any number of labels.
    costs : bool
        Whether targets may differ by label and class.
    probabilities : tuple of str
        Losses with which a linear machine has probabilities of its own.
    tried : tuple of str
        As which of "linear" and "kernel" it is tried where a table is to decide.
    comparison : dict of str to tuple of str
        Solvers that are there for comparison, by loss.
    liblinear : dict of int to tuple
        LIBLINEAR's solver types that are this machine: by number, their name, the loss
        and the solver, None where that does not matter.
    """

    name: str
    full_name: str
    meaning: str
    margin: str
    variables: str
    aggregation: str
    sums_to_zero: bool = False
    losses: tuple[str, ...] = HINGES
    label_target: Callable[[int], float] = one
    other_target: Callable[[int], float] = one
    by_pairs: bool = False
    estimator: str = "LinearSVM"
    kernels: bool = True
    two_variable: tuple[str, ...] = ()
    online: tuple[str, ...] = ()
    reduced: bool = False
    tron: tuple[str, ...] = ()
    sparse: tuple[str, ...] = ()
    row_stores: bool = True
    partitions: bool = True
    label_sets: bool = False
    costs: bool = False
    probabilities: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    comparison: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    liblinear: dict[int, tuple] = field(default_factory=dict, compare=False)

    @property
    def separate(self) -> bool:
        """Whether every column of W is the problem of a class by itself."""
        joint = self.sums_to_zero or self.aggregation == "max" or self.by_pairs
        return self.margin == "absolute" and not joint

    @property
    def takes_candidates(self) -> bool:
        """Whether a row may be trained against a part of the classes."""
        apart = not (self.sums_to_zero or self.by_pairs)
        return apart and "hinge" in self.losses

    @property
    def columns_per_class(self) -> bool:
        """Whether W has a column for every class, also with two classes."""
        return not (self.separate or self.by_pairs)
