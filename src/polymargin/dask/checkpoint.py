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
        self.folder = Path(folder)
        self.fit = json.loads(json.dumps(fit))
        self.every = every

    def is_due(self, round_number: int) -> bool:
        return round_number % self.every == 0

    def write(self, progress: Progress, matrices: dict, tasks: Tasks, results) -> None:
        """Write the state of every partition, one at a time, then that of the run."""
        states = self.folder / f"round-{progress.number:06d}"
        states.mkdir(parents=True, exist_ok=True)
        with written_aside(states / _WEIGHTS) as file:
            np.savez(file, **matrices)
        for number, result in enumerate(results):
            [state] = tasks.gather([tasks.one(arrays_of, result)])
            with written_aside(states / f"partition-{number:05d}.npz") as file:
                np.savez(file, **state)
        with written_aside(self.folder / _RUN) as file:
            text = {
                "fit": self.fit,
                "progress": asdict(progress),
                "states": states.name,
            }
            file.write(json.dumps(text, indent=1).encode())
        for other in self.folder.glob("round-*"):
            if other != states:
                shutil.rmtree(other, ignore_errors=True)

    def read(self, tasks: Tasks, partitions: list):
        """Return progress, matrices and results to go on from, or None."""
        path = self.folder / _RUN
        if not path.exists():
            return None
        try:
            text = json.loads(path.read_text(encoding="utf-8"))
            fit, kept = text["fit"], text["progress"]
            history = [Round(**done) for done in kept.pop("history")]
            sigma = Sigma(**kept.pop("sigma"))
            progress = Progress(**kept, sigma=sigma, history=history)
            names = [f"partition-{number:05d}.npz" for number in range(len(partitions))]
            if fit == self.fit:
                matrices, *states = [
                    _arrays(self.folder / text["states"] / name)
                    for name in (_WEIGHTS, *names)
                ]
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
        with warnings.catch_warnings():
            # The states are part of the graph, so that a lost one can be made again.
            warnings.filterwarnings("ignore", "Sending large graph")
            results = [
                tasks.one(result_of, partition, state, matrices["consensus"])
                for partition, state in zip(partitions, states, strict=True)
            ]
        return progress, matrices, results


def _arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


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
