"""Arrays of a model as tensors of a file: dense, sparse, and of text.

A `TensorWriter` takes arrays and returns entries for the JSON document, a
`TensorReader` takes the entries and returns the arrays, checked so far that nobody who
uses them can be led out of their bounds.
"""

import zlib
from itertools import accumulate, pairwise
from reprlib import repr  # of what may be long

import numpy as np
import scipy.sparse as sp

from .errors import ModelFileError
from .safetensors_file import are_counts, storable

_CHUNK = 1 << 20  # values looked at together
_MOST_LETTERS = 1 << 28  # of an array of text, each as wide as the widest
_SPARSE = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}


class TensorWriter:
    """Collects tensors; arrays that are the same become one.

    Parameters
    ----------
    training : bool
        Whether estimators give it what only serves a warm start.
    weights : str
        How weights of features are stored; see `stored_weights`.

    Attributes
    ----------
    tensors : dict of ndarray
    """

    def __init__(self, training: bool = True, weights: str = "same"):
        self.training, self.weights = training, weights
        self.tensors: dict[str, np.ndarray] = {}

    def checksums(self) -> dict[str, int]:
        """Return a number for every tensor that is another for most others."""
        return {name: checksum(tensor) for name, tensor in self.tensors.items()}

    def tensor(self, name: str, array: np.ndarray) -> str:
        """Take an array, and return the name of its tensor."""
        if not storable(array.dtype):
            raise TypeError(
                f"{name} has the type {array.dtype}, which a model file cannot hold; "
                f"give numbers or text."
            )
        array = np.ascontiguousarray(array)
        for known, other in self.tensors.items():
            if _same(array, other):
                return known
        self.tensors[name] = array
        return name

    def dense(self, name: str, array: np.ndarray) -> dict:
        """Take an array whose order in memory matters to those who multiply by it."""
        by_columns = array.ndim == 2 and abs(array.strides[0]) < abs(array.strides[1])
        return {
            "tensor": self.tensor(name, array.T if by_columns else array),
            "transposed": by_columns,
        }

    def matrix(self, name: str, matrix) -> dict:
        """Take a matrix, dense or CSR."""
        if not sp.issparse(matrix):
            return self.dense(name, matrix)
        kind = "csr_array" if isinstance(matrix, sp.sparray) else "csr_matrix"
        matrix = matrix.tocsr()
        return {
            kind: [
                self.tensor(f"{name}.{part}", getattr(matrix, part))
                for part in ("data", "indices", "indptr")
            ],
            "shape": list(matrix.shape),
        }

    def text(self, name: str, strings: np.ndarray) -> dict:
        """Take text: of `str`, or of objects which are."""
        if not all(isinstance(string, str) for string in strings.tolist()):
            raise TypeError(
                f"{name} mixes text with something else, which a model file cannot "
                f"hold; make all of it text."
            )
        coded = [string.encode("utf-8", "surrogatepass") for string in strings.tolist()]
        letters = np.frombuffer(b"".join(coded), dtype=np.uint8)
        lengths = np.array([len(code) for code in coded], dtype=np.int64)
        return {
            "text": [
                self.tensor(f"{name}.letters", letters),
                self.tensor(f"{name}.lengths", lengths),
            ],
            "objects": strings.dtype == object,
        }

    def labels(self, name: str, labels: np.ndarray) -> dict:
        """Take numbers, truth values, or text."""
        if labels.dtype.kind in "UO":
            return self.text(name, labels)
        return self.dense(name, labels)


