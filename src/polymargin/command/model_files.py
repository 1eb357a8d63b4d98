"""Model files of the command line: which file is one, and what it is called."""

import os
from pathlib import Path

from .label_sets import LABELS

MODEL_SUFFIX = ".polymargin"
STORE_SUFFIX = ".rows"
# In the metadata of models: how svmlight text counts, and what a table was like.
ZERO_BASED, TABLE = "zero_based", "table"
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_OF_DATA = (
    ".svm",
    ".svmlight",
    ".libsvm",
    ".txt",
    ".csv",
    ".tsv",
    ".npz",
    ".parquet",
    ".pq",
    ".json",
    ".jsonl",
    ".ndjson",
    ".arff",
    STORE_SUFFIX,
)


def read_model(path: str):
    """Read a model of ours, or a text model of LIBLINEAR."""
    from .. import import_liblinear, load

    return import_liblinear(path) if is_liblinear(path) else load(path)


def is_model(path: str) -> bool:
    """Whether this is a model of ours: named so, or with the header of safetensors."""
    return path.endswith(MODEL_SUFFIX) or _starts(path, b'{"', after=8)


def is_liblinear(path: str) -> bool:
    """Whether this is a text model of LIBLINEAR."""
    return _starts(path, b"solver_type ")


def _starts(path: str, start: bytes, after: int = 0) -> bool:
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return file.read(after + len(start))[after:] == start


def which_is_the_model(model: str, data: str) -> tuple[str, str]:
    """Return data and model, also if they were given in the other order."""
    swapped = data.endswith(MODEL_SUFFIX) and not model.endswith(MODEL_SUFFIX)
    return (model, data) if swapped else (data, model)


def model_path(source: str) -> Path:
    """Return where the model of some data goes: the working folder, as in LIBLINEAR.

    Examples
    --------
    >>> str(model_path("texts/news.svm.gz")), str(model_path("-"))
    ('news.polymargin', 'model.polymargin')
    """
    if source == "-":
        return Path("model" + MODEL_SUFFIX)
    name = Path(source).name
    for suffixes in (_COMPRESSED, _OF_DATA):
        stem, suffix = os.path.splitext(name)
        if stem and suffix.lower() in suffixes:
            name = stem
    return Path(name + MODEL_SUFFIX)


def model_metadata(source: str, data) -> dict:
    """What a model file remembers of the data, to read others in the same way."""
    metadata = {"data": source} | table_metadata(data)
    if data.zero_based is not None:
        metadata[ZERO_BASED] = data.zero_based
    if data.label_names is not None:
        metadata[LABELS] = data.label_names.tolist()
    return metadata


def table_metadata(data) -> dict:
    """What a model file remembers of a table, to find its columns in another."""
    if not data.is_table or data.feature_names is None:
        return {}
    types = data.types or [(name, "number") for name in data.feature_names]
    known = {"label": data.label_name, "mixed": data.types is not None}
    known["unused"] = list(data.unused)
    return {TABLE: {"types": [list(one) for one in types]} | known}


def trained_columns(metadata: dict):
    """Return what `table_metadata` says, None if it says nothing."""
    from ..files.data.columns import Trained

    if TABLE not in metadata:
        return None
    try:
        return Trained(**metadata[TABLE])
    except TypeError:
        raise ValueError(
            "the model does not say what its table was like; train it again."
        ) from None
