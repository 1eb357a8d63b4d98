"""Files of the command line: data in, models in and out, text out."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path

from .machines import density
from .streams import note
from .usage import UsageError

MODEL_SUFFIX = ".polymargin"
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
)
# Rows with so many values that are not zero are dealt with faster as dense ones.
_DENSE = 0.3


def read_data(arguments, source: str, n_features: int | None = None):
    """Read data as the options of `add_data_options` say.

    Parameters
    ----------
    arguments : Namespace
    source : str
        A path, or "-".
    n_features : int or None
        Those the data must have; svmlight text may have fewer.

    Returns
    -------
    data : Data
        Dense if most values are not zero.
    """
    import scipy.sparse as sp

    from ..reading import load_data

    zero_based = {"auto": "auto", "yes": True, "no": False}[arguments.zero_based]
    data = load_data(
        source,
        format=arguments.format,
        label=_column(arguments.label),
        n_features=n_features,
        zero_based=zero_based,
    )
    if sp.issparse(data.X) and density(data.X) >= _DENSE:
        return data._replace(X=data.X.toarray())
    return data


def _column(label: str | None):
    try:
        return None if label is None else int(label)
    except ValueError:
        return label


def read_model(path: str):
    """Read a model, and remember its feature names apart from scikit-learn's checks."""
    from ..models import load

    return load(path)


def read_for(model, arguments, source: str):
    """Read data with the features of a model.

    Rows of svmlight text may have fewer, which are zero, or more, which no weight is
    known for: these are left out, with a note, as LIBLINEAR does.
    """
    import scipy.sparse as sp

    data = read_data(arguments, source)
    wanted, found = model.n_features_in_, data.X.shape[1]
    names = model.__dict__.pop("feature_names_in_", None)
    if names is not None and data.feature_names is not None:
        for number, (here, there) in enumerate(zip(data.feature_names, names)):
            if str(here) != str(there):
                raise ValueError(
                    f"{source} has the feature {here!r} where the model was trained "
                    f"with {there!r} (feature {number}); give the same columns in the "
                    f"same order."
                )
    if found == wanted:
        return data
    if data.feature_names is not None:
        raise ValueError(
            f"{source} has {found} features, but the model was trained with {wanted}; "
            f"give the same columns in the same order."
        )
    rows = sp.csr_matrix(data.X)
    if found > wanted:
        note(
            f"{source} has {found} features; those after {wanted} were not there in "
            f"training and are left out."
        )
        return data._replace(X=rows[:, :wanted])
    parts = rows.data, rows.indices, rows.indptr
    return data._replace(X=sp.csr_matrix(parts, shape=(rows.shape[0], wanted)))


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
    target = Path(path)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8") as stream:
            yield stream
        return
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8") as stream:
            yield stream
        aside.replace(target)
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        aside.unlink(missing_ok=True)
