"""Restartable state in a folder: what a run goes on from when its driver was killed.

The folder has ``run.json`` (how far the run is, and which fit it belongs to) and one
folder ``round-...`` with the matrices of the model, and for every partition its dual
variables and what it last changed.
``run.json`` is replaced at once, when all that it speaks of is on the disk.
"""

import json
import shutil
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..aside import written_aside
from ..row_parts import PartState
from .adaptation import Pace
from .changes import Message, RowChange, Sums
from .local_round import Result
from .model import Model, Squares
from .partition import Partition
from .progress import Progress, Round
from .tasks import Tasks

_RUN = "run.json"
_MODEL = "model.npz"
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


class Checkpoint:
    """State of a run in a folder.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.
    fit : dict
        What the fit depends on, as JSON has it: a run goes on only if it is the same.
    every : int
        Rounds between two times that the state is written.
    """

    def __init__(self, folder, fit: dict, every: int = 5):
        self.folder = Path(folder).absolute()
        self.fit = json.loads(json.dumps(fit))
        self.every = every

    def is_due(self, round_number: int) -> bool:
        return round_number % self.every == 0

    def write(self, progress: Progress, pace: Pace, tasks: Tasks, model, results):
        """Write the model and the state of every partition, then that of the run.

        Workers write what they have if the folder is also theirs; otherwise it comes
        here, one state at a time.
        """
        states = self.folder / f"round-{progress.number:06d}"
        states.mkdir(parents=True, exist_ok=True)
        values, paths = [*results, model], _paths(states, len(results))
        if tasks.all_see(states):
            tasks.gather(tasks.each(write_value, values, paths))
        else:
            for value, path in zip(values, paths, strict=True):
                [arrays] = tasks.gather([tasks.one(arrays_of, value)])
                write_arrays(arrays, path)
        with written_aside(self.folder / _RUN) as file:
            text = {
                "fit": self.fit,
                "progress": asdict(progress),
                "pace": asdict(pace),
                "states": states.name,
            }
            file.write(json.dumps(text, indent=1).encode())
        self.states, self.pace = states, pace
        for other in self.folder.glob("round-*"):
            if other != states:
                shutil.rmtree(other, ignore_errors=True)

    def read(self, n_partitions: int) -> tuple[Progress, Pace] | None:
        """Return progress and pace to go on with, or None."""
        path = self.folder / _RUN
        if not path.exists():
            return None
        try:
            text = json.loads(path.read_text(encoding="utf-8"))
            fit, kept = text["fit"], text["progress"]
            history = [Round(**done) for done in kept.pop("history")]
            progress = Progress(**kept, history=history)
            self.pace = Pace(**text["pace"])
            self.states = self.folder / text["states"]
            if fit == self.fit:
                for path in _paths(self.states, n_partitions):
                    path.stat()  # workers read them
        except (OSError, ValueError, KeyError, TypeError, EOFError) as problem:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} cannot be read ({problem}); delete "
                f"the folder to begin anew."
            ) from problem
        if fit != self.fit:
            other = [name for name in self.fit if fit.get(name) != self.fit[name]]
            raise ValueError(
                f"checkpoint={str(self.folder)!r} belongs to another fit, which "
                f"differs in {', '.join(other)}; give another folder or delete it."
            )
        return progress, self.pace

    def results(self, tasks: Tasks, partitions: list) -> list:
        """Return the results that were written, as tasks with nothing before them.

        They read the files; where workers do not see these, states are part of the
        tasks, so that a lost one can still be made again.
        """
        *paths, _ = _paths(self.states, len(partitions))
        return self._made(tasks, result_of, partitions, paths)

    def model(self, tasks: Tasks, partitions: list):
        """Return the model that was written, in the same way."""
        path = self.states / _MODEL
        return self._made(tasks, model_of, partitions[:1], [path], self.pace)[0]

    def _made(self, tasks: Tasks, make, partitions: list, paths: list, *others) -> list:
        if tasks.all_see(self.states):
            return [
                tasks.one(read_value, make, partition, path, *others)
                for partition, path in zip(partitions, paths, strict=True)
            ]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return [
                tasks.one(make, partition, read_arrays(path), *others)
                for partition, path in zip(partitions, paths, strict=True)
            ]


def _paths(states: Path, n_partitions: int) -> list[Path]:
    """Of the partitions and of the model."""
    names = [f"partition-{number:05d}.npz" for number in range(n_partitions)]
    return [states / name for name in (*names, _MODEL)]


def write_arrays(arrays: dict[str, np.ndarray], path: Path) -> None:
    with written_aside(path) as file:
        np.savez(file, **arrays)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def write_value(value: Result | Model, path: Path) -> None:
    write_arrays(arrays_of(value), path)


def read_value(make, partition: Partition, path: Path, *others) -> Result | Model:
    return make(partition, read_arrays(path), *others)


def arrays_of(value: Result | Model) -> dict[str, np.ndarray]:
    """What is written: all that does not follow."""
    if isinstance(value, Model):
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


def _change_of(arrays: dict, n_features: int) -> RowChange | None:
    if "changed" not in arrays:
        return None
    return RowChange(n_features, arrays.get("features"), arrays["changed"])


def result_of(partition: Partition, arrays: dict) -> Result:
    """Invert `arrays_of`, but for sums, which nobody reads."""
    state = None
    if "memory" in arrays:
        state = PartState(tuple(arrays[name] for name in _DUALS), arrays["memory"])
    change = _change_of(arrays, partition.n_features)
    return Result(state, Message(change, Sums()))


def model_of(partition: Partition, arrays: dict, pace: Pace) -> Model:
    """Invert `arrays_of`, where a partition is; it is not looked at."""
    *squares, primal = arrays["numbers"].tolist()
    return Model(
        **{name: arrays[name] for name in _MATRICES},
        last=_change_of(arrays, len(arrays["counts"])),
        squares=Squares(*squares),
        pace=pace,
        primal=primal,
    )
