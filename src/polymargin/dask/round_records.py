"""What is known of the rounds of a run: their records, and how far it is."""

from dataclasses import dataclass, field, fields

from .adaptation import Pace
from .consensus_state import ConsensusState
from .round_messages import RoundSums


@dataclass
class RoundRecord:
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


def columns_of(records: list[RoundRecord]) -> dict[str, list]:
    """Return the values of all rounds by name: the history of a run."""
    return {
        field.name: [getattr(record, field.name) for record in records]
        for field in fields(RoundRecord)
    }


@dataclass
class RunProgress:
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
    history : list of RoundRecord
    """

    seed: int
    epochs: float
    number: int = 0
    idle: int = 0
    primal: float = float("inf")
    dual: float = float("-inf")
    history: list[RoundRecord] = field(default_factory=list)


@dataclass(frozen=True)
class StateReport:
    """What of a state comes to the driver of the run after a round."""

    objective: float
    dual: float
    primal: float
    sums: RoundSums
    pace: Pace


def report_of(state: ConsensusState) -> StateReport:
    return StateReport(
        state.objective, state.dual, state.primal, state.sums, state.pace
    )
