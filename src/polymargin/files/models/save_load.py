"""Models in files: `save` and `load`.

A file is of the safetensors format, with the arrays of the model as tensors, and three
texts as metadata:

======== =========================================================================
format   "polymargin"
version  of what is described here
model    JSON: class, library, parameters, attributes, metadata, and the checksums
         of the tensors; the version of scikit-learn, of pipelines
checksum CRC-32 of model
======== =========================================================================

An attribute is a number, a word, an estimator, or names the tensors that it is made of.
There is no code in a file: classes are those of `LAYOUTS`, parameters are checked as
`fit` checks them, and arrays so far that nobody is led out of their bounds.
"""

import json
import os
import warnings
import zlib
from contextlib import contextmanager
from typing import Any

import sklearn
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from ..._version import __version__
from ...base.annotations import Estimator, FilePath, Labels, Rows
from .compound_layouts import COMPOUNDS
from .errors import ModelFileError
from .estimator_entries import check_estimator, read_estimator, write_estimator
from .estimator_layouts import ESTIMATORS
from .layout import found_by, layout_of, register
from .safetensors_file import parse, read, read_text, write
from .stored_weights import FORMATS, SCALES, measured
from .table_layouts import TABLES
from .tensors import TensorReader, TensorWriter, fields
from .transformer_layouts import TRANSFORMERS

FORMAT = "polymargin"
VERSION = 1
SKLEARN = "scikit-learn"  # its version, in models with parts of it
_ENTRY = ("class", "parameters", "attributes")

register(*ESTIMATORS, *COMPOUNDS, *TRANSFORMERS, *TABLES)


def save(
    model: Estimator,
    path: FilePath,
    *,
    metadata: dict[str, Any] | None = None,
    training: bool = True,
    weights: str = "same",
    examples: tuple[Rows, Labels] | None = None,
) -> None:
    """Write a fitted estimator, or a pipeline that ends with one, to a file.

    The file is written in full or not at all. A file of that name stays as it is until
    the new one is complete.

    Parameters
    ----------
    model : LinearSVM, MaxEnt, KernelSVM, OnlineSVM, Pipeline or ColumnTransformer
        Fitted. Its parameters must be numbers and text: a model whose kernel is a
        function cannot be written, nor a transformer that calls one. Of a search, such
        as `TunedSVM` or scikit-learn's `GridSearchCV`, what it has found is written:
        its `best_estimator_`.

    path : str or PathLike

    metadata : dict or None, default=None
        Anything that JSON can hold, such as where the data came from. `load` gives it
        back as `metadata_`; None keeps what was loaded.

    training : bool, default=True
        Whether to write what a warm start needs: labels, weights and dual variables of
        the training rows. Without these, the file is smaller and reveals less about
        the rows.

    weights : {"same", "float16", "int8"}, default="same"
        How weights of a linear model are stored: as they are, or rounded, in two bytes
        or one. Rounded ones are without what a warm start needs.

    examples : tuple of (X, y) or None, default=None
        Rows and labels on which to measure what rounding costs: accuracy before and
        after, and the share of predictions that change. They are in the metadata, as
        "weights".

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> import polymargin
    >>> X, y = load_iris(return_X_y=True)
    >>> model = polymargin.LinearSVM(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.polymargin")
    ...     polymargin.save(model, path, metadata={"flowers": 150})
    ...     copy = polymargin.load(path, mmap=False)
    >>> bool((copy.predict(X) == model.predict(X)).all()), copy.metadata_
    (True, {'flowers': 150})
    """
    if hasattr(model, "to_local"):  # trained on a cluster
        model = model.to_local()
    check_is_fitted(model)
    if metadata is None:
        metadata = getattr(model, "metadata_", {})
    model = found_by(model)
    layout_of(model)
    exact = weights == "same"
    _check_weights(weights, examples)
    writer = TensorWriter(training and exact, weights)
    entry = write_estimator(writer, "", model)
    if not exact:
        told = _measure(model, writer, entry, examples)
        metadata = {**metadata, "weights": {"type": weights, **told}}
    try:
        check_estimator(model)
    except ModelFileError as problem:
        raise ValueError(
            f"The model is not that of its parameters: {problem}; fit it again."
        ) from None
    document = {
        "class": entry["class"],
        "library": __version__,
        "parameters": entry["parameters"],
        "attributes": entry["attributes"],
        "metadata": _check_metadata(metadata),
        "checksums": writer.checksums(),
    }
    if not layout_of(model).ours:
        document[SKLEARN] = sklearn.__version__
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    header = {
        "format": FORMAT,
        "version": str(VERSION),
        "model": text,
        "checksum": str(zlib.crc32(text.encode())),
    }
    write(path, writer.tensors, header)


def _check_weights(weights: str, examples: Any) -> None:
    if weights not in FORMATS:
        raise ValueError(
            f"weights={weights!r} is not one of {', '.join(FORMATS)}; choose one."
        )
    if weights != "same" and examples is None:
        raise ValueError(
            f"weights={weights!r} may change predictions; give examples=(X, y), so "
            f"that the file can say how many."
        )
    if examples is not None and not (
        isinstance(examples, (tuple, list)) and len(examples) == 2
    ):
        raise ValueError(
            f"examples is {type(examples).__name__}; give rows and their labels, "
            f"examples=(X, y)."
        )