class TensorReader:
    """Gives out the tensors of a file.

    Parameters
    ----------
    tensors : dict of ndarray
    fitted : bool
        Whether estimators get their attributes, or their parameters only.

    Attributes
    ----------
    n_classes : int
        How many labels have been read.
    depth : int
        How many estimators are being read, each a part of the one before.
    """

    def __init__(self, tensors: dict[str, np.ndarray], fitted: bool = True):
        self.tensors, self.fitted = tensors, fitted
        self.n_classes = self.depth = 0

    def check(self, checksums) -> None:
        """Raise unless the tensors are those that were written."""
        if not isinstance(checksums, dict) or set(checksums) != set(self.tensors):
            raise ModelFileError("its arrays are not those that its document names")
        for name, tensor in self.tensors.items():
            if checksum(tensor) != checksums[name]:
                raise ModelFileError(f"array {repr(name)} is damaged")

    def tensor(self, name, kinds: str, ndim: int, finite: bool = True) -> np.ndarray:
        """Return a tensor of one of these kinds of numbers, `finite` if need be."""
        tensor = self.tensors.get(name) if isinstance(name, str) else None
        if tensor is None:
            raise ModelFileError(f"array {repr(name)} is missing")
        if tensor.dtype.kind not in kinds or tensor.ndim != ndim:
            raise ModelFileError(
                f"array {repr(name)} has the type {tensor.dtype} and {tensor.ndim} "
                f"dimensions, which its place does not allow"
            )
        if kinds == "f" and tensor.dtype.itemsize < 4:
            raise ModelFileError(
                f"array {repr(name)} has numbers of type {tensor.dtype}, which nothing "
                f"is computed with"
            )
        if finite and tensor.dtype.kind == "f" and not _finite(tensor):
            raise ModelFileError(f"array {repr(name)} has a value that is not finite")
        return tensor

    def dense(
        self, entry, kinds: str = "f", ndim: int = 2, finite: bool = True
    ) -> np.ndarray:
        """Return an array, in memory as it was."""
        entry = fields(entry, "tensor", "transposed")
        tensor = self.tensor(entry["tensor"], kinds, ndim, finite)
        return tensor.T if entry["transposed"] is True else tensor

    def matrix(self, entry, canonical: bool = False, kinds: str = "f"):
        """Return a matrix, dense or CSR.

        Parameters
        ----------
        entry : dict
        canonical : bool
            Whether the entries of a sparse row must ascend.
        kinds : str
            Of numbers.
        """
        for kind, make in _SPARSE.items():
            if isinstance(entry, dict) and kind in entry:
                parts = fields(entry, kind, "shape")
                return self._sparse(parts, kind, make, canonical, kinds)
        return self.dense(entry, kinds)

    def _sparse(self, entry, kind: str, make, canonical: bool, kinds: str):
        parts, shape = entry[kind], entry["shape"]
        if not isinstance(parts, list) or len(parts) != 3:
            raise ModelFileError("a sparse matrix does not have its three parts")
        if not are_counts(shape) or len(shape) != 2:
            raise ModelFileError("a sparse matrix has no shape")
        data = self.tensor(parts[0], kinds, 1)
        if data.dtype == np.float16:  # which SciPy does not compute with
            data = data.astype(np.float32)
        indices, indptr = (self.tensor(part, "i", 1) for part in parts[1:])
        if indices.dtype != indptr.dtype or indices.dtype.itemsize < 4:
            raise ModelFileError("a sparse matrix has indices of a wrong type")
        if len(indptr) != shape[0] + 1 or indptr[0] != 0:
            raise ModelFileError("a sparse matrix has not as many rows as it says")
        if (indptr[1:] < indptr[:-1]).any() or not (
            indptr[-1] == len(indices) == len(data)
        ):
            raise ModelFileError("a sparse matrix has rows of impossible lengths")
        if len(indices) and (indices.min() < 0 or indices.max() >= shape[1]):
            raise ModelFileError("a sparse matrix has an entry beyond its columns")
        if canonical:
            ascend = indices[1:] > indices[:-1]
            ascend[
                indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(data))] - 1
            ] = 1
            if not ascend.all():
                raise ModelFileError("a sparse matrix has a row that does not ascend")
        matrix = make(tuple(shape), dtype=data.dtype)
        # Given to the constructor, indices would be narrowed, which is a copy.
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
        return matrix

    def text(self, entry) -> np.ndarray:
        """Return an array of text."""
        entry = fields(entry, "text", "objects")
        parts = entry["text"]
        if not isinstance(parts, list) or len(parts) != 2:
            raise ModelFileError("an array of text does not have its two parts")
        letters = self.tensor(parts[0], "u", 1)
        lengths = self.tensor(parts[1], "i", 1).tolist()
        if letters.dtype != np.uint8 or min(lengths, default=0) < 0:
            raise ModelFileError("an array of text is of a wrong type")
        ends = list(accumulate(lengths, initial=0))
        if ends[-1] != len(letters):
            raise ModelFileError("an array of text has impossible lengths")
        coded = letters.tobytes()
        try:
            strings = [
                coded[first:last].decode("utf-8", "surrogatepass")
                for first, last in pairwise(ends)
            ]
        except UnicodeDecodeError:
            raise ModelFileError("an array of text is not UTF-8") from None
        if entry["objects"] is True:
            return np.array(strings, dtype=object)
        if len(strings) * max(map(len, strings), default=0) > _MOST_LETTERS:
            raise ModelFileError("an array of text is too wide")
        return np.array(strings, dtype=str)

    def labels(self, entry) -> np.ndarray:
        """Return labels of classes: at least two, ascending."""
        if isinstance(entry, dict) and "text" in entry:
            labels = self.text(entry)
        else:
            labels = self.dense(entry, "iufb", 1)
        if len(labels) < 2 or not (labels[1:] > labels[:-1]).all():
            raise ModelFileError("its classes do not ascend, or are less than two")
        self.n_classes = len(labels)
        return labels


def fields(entry, *names: str) -> dict:
    """Return an entry that has these names and no others."""
    if not isinstance(entry, dict) or set(entry) != set(names):
        raise ModelFileError(f"an entry does not have the fields {', '.join(names)}")
    return entry


def checksum(tensor: np.ndarray) -> int:
    """Return the CRC-32 of an array, its shape and its type."""
    start = zlib.crc32(f"{tensor.dtype.str} {tensor.shape}".encode())
    if tensor.nbytes == 0:
        return start
    return zlib.crc32(memoryview(tensor.reshape(-1)).cast("B"), start)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    if a is b:
        return True
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.nbytes == 0 or np.array_equal(
        a.reshape(-1).view(np.uint8), b.reshape(-1).view(np.uint8)
    )


def _finite(tensor: np.ndarray) -> bool:
    flat = tensor.reshape(-1)
    return all(
        np.isfinite(flat[start : start + _CHUNK]).all()
        for start in range(0, len(flat), _CHUNK)
    )
