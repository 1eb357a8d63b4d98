"""Rows on their way into a store: in memory, or in files that only grow."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Chunk:
    """Some rows, the codes of their labels and their weights."""

    X: np.ndarray | sp.csr_array
    codes: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def nbytes(self) -> int:
        X = self.X
        arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
        return sum(array.nbytes for array in (*arrays, self.codes, self.weights))

    def take(self, which) -> "Chunk":
        return Chunk(self.X[which], self.codes[which], self.weights[which])


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Put chunks one below the other; sparse ones may differ in width."""
    if len(chunks) == 1:
        return chunks[0]
    if sp.issparse(chunks[0].X):
        width = max(chunk.X.shape[1] for chunk in chunks)
        X = sp.vstack([widened(chunk.X, width) for chunk in chunks], format="csr")
    else:
        X = np.concatenate([chunk.X for chunk in chunks])
    return Chunk(
        X,
        np.concatenate([chunk.codes for chunk in chunks]),
        np.concatenate([chunk.weights for chunk in chunks]),
    )


def widened(X: sp.csr_array, width: int) -> sp.csr_array:
    """Return the same rows with more columns."""
    return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


class ChunkFile:
    """Rows that are appended to files, and read back in order.

    Parameters
    ----------
    path : Path
        What the names of its files begin with.
    like : Chunk
        Rows of the same kind.
    """

    def __init__(self, path: Path, like: Chunk):
        self.path = path
        X = like.X
        self.sparse, self.dtype, self.width = sp.issparse(X), X.dtype, X.shape[1]
        self.rows = self.nbytes = 0
        names = ["values", "codes", "weights"]
        self._names = names + (["columns", "lengths"] if self.sparse else [])

    def _file(self, name: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{name}")

    def append(self, chunk: Chunk) -> None:
        """Write more rows."""
        X = chunk.X
        arrays = {"codes": chunk.codes, "weights": chunk.weights}
        if self.sparse:
            arrays |= {"values": X.data, "columns": X.indices.astype(np.int64)}
            arrays["lengths"] = np.diff(X.indptr).astype(np.int64)
        else:
            arrays["values"] = X
        for name, array in arrays.items():
            with open(self._file(name), "ab") as file:
                file.write(memoryview(np.ascontiguousarray(array)).cast("B"))
        self.rows += len(chunk)
        self.nbytes += chunk.nbytes
        self.width = max(self.width, X.shape[1])

    def read(self, most_rows: int) -> Iterator[Chunk]:
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

    def _next(self, files: dict, count: int) -> Chunk:
        codes = np.fromfile(files["codes"], np.int32, count)
        weights = np.fromfile(files["weights"], np.float64, count)
        if not self.sparse:
            X = np.fromfile(files["values"], self.dtype, count * self.width)
            return Chunk(X.reshape(count, self.width), codes, weights)
        lengths = np.fromfile(files["lengths"], np.int64, count)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        values = np.fromfile(files["values"], self.dtype, starts[-1])
        columns = np.fromfile(files["columns"], np.int64, starts[-1])
        X = sp.csr_array((values, columns, starts), shape=(count, self.width))
        return Chunk(X, codes, weights)

    def remove(self) -> None:
        """Delete the files."""
        for name in self._names:
            self._file(name).unlink(missing_ok=True)