def _measure(
    model: Estimator, writer: TensorWriter, entry: dict[str, Any], examples: Any
) -> dict[str, Any]:
    """Return what predictions of the written model differ by."""
    if not any(name.endswith(SCALES) for name in writer.tensors):
        raise ValueError(
            f"weights={writer.weights!r} is for LinearSVM and MaxEnt, and this model "
            f"has no weights of features; choose weights='same'."
        )
    entry = json.loads(json.dumps(entry))
    return measured(
        model, read_estimator(TensorReader(writer.tensors), entry), examples
    )


def load(path: FilePath, *, mmap: bool = True) -> Estimator:
    """Read an estimator that `save` has written.

    It predicts what the written one does, to the last bit, has its certificate, and can
    be fitted again.

    Parameters
    ----------
    path : str or PathLike

    mmap : bool, default=True
        Whether arrays are views of the file, which processes share. Do not write into
        the file meanwhile; to `save` another model under its name is fine.

    Returns
    -------
    model : LinearSVM, MaxEnt, KernelSVM, OnlineSVM, Pipeline or ColumnTransformer

    Warns
    -----
    InconsistentVersionWarning
        If transformers were fitted by another version of scikit-learn.

    Raises
    ------
    ModelFileError
        If the file is no model, damaged, or of a newer version; a ValueError.

    Examples
    --------
    >>> import tempfile
    >>> import polymargin
    >>> model = polymargin.LinearSVM().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     polymargin.save(model, folder + "/small.polymargin")
    ...     polymargin.load(folder + "/small.polymargin", mmap=False).predict([[2.0]])
    array(['yes'], dtype='<U3')
    """
    with _about(path):
        tensors, header = read(path, mapped=mmap)
        document = _read_document(header)
        reader = TensorReader(tensors)
        reader.check(document["checksums"])
        model = read_estimator(reader, _entry(document))
        check_estimator(model)
        if document["metadata"]:
            model.metadata_ = document["metadata"]
        _compare_versions(document)
        return model


def read_metadata(path: FilePath) -> dict[str, Any]:
    """Return what a model file says of itself, without its arrays.

    Parameters
    ----------
    path : str or PathLike

    Returns
    -------
    description : dict
        "class", "library" (version), "parameters" and "metadata".

    Examples
    --------
    >>> import tempfile
    >>> import polymargin
    >>> model = polymargin.MaxEnt().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     polymargin.save(model, folder + "/m", metadata={"rows": 2})
    ...     found = polymargin.models.read_metadata(folder + "/m")
    >>> found["class"], found["metadata"]
    ('MaxEnt', {'rows': 2})
    """
    with _about(path):
        document = _read_document(read_text(path))
        model = read_estimator(TensorReader({}, fitted=False), _entry(document))
        found = {
            "class": document["class"],
            "library": document["library"],
            "parameters": model.get_params(deep=False),
            "metadata": document["metadata"],
        }
        if SKLEARN in document:
            found[SKLEARN] = document[SKLEARN]
        return found


@contextmanager
def _about(path: FilePath) -> Any:
    """Say of which file an error is."""
    try:
        yield
    except ModelFileError as problem:
        raise ModelFileError(
            f"{os.fspath(path)} cannot be loaded as a model: {problem}."
        ) from None


def _read_document(header: dict[str, str]) -> dict[str, Any]:
    if header.get("format") != FORMAT:
        raise ModelFileError("it was not written by polymargin.save")
    version = header.get("version", "")
    if not version.isascii() or not version.isdecimal() or len(version) > 9:
        raise ModelFileError("it has no version")
    if int(version) != VERSION:
        raise ModelFileError(
            f"its format is version {version}, and this polymargin ({__version__}) "
            f"knows version {VERSION}"
        )
    header = fields(header, "format", "version", "model", "checksum")
    text = header["model"]
    if str(zlib.crc32(text.encode("utf-8", "surrogatepass"))) != header["checksum"]:
        raise ModelFileError("its description is damaged")
    document = parse(text, "its description")
    known = [*_ENTRY, "library", "metadata", "checksums"]
    if SKLEARN in document:
        known.append(SKLEARN)
    document = fields(document, *known)
    if not isinstance(document["library"], str):
        raise ModelFileError("it does not say which polymargin wrote it")
    if not isinstance(document.get(SKLEARN, ""), str):
        raise ModelFileError("it does not say which scikit-learn fitted it")
    if not isinstance(document["metadata"], dict):
        raise ModelFileError("its metadata is not a JSON object")
    return document


def _compare_versions(document: dict[str, Any]) -> None:
    """Warn if another scikit-learn computes than the one that fitted."""
    fitted = document.get(SKLEARN, sklearn.__version__)
    if fitted != sklearn.__version__:
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name=document["class"],
                current_sklearn_version=sklearn.__version__,
                original_sklearn_version=fitted,
            ),
            stacklevel=3,
        )


def _entry(document: dict[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in _ENTRY}


def _check_metadata(metadata: dict[str, Any] | None) -> dict[str, Any]:
    try:
        if not isinstance(metadata, dict):
            raise TypeError("it is no dict")
        return json.loads(json.dumps(metadata, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError(
            f"metadata must be a dict that JSON can hold: {problem}."
        ) from None
