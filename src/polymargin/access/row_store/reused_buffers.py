"""Memory for rows that come one batch after the other."""

import numpy as np


class ReusedBuffers:
    """Memory that is used again and again, because new memory is slow to begin with."""

    def __init__(self):
        self._arrays: dict[str, np.ndarray] = {}

    def array(self, name: str, shape: tuple, dtype) -> np.ndarray:
        """An array of any content, where the last one of this name was."""
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if name not in self._arrays or self._arrays[name].nbytes < nbytes:
            self._arrays.pop(name, None)  # before there is a second one beside it
            self._arrays[name] = np.empty(nbytes, np.uint8)
        return self._arrays[name][:nbytes].view(dtype).reshape(shape)
