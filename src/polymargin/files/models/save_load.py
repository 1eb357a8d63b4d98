"""Models in files: `save` and `load`.

A file is of the safetensors format, with the arrays of the model as tensors, and three
texts as metadata:

======== =========================================================================
format   "polymargin"
version  of what is described here
model    JSON: class, library, parameters, attributes, metadata, and the checksums
         of the tensors
checksum CRC-32 of model
======== =========================================================================

An attribute is a number, a word, or names the tensors that it is made of. There is no
code in a file: classes are those of `LAYOUTS`, parameters are checked as `fit` checks
them, and arrays so far that nobody is led out of their bounds.
"""

import json
import os
import zlib
from contextlib import contextmanager
from reprlib import repr  # of what may be long

from sklearn.utils.validation import check_is_fitted

from ..._version import __version__
from .errors import ModelFileError
from .estimator_layouts import LAYOUTS
from .json_values import read_value, write_value
from .safetensors_file import parse, read, read_text, write
from .tensors import TensorReader, TensorWriter, fields

FORMAT = "polymargin"
VERSION = 1


def save(model, path, *, metadata=None, training: bool = True) -> None:
    """Write a fitted estimator to a file.

    The file is there in full or not at all: what was there before stays until all of
    the new one is on the disk.

    Parameters
    ----------
    model : LinearSVM, MaxEnt, KernelSVM or OnlineSVM
        Fitted. Its parameters must be numbers and text: a model whose kernel is a
        function cannot be written.

    path : str or PathLike

    metadata : dict or None, default=None
        Anything that JSON can hold, such as where the data came from. `load` gives it
        back as `metadata_`; None keeps what was loaded.

    training : bool, default=True
        Whether to write what a warm start needs: labels, weights and dual variables of
        the rows of the training. Without, the file says of them only what the model
        itself does.

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
    layout = LAYOUTS.get(type(model).__name__)
    if layout is None or type(model) is not layout.estimator:
        raise TypeError(
            f"{type(model).__name__} cannot be written to a model file; give one of "
            f"{', '.join(LAYOUTS)}."
        )
    check_is_fitted(model)
    model._validate_params()
    if metadata is None:
        metadata = getattr(model, "metadata_", {})
    writer = TensorWriter()
    parameters = {
        name: _write_parameter(name, value)
        for name, value in model.get_params(deep=False).items()
    }
    try:
        layout.check(model)
    except ModelFileError as problem:
        raise ValueError(
            f"The model is not that of its parameters: {problem}; fit it again."
        ) from None
    left_out = () if training else layout.of_training
    known = vars(model)
    attributes = {
        name: codec.write(writer, name, known[name])
        for name, codec in layout.codecs.items()
        if name in known and name not in left_out
    }
    document = {
        "class": type(model).__name__,
        "library": __version__,
        "parameters": parameters,
        "attributes": attributes,
        "metadata": _check_metadata(metadata),
        "checksums": writer.checksums(),
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    header = {
        "format": FORMAT,
        "version": str(VERSION),
        "model": text,
        "checksum": str(zlib.crc32(text.encode())),
    }
    write(path, writer.tensors, header)


def load(path, *, mmap: bool = True):
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
    model : LinearSVM, MaxEnt, KernelSVM or OnlineSVM

    Raises
    ------
    ModelFileError
        If the file is no model, damaged, or of a newer version; a ValueError.
    """
    with _about(path):
        tensors, header = read(path, mapped=mmap)
        document = _read_document(header)
        reader = TensorReader(tensors)
        reader.check(document["checksums"])
        layout = LAYOUTS[document["class"]]
        model = _make(layout.estimator, document["parameters"])
        entries = document["attributes"]
        if not isinstance(entries, dict) or not set(entries) <= set(layout.codecs):
            raise ModelFileError("it has an unknown attribute")
        for name in layout.required:
            if name not in entries:
                raise ModelFileError(f"it has no {name}")
        for name, codec in layout.codecs.items():  # classes first
            if name in entries:
                setattr(model, name, codec.read(reader, entries[name]))
        layout.check(model)
        if document["metadata"]:
            model.metadata_ = document["metadata"]
        return model


def read_metadata(path) -> dict:
    """Return what a model file says of itself, without its arrays.

    Parameters
    ----------
    path : str or PathLike

    Returns
    -------
    description : dict
        "class", "library" (version), "parameters" and "metadata".
    """
    with _about(path):
        document = _read_document(read_text(path))
        model = _make(LAYOUTS[document["class"]].estimator, document["parameters"])
        return {
            "class": document["class"],
            "library": document["library"],
            "parameters": model.get_params(deep=False),
            "metadata": document["metadata"],
        }


@contextmanager
def _about(path):
    """Say of which file an error is."""
    try:
        yield
    except ModelFileError as problem:
        raise ModelFileError(
            f"{os.fspath(path)} cannot be loaded as a model: {problem}."
        ) from None


def _read_document(header: dict[str, str]) -> dict:
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
    document = fields(
        parse(text, "its description"),
        "class",
        "library",
        "parameters",
        "attributes",
        "metadata",
        "checksums",
    )
    if not isinstance(document["class"], str) or document["class"] not in LAYOUTS:
        raise ModelFileError(f"there is no class {repr(document['class'])}")
    if not isinstance(document["library"], str):
        raise ModelFileError("it does not say which polymargin wrote it")
    if not isinstance(document["metadata"], dict):
        raise ModelFileError("its metadata is not a JSON object")
    return document


def _make(estimator: type, parameters):
    """Return an estimator with parameters as `fit` would accept them."""
    if not isinstance(parameters, dict):
        raise ModelFileError("it has no parameters")
    unknown = set(parameters) - set(estimator._get_param_names())
    if unknown:
        raise ModelFileError(
            f"{estimator.__name__} of polymargin {__version__} has no parameter "
            f"{repr(min(unknown))}"
        )
    values = {name: read_value(entry) for name, entry in parameters.items()}
    try:
        model = estimator(**values)
        model._validate_params()
        if hasattr(model, "_machine"):
            model._machine()
    except (ValueError, TypeError) as problem:
        raise ModelFileError(f"its parameters are wrong ({problem})") from None
    return model


def _write_parameter(name: str, value):
    try:
        return write_value(value)
    except TypeError:
        if callable(value):
            raise ValueError(
                f"{name}={value} is code, which a model file never holds; use a "
                f"kernel by its name, or pickle the model."
            ) from None
        raise ValueError(
            f"{name}={value} cannot be written to a model file; replace it by a "
            f"number, e.g. with set_params, which does not change the fitted model."
        ) from None


def _check_metadata(metadata) -> dict:
    try:
        if not isinstance(metadata, dict):
            raise TypeError("it is no dict")
        return json.loads(json.dumps(metadata, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError(
            f"metadata must be a dict that JSON can hold: {problem}."
        ) from None
