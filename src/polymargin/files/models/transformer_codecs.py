"""What transformers of scikit-learn are made of, beside numbers and words."""

import re
from importlib import import_module
from reprlib import repr  # of what may be long

import numpy as np

from .attribute_codecs import Codec
from .errors import ModelFileError
from .json_values import read_value, write_value
from .tensors import TensorReader, TensorWriter, fields

_DTYPES = (
    *(f"float{bits}" for bits in (16, 32, 64)),
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    "bool",
    "object",
)
_LONGEST_PATTERN = 1000


def array(kinds: str, shape: str, finite: bool = False) -> Codec:
    """Return the codec of arrays of these kinds of numbers; see `Codec.shape`.

    Transformers that are fitted to columns without a value have NaN.
    """
    return Codec(
        lambda writer, name, value: writer.dense(name, np.asarray(value)),
        lambda reader, entry: reader.dense(entry, kinds, len(shape), finite),
        shape,
    )


def list_of(codec: Codec) -> Codec:
    """Return the codec of lists."""

    def read(reader, entry):
        if not isinstance(entry, list):
            raise ModelFileError("an entry is not a list")
        return [codec.read(reader, item) for item in entry]

    return Codec(
        lambda writer, name, value: [
            codec.write(writer, f"{name}.{at}", item) for at, item in enumerate(value)
        ],
        read,
    )


def either(first: Codec, second: Codec) -> Codec:
    """Return the codec of arrays, which are objects in the document, or else."""

    def chosen(is_first: bool) -> Codec:
        return first if is_first else second

    return Codec(
        lambda writer, name, value: chosen(np.ndim(value) > 0).write(
            writer, name, value
        ),
        lambda reader, entry: chosen(isinstance(entry, dict)).read(reader, entry),
        first.shape,
    )


def plain(*types: type) -> Codec:
    """Return the codec of values that JSON has, of these types."""

    def read(reader, entry):
        value = read_value(entry)
        if type(value) not in types:
            raise ModelFileError(f"{repr(value)} is not of the kind that belongs there")
        return value

    return Codec(lambda writer, name, value: write_value(value), read)


def _write_cells(writer: TensorWriter, name: str, cells: np.ndarray) -> dict:
    if cells.dtype.kind in "iufb":
        return writer.dense(name, cells)
    if cells.dtype.kind not in "UO":
        raise TypeError(
            f"{name} has the type {cells.dtype}, which a model file cannot hold; make "
            f"it numbers or text before it is fitted."
        )
    values = cells.tolist()
    n_text = 0
    while n_text < len(values) and isinstance(values[n_text], str):
        n_text += 1
    entry = writer.text(name, cells[:n_text])
    return entry | {"others": write_value(values[n_text:])}


def _read_cells(reader: TensorReader, entry) -> np.ndarray:
    if not isinstance(entry, dict) or "others" not in entry:
        return reader.dense(entry, "iufb", 1, finite=False)
    others = read_value(entry["others"])
    text = reader.text({name: entry[name] for name in entry if name != "others"})
    plain = isinstance(others, list) and all(
        other is None or isinstance(other, str | int | float) for other in others
    )
    if not plain:
        raise ModelFileError("an array has values that are neither numbers nor text")
    if not others:
        return text
    cells = np.empty(len(text) + len(others), dtype=object)
    cells[: len(text)] = text
    cells[len(text) :] = others
    return cells


# Rows that a transformer keeps, as they were given to it.
POINTS = Codec(
    lambda writer, name, value: writer.matrix(name, value),
    lambda reader, entry: reader.matrix(entry, canonical=False, kinds="iufb"),
    "md",
)
# Numbers, or text with None and NaN, of which scikit-learn puts text first.
CELLS = Codec(_write_cells, _read_cells, "d")
CATEGORIES = list_of(CELLS)
COUNTS = list_of(plain(int))


def _write_dtype(writer: TensorWriter, name: str, dtype) -> str:
    found = np.dtype(dtype).name
    if found not in _DTYPES:
        raise TypeError(
            f"{name}={dtype} is not a type that a model file can hold; choose one of "
            f"{', '.join(_DTYPES)}."
        )
    return found


def _read_dtype(reader: TensorReader, entry) -> np.dtype:
    if not isinstance(entry, str) or entry not in _DTYPES:
        raise ModelFileError(f"{repr(entry)} is not a type of numbers")
    return np.dtype(entry)


DTYPE = Codec(_write_dtype, _read_dtype)
DTYPE_CLASS = Codec(_write_dtype, lambda reader, entry: _read_dtype(reader, entry).type)


def _write_vocabulary(writer: TensorWriter, name: str, terms: dict) -> dict:
    words = np.empty(len(terms), dtype=object)
    for term, at in terms.items():
        words[at] = term
    return writer.text(name, words)


def _read_vocabulary(reader: TensorReader, entry) -> dict:
    words = reader.text(entry).tolist()
    terms = {term: at for at, term in enumerate(words)}
    if len(terms) < len(words) or not words:
        raise ModelFileError("a vocabulary has a word twice, or none")
    return terms


VOCABULARY = Codec(_write_vocabulary, _read_vocabulary)


def _read_pattern(reader: TensorReader, entry) -> str | None:
    if entry is None:
        return None
    if not isinstance(entry, str) or len(entry) > _LONGEST_PATTERN:
        raise ModelFileError("a pattern of words is not a text that can be one")
    try:
        re.compile(entry)
    except (re.error, RecursionError, OverflowError):
        raise ModelFileError("a pattern of words is not a regular expression") from None
    return entry


PATTERN = Codec(lambda writer, name, value: write_value(value), _read_pattern)


def function_of(home: str, *names: str) -> Codec:
    """Return the codec of functions of a module, which are known by their names."""

    def find(name: str):
        return getattr(import_module(home), name)

    def write(writer, name, value):
        for known in names:
            if find(known) is value:
                return known
        raise ValueError(
            f"{name}={value} is code, which a model file never holds; give one of "
            f"{', '.join(names)}, or pickle the model."
        )

    def read(reader, entry):
        if not isinstance(entry, str) or entry not in names:
            raise ModelFileError(f"{repr(entry)} is not one of {', '.join(names)}")
        return find(entry)

    return Codec(write, read)


def only(value, why: str) -> Codec:
    """Return the codec of a parameter that has one value in files."""

    def write(writer, name, given):
        if given != value:
            raise ValueError(
                f"{name}={given!r} cannot be written to a model file: {why}; "
                f"set_params({name.rpartition('.')[2]}={value!r}) does not change the "
                f"fitted model."
            )
        return value

    def read(reader, entry):
        if entry != value:
            raise ModelFileError(f"{repr(entry)} is not {value!r}: {why}")
        return value

    return Codec(write, read)


def _read_output(reader: TensorReader, entry) -> dict:
    entry = fields(entry, "transform")
    if entry["transform"] not in ("default", "pandas", "polars", None):
        raise ModelFileError(f"{repr(entry['transform'])} is no kind of tables")
    return entry


OUTPUT = Codec(lambda writer, name, value: dict(value), _read_output)
