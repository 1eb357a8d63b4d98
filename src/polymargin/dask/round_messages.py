"""What a partition tells of a round, and how it is added up over partitions."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from .weight_changes import WeightChange, add_changes


@dataclass(frozen=True)
class RoundSums:
    """What a round knows of a partition, or of several together.

    Attributes
    ----------
    losses, terms : float
        Sums of C_i loss_i under the Z with which the round began, and of the dual terms
        of its dual variables: the primal without 1/2 |Z|^2, the dual without that of W.
    violation : float
        The largest at the beginning.
    moved_squares, own_squares : float
        Sums of |dW_k - beta (dW_k before)|^2, with the momentum beta, and of |W_k|^2 of
        what the partitions' own dual variables add to W; the latter only if measured.
    visits, moves : int
    bytes : int
        Size of the changes sent.
    """

    losses: float = 0.0
    terms: float = 0.0
    violation: float = 0.0
    moved_squares: float = 0.0
    own_squares: float = 0.0
    visits: int = 0
    moves: int = 0
    bytes: int = 0

    def __add__(self, other: "RoundSums") -> "RoundSums":
        added = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
        }
        added["violation"] = max(self.violation, other.violation)
        return RoundSums(**added)


@dataclass(frozen=True)
class RoundMessage:
    """A change of W and the sums beside it: what is added up over the tree."""

    change: WeightChange
    sums: RoundSums


def add_messages(messages: Sequence[RoundMessage]) -> RoundMessage:
    """One node of the tree."""
    change = add_changes([message.change for message in messages])
    return RoundMessage(
        change, sum((message.sums for message in messages), RoundSums())
    )
