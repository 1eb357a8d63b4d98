"""Data of the command line: files and row stores, for a machine or for a model."""

from dataclasses import replace
from pathlib import Path

from .estimator_choice import classes_of
from .features import check_labels
from .label_sets import names_for
from .model_files import ZERO_BASED, table_metadata, trained_columns
from .standard_streams import note

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
        fewer, and its indices are counted in the same way; labels are read in the same
        way, too.

    Returns
    -------
    data : Data
        Dense if most values are not zero; a pyarrow Table if columns are more than
        numbers; of a row store, X is the store and y None.
    """
    import scipy.sparse as sp

    if is_store(source):
        return _open_store(source, getattr(arguments, "memory_limit", None))
    if like is None:
        asked = dict.fromkeys([*arguments.category, *arguments.text], "words")
        asked |= dict.fromkeys(arguments.number, "number")
        data = _read_columns(arguments, source, asked=asked, several_labels="auto")
        if data.label_names is None:
            check_labels(data, source)
    elif like.is_table:
        trained = trained_columns(table_metadata(like))
        data = _read_trained(arguments, source, trained, classes_of(like))
    else:
        options = {"n_features": like.X.shape[1], "zero_based": like.zero_based}
        options |= _of_sets(like.label_names)
        data = _read(arguments, source, classes_of(like), **options)
        if not sp.issparse(like.X):
            data = _as_array(data)
    if data.y is None and like is not None and like.label_name is not None:
        raise ValueError(
            f"{source} has no column {like.label_name!r} with the labels to measure "
            f"by; add it, or leave the file to `predict`."
        )
    if data.y is None:
        raise ValueError(f"{source} has no labels; put one before each row.")
    return _dense_if_full(data)


def read_for(model, arguments, source: str, optional: bool = False):
    """Read data with the features of a model, labelled or not.

    If labels are `optional`, rows of a table may have none in a column of labels.

    Rows of svmlight text may have fewer, which are zero, or more, which no weight is
    known for: these are left out, with a note, as LIBLINEAR does. A table may have no
    label; if nobody said where it is, the number of columns tells.
    """
    import scipy.sparse as sp

    from ..files.data.label_rule import labels_like
    from ..files.data.limits import MOST_FEATURES

    if is_store(source):
        data = _open_store(source)
        _compare_names(source, data.feature_names, model.__dict__.pop(_NAMES, None))
        y = data.X.labels()
        return replace(data, y=None if y is None else labels_like(y, model.classes_))
    metadata = getattr(model, "metadata_", {})
    trained = trained_columns(metadata)
    in_python = None if trained is not None else _fitted_columns(model)
    if trained is not None or in_python is not None:
        columns = trained or in_python
        data = _read_trained(arguments, source, columns, model.classes_, optional)
        if data.is_table:
            return data if in_python is None else _as_frame(data)
        return _of_as_many(data, model.n_features_in_, source)
    wanted = getattr(model, "n_features_in_", None)
    if wanted is None:
        raise ValueError(
            f"the model takes texts, and {source} has rows of columns; fit it with a "
            f"ColumnTransformer that names the column of the texts."
        )
    options = {"zero_based": metadata.get(ZERO_BASED)} | _of_sets(names_for(model))
    if arguments.n_features is None and wanted > MOST_FEATURES:
        options["n_features"] = wanted
    data = _read(arguments, source, model.classes_, **options)
    table = not sp.issparse(data.X)
    unlabelled = arguments.label is None and data.X.shape[1] == wanted - 1
    if table and unlabelled and source != "-":
        data = _read(arguments, source, model.classes_, label=False, **options)
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
    return _dense_if_full(data) if _takes_sparse(model) else _as_array(data)


def _takes_sparse(model) -> bool:
    """Whether the first step of a pipeline takes sparse rows, as all machines do."""
    steps = getattr(model, "steps", None)
    if steps is None or not hasattr(steps[0][1], "__sklearn_tags__"):
        return True
    return steps[0][1].__sklearn_tags__().input_tags.sparse


def _as_array(data):
    """Return data whose rows are dense."""
    import scipy.sparse as sp

    return replace(data, X=data.X.toarray()) if sp.issparse(data.X) else data


def _fitted_columns(model):
    """Return the columns of a pipeline that was fitted to a frame in Python, if it was.

    A table is made for transformers that choose columns by name, an array for others.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    from ..files.data.columns import Trained

    names = getattr(model, _NAMES, None)
    if names is None or not isinstance(model, Pipeline):
        return None
    first = model[0]
    by_name = isinstance(first, ColumnTransformer) or hasattr(first, "recipe_")
    columns = getattr(first, "columns_", ())
    unused = [str(column.name) for column in columns if not column.is_used]
    return Trained([(str(name), None) for name in names], None, by_name, unused)


