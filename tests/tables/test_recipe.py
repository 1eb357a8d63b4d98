"""Features of a table: each column as its kind asks for, in every kind of frame."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

import polymargin
from polymargin.tables.dates import DateParts
from polymargin.tables.table_columns import TableColumns
from polymargin.tables.words import Words

N = 60


def table():
    rng = np.random.default_rng(0)
    when = np.datetime64("2024-01-01T06:00", "ms") + np.arange(N) * np.timedelta64(
        40_000_000, "ms"
    )
    return pd.DataFrame(
        {
            "id": np.arange(N) + 17,
            "ash": np.where(np.arange(N) % 9, rng.normal(5, 3, N), np.nan),
            "color": [None if i == 3 else ("red", "green")[i % 2] for i in range(N)],
            "flag": np.arange(N) % 3 == 0,
            "when": when,
            "note": [
                f"the {('cat', 'dog')[i % 2]} has toy number {i}" for i in range(N)
            ],
        }
    )


def dense(features):
    return features.toarray() if hasattr(features, "toarray") else features


def test_features():
    frame = table()
    columns = TableColumns().fit(frame)
    features = dense(columns.transform(frame))
    names = columns.get_feature_names_out().tolist()
    assert features.shape == (N, len(names))
    part = dict(zip(names, features.T, strict=True))
    ash = frame["ash"].fillna(frame["ash"].median()).to_numpy()[:, None]
    np.testing.assert_allclose(
        part["number__ash"], StandardScaler().fit_transform(ash)[:, 0]
    )
    flags = part["number__missingindicator_ash"]
    assert set(np.flatnonzero(flags > 0)) == set(np.flatnonzero(frame["ash"].isna()))
    np.testing.assert_array_equal(part["category__color_red"], frame["color"] == "red")
    assert part["category__color_(missing)"].sum() == 1
    np.testing.assert_array_equal(part["boolean__flag_True"], frame["flag"])
    assert np.all(np.diff(part["date__when_day"]) > 0)
    assert (part["text note__dog"] > 0).tolist() == [i % 2 == 1 for i in range(N)]
    assert not any("id" in name for name in names)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.7"),
    reason="scikit-learn takes columns of pyarrow's tables since 1.7",
)
def test_all_frames_give_the_same():
    frame = table()
    expected = TableColumns().fit(frame).transform(frame)
    arrow = pa.Table.from_pandas(frame)
    columns = TableColumns().fit(arrow)
    assert [column.kind for column in columns.columns_][:3] == [
        "identifier",
        "number",
        "category",
    ]
    for other in (arrow, frame):
        np.testing.assert_allclose(
            dense(columns.transform(other)), dense(expected), atol=1e-12
        )


def test_polars():
    polars = pytest.importorskip("polars")
    frame = table()
    other = polars.DataFrame(pa.Table.from_pandas(frame))
    np.testing.assert_allclose(
        dense(TableColumns().fit_transform(other)),
        dense(TableColumns().fit_transform(frame)),
        atol=1e-12,
    )


def test_new_rows():
    """Columns go by name; unknown values are all zero, missing ones imputed."""
    frame = table()
    columns = TableColumns().fit(frame)
    names = columns.get_feature_names_out().tolist()
    new = frame[list(frame)[::-1]].iloc[:2].assign(color="blue", ash=np.nan)
    features = dense(columns.transform(new.assign(more=1)))
    colors = [at for at, name in enumerate(names) if "color" in name]
    assert not features[:, colors].any()
    assert features[0, names.index("number__missingindicator_ash")] > 0
    with pytest.raises(ValueError, match=r"columns are missing: \{'ash'\}"):
        columns.transform(frame.drop(columns="ash"))


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match=r"no column is left.*'a' is left out: it is"):
        TableColumns().fit(pd.DataFrame({"a": ["x"] * 5}))


def test_words():
    frame = pd.DataFrame({"a": [1.0, 2.5, np.nan], "b": ["x", None, "y"]})
    words = Words("?").fit_transform(frame)
    assert words.tolist() == [["1", "x"], ["2.5", "?"], ["?", "y"]]
    arrow = Words("?").fit_transform(pa.Table.from_pandas(frame))
    assert arrow.tolist() == words.tolist()
    assert Words().fit_transform(frame["b"]).tolist() == ["x", "", "y"]
    nullable = pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})
    assert Words().fit_transform(nullable).tolist() == [["1"], [""]]
    assert Words().fit_transform(np.array([[True, None]], object)).tolist() == [
        ["True", ""]
    ]


def test_dates():
    frame = pd.DataFrame(
        {"a": pd.to_datetime(["1970-01-01 00:00", "1970-02-04 12:00", None])}
    )
    parts = DateParts().fit(frame)
    assert parts.get_feature_names_out().tolist() == [
        "a_day",
        "a_month",
        "a_weekday",
        "a_hour",
    ]
    expected = [[0, 1, 3, 0], [34.5, 2, 2, 12], [np.nan] * 4]
    np.testing.assert_array_equal(parts.transform(frame), expected)
    zone = frame.assign(a=frame["a"].dt.tz_localize("Europe/Berlin"))
    np.testing.assert_allclose(parts.transform(zone)[1, 0], 34.5 - 1 / 24)
    days = DateParts().fit(frame[:1])
    assert days.parts_ == [(0, "day")]
    arrow = pa.Table.from_pandas(frame)
    np.testing.assert_array_equal(parts.transform(arrow), expected)


def test_tabular():
    frame = table()
    label = np.where(frame["color"] == "red", "r", "g")
    model = polymargin.tabular("cs", random_state=0)
    model.fit(frame, label)
    assert model.score(frame, label) == 1
    copied = clone(model).set_params(columns__drop=["color"], machine__C=0.5)
    assert copied.fit(frame, label)["machine"].C == 0.5
    assert copied["columns"].columns_[2].kind == "dropped"
    kernel = polymargin.tabular("ww", kernel="rbf", category=["id"])
    assert isinstance(kernel["machine"], polymargin.KernelSVM)
    scikit_learns = polymargin.tabular(polymargin.MaxEnt(), C=3.0)["machine"]
    assert scikit_learns.C == 3.0


def test_values_that_are_far_from_all_others(tmp_path):
    """By their ranks; scaled by the variance, all others would be one point."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = (x[:, 0] > 0) + 2 * (x[:, 1] > 0)
    rows = pd.DataFrame({"a": x[:, 0], "b": x[:, 1]})
    rows.loc[:2, "a"], rows.loc[3:5, "a"] = 1e9, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = polymargin.tabular("cs").fit(rows[:150], y[:150])
    assert [column.kind for column in model["columns"].columns_] == ["ranked", "number"]
    assert model.score(rows[150:], y[150:]) > 0.9
    polymargin.save(model, tmp_path / "m.polymargin")
    again = polymargin.load(tmp_path / "m.polymargin")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    features = polymargin.explain(model).to_dict()
    assert "a is missing" in str(features)
