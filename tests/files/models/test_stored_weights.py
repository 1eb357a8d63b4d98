"""Weights in few bytes: rounding, what files say of it, and what is refused."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import KernelSVM, LinearSVM, load, prune, save
from polymargin.files.models.errors import ModelFileError
from polymargin.files.models.safetensors_file import read, write

FORMATS = {"float16": 2**-10, "int8": 0.5 / 127}  # error, of the largest of a row


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def fitted(**parameters):
    X, y = digits()
    return LinearSVM(C=0.1, tol=1e-2, random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", ["dense", "sparse", "float32"])
def test_weights_are_rounded_by_no_more_than_it_says(form, scale, kind, tmp_path):
    X, y = digits()
    if kind == "float32":
        X = X.astype(np.float32)
    model = LinearSVM("ovr", C=0.1, tol=1e-2, random_state=0).fit(X * scale, y)
    if kind == "sparse":
        model.sparsify()
    save(model, tmp_path / "model", weights=form, examples=(X * scale, y))
    again = load(tmp_path / "model")
    assert type(again.coef_) is type(model.coef_)
    assert again.coef_.dtype == model.coef_.dtype
    exact, found = model.coef_, again.coef_
    if kind == "sparse":
        exact, found = exact.toarray(), found.toarray()
    largest = np.abs(exact).max(axis=1, keepdims=True)
    assert np.all(np.abs(found - exact) <= FORMATS[form] * largest * (1 + 1e-6))
    assert_array_equal(again.intercept_, model.intercept_)


@pytest.mark.parametrize("form", FORMATS)
def test_the_file_says_what_it_costs(form, tmp_path):
    X, y = digits()
    model = fitted()
    save(model, tmp_path / "small", weights=form, examples=(X, y), metadata={"a": 1})
    again = load(tmp_path / "small")
    told = again.metadata_["weights"]
    assert again.metadata_["a"] == 1
    assert told["type"] == form
    assert told["rows"] == len(y)
    assert told["accuracy"] == again.score(X, y)
    assert told["accuracy_before"] == model.score(X, y)
    assert told["changed"] == np.mean(again.predict(X) != model.predict(X))
    assert told["changed"] < 0.02
    save(model, tmp_path / "large", training=False)
    sizes = [os.path.getsize(tmp_path / name) for name in ("small", "large")]
    assert sizes[0] < sizes[1] / 2


def test_several_labels_pipelines_and_pruned_models(tmp_path):
    X, y = digits()
    Y = np.column_stack([y == 1, y > 5]).astype(int)
    several = LinearSVM("ovr", C=0.1, tol=1e-2, random_state=0).fit(X, Y)
    pipeline = make_pipeline(StandardScaler(), LinearSVM(tol=0.1, random_state=0))
    pipeline.fit(X, y)
    pruned = prune(fitted(), X)
    for model, labels in ((several, Y), (pipeline, y), (pruned, y)):
        save(model, tmp_path / "model", weights="int8", examples=(X, labels))
        again = load(tmp_path / "model")
        told = again.metadata_["weights"]
        assert_allclose(again.score(X, labels), told["accuracy"])


@pytest.mark.parametrize(
    ("model", "parameters", "message"),
    [
        (LinearSVM(), {"weights": "int8"}, "give examples=.* so that the file can say"),
        (
            LinearSVM(),
            {"weights": "int8", "examples": digits()[0]},
            "examples is ndarray",
        ),
        (LinearSVM(), {"weights": "int4"}, "weights='int4' is not one of same, float"),
        (KernelSVM(), {"weights": "int8", "examples": digits()}, "is for LinearSVM"),
    ],
)
def test_what_is_refused(model, parameters, message, tmp_path):
    X, y = digits()
    model.fit(X[:50], y[:50])
    with pytest.raises(ValueError, match=message):
        save(model, tmp_path / "model", **parameters)
    assert not os.listdir(tmp_path)


def test_broken_scales_are_refused(tmp_path):
    X, y = digits()
    path = tmp_path / "model"
    save(fitted(), path, weights="int8", examples=(X, y))
    tensors, header = read(path, mapped=False)
    tensors = {name: value.copy() for name, value in tensors.items()}
    tensors["coef_.scales"][0] = np.nan
    write(path, tensors, header)
    with pytest.raises(ModelFileError):
        load(path)
