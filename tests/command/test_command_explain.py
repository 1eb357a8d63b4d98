"""``polymargin explain``, and pipelines that were saved in Python."""

import json

import numpy as np
import pytest
from pipeline_samples import TABLE, TREES, columns
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import polymargin
from polymargin import KernelSVM, LinearSVM
from polymargin.command import main

NUMBERS = TABLE[["weight", "count"]]
PIPELINES = {
    "numbers": (make_pipeline(StandardScaler(), LinearSVM()), NUMBERS),
    "kernel": (make_pipeline(StandardScaler(), KernelSVM()), NUMBERS),
    "mixed": (make_pipeline(columns(), LinearSVM()), TABLE),
    "tabular": (polymargin.tabular("ovr"), TABLE),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(name):
    """Save a pipeline, and a table whose columns are in another order."""
    pipeline, rows = PIPELINES[name]
    polymargin.save(pipeline.fit(rows, TREES), "model")
    table = rows.assign(tree=TREES)
    table[list(reversed(table.columns))].to_csv("rows.csv", index=False)
    return pipeline, rows


@pytest.mark.parametrize("name", PIPELINES)
def test_columns_are_matched_by_name(folder, capsys, name):
    pipeline, rows = saved(name)
    assert main(["predict", "rows.csv", "model", "--scores"]) == 0
    shown = capsys.readouterr()
    lines = [line.split() for line in shown.out.splitlines()][1:]
    assert [line[0] for line in lines] == pipeline.predict(rows).tolist()
    scores = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(scores, pipeline.decision_function(rows), rtol=1e-6)
    assert shown.err.startswith("Accuracy = ")  # and no note
    assert main(["evaluate", "model", "rows.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == np.mean(pipeline.predict(rows) == TREES)
    assert main(["inspect", "model", "rows.csv"]) == 0
    assert "features by" in capsys.readouterr().out


def test_columns_that_are_missing_or_more(folder, capsys):
    pipeline, rows = saved("numbers")
    rows.assign(other=1).to_csv("more.csv", index=False)
    assert main(["predict", "more.csv", "model", "-q", "--label", "none"]) == 0
    shown = capsys.readouterr()
    assert shown.out.split() == pipeline.predict(rows).tolist()
    assert "columns that the model does not know: 'other'" in shown.err
    rows[["count"]].to_csv("less.csv", index=False)
    assert main(["predict", "less.csv", "model"]) == 1
    assert "column 'weight' is missing in less.csv" in capsys.readouterr().err


def test_texts_are_no_table(folder, capsys):
    words = make_pipeline(TfidfVectorizer(), LinearSVM()).fit(TABLE["text"], TREES)
    polymargin.save(words, "model")
    TABLE[["weight", "count"]].to_csv("rows.csv", index=False)
    assert main(["predict", "rows.csv", "model"]) == 1
    assert "the model takes texts, and rows.csv has rows" in capsys.readouterr().err


@pytest.mark.parametrize("name", PIPELINES)
def test_explain(folder, capsys, name):
    pipeline, rows = saved(name)
    assert main(["explain", "model", "rows.csv", "3", "--json", "--top", "2"]) == 0
    told = json.loads(capsys.readouterr().out)["row"]
    assert told["label"] == pipeline.predict(rows)[3]
    assert (
        told["features"] == polymargin.explain(pipeline, rows, row=3).row.features[:2]
    )
    assert main(["explain", "model", "rows.csv", "--top", "1"]) == 0
    assert "accuracy that is lost when a column" in capsys.readouterr().out
    if name == "kernel":
        assert main(["explain", "model"]) == 2
        assert "has a kernel, and so no weight" in capsys.readouterr().err
    else:
        assert main(["explain", "model", "--plot", "classes.png"]) == 0
        assert "what speaks for ash, or against it" in capsys.readouterr().out
        assert (folder / "classes.png").read_bytes()[1:4] == b"PNG"


def test_what_cannot_be_explained(folder, capsys):
    saved("numbers")
    assert main(["explain", "model", "rows.csv", "3", "--against", "oak"]) == 1
    assert "against='oak' is not a class" in capsys.readouterr().err
    assert main(["explain", "model", "--against", "ash"]) == 2
    assert "--against goes with the number of a row" in capsys.readouterr().err
    assert main(["explain", "rows.csv"]) == 1
    assert "rows.csv cannot be loaded as a model: it is text" in capsys.readouterr().err
    assert main(["train", "rows.csv", "-o", "-"]) == 2
    assert "cannot go to standard output" in capsys.readouterr().err
