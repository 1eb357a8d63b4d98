"""Rows on their way into a store that find no room in memory: files that only grow."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from .coded_rows import CodedRows


class SpillFile:
    """Rows that are appended to files, and read back in order.

    Parameters
    ----------
    path : Path
        What the names of its files begin with.
    like : CodedRows
        Rows of the same kind.
    """

    def __init__(self, path: Path, like: CodedRows):
        self.path = path
        X = like.X
        self.sparse, self.dtype, self.width = sp.issparse(X), X.dtype, X.shape[1]
        self.rows = self.nbytes = 0
        names = ["values", "codes", "weights"]
        self._names = names + (["columns", "lengths"] if self.sparse else [])

    def _file(self, name: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{name}")

    def append(self, rows: CodedRows) -> None:
        """Write more rows."""
        X = rows.X
        arrays = {"codes": rows.codes, "weights": rows.weights}
        if self.sparse:
            arrays |= {"values": X.data, "columns": X.indices.astype(np.int64)}
            arrays["lengths"] = np.diff(X.indptr).astype(np.int64)
        else:
            arrays["values"] = X
        for name, array in arrays.items():
            with open(self._file(name), "ab") as file:
                file.write(memoryview(np.ascontiguousarray(array)).cast("B"))
        self.rows += len(rows)
        self.nbytes += rows.nbytes
        self.width = max(self.width, X.shape[1])

    def read(self, most_rows: int) -> Iterator[CodedRows]:
        """Read the rows back, so many at once."""
        if self.rows == 0:  # then there are no files
            return
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(open(self._file(name), "rb"))
                for name in self._names
            }
            for start in range(0, self.rows, most_rows):
                yield self._next(files, min(most_rows, self.rows - start))

    def _next(self, files: dict, count: int) -> CodedRows:
        codes = np.fromfile(files["codes"], np.int32, count)
        weights = np.fromfile(files["weights"], np.float64, count)
        if not self.sparse:
            X = np.fromfile(files["values"], self.dtype, count * self.width)
            return CodedRows(X.reshape(count, self.width), codes, weights)
        lengths = np.fromfile(files["lengths"], np.int64, count)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        values = np.fromfile(files["values"], self.dtype, starts[-1])
        columns = np.fromfile(files["columns"], np.int64, starts[-1])
        X = sp.csr_array((values, columns, starts), shape=(count, self.width))
        return CodedRows(X, codes, weights)

    def remove(self) -> None:
        """Delete the files."""
        for name in self._names:
            self._file(name).unlink(missing_ok=True)
