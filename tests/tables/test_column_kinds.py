"""What a column is found to be, and what can be asked for."""

import numpy as np
import pandas as pd
import pytest

from polymargin.tables.column_kinds import column_kinds

N = 60
RNG = np.random.default_rng(0)
WORDS = ["ash", "bay", "elm", "fig", "oak", "yew"]
# What it is, and a column of it.
COLUMNS = {
    "number": [
        RNG.normal(size=N),
        RNG.integers(0, 5, N),
        np.where(np.arange(N) % 7, 1.5, np.nan),  # whether it is there tells something
        RNG.choice(10**6, N, replace=False),  # distinct by chance
    ],
    "ranked": [
        np.append(RNG.normal(size=2 * N), 1e9),
        np.append(RNG.normal(size=2 * N), [np.nan, -999]),
    ],
    "category": [
        np.array(WORDS)[RNG.integers(0, 6, N)],
        [*np.array(WORDS)[RNG.integers(0, 6, N)].tolist()[:-1], None],
        [f"less than {i % 3} years of age" for i in range(N)],
        ["yes", None] * (N // 2),
        pd.Categorical(np.array(WORDS)[np.arange(N) % 6]),
        [f"town {i // 2}" for i in range(2 * N)],
    ],
    "boolean": [np.arange(N) % 2 == 0],
    "text": [[f"the {WORDS[i % 6]} stands number {i} in the wood" for i in range(N)]],
    "characters": [[f"{WORDS[i % 6]}{i} {WORDS[i % 5]}" for i in range(N)]],
    "date": [np.datetime64("2024-01-01") + np.arange(N)],
    "constant": [
        np.ones(N),
        ["same"] * N,
        [None] * N,
        np.full(N, np.nan),
        np.full(N, np.datetime64("2024-01-01")),
    ],
    "identifier": [
        np.arange(N) + 1000,
        RNG.permutation(2 * N)[:N],  # of the rows of one half
        [f"A-{i:05d}" for i in range(N)],
        [f"+43 664 {i * 7919 + 10**6}" for i in range(N)],
    ],
}


@pytest.mark.parametrize(
    ("kind", "values"),
    [(kind, v) for kind, columns in COLUMNS.items() for v in columns],
)
def test_kinds(kind, values):
    (column,) = column_kinds(pd.DataFrame({"a": values}))
    assert column.kind == kind, column
    assert column.is_used == (kind not in ("constant", "identifier"))
    assert column.what.startswith("left out: ") != column.is_used


@pytest.mark.parametrize(
    "name", ["id", "ID", "customer_id", "Unnamed: 0", "", "row", "__index_level_0__"]
)
def test_a_name_can_tell_an_identifier(name):
    numbers = RNG.choice(10**6, N, replace=False)
    assert column_kinds(pd.DataFrame({name: numbers}))[0].kind == "identifier"
    assert column_kinds(pd.DataFrame({name: numbers % 7}))[0].kind == "number"
    assert column_kinds(pd.DataFrame({"width": numbers}))[0].kind == "number"


def test_a_long_tail_can_stay_a_number():
    table = pd.DataFrame({"a": COLUMNS["ranked"][0]})
    assert column_kinds(table, number=["a"])[0].kind == "number"
    assert column_kinds(table[-N:])[0].kind == "number"  # too few to have ranks


def test_arrays_have_positions():
    X = np.column_stack([np.arange(N), RNG.normal(size=N), np.ones(N)])
    found = [(column.name, column.kind) for column in column_kinds(X)]
    assert found == [(0, "identifier"), (1, "number"), (2, "constant")]


def test_what_is_asked_for():
    table = pd.DataFrame(
        {
            "a": np.arange(N),
            "b": np.arange(N) % 3,
            "c": COLUMNS["text"][0],
            "d": [f"A-{i:05d}" for i in range(N)],
            "e": np.ones(N),
        }
    )
    found = column_kinds(
        table, number=["a"], category=["b", "c"], text=["d"], drop=["e"]
    )
    kinds = ["number", "category", "category", "characters", "dropped"]
    assert [column.kind for column in found] == kinds


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"number": ["b"]}, "asked for as a number, but has values such as 'ash'"),
        ({"date": ["a"]}, "asked for as a date, but has values such as '0'"),
        ({"drop": ["z"]}, "there is no column 'z'; the columns are 'a', 'b'."),
        ({"drop": ["a"], "text": ["a"]}, "as drop and as text; decide on one."),
    ],
)
def test_what_cannot_be(asked, sentence):
    table = pd.DataFrame({"a": np.arange(6) % 5, "b": WORDS})
    with pytest.raises(ValueError, match=sentence):
        column_kinds(table, **asked)


def test_bad_tables():
    for name in ("a", 3):
        table = pd.DataFrame([[1, 2, 3]], columns=[name, "b", name])
        with pytest.raises(ValueError, match=f"nique column names|column {name!r}; gi"):
            column_kinds(table)
    with pytest.raises(ValueError, match="column 'a', row 2: inf is no finite number"):
        column_kinds(pd.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="give a data frame"):
        column_kinds(np.zeros(3))


def test_columns_may_have_numbers_for_names():
    table = pd.DataFrame({7: [0.1, 0.2, 0.4], "b": ["u", "v", "u"]})
    assert [column.name for column in column_kinds(table)] == [7, "b"]


def test_texts_without_words_that_tf_idf_knows():
    rng = np.random.default_rng(0)
    letters = [" ".join(rng.choice(list("abcdef"), 6)) for _ in range(60)]
    japanese = [
        "今日は天気が" + "".join(rng.choice(list("良悪雨雪風海山"), 5))
        for _ in range(60)
    ]
    few = ["a few words of it", *[None] * 58, "and a few others here"]
    table = pd.DataFrame({"letters": letters, "japanese": japanese, "few": few})
    kinds = {column.name: column for column in column_kinds(table)}
    assert kinds["letters"].kind == kinds["japanese"].kind == "characters"
    assert kinds["few"].what == "left out: only 2 rows filled in"
