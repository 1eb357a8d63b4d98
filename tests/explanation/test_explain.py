"""What is said of features is true, and under the names that people gave them."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from pipeline_samples import SAMPLES, TABLE, TEXTS, TREES, X, fitted
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, describe, explain
from polymargin.explanation.feature_names import names_of_features
from polymargin.explanation.parts import take_apart

NAMES = ["height", "width", "depth", "age"]


def names_in(name):
    model, _ = fitted(name)
    return names_of_features(*take_apart(model))


def test_names_of_a_table():
    assert names_in("table") == [
        *("size", "weight", "size is missing", "count"),
        *("colour=blue", "colour=green", "colour=red", "colour=nan"),
        *("all", "bye", "end", "good", "hello", "the", "to", "world"),
        "weight",
    ]


def test_names_of_rare_categories():
    assert names_in("rare") == [
        *("colour=others", "colour", "size", "weight", "count"),
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_transformer_has_names_or_numbers(name):
    model, _ = fitted(name)
    steps, machine = take_apart(model)
    names = names_of_features(steps, machine)
    if names is None:  # an array, and nothing that gives names
        assert not any(hasattr(step, "get_feature_names_out") for step in steps)
    else:
        assert len(names) == machine.n_features_in_


def test_names_that_are_given():
    model = make_pipeline(StandardScaler(), LinearSVM()).fit(X, TREES)
    told = explain(model, feature_names=NAMES)
    assert {name for one in told.classes for name in one["features"]} == set(NAMES)
    assert describe(model, feature_names=NAMES).features == told.classes
    with pytest.raises(ValueError, match="has 2 names, but the model takes 4"):
        explain(model, feature_names=["a", "b"])


@pytest.mark.parametrize(
    "machine",
    [
        LinearSVM("cs"),
        LinearSVM("ovo"),
        LinearSVM("ovr", fit_intercept=False),
        MaxEnt(features="reduced"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("k", [2, 3])
def test_contributions_add_up_to_the_lead(machine, k):
    labels = np.arange(len(X)) % k
    model = make_pipeline(StandardScaler(with_mean=False), machine)
    rows = sp.csr_array(X)
    model.fit(rows, labels)
    for row in (0, 5, -1):
        told = explain(model, rows, row=row, top=2).row
        whole = explain(model, rows, row=row).row
        assert told.label == model.predict(rows[[row]])[0] != told.against
        parts = sum(told.contributions) + told.others + told.intercept
        assert parts == pytest.approx(told.lead) == pytest.approx(whole.lead)
        scores = model.decision_function(rows[[row]])[0]
        if k == 2:
            assert told.lead == pytest.approx(abs(scores))
        elif machine.get_params().get("machine") != "ovo":
            others = np.delete(scores, told.label)
            assert told.lead == pytest.approx(scores[told.label] - max(others))
        assert told.features == whole.features[:2]


def test_a_row_against_a_class():
    model, rows = fitted("tabular")
    told = explain(model, rows, row=0)
    other = ({"ash", "birch", "cedar"} - {told.row.label, told.row.against}).pop()
    assert explain(model, rows, row=0, against=other).row.against == other
    with pytest.raises(ValueError, match="is the class that the row is predicted"):
        explain(model, rows, row=0, against=told.row.label)
    with pytest.raises(ValueError, match="against='oak' is not a class; the classes"):
        explain(model, rows, row=0, against="oak")
    with pytest.raises(ValueError, match="row=99 is not there: X has 40 rows"):
        explain(model, rows, row=99)
    with pytest.raises(ValueError, match="give X, too"):
        explain(model, row=0)


def test_values_are_those_of_the_table():
    model, rows = fitted("tabular")
    told = explain(model, rows, row=3, top=20).row
    at = told.features.index("size")
    assert told.cells[at] == rows["size"][3] != told.values[at]
    assert told.shown()[at] == f"{rows['size'][3]:.4g}"
    assert told.cells[told.features.index("colour=green")] is None
    arrow = explain(model, pa.Table.from_pandas(rows), row=3, top=20)
    assert arrow.row.cells == told.cells
    json.dumps(arrow.to_dict(), allow_nan=False)


def decided_by_depth():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(60, 4)), columns=NAMES)
    return rows, np.where(np.abs(rows["depth"]) < 0.7, "near", "far")


@pytest.mark.parametrize(
    "machine", [KernelSVM(C=10.0), OnlineSVM(C=10.0, random_state=0)], ids=repr
)
def test_the_column_that_decides_a_kernel_machine(machine):
    rows, labels = decided_by_depth()
    model = make_pipeline(StandardScaler(), machine).fit(rows, labels)
    told = explain(model, rows, labels, top=3)
    assert told.importance[0]["column"] == "depth" and len(told.importance) == 3
    assert told.classes == []
    near = int(np.abs(rows["depth"]).argmin())
    assert explain(model, rows, row=near).row.features[0] == "depth"
    assert explain(model, rows, row=near).row.intercept is None
    with pytest.raises(ValueError, match="has no weight for a feature; give X and y"):
        explain(model)


def test_text_json_picture_and_html(tmp_path):
    rows, labels = decided_by_depth()
    rows = rows.rename(columns={"age": "<b>age</b>"})
    model = make_pipeline(StandardScaler(), LinearSVM()).fit(rows, labels)
    for told in (explain(model, rows, labels), explain(model, rows, row=1)):
        assert "<b>age</b>" in str(told)
        json.dumps(told.to_dict(), allow_nan=False)
        page = told._repr_html_()
        assert "&lt;b&gt;age" in page and "<b>" not in page
        figure = told.plot()
        labels_of_bars = [
            text.get_text() for ax in figure.axes for text in ax.get_yticklabels()
        ]
        assert any("<b>age</b>" in text for text in labels_of_bars)
    page = describe(model, rows, labels)._repr_html_()
    assert page.startswith("<pre>LinearSVM: Crammer-Singer") and "<b>" not in page


def test_describe_of_a_pipeline():
    model, rows = fitted("table")
    told = describe(model, rows, TREES, top=3)
    assert told.steps == ["ColumnTransformer"] and told.n_features == 17
    assert "features by      ColumnTransformer" in str(told)
    assert told.evaluation.accuracy == np.mean(model.predict(rows) == TREES)
    words, _ = SAMPLES[next(name for name in SAMPLES if "CountVectorizer" in name)]
    top = describe(words.fit(TEXTS, TREES)).features[0]["features"]
    assert set(top) <= set(["all", "bye", "end", "good", "hello", "to", "world"])


def test_a_row_of_several_labels_is_refused():
    X, Y = np.eye(6), np.tile([[1, 0, 1], [0, 1, 1]], (3, 1))
    model = LinearSVM("ovr").fit(X, Y)
    assert str(explain(model))
    with pytest.raises(ValueError, match="row=2 cannot be explained: that compares"):
        explain(model, X, row=2)


def test_other_models_are_refused():
    with pytest.raises(TypeError, match="StandardScaler is no machine of polymargin"):
        explain(make_pipeline(StandardScaler()).fit(TABLE[["weight"]]))
    with pytest.raises(ValueError, match="give both, or neither"):
        explain(fitted("table")[0], TABLE)
