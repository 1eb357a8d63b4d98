"""Pipelines, unions and column transformers in model files: what has parts."""

from collections import UserList
from reprlib import repr  # of what may be long

from .attribute_codecs import SIZE, TEXT, Codec
from .errors import ModelFileError
from .estimator_entries import ESTIMATOR
from .json_values import read_value, write_value
from .layout import Layout, agree, found_by, width_of
from .tensors import TensorReader, TensorWriter
from .transformer_codecs import OUTPUT, list_of, only, plain

_WORDS = ("drop", "passthrough")  # in place of an estimator


def _write_step(writer: TensorWriter, name: str, step):
    if step is None or isinstance(step, str):
        return step
    return ESTIMATOR.write(writer, name, found_by(step))


def _read_step(reader: TensorReader, entry):
    if entry is None or (isinstance(entry, str) and entry in _WORDS):
        return entry
    return ESTIMATOR.read(reader, entry)


STEP = Codec(_write_step, _read_step)


def _write_columns(writer: TensorWriter, name: str, columns):
    if isinstance(columns, slice):
        ends = [columns.start, columns.stop, columns.step]
        return {"slice": [write_value(end) for end in ends]}
    if callable(columns):
        raise ValueError(
            f"{name}={columns} is code, which a model file never holds; give the names "
            f"of the columns."
        )
    if isinstance(columns, UserList):  # a remainder, before scikit-learn 1.7
        columns = columns.data
    return write_value(columns.tolist() if hasattr(columns, "tolist") else columns)


def _read_columns(reader: TensorReader, entry):
    if isinstance(entry, dict) and set(entry) == {"slice"}:
        ends = entry["slice"]
        right = isinstance(ends, list) and len(ends) == 3
        if not right or not all(type(end) in (int, str, type(None)) for end in ends):
            raise ModelFileError("a slice has no beginning, end and step")
        return slice(*ends)
    value = read_value(entry)
    inside = list(value) if isinstance(value, list | tuple) else [value]
    if not all(isinstance(item, int | str) for item in inside):
        raise ModelFileError("columns are neither names nor numbers")
    return value


COLUMNS = Codec(_write_columns, _read_columns)


def _named(*codecs: Codec) -> Codec:
    """Return the codec of a tuple of a name and what these codecs are of."""

    def write(writer, name, value):
        within = f"{name.rpartition('.')[0]}.{value[0]}"
        return [value[0]] + [
            codec.write(writer, within, item)
            for codec, item in zip(codecs, value[1:], strict=True)
        ]

    def read(reader, entry):
        right = isinstance(entry, list) and len(entry) == 1 + len(codecs)
        if not right or not isinstance(entry[0], str):
            raise ModelFileError("a step is not a name and an estimator")
        pairs = zip(codecs, entry[1:], strict=True)
        return (entry[0], *(codec.read(reader, item) for codec, item in pairs))

    return Codec(write, read)


def _by_name(codec: Codec) -> Codec:
    """Return the codec of dicts from names."""

    def read(reader, entry):
        if not isinstance(entry, dict):
            raise ModelFileError("an entry has no names")
        return {name: codec.read(reader, item) for name, item in entry.items()}

    return Codec(
        lambda writer, name, value: {
            key: codec.write(writer, f"{name}.{key}", item)
            for key, item in value.items()
        },
        read,
    )


def _estimators(named) -> dict:
    """Return the estimators of steps that have one, by their names."""
    names = [name for name, *_ in named]
    agree(len(set(names)) == len(names), "a name that comes twice")
    return {
        name: found_by(step)
        for name, step, *_ in named
        if step is not None and not isinstance(step, str)
    }


def _check_pipeline(model) -> None:
    """Raise unless every step takes what the one before gives out."""
    steps = _estimators(model.steps)
    agree(len(model.steps) > 0 and "drop" not in dict(model.steps).values(), "a step")
    before = None
    for at, (name, step) in enumerate(steps.items()):
        wanted = getattr(step, "n_features_in_", None)
        agree(before is None or wanted in (before, None), f"step {repr(name)}")
        before = width_of(step)
        last = at == len(steps) - 1 and name == model.steps[-1][0]
        agree(before is not None or last, f"step {repr(name)}")


def _width_of_pipeline(model) -> int | None:
    steps = list(_estimators(model.steps).values())
    return width_of(steps[-1]) if steps else None


def _parts_of_columns(model) -> dict:
    """Return fitted transformers; those without columns are not fitted."""
    chosen = model._transformer_to_input_indices
    return _estimators([part for part in model.transformers_ if chosen.get(part[0])])


