"""What is said of new rows that have what training had not."""

import numpy as np
import pandas as pd
import pytest

from polymargin import tabular
from polymargin.tables.unseen import unseen


@pytest.fixture(scope="module")
def recipe():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "id": np.arange(60),
            "n": rng.normal(50, 5, 60),
            "sometimes": np.where(np.arange(60) % 7, rng.normal(size=60), np.nan),
            "color": rng.choice(["red", "green"], 60),
            "flag": rng.random(60) < 0.5,
            "when": np.datetime64("2024-01-01") + np.arange(60),
        }
    )
    model = tabular("cs").fit(table, table["n"] > 50)
    return model["columns"].recipe_, table


def test_rows_of_training_have_nothing_new(recipe):
    recipe, table = recipe
    assert unseen(recipe, table) == []


def test_values_that_training_has_not_seen(recipe):
    recipe, table = recipe
    new = table.head(6).assign(
        n=[np.nan, 51, 52, 53, 54, 55],
        sometimes=np.nan,
        color=["blue", None, "blue", "red", "red", "pink"],
        when=[pd.NaT, *table["when"][:5]],
    )
    assert dict(unseen(recipe, new)) == {
        "n": "missing, which training had not, in 1 row",
        "when": "missing, which training had not, in 1 row",
        "color": "'blue' and 2 more values, which training had not, in 4 rows",
    }


def test_another_unit(recipe):
    recipe, table = recipe
    ((column, what),) = unseen(recipe, table.assign(n=1000 * table["n"]))
    assert column == "n" and what.endswith("perhaps in another unit")
