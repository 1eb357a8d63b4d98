"""Machines judged by what their mistakes cost."""

from dataclasses import replace

import numpy as np
import pytest

from polymargin import compare, mean_cost
from polymargin.selection.comparison.scores import find_score
from polymargin.selection.protocols import PROTOCOLS

QUICK = replace(PROTOCOLS["holdout"], repeats=2, grid={"C": [0.01, 1.0]})
OFF = {"convergence": False, "scaling": False, "verbose": False}


def grades(n=300):
    """Four grades of one number, which is seen with noise: the outer ones are rare."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=n)
    X = np.column_stack([truth + 0.8 * rng.normal(size=n), rng.normal(size=n)])
    return "grades", X, np.searchsorted([-1, 0, 1], truth)


def test_cost_is_that_of_the_order():
    score = find_score("cost")
    y, predicted = np.array([0, 3, 1, 2]), np.array([3, 3, 0, 0])
    assert score.of(y, predicted, 5) == mean_cost(y, predicted, "ordinal") == 6 / 4
    with pytest.raises(ValueError, match="score='f1' is not known; choose accuracy or"):
        compare(grades(), "cs", QUICK, score="f1")


def test_the_cheapest_is_the_best(tmp_path):
    machines = ["ww", "aware=ww:costs=ordinal"]
    report = compare(grades(), machines, QUICK, tmp_path / "a", score="cost", **OFF)
    assert [table.key for table in report.tables()][:2] == ["cost", "beside"]
    costs = report.summary.table("cost")[0]
    assert costs[0] != costs[1]
    cells = report.tables()[0].lines[0][1:]
    assert [cell.bold for cell in cells] == [cost == costs.min() for cost in costs]
    assert "validation_cost" in report.as_csv()
    rows = [row for row in report.summary.fits if row["kind"] == "fit"]
    assert all(row["validation_cost"] >= 0 for row in rows)
    with pytest.raises(ValueError, match="its score is 'cost', not 'accuracy'"):
        compare(grades(), machines, QUICK, tmp_path / "a", **OFF)


def test_accuracy_as_ever(tmp_path):
    report = compare(grades(), ["cs"], QUICK, **OFF)
    assert report.tables()[0].key == "accuracy"
    assert "cost" not in report.summary.fits[0]
