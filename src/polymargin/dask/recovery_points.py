"""Where states come from when the worker that held them is gone.

Dask makes a lost result again from the tasks that led to it. A state of round 200 would
take all rounds before it, and the scheduler would have to remember their tasks. So
there is a new recovery point every few rounds: states become results of tasks that
begin anew, with nothing before them but partitions. Their values do not change, and
neither does what comes after.

Where states are small they are part of these tasks, which the scheduler keeps. Larger
ones are written to a temporary folder, if it is one that all workers see, as on one
machine. Otherwise nothing is renewed here: `checkpoint` with a folder that
all workers see does it there.
"""

import pickle
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from ..files.atomic import open_atomic
from .tasks import Tasks

RENEW_EVERY = 10
# The most that the scheduler is given to keep.
SCHEDULER_BYTES = 64e6


class RecoveryPoints:
    """Makes the states of a run results that can be made again at little cost.

    Parameters
    ----------
    tasks : Tasks
    partitions : list of Future
        What new tasks are sent to, because there the rows are.
    """

    def __init__(self, tasks: Tasks, partitions: list):
        self.tasks = tasks
        self.partitions = partitions
        self.folder: Path | None = None

    def is_due(self, round_number: int) -> bool:
        return round_number % RENEW_EVERY == 0

    def renew(self, round_number: int, everything: list) -> list:
        """Return all results and the shared state, with nothing before them."""
        tasks = self.tasks
        # The shared state goes to whoever has the first partition.
        beside = [*self.partitions, self.partitions[0]]
        if sum(tasks.gather(tasks.each(size_of, everything))) <= SCHEDULER_BYTES:
            packed = tasks.gather(tasks.each(pickle.dumps, everything))
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")
                everything = tasks.each(unpack, beside, packed)
        elif self._find_folder():
            paths = [
                self.folder / f"{round_number}-{number}.pickle"
                for number in range(len(everything))
            ]
            tasks.gather(tasks.each(write, everything, paths))
            everything = tasks.each(read, beside, paths)
            for path in set(self.folder.iterdir()).difference(paths):
                path.unlink()
        return everything

    def _find_folder(self) -> bool:
        """Make the folder when it is first needed; say whether workers see it."""
        if self.folder is None:
            made = TemporaryDirectory(prefix="polymargin-")
            self.folder = Path(self.tasks.until_release(made))
        return self.tasks.all_see(self.folder)


def size_of(value) -> int:
    """Return the bytes of a value, without a copy of its arrays."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    return len(rest) + sum(array.raw().nbytes for array in arrays)


def unpack(partition, packed: bytes):
    """Invert `pickle.dumps`, where the partition is."""
    return pickle.loads(packed)


def write(value, path: Path) -> None:
    with open_atomic(path) as file:
        pickle.dump(value, file, protocol=5)


def read(partition, path: Path):
    """Invert `write`, where the partition is."""
    return pickle.loads(path.read_bytes())
