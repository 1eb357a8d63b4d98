"""States of partitions and of what they agree on, as arrays with names, and back."""

import numpy as np

from ..driver.linear.row_parts import DriverState
from .adaptation import Pace
from .consensus_state import ConsensusState, SquaredNorms
from .local_round import PartitionResult
from .partition import Partition
from .round_messages import RoundMessage, RoundSums
from .weight_changes import WeightChange

_DUALS = ("indptr", "classes", "values")
_MATRICES = (
    "weights",
    "consensus",
    "ahead",
    "shift",
    "shift_ahead",
    "best",
    "counts",
    "units",
)


def arrays_of(value: PartitionResult | ConsensusState) -> dict[str, np.ndarray]:
    """What is written: all that does not follow."""
    if isinstance(value, ConsensusState):
        arrays = {name: getattr(value, name) for name in _MATRICES}
        squares = value.squares
        arrays["numbers"] = [squares.weights, squares.consensus, value.primal]
        change = value.last
    else:
        arrays, state = {}, value.state
        if state is not None:
            arrays = dict(zip(_DUALS, state.duals, strict=True))
            arrays["memory"] = state.memory
        change = value.message.change
    if change is not None:
        arrays["changed"] = change.values
        if change.features is not None:
            arrays["features"] = change.features
    return arrays


def _change_of(arrays: dict, n_features: int) -> WeightChange | None:
    if "changed" not in arrays:
        return None
    return WeightChange(n_features, arrays.get("features"), arrays["changed"])


def result_of(partition: Partition, arrays: dict) -> PartitionResult:
    """Invert `arrays_of`, but for sums, which nobody reads."""
    state = None
    if "memory" in arrays:
        state = DriverState(tuple(arrays[name] for name in _DUALS), arrays["memory"])
    change = _change_of(arrays, partition.n_features)
    return PartitionResult(state, RoundMessage(change, RoundSums()))


def state_of(partition: Partition, arrays: dict, pace: Pace) -> ConsensusState:
    """Invert `arrays_of`, where a partition is; it is not looked at."""
    *squares, primal = arrays["numbers"].tolist()
    return ConsensusState(
        **{name: arrays[name] for name in _MATRICES},
        last=_change_of(arrays, len(arrays["counts"])),
        squares=SquaredNorms(*squares),
        pace=pace,
        primal=primal,
    )
