"""Estimators as entries of the document: class, parameters and attributes.

Estimators are made of others: the steps of a pipeline are entries within its entry.
"""

from reprlib import repr  # of what may be long

from ..._version import __version__
from .attribute_codecs import Codec
from .errors import ModelFileError
from .json_values import read_value, write_value
from .layout import LAYOUTS, Layout, check_shapes, layout_of
from .tensors import TensorReader, TensorWriter, fields

_MOST_DEPTH = 16  # of estimators within estimators
_NOT_WRITTEN = {  # of scikit-learn's classes: made again, or of no use to a model
    "_stop_words_id",
    "_metadata_request",
    "_skl_callbacks",
    "_callback_fit_ctx",
    "_skl_callbacks_to_teardown",
    "metadata_",
}


def write_estimator(writer: TensorWriter, name: str, model) -> dict:
    """Return the entry of an estimator, whose arrays go to the writer.

    Parameters
    ----------
    writer : TensorWriter
    name : str
        What the names of its arrays begin with.
    model : estimator
        Fitted or not.
    """
    layout = layout_of(model)
    _validate_parameters(model)
    within = f"{name}." if name else ""
    parameters = {
        key: _write_parameter(layout, writer, within, key, value)
        for key, value in layout.given(model).items()
    }
    left_out = () if writer.training else layout.of_training
    known = vars(model)
    if not layout.ours:
        _refuse_unknown(layout, known)
    attributes = {
        key: codec.write(writer, within + key, known[key])
        for key, codec in layout.codecs.items()
        if key in known and key not in left_out
    }
    return {"class": layout.name, "parameters": parameters, "attributes": attributes}


def read_estimator(reader: TensorReader, entry):
    """Return the estimator of an entry; `check_estimator` is to look at all of it."""
    entry = fields(entry, "class", "parameters", "attributes")
    layout = LAYOUTS.get(entry["class"]) if isinstance(entry["class"], str) else None
    if layout is None:
        raise ModelFileError(f"there is no class {repr(entry['class'])}")
    if reader.depth == _MOST_DEPTH:
        raise ModelFileError("its estimators are nested too deeply")
    reader.depth += 1
    model = _make(layout, reader, entry["parameters"])
    if reader.fitted:
        _read_attributes(layout, reader, entry["attributes"], model)
    reader.depth -= 1
    return model


def _read_attributes(layout: Layout, reader: TensorReader, entries, model) -> None:
    if not isinstance(entries, dict) or not set(entries) <= set(layout.codecs):
        raise ModelFileError("it has an unknown attribute")
    for name, codec in layout.codecs.items():  # classes first
        if name in entries:
            setattr(model, name, codec.read(reader, entries[name]))


def check_estimator(model) -> None:
    """Raise ModelFileError unless a model is fitted, and what it is made of agrees."""
    layout = layout_of(model)
    for name in layout.required:
        if name not in vars(model):
            raise ModelFileError(f"{layout.name} has no {name}")
    for part in layout.parts(model).values():
        check_estimator(part)
    check_shapes(layout, model)
    layout.check(model)


def _make(layout: Layout, reader: TensorReader, entries):
    """Return an estimator with parameters as `fit` would accept them."""
    if not isinstance(entries, dict):
        raise ModelFileError("it has no parameters")
    estimator = layout.estimator
    unknown = set(entries) - set(estimator._get_param_names())
    if unknown:
        raise ModelFileError(
            f"{estimator.__name__} of polymargin {__version__} has no parameter "
            f"{repr(min(unknown))}"
        )
    values = layout.before | {
        name: layout.parameters[name].read(reader, entry)
        if name in layout.parameters
        else read_value(entry)
        for name, entry in entries.items()
    }
    try:
        model = estimator(**values)
        _validate_parameters(model)
        if hasattr(model, "_machine"):
            model._machine()
    except (ValueError, TypeError) as problem:
        if isinstance(problem, ModelFileError):
            raise
        raise ModelFileError(f"its parameters are wrong ({problem})") from None
    return model


def _validate_parameters(model) -> None:
    if hasattr(model, "_parameter_constraints"):
        model._validate_params()


def _write_parameter(layout: Layout, writer, within: str, name: str, value):
    codec = layout.parameters.get(name)
    if codec is not None:
        return codec.write(writer, within + name, value)
    try:
        return write_value(value)
    except TypeError:
        if callable(value):
            kind = "kernel" if name == "kernel" else "transformer of scikit-learn"
            raise ValueError(
                f"{name}={value} is code, which a model file never holds; use a {kind} "
                f"that has a name, or pickle the model."
            ) from None
        raise ValueError(
            f"{name}={value} cannot be written to a model file; replace it by a "
            f"number, e.g. with set_params, which does not change the fitted model."
        ) from None


def _refuse_unknown(layout: Layout, known: dict) -> None:
    parameters = layout.estimator._get_param_names()
    unknown = set(known) - {*parameters, *layout.codecs, *_NOT_WRITTEN}
    if unknown:
        raise TypeError(
            f"{layout.name} has the attribute {min(unknown)}, which polymargin "
            f"{__version__} does not know and a model file would lose; pickle the "
            f"model, or use a version of scikit-learn of its time."
        )


ESTIMATOR = Codec(write_estimator, read_estimator)
