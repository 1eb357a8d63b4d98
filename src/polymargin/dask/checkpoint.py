"""Restartable state in a folder: what a run goes on from when its driver was killed.

A folder of ours in the user's (`own_folder`) has ``run.json`` (how far the run is, and
which fit it belongs to) and one folder ``round-...`` with the matrices of the shared
state, and for every partition its dual variables and what it last changed.
``run.json`` is replaced at once, when all that it speaks of is on the disk.
"""

import json
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..files.atomic import open_atomic
from .adaptation import Pace
from .consensus_state import ConsensusState
from .local_round import PartitionResult
from .own_folder import delete_other_rounds, own_folder, round_folder
from .partition import Partition
from .round_records import RoundRecord, RunProgress
from .state_arrays import arrays_of, result_of, state_of
from .tasks import Tasks

_RUN = "run.json"
_STATE = "model.npz"


class Checkpoint:
    """State of a run in a folder.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; a folder of our own in it has the state.
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

    def write(self, progress: RunProgress, pace: Pace, tasks: Tasks, state, results):
        """Write the results of all partitions and the shared state, then the progress.

        Workers write what they have if the folder is also theirs; otherwise it comes
        here, one at a time.
        """
        own = own_folder(self.folder)
        folder = round_folder(own, progress.number)
        values, paths = [*results, state], _paths(folder, len(results))
        if tasks.all_see(folder):
            tasks.gather(tasks.each(write_value, values, paths))
        else:
            for value, path in zip(values, paths, strict=True):
                [arrays] = tasks.gather([tasks.one(arrays_of, value)])
                write_arrays(arrays, path)
        with open_atomic(own / _RUN) as file:
            text = {
                "fit": self.fit,
                "progress": asdict(progress),
                "pace": asdict(pace),
                "states": folder.name,
            }
            file.write(json.dumps(text, indent=1).encode())
        self.round_folder, self.pace = folder, pace
        delete_other_rounds(own, folder)

    def read(self, n_partitions: int) -> tuple[RunProgress, Pace] | None:
        """Return progress and pace to go on with, or None.

        A folder that cannot be had is an error here, before the first round.
        """
        own = own_folder(self.folder)
        path = own / _RUN
        if not path.exists():
            return None
        try:
            text = json.loads(path.read_text(encoding="utf-8"))
            fit, kept = text["fit"], text["progress"]
            history = [RoundRecord(**done) for done in kept.pop("history")]
            progress = RunProgress(**kept, history=history)
            self.pace = Pace(**text["pace"])
            self.round_folder = own / text["states"]
            if fit == self.fit:
                for path in _paths(self.round_folder, n_partitions):
                    path.stat()  # workers read them
        except (OSError, ValueError, KeyError, TypeError, EOFError) as problem:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} cannot be read ({problem}); delete "
                f"{str(own)!r} to begin anew."
            ) from problem
        if fit != self.fit:
            other = [name for name in self.fit if fit.get(name) != self.fit[name]]
            raise ValueError(
                f"checkpoint={str(self.folder)!r} belongs to another fit, which "
                f"differs in {', '.join(other)}; give another folder or delete "
                f"{str(own)!r}."
            )
        return progress, self.pace

    def results(self, tasks: Tasks, partitions: list) -> list:
        """Return the results that were written, as tasks with nothing before them.

        They read the files; where workers do not see these, arrays are part of the
        tasks, so that a lost one can still be made again.
        """
        *paths, _ = _paths(self.round_folder, len(partitions))
        return self._made(tasks, result_of, partitions, paths)

    def state(self, tasks: Tasks, partitions: list):
        """Return the shared state that was written, in the same way."""
        path = self.round_folder / _STATE
        return self._made(tasks, state_of, partitions[:1], [path], self.pace)[0]

    def _made(self, tasks: Tasks, make, partitions: list, paths: list, *others) -> list:
        if tasks.all_see(self.round_folder):
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


def _paths(folder: Path, n_partitions: int) -> list[Path]:
    """Of the partitions and of the shared state."""
    names = [f"partition-{number:05d}.npz" for number in range(n_partitions)]
    return [folder / name for name in (*names, _STATE)]


def write_arrays(arrays: dict[str, np.ndarray], path: Path) -> None:
    with open_atomic(path) as file:
        np.savez(file, **arrays)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def write_value(value: PartitionResult | ConsensusState, path: Path) -> None:
    write_arrays(arrays_of(value), path)


def read_value(
    make, partition: Partition, path: Path, *others
) -> PartitionResult | ConsensusState:
    return make(partition, read_arrays(path), *others)