def _positions(columns, names: list[str], d: int) -> list[int]:
    """Return which columns are meant, as numbers."""

    def at(column) -> int:
        if isinstance(column, str):
            agree(column in names, f"column {repr(column)}")
            return names.index(column)
        agree(-d <= column < d, f"column {column}")
        return column % d

    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop
        start = at(start) if isinstance(start, str) else start
        stop = at(stop) + 1 if isinstance(stop, str) else stop
        agree(type(columns.step) is not str and columns.step != 0, "a slice")
        return list(range(d))[start : stop : columns.step]
    if isinstance(columns, str | int):
        return [at(columns)]
    if columns and all(isinstance(column, bool) for column in columns):
        agree(len(columns) == d, "a mask of columns")
        return [i for i, chosen in enumerate(columns) if chosen]
    return [at(column) for column in columns]


def _check_columns(model) -> None:
    """Raise unless every transformer has its columns, and they theirs in the result."""
    d, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    names = [] if names is None else names.tolist()
    agree(not names or len(names) == d, "feature_names_in_")
    given = [*model.transformers, model._remainder]
    _estimators(given), _estimators(model.transformers_)
    agree(len(model._columns) == len(model.transformers), "_columns")
    chosen = model._transformer_to_input_indices
    for name, _, columns in model.transformers_:
        agree(name in chosen, f"transformer {repr(name)}")
        agree(chosen[name] == _positions(columns, names, d), f"columns of {repr(name)}")
    agree(
        all(0 <= i < d for indices in chosen.values() for i in indices), "its columns"
    )
    parts, end = _parts_of_columns(model), 0
    for name, step, _ in model.transformers_:
        place = model.output_indices_.get(name)
        if name not in parts:
            agree(place in (slice(0, 0, None), None), f"place of {repr(name)}")
            agree(step == "drop" or not chosen[name], f"transformer {repr(name)}")
            continue
        wanted = getattr(step, "n_features_in_", None)
        agree(wanted in (len(chosen[name]), None), f"columns of {repr(name)}")
        known = getattr(step, "feature_names_in_", None)
        if known is not None:
            expected = [names[i] for i in chosen[name]] if names else None
            agree(known.tolist() == expected, f"columns of {repr(name)}")
        width = width_of(step)
        agree(width is not None, f"transformer {repr(name)}")
        agree(place == slice(end, end + width, None), f"place of {repr(name)}")
        end += width


def _given_to_columns(model) -> dict:
    """Return parameters, with columns in place of functions that have chosen them."""
    parameters = model.get_params(deep=False)
    if hasattr(model, "_columns"):
        parameters["transformers"] = [
            (name, step, columns if callable(given) else given)
            for (name, step, given), columns in zip(
                parameters["transformers"], model._columns, strict=True
            )
        ]
    return parameters


def _width_of_columns(model) -> int:
    return max((place.stop for place in model.output_indices_.values()), default=0)


_OUTPUT = {"_sklearn_output_config": OUTPUT}
_PART = _named(STEP, COLUMNS)
COMPOUNDS = (
    Layout(
        "sklearn.pipeline",
        "Pipeline",
        _OUTPUT,
        (),
        _check_pipeline,
        parameters={
            "steps": list_of(_named(STEP)),
            "memory": only(None, "it is a folder of this computer, with code in it"),
        },
        width=_width_of_pipeline,
        parts=lambda model: _estimators(model.steps),
    ),
    Layout(
        "sklearn.pipeline",
        "FeatureUnion",
        _OUTPUT,
        (),
        lambda model: None,
        parameters={"transformer_list": list_of(_named(STEP))},
        width=lambda model: sum(
            map(width_of, _estimators(model.transformer_list).values())
        ),
        parts=lambda model: _estimators(model.transformer_list),
    ),
    Layout(
        "sklearn.compose",
        "ColumnTransformer",
        _OUTPUT
        | {
            "n_features_in_": SIZE,
            "feature_names_in_": TEXT,
            "sparse_output_": plain(bool),
            "transformers_": list_of(_PART),
            "output_indices_": _by_name(COLUMNS),
            "_columns": list_of(COLUMNS),
            "_remainder": _PART,
            "_transformer_to_input_indices": _by_name(list_of(plain(int))),
        },
        (
            "n_features_in_",
            "sparse_output_",
            "transformers_",
            "output_indices_",
            "_columns",
            "_remainder",
            "_transformer_to_input_indices",
        ),
        _check_columns,
        parameters={"transformers": list_of(_PART), "remainder": STEP},
        given=_given_to_columns,
        width=_width_of_columns,
        parts=_parts_of_columns,
    ),
)
