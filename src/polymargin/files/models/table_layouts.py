"""Our own transformers of tables, and machines that were chosen, in model files.

A class is named by its home, and imported when a file has one: what chooses machines
stands above what writes files.
"""

from ...tables.column_kinds import KINDS, USELESS, Column
from ...tables.written_columns import is_kind
from .attribute_codecs import SIZE, TEXT, Codec, choice, number
from .errors import ModelFileError
from .estimator_entries import ESTIMATOR
from .json_values import read_value, write_value
from .layout import Layout, agree, width_of
from .transformer_codecs import list_of
from .transformer_layouts import transformer

_KIND = choice({*KINDS, "ranked", "boolean", "characters", *USELESS})
_PART = choice(("day", "month", "weekday", "hour"))


def _read_column(reader, entry) -> Column:
    name, kind, what = _values(entry, 3)
    if not isinstance(name, str | int) or not isinstance(what, str):
        raise ModelFileError("a column has no name, kind and description")
    return Column(name, _KIND.read(reader, kind), what)


def _read_part(reader, entry) -> tuple[int, str]:
    column, part = _values(entry, 2)
    if type(column) is not int or column < 0:
        raise ModelFileError("a part of a date has no column")
    return column, _PART.read(reader, part)


def _read_written(reader, entry) -> tuple[str | int, str]:
    column, kind = _values(entry, 2)
    if not isinstance(column, str | int) or not is_kind(kind):
        raise ModelFileError("a written column has no name and kind")
    return column, kind


def _values(entry, length: int) -> tuple:
    values = read_value(entry)
    if not isinstance(values, tuple) or len(values) != length:
        raise ModelFileError(f"an entry is not a tuple of {length}")
    return values


_COLUMN = Codec(
    lambda writer, name, value: write_value((value.name, value.kind, value.what)),
    _read_column,
)
_WRITTEN = Codec(lambda writer, name, value: write_value(value), _read_written)
_DATE_PART = Codec(lambda writer, name, value: write_value(value), _read_part)


def _check_dates(model) -> None:
    agree(len(model.parts_) > 0, "parts_")
    agree(all(at < model.n_features_in_ for at, _ in model.parts_), "parts_")


def _check_choice(model) -> None:
    best = model.best_estimator_
    agree(hasattr(best, "classes_"), "best_estimator_")
    agree(best.n_features_in_ == model.n_features_in_, "best_estimator_")


TABLES = (
    transformer("polymargin.tables.words", "Words", {}),
    transformer(
        "polymargin.tables.dates",
        "DateParts",
        {"parts_": list_of(_DATE_PART)},
        check=_check_dates,
        width=lambda model: len(model.parts_),
    ),
    transformer(
        "polymargin.tables.table_columns",
        "TableColumns",
        {
            "columns_": list_of(_COLUMN),
            "written_": list_of(_WRITTEN),
            "recipe_": ESTIMATOR,
        },
        check=lambda model: agree(
            len(model.columns_) == model.recipe_.n_features_in_, "columns_"
        ),
        width=lambda model: width_of(model.recipe_),
        parts=lambda model: {"recipe_": model.recipe_},
        of_columns=False,
    ),
    Layout(
        "polymargin.selection.auto_machine",
        "AutoMachine",
        {
            "n_features_in_": SIZE,
            "feature_names_in_": TEXT,
            "best_score_": number(),
            "best_estimator_": ESTIMATOR,
        },
        ("n_features_in_", "best_score_", "best_estimator_"),
        _check_choice,
        parts=lambda model: {"best_estimator_": model.best_estimator_},
    ),
)
