"""Pipelines in model files: the same to the last bit, and hostile ones refused."""

import os
import random

import numpy as np
import pytest
from model_files import change_bytes, change_model, put_together, take_apart
from numpy.testing import assert_array_equal
from pipeline_samples import SAMPLES, TABLE, TREES, WORDS, X, columns, fitted
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, LabelEncoder, StandardScaler
from sklearn.preprocessing import OneHotEncoder as Encoder

import polymargin
from polymargin import LinearSVM, TunedSVM
from polymargin.files.models import ModelFileError, read_metadata
from polymargin.files.models.table_layouts import TABLES
from polymargin.files.models.transformer_layouts import TRANSFORMERS

FUZZED = ("table", "rare", "tabular")
N_CHANGES = 100


def again(model, path):
    polymargin.save(model, path)
    return polymargin.load(path)


@pytest.mark.parametrize("name", SAMPLES)
def test_scores_are_the_same(tmp_path, name):
    model, rows = fitted(name)
    copy = again(model, tmp_path / "model")
    assert type(copy) is type(model)
    assert_array_equal(copy.predict(rows), model.predict(rows))
    assert_array_equal(copy.decision_function(rows), model.decision_function(rows))
    clone(copy).fit(rows, TREES)


def test_every_row_of_the_table_has_a_sample():
    def classes(model, found):
        found.add(type(model).__name__)
        inside = [*vars(model).values(), *getattr(model, "transformers_", [])]
        for steps in (getattr(model, "steps", []), *inside):
            for one in steps if isinstance(steps, list | tuple) else [steps]:
                one = one[1] if isinstance(one, tuple) else one
                if hasattr(one, "get_params"):
                    classes(one, found)
        return found

    seen = set().union(*(classes(fitted(name)[0], set()) for name in SAMPLES))
    rows = {row.name for row in (*TRANSFORMERS, *TABLES)}
    assert rows - seen == {"LabelEncoder", "AutoMachine"}


def test_parts_alone(tmp_path):
    part = columns().fit(TABLE)
    copy = again(part, tmp_path / "part")
    assert_array_equal(copy.transform(TABLE), part.transform(TABLE))
    codes = again(LabelEncoder().fit(TREES), tmp_path / "part")
    assert_array_equal(codes.transform(TREES), LabelEncoder().fit_transform(TREES))


def test_output_as_tables_is_kept(tmp_path):
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, LinearSVM()).fit(TABLE[["weight", "count"]], TREES)
    copy = again(model, tmp_path / "model")
    table = copy[0].transform(TABLE[["weight", "count"]])
    assert list(table.columns) == ["weight", "count"]


def test_what_the_file_says_of_itself(tmp_path):
    import sklearn

    model, _ = fitted("table")
    polymargin.save(model, tmp_path / "model", metadata={"rows": 40}, training=False)
    told = read_metadata(tmp_path / "model")
    assert told["class"] == "Pipeline" and told["metadata"] == {"rows": 40}
    assert told["scikit-learn"] == sklearn.__version__
    assert repr(told["parameters"]["steps"]) == repr(clone(model).steps)
    assert polymargin.load(tmp_path / "model").metadata_ == {"rows": 40}
    assert not hasattr(polymargin.load(tmp_path / "model")[-1], "_fitted")


def test_another_scikit_learn_is_told(tmp_path):
    polymargin.save(fitted("table")[0], tmp_path / "model")
    document, tensors = take_apart(tmp_path / "model")
    document["scikit-learn"] = "1.8.0"
    put_together(tmp_path / "model", document, tensors)
    with pytest.warns(InconsistentVersionWarning, match=r"Pipeline from version 1.8.0"):
        polymargin.load(tmp_path / "model")


def test_columns_stand_for_the_function_that_chose_them(tmp_path):
    model, _ = fitted("rare")
    copy = again(model, tmp_path / "model")
    assert copy[0].transformers[2][2] == ["size", "weight", "count"]