def _as_frame(data):
    """Return a table as a data frame of pandas, if that is installed."""
    if data.types is None:
        return data
    try:
        return replace(data, X=data.X.to_pandas())
    except ImportError:
        return data


def read_any(arguments, source: str):
    """Read data as it is, labelled or not; all of it, if it is a row store."""
    if is_store(source):
        data = _open_store(source)
        rows = data.X.load()
        return replace(data, X=rows.X, y=rows.y)
    return _read(arguments, source, several_labels="auto")


def _of_sets(label_names) -> dict:
    """What to know of rows with several labels, if they are such."""
    if label_names is None:
        return {}
    return {"several_labels": True, "label_names": label_names}


def is_store(source: str) -> bool:
    """Whether this is a folder, as row stores are."""
    return Path(source).is_dir()


def load_options(arguments) -> dict:
    """What the options of `add_data_options` say to `load_data`."""
    return {
        "format": arguments.format,
        "label": _column(arguments.label),
        "n_features": arguments.n_features,
        "zero_based": {"auto": "auto", "yes": True, "no": False}[arguments.zero_based],
        "n_jobs": -1,
        "unpacked_limit": arguments.unpacked_limit,
    }


def _open_store(source: str, memory_limit: str | None = None):
    from ..access.row_store.store import open_rows
    from ..files.data import Data

    store = open_rows(source, memory_limit)
    zero_based = store.header.zero_based
    return Data(store, None, store.feature_names, zero_based)


def _read(arguments, source: str, classes=None, **known):
    """Read a file; `classes` are those of a model, whose terms its labels take.

    What is `known` of the rows holds where no option says otherwise.
    """
    from ..files.data.label_rule import labels_like
    from ..files.data.load import load_data, load_written

    options = load_options(arguments)
    if known.get("zero_based") is None or options["zero_based"] != "auto":
        known.pop("zero_based", None)
    options |= known
    if classes is None:
        return load_data(source, **options)
    data = load_written(source, **options)
    if data.y is None or data.label_names is not None:
        return data
    return replace(data, y=labels_like(data.y, classes))


def _read_trained(arguments, source: str, trained, classes, optional=False):
    """Read a table with the columns of a model, or of its training."""
    from ..files.data.label_rule import labels_like

    known = {"trained": trained, "written": True, "optional": optional}
    data = _read_columns(arguments, source, **known)
    return data if data.y is None else replace(data, y=labels_like(data.y, classes))


def _of_as_many(data, wanted: int, source: str):
    """Check rows that are no table, for a model that was trained on one."""
    import scipy.sparse as sp

    if data.X.shape[1] != wanted:
        raise ValueError(
            f"{source} has {data.X.shape[1]} features, but the model was trained with "
            f"{wanted} columns; give a table with these."
        )
    return replace(data, X=data.X.toarray() if sp.issparse(data.X) else data.X)


def _read_columns(arguments, source: str, **known):
    """Read a file; a table may have columns of any kind."""
    from ..files.data.columns import load_columns

    options = load_options(arguments) | {"encoding": arguments.encoding}
    return load_columns(source, **(options | known))


def _dense_if_full(data):
    import scipy.sparse as sp

    from ..access.rows import dense_is_faster

    X = data.X
    if sp.issparse(X) and dense_is_faster(X.nnz, X.shape[0] * X.shape[1]):
        return replace(data, X=X.toarray())
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
