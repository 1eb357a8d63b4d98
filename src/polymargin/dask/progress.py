"""What is known of a run: how large it is, what its rounds were, how far it is."""

from dataclasses import dataclass, field

import numpy as np

from .adaptation import EPOCHS_ALONE, Pace, share_of_epoch
from .changes import Sums
from .model import Model


@dataclass(frozen=True)
class Size:
    """How large the problem and its parts are.

    Attributes
    ----------
    n_features : int
        Rows of W.
    n_columns : int
    largest : int
        Non-zeros of the largest partition.
    parts : int
        Partitions that have rows.
    dtype, travels : dtype
        Number format of the rows, and that of the matrices that travel.
    """

    n_features: int
    n_columns: int
    largest: int
    parts: int
    dtype: np.dtype
    travels: np.dtype

    def epochs(self, bytes_sent: int) -> float:
        """Return the epochs for a round of this traffic."""
        if self.parts < 2:
            return EPOCHS_ALONE
        return share_of_epoch(self.largest * self.n_columns, bytes_sent)


@dataclass
class Round:
    """What is known after a round; of the model, what it was at the beginning."""

    round: int
    seconds: float
    objective: float
    dual_objective: float
    gap: float
    violation: float
    sigma: float
    momentum: float
    epochs: float
    visits: int
    moves: int
    bytes: int

    @property
    def number(self) -> int:
        return self.round

    def __str__(self) -> str:
        return (
            f"round {self.round:4d}  gap {self.gap:9.3e}  "
            f"violation {self.violation:9.3e}  {self.bytes / 1e6:9.3f} MB  "
            f"{self.seconds:8.2f} s"
        )


@dataclass
class Progress:
    """What a run goes on from, beside its model and the states of the partitions.

    Attributes
    ----------
    seed : int
    epochs : float
        Of the next round, in a partition: perhaps less than one.
    number : int
        Rounds so far.
    idle : int
        Rounds since anything moved.
    primal, dual : float
        The smallest objective and the largest dual objective so far.
    history : list of Round
    """

    seed: int
    epochs: float
    number: int = 0
    idle: int = 0
    primal: float = float("inf")
    dual: float = float("-inf")
    history: list[Round] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """What of a model comes to the driver of the run after a round."""

    objective: float
    dual: float
    primal: float
    sums: Sums
    pace: Pace


def report_of(model: Model) -> Report:
    return Report(model.objective, model.dual, model.primal, model.sums, model.pace)
