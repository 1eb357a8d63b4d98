"""ONNX graphs of whole pipelines answer in onnxruntime as the pipelines do here."""

import locale
import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
from numpy.testing import assert_allclose
from pipeline_samples import SAMPLES, TABLE, TREES, X, fitted
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, export_onnx
from polymargin.access.kernel_registry import KERNELS_OF_ROWS

NUMBERS = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
}
# What skl2onnx has no converter for, and what it says.
REFUSED = {
    "Nystroem": "shape calculator",
    "RBFSampler": "shape calculator",
    "HashingVectorizer": "shape calculator",
    "TfidfVectorizer": "only tokenizer='word'",
    "rare": "is taken as",
    "tabular": "DateParts",
}


def column(values, kind):
    values = np.asarray(values)
    if kind == "tensor(string)":
        texts = [value if isinstance(value, str) else "" for value in values.ravel()]
        values = np.array(texts, dtype=object)
    else:
        values = values.astype(NUMBERS[kind])
    return values


def run(graph, rows):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    given = {}
    for one in session.get_inputs():
        if one.name == "X":
            width = one.shape[1]
            given["X"] = column(rows, one.type).reshape(len(rows), width)
        else:
            given[one.name] = column(rows[one.name], one.type).reshape(-1, 1)
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


def check(model, rows, graph, tolerance=1e-4):
    found, scores = run(graph, rows), model.decision_function(rows)
    assert_allclose(found["scores"], scores, rtol=tolerance, atol=tolerance)
    if scores.ndim == 2:
        ranked = np.sort(scores, axis=1)
        clear = ranked[:, -1] - ranked[:, -2] > 10 * tolerance
    else:
        clear = np.abs(scores) > 10 * tolerance
    assert clear.any()
    same = found["label"] == model.predict(rows)
    assert same[clear].all()
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_every_transformer(name):
    model, rows = fitted(name)
    reasons = [said for key, said in REFUSED.items() if key in name]
    if reasons:
        with pytest.raises(ValueError, match="skl2onnx cannot convert") as caught:
            export_onnx(model)
        assert reasons[0] in str(caught.value) and "\n" not in str(caught.value)
        return
    check(model, rows, export_onnx(model))


@pytest.mark.parametrize("machine", [KernelSVM(probability=True, cv=3), MaxEnt()])
def test_probabilities(machine):
    model = make_pipeline(StandardScaler(), machine).fit(X, TREES)
    found = check(model, X, export_onnx(model))
    assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS_OF_ROWS)
def test_kernels_by_way_of_skl2onnx(kernel):
    model = make_pipeline(StandardScaler(), KernelSVM(kernel=kernel, gamma=0.2))
    model.fit(X, TREES)
    polymargin.register_onnx_converters()
    check(model, X, skl2onnx.to_onnx(model, X[:1].astype(np.float32)))


@pytest.mark.parametrize(
    "machine", [LinearSVM(), LinearSVM("ovo"), OnlineSVM(random_state=0)], ids=repr
)
def test_a_scaler_and_a_machine(machine):
    """A scaler and a machine, as skl2onnx converts it, in double precision too."""
    polymargin.register_onnx_converters()
    model = make_pipeline(StandardScaler(), machine).fit(X, TREES)
    types = [("X", skl2onnx.common.data_types.DoubleTensorType([None, 4]))]
    check(model, X, skl2onnx.convert_sklearn(model, initial_types=types), 1e-9)
    check(model, X, export_onnx(model, dtype="float64"), 1e-9)
    two = make_pipeline(StandardScaler(), machine).fit(X, TREES == "ash")
    check(two, X, export_onnx(two))


def test_a_table_with_missing_cells(tmp_path):
    table = TABLE.assign(text=TABLE["text"] + " and some other words")
    model = polymargin.tabular("ovr", text=["text"]).fit(table, TREES)
    path = tmp_path / "table.onnx"
    graph = export_onnx(model, path)
    kinds = {one.name: one.type.tensor_type.elem_type for one in graph.graph.input}
    assert list(kinds) == list(TABLE.columns)
    check(model, table, graph)
    new = pd.DataFrame(
        {
            "size": [np.nan, 0.5],
            "weight": [1.0, np.nan],
            "colour": ["violet", None],
            "count": [0, 3],
            "text": ["hello", "other words"],
        }
    )
    check(model, new, graph)
    assert path.stat().st_size > 1000
    saved = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert [one.name for one in saved.get_outputs()] == ["label", "scores"]


def test_a_machine_that_was_chosen():
    model = polymargin.tabular(cv=2, budget=1e9, random_state=0).fit(X, TREES)
    check(model, X, export_onnx(model))


TEXT = [
    "Élan ÜBER a Hello",
    "good BYE b, c x_1 good",
    "élan über the all the",
    "the end 42 ЖУК жук",
]


def is_installed(name: str) -> bool:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_CTYPE, before)
    return True


@pytest.mark.parametrize(
    "words",
    [
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(norm="l1", use_idf=False),
        CountVectorizer(stop_words=["the"], binary=True),
        make_pipeline(CountVectorizer(), TfidfTransformer(sublinear_tf=True)),
    ],
    ids=repr,
)
def test_words_of_all_languages(words):
    """Of which skl2onnx by itself finds those of ASCII, and another TF-IDF."""
    if not is_installed("C.UTF-8"):
        pytest.skip("there is no such locale here, which onnxruntime asks for")
    rows = np.array(TEXT * 3, dtype=object)
    model = make_pipeline(words, LinearSVM()).fit(rows, [0, 1, 2, 3] * 3)
    check(model, rows, export_onnx(model), 1e-6)


def test_stop_words_within_ngrams_are_refused():
    words = CountVectorizer(stop_words=["the"], ngram_range=(1, 2))
    model = make_pipeline(words, LinearSVM()).fit(TEXT, [0, 1, 2, 3])
    with pytest.raises(ValueError, match="skl2onnx cannot convert this pipeline"):
        export_onnx(model)


def test_without_skl2onnx(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    model, _ = fitted("holes")
    with pytest.raises(ImportError, match=r"pip install 'polymargin\[onnx\]'"):
        export_onnx(model)
    export_onnx(model[-1])
