"""Restartable state in a folder: what a run goes on from when its driver was killed.

The folder has ``run.json`` (how far the run is, and which fit it belongs to) and one
folder ``round-...`` with the weights, and the dual variables of every partition.
``run.json`` is replaced at once, when all that it speaks of is on the disk.
"""

import json
import shutil
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..aside import written_aside
from .adaptation import Sigma
from .changes import Message, Sums, no_change
from .local_round import Result
from .partition import Partition, State
from .rounds import Progress, Round
from .tasks import Tasks

_RUN = "run.json"
_WEIGHTS = "weights.npz"
_DUALS = ("indptr", "classes", "values")


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

    def write(self, progress: Progress, matrices: dict, tasks: Tasks, results) -> None:
        """Write the state of every partition, then that of the run.

        Workers write what they have if the folder is also theirs; otherwise it comes
        here, one state at a time.
        """
        states = self.folder / f"round-{progress.number:06d}"
        states.mkdir(parents=True, exist_ok=True)
        write_arrays(matrices, states / _WEIGHTS)
        paths = _paths(states, len(results))
        if tasks.all_see(states):
            tasks.gather(tasks.each(write_state, results, paths))
        else:
            for result, path in zip(results, paths, strict=True):
                [arrays] = tasks.gather([tasks.one(arrays_of, result)])
                write_arrays(arrays, path)
        with written_aside(self.folder / _RUN) as file:
            text = {
                "fit": self.fit,
                "progress": asdict(progress),
                "states": states.name,
            }
            file.write(json.dumps(text, indent=1).encode())
        self.states = states
        for other in self.folder.glob("round-*"):
            if other != states:
                shutil.rmtree(other, ignore_errors=True)

    def read(self, n_partitions: int) -> tuple[Progress, dict] | None:
        """Return progress and matrices to go on from, or None."""
        path = self.folder / _RUN
        if not path.exists():
            return None
        try:
            text = json.loads(path.read_text(encoding="utf-8"))
            fit, kept = text["fit"], text["progress"]
            history = [Round(**done) for done in kept.pop("history")]
            sigma = Sigma(**kept.pop("sigma"))
            progress = Progress(**kept, sigma=sigma, history=history)
            self.states = self.folder / text["states"]
            if fit == self.fit:
                matrices = read_arrays(self.states / _WEIGHTS)
                for state in _paths(self.states, n_partitions):
                    state.stat()  # workers read them
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
        return progress, matrices

    def results(self, tasks: Tasks, partitions: list) -> list:
        """Return the results that were written, as tasks with nothing before them.

        They read the files; where workers do not see these, states are part of the
        tasks, so that a lost one can still be made again.
        """
        paths = _paths(self.states, len(partitions))
        weights = self.states / _WEIGHTS
        if tasks.all_see(self.states):
            return tasks.each(read_state, partitions, paths, weights=weights)
        consensus = read_arrays(weights)["consensus"]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return [
                tasks.one(result_of, partition, read_arrays(path), consensus)
                for partition, path in zip(partitions, paths, strict=True)
            ]


def _paths(states: Path, n_partitions: int) -> list[Path]:
    return [states / f"partition-{number:05d}.npz" for number in range(n_partitions)]


def write_arrays(arrays: dict[str, np.ndarray], path: Path) -> None:
    with written_aside(path) as file:
        np.savez(file, **arrays)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def write_state(result: Result, path: Path) -> None:
    write_arrays(arrays_of(result), path)


def read_state(partition: Partition, path: Path, weights: Path) -> Result:
    return result_of(partition, read_arrays(path), read_arrays(weights)["consensus"])


def arrays_of(result: Result) -> dict[str, np.ndarray]:
    """What of a partition's state is written: all that does not follow."""
    state = result.state
    duals = state.duals or ()
    return dict(zip(_DUALS, duals, strict=False)) | {"memory": state.memory}


def result_of(partition: Partition, arrays: dict, consensus: np.ndarray) -> Result:
    """Invert `arrays_of`. W is rebuilt, and the message never read."""
    duals = tuple(arrays[name] for name in _DUALS if name in arrays) or None
    rows = consensus if partition.features is None else consensus[partition.features]
    nothing = Message(no_change(0, 0, np.float32), Sums())
    return Result(State(duals, arrays["memory"], consensus=rows), nothing)
