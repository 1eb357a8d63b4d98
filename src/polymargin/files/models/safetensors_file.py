"""The safetensors format: named arrays and text in one file.

Eight bytes with the length of the header, the header, which is JSON, and the arrays one
after the other without gaps::

    {"__metadata__": {"name": "text", ...},
     "coef_": {"dtype": "F32", "shape": [20, 1000], "data_offsets": [0, 80000]}, ...}

The library of that name is not used: it copies arrays that NumPy reads. What it checks
is checked here, too, and files are the same both ways (test_safetensors_file.py).
"""

import json
import math
import mmap
import os
import stat
from reprlib import repr  # of what may be long

import numpy as np

from ..atomic import open_atomic
from .errors import ModelFileError

MOST_HEADER_BYTES = 16_000_000  # arrays are not in it, nor names
_ALIGNMENT = 64  # of the first array
_METADATA = "__metadata__"
_MOST_DIMENSIONS = 8

DTYPES = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def storable(dtype) -> bool:
    """Say whether arrays of this kind can be written."""
    return np.dtype(dtype).newbyteorder("<") in _NAMES


def write(path, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Write a file, which is there in full or not at all.

    Parameters
    ----------
    path : str or PathLike
    tensors : dict of ndarray
        C-ordered, of `DTYPES`.
    metadata : dict of str
    """
    # The widest first: then each begins at a multiple of its own width.
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    header: dict = {_METADATA: metadata}
    at = 0
    for name in names:
        tensor = tensors[name]
        header[name] = {
            "dtype": _NAMES[tensor.dtype.newbyteorder("<")],
            "shape": list(tensor.shape),
            "data_offsets": [at, at + tensor.nbytes],
        }
        at += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    if len(text) > MOST_HEADER_BYTES:
        raise ValueError(
            f"The header of {os.fspath(path)} would have {len(text):,} bytes, and at "
            f"most {MOST_HEADER_BYTES:,} are allowed; give less metadata."
        )
    with open_atomic(path) as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name in names:
            tensor = tensors[name]
            little = tensor.astype(tensor.dtype.newbyteorder("<"), copy=False)
            if little.nbytes:
                file.write(memoryview(little.reshape(-1)).cast("B"))


def read(path, mapped: bool = True) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read a file, and check that it is what the format says.

    Parameters
    ----------
    path : str or PathLike
    mapped : bool, default=True
        Whether arrays are views of the file, which the system reads when they are
        looked at. They can be changed, and the file stays as it is.

    Returns
    -------
    tensors : dict of ndarray
    metadata : dict of str

    Raises
    ------
    ModelFileError
        If it is not such a file, or damaged.
    """
    header, start, buffer = _open(path, mapped)
    metadata = _check_metadata(header.pop(_METADATA, {}))
    size = len(buffer) - start
    pieces = {name: _check_tensor(name, entry) for name, entry in header.items()}
    end = 0
    for name in sorted(pieces, key=lambda name: pieces[name][2:]):
        _, _, first, last = pieces[name]
        if first != end:
            raise ModelFileError(
                f"array {repr(name)} begins at byte {first} where {end} is expected"
            )
        end = last
    if end != size:
        raise ModelFileError(
            f"its arrays have {end} bytes and the file has {size} for them"
        )
    tensors = {
        name: _view(buffer, name, dtype, shape, start + first)
        for name, (dtype, shape, first, _) in pieces.items()
    }
    return tensors, metadata


def read_text(path) -> dict[str, str]:
    """Return the metadata of a file; its arrays are not looked at."""
    header, _, _ = _open(path, mapped=True)
    return _check_metadata(header.pop(_METADATA, {}))


def _open(path, mapped: bool):
    """Return the header, where it ends, and the bytes of the file."""
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError("it is not a regular file")
        size = status.st_size
        if size < 8:
            raise ModelFileError(f"it has {size} bytes only")
        start = file.read(8)
        if all(byte in b"\t\r\n" or byte >= 32 for byte in start):
            raise ModelFileError(
                "it is text, perhaps data; a model is what `train` or polymargin.save "
                "have written"
            )
        length = int.from_bytes(start, "little")
        if length > min(size - 8, MOST_HEADER_BYTES):
            raise ModelFileError(
                f"it says that its header has {length} bytes, and the file has {size}"
            )
        text = file.read(length)
        if not text.startswith(b"{"):
            raise ModelFileError("it does not begin as a model file does")
        header = parse(text, "its header")
        if mapped:
            return (
                header,
                8 + length,
                mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY),
            )
        file.seek(0)
        return header, 8 + length, bytearray(file.read())


def _without_waiting(path, flags: int) -> int:
    """Open a file, but do not wait for somebody to write into a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse(text: str | bytes, what: str) -> dict:
    """Return the JSON object in `text`: strictly JSON, and every name once."""

    def unique(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name comes twice")
        return found

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    def finite(digits):
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    try:
        text = text.decode() if isinstance(text, bytes) else text
        found = json.loads(
            text,
            object_pairs_hook=unique,
            parse_constant=refuse,
            parse_float=finite,
        )
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{what} is not JSON ({problem})") from None
    if not isinstance(found, dict):
        raise ModelFileError(f"{what} is not a JSON object")
    return found


def _check_metadata(metadata) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(
        isinstance(value, str) for value in metadata.values()
    ):
        raise ModelFileError("its metadata is not text")
    return metadata


def _check_tensor(name: str, entry):
    """Return the dtype, the shape, the first byte and the one after the last."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {repr(name)} has no dtype, shape and offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"array {repr(name)} has the unknown dtype {repr(dtype)}")
    if not are_counts(shape) or len(shape) > _MOST_DIMENSIONS:
        raise ModelFileError(f"array {repr(name)} has an impossible shape")
    if not are_counts(offsets) or len(offsets) != 2:
        raise ModelFileError(f"array {repr(name)} has impossible offsets")
    first, last = offsets
    if last - first != math.prod(shape) * DTYPES[dtype].itemsize:
        raise ModelFileError(
            f"array {repr(name)} of shape {repr(tuple(shape))} has {last - first} bytes"
        )
    return DTYPES[dtype], tuple(shape), first, last


def are_counts(values) -> bool:
    """Say whether this is a list of numbers that can be sizes."""
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value < 2**62 for value in values
    )


def _view(buffer, name, dtype, shape, offset) -> np.ndarray:
    count = math.prod(shape)
    try:
        if count == 0:
            return np.empty(shape, dtype=dtype)
        if dtype.kind == "b":
            codes = np.frombuffer(buffer, dtype=np.uint8, count=count, offset=offset)
            if codes.max() > 1:
                raise ModelFileError(f"array {repr(name)} has a truth value above 1")
        array = np.frombuffer(buffer, dtype=dtype, count=count, offset=offset)
        return (array if array.flags.aligned else array.copy()).reshape(shape)
    except ValueError as problem:
        if isinstance(problem, ModelFileError):
            raise
        raise ModelFileError(f"array {repr(name)} cannot be made ({problem})") from None