@pytest.mark.filterwarnings("ignore:Persisting input arguments")
@pytest.mark.parametrize(
    ("first", "message"),
    [
        (FunctionTransformer(np.abs), "func=<ufunc 'absolute'> is code"),
        (SelectKBest(lambda X, y: X.sum(axis=0), k=2), "score_func=.* is code"),
        (make_pipeline(StandardScaler(), memory="there"), "memory='there' cannot"),
        (StandardScaler().fit(X[:, :2]), None),
    ],
)
def test_what_is_not_saved(tmp_path, monkeypatch, first, message):
    monkeypatch.chdir(tmp_path / "..")
    model = make_pipeline(first, LinearSVM()).fit(X, TREES)
    if message is None:
        model[0].mean_ = model[0].mean_[:2]
        message = "mean_ does not fit"
    with pytest.raises(ValueError, match=message):
        polymargin.save(model, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_other_classes_are_refused(tmp_path):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, TREES)
    with pytest.raises(TypeError, match=r"LogisticRegression cannot .* LinearSVM, "):
        polymargin.save(model, tmp_path / "model")
    words = make_pipeline(TfidfVectorizer(analyzer=str.split), LinearSVM())
    with pytest.raises(ValueError, match=r"analyzer=.* is code"):
        polymargin.save(words.fit(WORDS, list("abab")), tmp_path / "model")
    scaler = StandardScaler().fit(X)
    scaler.new_ = 3
    with pytest.raises(TypeError, match="has the attribute new_, which"):
        polymargin.save(scaler, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_machine_that_was_chosen(tmp_path):
    model = polymargin.tabular(cv=2, budget=1e9, random_state=0).fit(TABLE, TREES)
    copy = again(model, tmp_path / "model")
    assert_array_equal(copy.decision_function(TABLE), model.decision_function(TABLE))
    assert copy[-1].best_score_ == model[-1].best_score_
    assert copy[0].columns_ == model[0].columns_


@pytest.mark.parametrize(
    "search",
    [
        TunedSVM(make_pipeline(StandardScaler(), LinearSVM()), Cs=[1.0, 10.0], cv=2),
        make_pipeline(StandardScaler(), TunedSVM(LinearSVM(), Cs=[1.0], cv=2)),
        GridSearchCV(
            make_pipeline(StandardScaler(), LinearSVM()), {"linearsvm__C": [1]}, cv=2
        ),
    ],
    ids=lambda search: type(search).__name__,
)
def test_what_a_search_has_found(tmp_path, search):
    search.fit(X, TREES)
    copy = again(search, tmp_path / "model")
    assert type(copy) is Pipeline and type(copy[-1]) is LinearSVM
    assert_array_equal(copy.decision_function(X), search.decision_function(X))


def refused(path) -> str:
    with pytest.raises(ModelFileError) as caught:
        polymargin.load(path)
    assert str(caught.value).startswith(f"{path} cannot be loaded as a model: ")
    return str(caught.value)


@pytest.mark.parametrize("name", FUZZED)
def test_changed_bytes_are_noticed(tmp_path, name):
    path, rng = tmp_path / "model", random.Random(name)
    polymargin.save(fitted(name)[0], path)
    data = path.read_bytes()
    for _ in range(N_CHANGES):
        changed = change_bytes(data, rng)
        path.write_bytes(changed)
        try:
            polymargin.load(path)
        except ModelFileError:
            continue
        assert len(changed) >= len(data) - 64  # JSON written in another way


@pytest.mark.parametrize("name", FUZZED)
@pytest.mark.filterwarnings("ignore")
def test_with_the_right_checksums(tmp_path, name):
    """What loads predicts, or says why not: other columns, no finite numbers."""
    path, rng = tmp_path / "model", random.Random(name)
    model, rows = fitted(name)
    polymargin.save(model, path)
    document, tensors = take_apart(path)
    loaded = 0
    for _ in range(N_CHANGES):
        put_together(path, *change_model(document, tensors, rng))
        try:
            model = polymargin.load(path)
        except ModelFileError:
            continue
        with np.errstate(all="ignore"):
            try:
                use = getattr(model, "predict", None) or model.transform
                assert use(rows).shape[0] == len(rows)
            except ValueError:
                continue
        polymargin.save(model, path)
        loaded += 1
    assert 0 < loaded < N_CHANGES


def steps(document, *path):
    """Return the entry of an estimator, by the numbers of the steps that lead to it."""
    entry = document
    for at in path:
        kind = "steps" if "steps" in entry["parameters"] else "transformers_"
        inside = "parameters" if kind == "steps" else "attributes"
        entry = entry[inside][kind][at][1]
    return entry


CASES = {
    "another class": ((0,), ("class", "os.system"), "there is no class"),
    "a class that predicts": ((0, 0, 1), ("class", "Pipeline"), "no parameter"),
    "a step that is missing": ((), ("parameters", "steps", []), "a step does not"),
    "files as text": (
        (0, 4),
        ("parameters", "input", "filename"),
        "others would read files",
    ),
    "a pattern": ((0, 4), ("parameters", "token_pattern", "(("), "regular expression"),
    "a folder": ((0, 0), ("parameters", "memory", "/tmp"), "is not None"),
    "more columns": (
        (0, 3),
        ("attributes", "_n_features_outs", [5]),
        "_n_features_outs does not fit",
    ),
    "a column that is not there": (
        (0,),
        ("attributes", "_transformer_to_input_indices", "same", [7]),
        "columns of 'same' does not fit",
    ),
    "less features": (
        (0, 0, 1),
        ("attributes", "n_features_in_", 2),
        "mean_ does not fit",
    ),
    "no mean": ((0, 0, 1), ("attributes", "mean_", None), "its centre does not fit"),
    "not fitted": ((0, 0, 1), ("attributes", {}), "StandardScaler has no"),
}


@pytest.mark.parametrize("case", CASES)
def test_entries(tmp_path, case):
    at, (*where, last, value), message = CASES[case]
    path = tmp_path / "model"
    polymargin.save(fitted("table")[0], path)
    document, tensors = take_apart(path)
    entry = steps(document, *at)
    for key in where:
        entry = entry[key]
    assert last in entry
    entry[last] = value
    put_together(path, document, tensors)
    assert message in refused(path)


def test_categories_that_do_not_ascend(tmp_path):
    """They are searched: the place of a value would lie beyond the last column."""
    model = make_pipeline(Encoder(), LinearSVM()).fit(TABLE[["count"]], TREES)
    polymargin.save(model, tmp_path / "model")
    document, tensors = take_apart(tmp_path / "model")
    [name] = [name for name in tensors if "categories_" in name]
    tensors[name] = tensors[name][::-1].copy()
    put_together(tmp_path / "model", document, tensors)
    assert "categories_ does not fit" in refused(tmp_path / "model")


def test_estimators_in_estimators_in_estimators(tmp_path):
    model = make_pipeline(LinearSVM()).fit(X, TREES)
    polymargin.save(model, tmp_path / "model")
    document, tensors = take_apart(tmp_path / "model")
    for _ in range(20):
        inner = {key: document[key] for key in ("class", "parameters", "attributes")}
        document["parameters"] = {"steps": [["inner", inner]]}
    put_together(tmp_path / "model", document, tensors)
    assert "nested too deeply" in refused(tmp_path / "model")
