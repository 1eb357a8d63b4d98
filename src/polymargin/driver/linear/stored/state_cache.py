"""What training keeps of every range of rows: in memory, or on disk without room."""

import io
import shutil
import tempfile
from pathlib import Path

import numpy as np

from ..row_parts import DriverState

_MOST_OPEN = 128  # files


class StateCache:
    """The states of ranges of rows by number.

    Parameters
    ----------
    room : float
        Bytes of states to keep in memory. What finds no room goes to a temporary
        folder, in TMPDIR, which `close` removes.
    """

    def __init__(self, room: float):
        self.room = room
        self._kept: dict[int, DriverState] = {}
        self._shapes: dict[int, list[tuple]] = {}
        self._bytes = 0
        self._support: dict[int, int] = {}
        self._folder: Path | None = None
        self._files: dict[int, io.FileIO] = {}

    @property
    def kept_bytes(self) -> int:
        """Bytes of the states in memory."""
        return self._bytes

    @property
    def support(self) -> int:
        """Dual variables that are not zero, of all states."""
        return sum(self._support.values())

    @property
    def spilled(self) -> int:
        """How many states are on disk."""
        return len(self._shapes)

    def get(self, number: int) -> DriverState | None:
        """Return a state; None if there is none yet."""
        if number not in self._shapes:
            return self._kept.get(number)
        file = self._file(number)
        arrays = [np.empty(size, dtype) for dtype, size in self._shapes[number]]
        for array in arrays:
            file.readinto(memoryview(array).cast("B"))
        return DriverState.from_arrays(*arrays)

    def put(self, number: int, state: DriverState) -> None:
        """Keep a state in the place of the one before."""
        self._support[number] = len(state.duals[2])
        old = self._kept.pop(number, None)
        self._bytes -= 0 if old is None else old.nbytes
        if self._bytes + state.nbytes <= self.room:
            self._kept[number] = state
            self._bytes += state.nbytes
            self._shapes.pop(number, None)
            return
        file = self._file(number)
        for array in state.arrays:
            file.write(memoryview(array).cast("B"))
        self._shapes[number] = [(array.dtype, len(array)) for array in state.arrays]

    def _file(self, number: int):
        """The file of a state, at its beginning."""
        file = self._files.get(number)
        if file is None:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="polymargin-"))
            if len(self._files) >= _MOST_OPEN:
                self._close_files()
            path = self._folder / f"{number}.bin"
            mode = "r+b" if number in self._shapes else "w+b"
            file = self._files[number] = open(path, mode, buffering=0)  # noqa: SIM115
        file.seek(0)
        return file

    def _close_files(self) -> None:
        for file in self._files.values():
            file.close()
        self._files = {}

    def close(self) -> None:
        """Forget everything."""
        self._close_files()
        self._kept, self._shapes, self._bytes = {}, {}, 0
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
