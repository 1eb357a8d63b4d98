"""Rows in random order, of any number, with bounded memory.

As long as all rows find room they are only collected. When they do not, every row goes
to one of many files, chosen at random; at the end each file holds a random share of the
rows, which is read back and permuted. A file that is too large is dealt with in the
same way. So every row is written once or twice, and read as often.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .coded_rows import CodedRows, stack_rows
from .spill_file import SpillFile

_FILES = 64
_FEW = 64  # rows that are held at once, however long they are


class Shuffler:
    """Takes rows in any order and hands them out in a random one.

    Parameters
    ----------
    folder : Path
        For temporary files; it exists.
    room : int
        Bytes of rows to hold at once. A permutation needs twice as much.
    random : numpy Generator
    """

    def __init__(self, folder: Path, room: int, random: np.random.Generator):
        self.folder, self.room, self.random = folder, room, random
        self._waiting: list[CodedRows] = []
        self._bytes = 0
        self._files: list[SpillFile] = []
        self.rows = 0

    def add(self, rows: CodedRows) -> None:
        """Take rows."""
        self._waiting.append(rows)
        self._bytes += rows.nbytes
        self.rows += len(rows)
        if self._bytes > self.room:
            self._scatter()

    def _scatter(self) -> None:
        """Write what has been collected to files, every row to a random one."""
        rows = stack_rows(self._waiting)
        self._waiting, self._bytes = [], 0
        if not self._files:
            paths = [self.folder / f"shuffle-{i}" for i in range(_FILES)]
            self._files = [SpillFile(path, rows) for path in paths]
        places = self.random.integers(_FILES, size=len(rows))
        order = np.argsort(places, kind="stable")
        ends = np.searchsorted(places[order], np.arange(_FILES + 1))
        for file, start, end in zip(self._files, ends[:-1], ends[1:], strict=True):
            if start < end:
                file.append(rows.take(order[start:end]))

    def shuffled(self) -> Iterator[CodedRows]:
        """Hand out all rows; they are gone afterwards."""
        if not self._files:
            if self._waiting:
                rows = stack_rows(self._waiting)
                self._waiting = []
                yield rows.take(self.random.permutation(len(rows)))
            return
        if self._waiting:
            self._scatter()
        for number, file in enumerate(self._files):
            if file.nbytes <= self.room or file.rows <= _FEW:
                for rows in file.read(max(file.rows, 1)):
                    file.remove()
                    yield rows.take(self.random.permutation(len(rows)))
            else:
                yield from self._again(file, self.folder / f"again-{number}")

    def _again(self, file: SpillFile, folder: Path) -> Iterator[CodedRows]:
        folder.mkdir()
        inner = Shuffler(folder, self.room, self.random)
        share = self.room / (4 * file.nbytes)
        for rows in file.read(max(int(share * file.rows), 1)):
            inner.add(rows)
        file.remove()
        yield from inner.shuffled()
        folder.rmdir()
