"""Numbers and dates that a frame has as strings or objects."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import polymargin
from polymargin.tables.table_columns import TableColumns
from polymargin.tables.written_frames import with_types, written_columns

N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(10, 3, N).round(2)
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=17 * i) for i in range(N)]
# How it is found to be written, and a column of it.
FOUND = {
    "number": [
        NUMBERS.astype(object),
        [Decimal(str(x)) for x in NUMBERS],
        np.array([None if i % 7 == 0 else i % 5 for i in range(N)], dtype=object),
        [str(x) for x in NUMBERS],
        [str(x) if i % 3 else x for i, x in enumerate(NUMBERS)],
        ["NA" if i % 7 == 0 else str(x) for i, x in enumerate(NUMBERS)],
    ],
    "number, as 1,234.5 kg": [[f"{x} kg" for x in NUMBERS]],
    "%Y-%m-%d": [
        DAYS,
        [str(day) for day in DAYS],
        [str(DAYS[i % 2]) for i in range(N)],
    ],
    "%d.%m.%Y": [[f"{day:%d.%m.%Y}" for day in DAYS]],
    "%Y-%m": [pd.period_range("2000-01", periods=N, freq="M")],
    "time, as 12:30:59": [[dt.time(i % 24, i) for i in range(N)]],
}
LEFT = [
    np.array(["ash", "bay"])[np.arange(N) % 2],
    [str(i % 5) for i in range(N)],  # few: categories
    [f"{i:05d}" for i in RNG.integers(0, 99999, N)],  # codes
    [True, None] * (N // 2),
    pd.Categorical([str(x) for x in NUMBERS]),
    NUMBERS,
    [None] * N,
]


def frame(values):
    return pd.DataFrame({"a": pd.Series(values)})


@pytest.mark.parametrize(
    ("kind", "values"), [(kind, v) for kind, columns in FOUND.items() for v in columns]
)
def test_found(kind, values):
    table = frame(values)
    assert written_columns(table) == [("a", kind)]
    made = with_types(table, [("a", kind)])["a"]
    assert made.dtype.kind == ("M" if kind.startswith("%") else "f")
    assert written_columns(table, skip=["a"]) == []


@pytest.mark.parametrize("values", LEFT)
def test_left_as_it_is(values):
    assert written_columns(frame(values)) == []


def test_what_is_asked_for():
    table = frame([str(i % 5) for i in range(N)])
    (column,) = TableColumns(number=["a"]).fit(table).columns_
    assert column.kind == "number"
    with pytest.raises(ValueError, match="asked for as a number, but has values such"):
        TableColumns(number=["a"]).fit(frame(["ash", "bay"] * 30))


def test_durations_are_hours():
    table = frame(pd.to_timedelta(NUMBERS, unit="h"))
    np.testing.assert_allclose(with_types(table, written_columns(table))["a"], NUMBERS)


def test_every_library_gives_the_same():
    columns = {
        "when": [str(day) for day in DAYS],
        "size": [f"{x} kg" for x in NUMBERS],
        "color": np.array(["red", "blue"])[np.arange(N) % 2].tolist(),
    }
    table = pd.DataFrame(columns, index=[0] * N)  # names of rows may repeat
    array = np.array(list(zip(*columns.values(), strict=True)), dtype=object)
    kinds = ["date", "number", "category"]
    expected = None
    for X in (table, pl.DataFrame(columns), pl.DataFrame(columns).to_arrow(), array):
        columns_ = TableColumns().fit(X)
        assert [column.kind for column in columns_.columns_] == kinds
        features = columns_.transform(X)
        expected = features if expected is None else expected
        np.testing.assert_allclose(features, expected)
    assert table["when"].iloc[0] == "2020-01-01"  # what is given stays as it is


def test_objects_of_an_array():
    array = np.empty((N, 3), dtype=object)
    array[:, 0], array[:, 1] = NUMBERS, np.array(["u", "v"])[np.arange(N) % 2]
    array[:, 2] = DAYS
    model = polymargin.tabular("cs").fit(array, NUMBERS > 10)
    kinds = [column.kind for column in model["columns"].columns_]
    assert kinds == ["number", "category", "date"]
    assert model.score(array, NUMBERS > 10) > 0.9


def test_saved_and_loaded(tmp_path):
    table = pd.DataFrame({"when": [str(day) for day in DAYS], "n": NUMBERS})
    model = polymargin.tabular("cs").fit(table, NUMBERS > 10)
    polymargin.save(model, tmp_path / "m.polymargin")
    again = polymargin.load(tmp_path / "m.polymargin")
    assert again["columns"].written_ == [("when", "%Y-%m-%d")]
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    table["when"] = pd.to_datetime(table["when"])  # with a type of its own
    np.testing.assert_array_equal(again.predict(table), model.predict(table))


def test_a_cell_that_is_another_thing():
    columns = TableColumns().fit(frame([str(x) for x in NUMBERS]))
    with pytest.raises(
        ValueError, match="column 'a', row 2: 'oak' is no number, as in"
    ):
        columns.transform(frame(["1.5", "oak"]))


def test_without_pyarrow(monkeypatch):
    monkeypatch.setattr("polymargin.tables.written_frames.find_spec", lambda _: None)
    assert written_columns(frame(NUMBERS.astype(object))) == [("a", "number")]
    assert written_columns(frame([str(x) for x in NUMBERS])) == []


def test_names_of_several_levels():
    names = pd.MultiIndex.from_tuples([("u", "a"), ("u", "b")])
    with pytest.raises(ValueError, match="give columns names that are strings"):
        TableColumns().fit(pd.DataFrame(np.ones((3, 2)), columns=names))
