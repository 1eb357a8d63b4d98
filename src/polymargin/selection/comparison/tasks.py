"""What is to be done: every fit of a comparison, in order."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..protocols import Protocol
from .datasets import Dataset
from .splits import n_splits

_FEWEST_CLASSES = 5  # of which subsets tell how training time grows with k
_SUBSETS = 6


@dataclass(frozen=True)
class Task:
    """One line of the results.

    Attributes
    ----------
    kind : {"fit", "convergence", "scaling"}
        What the protocol asks for; a fit that is watched; a fit on some classes only.
    dataset, machine : str
    split : int
    passes, classes : int or None
        Passes over the rows, if they are given; classes of a "scaling".
    """

    kind: str
    dataset: str
    machine: str
    split: int = 0
    passes: int | None = None
    classes: int | None = None

    def as_dict(self) -> dict:
        return asdict(self)

    def __str__(self) -> str:
        words = [self.dataset, self.machine]
        if self.kind == "fit":
            words.append(f"split {self.split + 1}")
        else:
            words.append(self.kind)
        if self.passes is not None:
            words.append(f"{self.passes} passes" if self.passes > 1 else "1 pass")
        if self.classes is not None:
            words.append(f"{self.classes} classes")
        return ", ".join(words)


def task_of(row: dict) -> Task:
    """Return the task that a row of results is of."""
    return Task(**{name: row[name] for name in Task.__dataclass_fields__})


def all_tasks(
    datasets: Sequence[Dataset],
    machines: Iterable[str],
    protocol: Protocol,
    convergence: bool,
    scaling: bool,
) -> list[Task]:
    """Return all fits: first splits of everything first, for an early overview."""
    machines = list(machines)
    fits = [
        Task("fit", dataset.name, machine, split, passes)
        for split in range(protocol.repeats)
        for dataset in datasets
        if split < n_splits(dataset, protocol)
        for passes in protocol.passes or (None,)
        for machine in machines
    ]
    pairs = [(dataset, machine) for dataset in datasets for machine in machines]
    if convergence:
        fits += [Task("convergence", data.name, machine) for data, machine in pairs]
    if scaling:
        fits += [
            Task("scaling", dataset.name, machine, classes=classes)
            for dataset, machine in pairs
            for classes in class_counts(dataset.n_classes)
        ]
    return fits


def class_counts(n_classes: int) -> list[int]:
    """Return how many classes the samples have that show how time grows with k."""
    if n_classes < _FEWEST_CLASSES:
        return []
    first = max(2, n_classes // _SUBSETS)
    return np.unique(np.linspace(first, n_classes, _SUBSETS).astype(int)).tolist()
