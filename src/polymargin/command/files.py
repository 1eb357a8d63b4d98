"""Files of the command line: data in, models in and out, text out."""

import io
import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from .machines import density
from .streams import note
from .usage import UsageError

MODEL_SUFFIX = ".polymargin"
STORE_SUFFIX = ".rows"
ZERO_BASED = "zero_based"  # in the metadata of models
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
    STORE_SUFFIX,
)
# Rows with so many values that are not zero are dealt with faster as dense ones.
_DENSE = 0.3
# Kept in the model for people; scikit-learn would compare it to arrays without names.
_NAMES = "feature_names_in_"


def read_data(arguments, source: str, like=None):
    """Read data with labels, as the options of `add_data_options` say.

    Parameters
    ----------
    arguments : Namespace
    source : str
        A path, or "-".
    like : Data or None
        What the rows belong to: they must have as many features, svmlight text may have
        fewer, and its indices are counted in the same way.

    Returns
    -------
    data : Data
        Dense if most values are not zero; of a row store, X is the store and y None.
    """
    if is_store(source):
        return _open_store(source, getattr(arguments, "memory_limit", None))
    n_features, zero_based = None, None
    if like is not None:
        n_features, zero_based = like.X.shape[1], like.zero_based
    label = _column(arguments.label)
    data = _read(arguments, source, label, n_features, zero_based)
    if data.y is None:
        raise ValueError(f"{source} has no labels; put one before each row.")
    return _dense_if_full(data)


def read_for(model, arguments, source: str):
    """Read data with the features of a model, labelled or not.

    Rows of svmlight text may have fewer, which are zero, or more, which no weight is
    known for: these are left out, with a note, as LIBLINEAR does. A table may have no
    label; if nobody said where it is, the number of columns tells.
    """
    import scipy.sparse as sp

    if is_store(source):
        data = _open_store(source)
        _compare_names(source, data.feature_names, model.__dict__.pop(_NAMES, None))
        return replace(data, y=data.X.labels())
    label, wanted = _column(arguments.label), model.n_features_in_
    zero_based = getattr(model, "metadata_", {}).get(ZERO_BASED)
    data = _read(arguments, source, label, zero_based=zero_based)
    table = not sp.issparse(data.X)
    if table and label is None and data.X.shape[1] == wanted - 1 and source != "-":
        data = _read(arguments, source, False)
    _compare_names(source, data.feature_names, model.__dict__.pop(_NAMES, None))
    found = data.X.shape[1]
    if table and found != wanted:
        raise ValueError(
            f"{source} has {found} features, but the model was trained with {wanted}; "
            f"give the same columns in the same order."
        )
    if found > wanted:
        note(
            f"{source} has {found} features; those after {wanted} were not there in "
            f"training and are left out."
        )
        data = replace(data, X=data.X[:, :wanted])
    elif found < wanted:
        parts = data.X.data, data.X.indices, data.X.indptr
        shape = data.X.shape[0], wanted
        data = replace(data, X=sp.csr_matrix(parts, shape=shape))
    return _dense_if_full(data)


def is_store(source: str) -> bool:
    """Whether this is a folder, as row stores are."""
    return Path(source).is_dir()


def _open_store(source: str, memory_limit: str | None = None):
    from ..reading import Data
    from ..rowstore.store import open_rows

    store = open_rows(source, memory_limit)
    zero_based = store.header.zero_based
    return Data(store, None, store.feature_names, zero_based)


def model_metadata(source: str, data) -> dict:
    """What a model file remembers of the data, to read others in the same way."""
    metadata = {"data": source}
    if data.zero_based is not None:
        metadata[ZERO_BASED] = data.zero_based
    return metadata


def load_options(arguments, zero_based: bool | None = None) -> dict:
    """What the options of `add_data_options` say to `load_data`."""
    asked = {"auto": zero_based, "yes": True, "no": False}[arguments.zero_based]
    return {
        "format": arguments.format,
        "label": _column(arguments.label),
        "zero_based": "auto" if asked is None else asked,
        "n_jobs": -1,
    }


def _read(arguments, source: str, label, n_features=None, zero_based=None):
    from ..reading import load_data

    options = load_options(arguments, zero_based) | {"label": label}
    return load_data(source, n_features=n_features, **options)


def _dense_if_full(data):
    import scipy.sparse as sp

    if sp.issparse(data.X) and density(data.X) >= _DENSE:
        return replace(data, X=data.X.toarray())
    return data


def _compare_names(source: str, here, there) -> None:
    """Say so if columns have other names than in training."""
    if here is None or there is None:
        return
    for number, names in enumerate(zip(here, there, strict=False)):
        if str(names[0]) != str(names[1]):
            raise ValueError(
                f"{source} has the feature {names[0]!r} where the model was trained "
                f"with {names[1]!r} (feature {number}, counted from 0); give the same "
                f"columns in the same order."
            )


def _column(label: str | None):
    """Read --label: a name, a position, or none."""
    if label == "none":
        return False
    try:
        return None if label is None else int(label)
    except ValueError:
        return label


def read_any(arguments, source: str):
    """Read data as it is, labelled or not; all of it, if it is a row store."""
    if is_store(source):
        data = _open_store(source)
        rows = data.X.load()
        return replace(data, X=rows.X, y=rows.y)
    return _read(arguments, source, _column(arguments.label))


def read_model(path: str):
    """Read a model of ours, or a text model of LIBLINEAR."""
    from .. import import_liblinear, load

    return import_liblinear(path) if is_liblinear(path) else load(path)


def is_liblinear(path: str) -> bool:
    """Whether this is a text model of LIBLINEAR."""
    return _starts(path, b"solver_type ")


def is_model(path: str) -> bool:
    """Whether this is a model of ours: named so, or with the header of safetensors."""
    return path.endswith(MODEL_SUFFIX) or _starts(path, b'{"', after=8)


def which_is_the_model(model: str, data: str) -> tuple[str, str]:
    """Return data and model, also if they were given in the other order."""
    swapped = data.endswith(MODEL_SUFFIX) and not model.endswith(MODEL_SUFFIX)
    return (model, data) if swapped else (data, model)


def _starts(path: str, start: bytes, after: int = 0) -> bool:
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return file.read(after + len(start))[after:] == start


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


def check_target(path: str | Path, *sources: str) -> None:
    """Say before the work begins that its result cannot be written.

    Parameters
    ----------
    path : str or Path
        Where it is to go.
    *sources : str
        Files that must not be written over.
    """
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "No such folder to write into", str(folder))
    if path.exists() and not path.is_file():
        raise OSError(22, "Is not a file; choose another name with -o", str(path))
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(13, "No permission to write", str(path))
    for source in sources:
        if path.exists() and Path(source).exists() and path.samefile(source):
            raise UsageError(f"{path} would be written over; choose another name.")


@contextmanager
def open_output(path: str | None):
    """Open a text file that appears when it is complete, or standard output.

    Parameters
    ----------
    path : str or None
        Standard output if None or "-". What is no file, such as a device, is written
        in place.
    """
    if path is None or path == "-":
        yield sys.stdout
        return
    from ..aside import written_aside

    try:
        if Path(path).exists() and not Path(path).is_file():
            with open(path, "w", encoding="utf-8") as stream:
                yield stream
        else:
            with written_aside(path) as file:
                stream = io.TextIOWrapper(file, encoding="utf-8")
                yield stream
                stream.flush()
                stream.detach()
    except OSError as error:
        error.filename = path
        raise
