"""Damaged and hostile model files: one sentence, never a crash."""

import os
import random

import numpy as np
import pytest
import scipy.sparse as sp
from model_files import (
    SAMPLES,
    X,
    change_bytes,
    change_model,
    put_together,
    take_apart,
    use,
    write_sample,
    y,
)

import polymargin
from polymargin.files.models import ModelFileError

N_CHANGES = 400  # of the files of every sample, twice


def refused(path) -> str:
    with pytest.raises(ModelFileError) as caught:
        polymargin.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path} cannot be loaded as a model: ")
    assert len(message) - len(str(path)) < 500
    return message


@pytest.mark.parametrize("name", SAMPLES)
def test_changed_bytes_are_noticed(tmp_path, name):
    """Checksums find what no rule forbids."""
    path, rng = tmp_path / "model", random.Random(name)
    write_sample(name, path)
    data = path.read_bytes()
    for _ in range(N_CHANGES):
        changed = change_bytes(data, rng)
        if changed == data:
            continue
        path.write_bytes(changed)
        try:
            polymargin.load(path, mmap=rng.random() < 0.5)
        except ModelFileError:
            continue
        # JSON has more than one way to write the same.
        assert take_apart(path)[0] is not None
        assert len(changed) >= len(data) - 64


@pytest.mark.parametrize("name", SAMPLES)
def test_every_shorter_file_is_noticed(tmp_path, name):
    path = tmp_path / "model"
    write_sample(name, path)
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        refused(path)


@pytest.mark.parametrize("name", SAMPLES)
def test_with_the_right_checksums(tmp_path, name):
    """What loads predicts, can be told about, and can be saved."""
    path, rng = tmp_path / "model", random.Random(name)
    write_sample(name, path)
    document, tensors = take_apart(path)
    loaded = 0
    for _ in range(N_CHANGES):
        put_together(path, *change_model(document, tensors, rng))
        try:
            model = polymargin.load(path, mmap=rng.random() < 0.5)
        except ModelFileError:
            continue
        use(model, path)
        loaded += 1
    assert 0 < loaded < N_CHANGES


def set_value(tensors, name, at, value):
    tensors[name] = tensors[name].copy()
    tensors[name].reshape(-1)[at] = value


def change(document, tensors, *where):
    """Set an entry of the document, whose path is given, to the last of `where`."""
    *path, last, value = where
    for key in path:
        document = document[key]
    document[last] = value


CASES = {
    "another class": ("linear", "class", "os.system", "there is no class"),
    "a class of another kind": ("linear", "class", ["LinearSVM"], "there is no class"),
    "an unknown parameter": ("linear", "parameters", "hidden", 1, "no parameter"),
    "a wrong parameter": ("linear", "parameters", "C", -1.0, "parameters are wrong"),
    "a wrong pair": ("linear", "parameters", "loss", "logistic", "not a loss of"),
    "a deep parameter": (
        "linear",
        "parameters",
        "class_weight",
        [[[[[[[[[[[]]]]]]]]]]],
        "nested too deeply",
    ),
    "an unknown attribute": ("linear", "attributes", "fit", 1, "unknown attribute"),
    "another problem": (
        "linear",
        *("attributes", "_fitted", "n_columns", 4),
        "_fitted does not fit",
    ),
    "a feature less": ("linear", "attributes", "n_features_in_", 2, "does not fit"),
    "a negative count": ("linear", "attributes", "n_iter_", -1, "is not a number"),
    "a status": ("linear", "attributes", "status_", "hacked", "is not one of"),
    "no certificate": ("linear", "attributes", "objective_", "low", "is not a number"),
    "a huge degree": (
        "sparse kernel",
        *("attributes", "_expansion", "kernel", "degree", 10**9),
        "too much",
    ),
    "another kernel": (
        "kernel",
        *("attributes", "_expansion", "kernel", "kernel", "linear"),
        "other parameters",
    ),
    "a callable": (
        "kernel",
        *("attributes", "_expansion", "kernel", "kernel", "callable"),
        "is not one of",
    ),
    "no points": ("kernel", "attributes", "_expansion", "points", {}, "fields"),
    "dense for sparse": (
        "sparse kernel",
        *("attributes", "_expansion", "kernel", "sparse", False),
        "another kind",
    ),
    "costs of another kind": (
        "costs",
        *("parameters", "costs", ["classes_.lengths"]),
        "neither a name nor a table",
    ),
    "a machine that is a table": (
        "online",
        *("attributes", "_driver", "machine", [{}, "hinge"]),
        "cannot be learned online",
    ),
    "no random numbers": (
        "online",
        *("attributes", "_driver", "state", "tuple", 0, {"tuple": [0, 0, 0, 0]}),
        "for ever",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_entries(tmp_path, case):
    name, *where, message = CASES[case]
    path = tmp_path / "model"
    write_sample(name, path)
    document, tensors = take_apart(path)
    change(document, tensors, *where)
    put_together(path, document, tensors)
    assert message in refused(path)


NAN = float("nan")
VALUES = {
    "weights": ("linear", "coef_", 0, NAN, "not finite"),
    "an index": ("sparse", "coef_.indices", 0, 3, "beyond its columns"),
    "a negative index": ("sparse", "coef_.indices", 0, -1, "beyond its columns"),
    "a start": ("sparse", "coef_.indptr", 1, 100, "impossible lengths"),
    "the first start": ("sparse", "coef_.indptr", 0, 1, "as many rows"),
    "support": ("linear", "support_", -1, 30, "support_ does not fit"),
    "a label": ("linear", "_fitted.labels", 0, 3, "_fitted does not fit"),
    "C": ("linear", "_fitted.caps", 0, float("inf"), "not finite"),
    "a norm": ("kernel", "_expansion.points.norms", 0, NAN, "not finite"),
    "the centre": ("kernel", "_expansion.kernel.centre", 0, NAN, "not finite"),
    "classes": ("sparse", "classes_", 0, 2, "do not ascend"),
    "a letter": ("kernel", "classes_.letters", 0, 255, "not UTF-8"),
    "a length": ("kernel", "classes_.lengths", 0, 99, "impossible lengths"),
    "a negative length": ("kernel", "classes_.lengths", 0, -1, "wrong type"),
    "a row twice": ("sparse kernel", "_expansion.points.rows.indices", 1, 0, "ascend"),
    "a position": ("precomputed", "_expansion.points.at", 0, -1, "impossible rows"),
    "a far position": ("precomputed", "_expansion.points.at", 0, 30, "does not fit"),
    "a pattern's label": ("online", "_driver.labels", 0, 9, "impossible label"),
    "a pattern's C": ("online", "_driver.caps", 0, 0.0, "no positive C"),
    "a coefficient": ("online", "_driver.coefficients.data", 0, 50.0, "not feasible"),
    "a gradient": ("online", "_driver.gradients.data", 0, NAN, "not finite"),
}


@pytest.mark.parametrize("case", VALUES)
def test_values(tmp_path, case):
    name, tensor, at, value, message = VALUES[case]
    path = tmp_path / "model"
    write_sample(name, path)
    document, tensors = take_apart(path)
    set_value(tensors, tensor, at, value)
    put_together(path, document, tensors)
    assert message in refused(path)


def test_a_changed_value_is_noticed_by_its_checksum(tmp_path):
    path = tmp_path / "model"
    model = write_sample("linear", path)
    data, weights = path.read_bytes(), model.coef_.T.tobytes()
    assert data.count(weights) == 1
    path.write_bytes(data.replace(weights, np.flip(model.coef_).T.tobytes()))
    assert "array 'coef_' is damaged" in refused(path)
    path.write_bytes(data.replace(b'\\"C\\":1.0', b'\\"C\\":2.0'))
    assert "its description is damaged" in refused(path)


def test_other_files(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(FileNotFoundError):
        polymargin.load(path)
    with pytest.raises(IsADirectoryError):
        polymargin.load(tmp_path)
    path.write_text("1 1:0.5 2:3\n" * 100)
    refused(path)
    polymargin.export_liblinear(polymargin.LinearSVM().fit(X, y), path)
    refused(path)
    from safetensors.numpy import save_file

    save_file({"coef_": np.eye(3)}, path)
    assert "was not written by polymargin.save" in refused(path)


def test_too_wide_text_takes_no_memory(tmp_path):
    """A million empty names and one long one would be terabytes."""
    path = tmp_path / "model"
    write_sample("kernel", path)
    document, tensors = take_apart(path)
    lengths = np.zeros(1_000_000, dtype=np.int64)
    lengths[0] = 10_000_000
    tensors["classes_.lengths"] = lengths
    tensors["classes_.letters"] = np.full(10_000_000, ord("a"), dtype=np.uint8)
    put_together(path, document, tensors)
    assert "too wide" in refused(path)


def test_the_samples_are_what_they_should_be():
    kinds = {type(SAMPLES[name]()).__name__ for name in SAMPLES}
    assert kinds == {"LinearSVM", "MaxEnt", "KernelSVM", "OnlineSVM"}
    assert sp.issparse(SAMPLES["sparse"]().coef_)
    assert SAMPLES["kernel"]()._expansion.kernel.centre is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_no_model(tmp_path):
    """Nobody writes into it: who waits for that waits for ever."""
    os.mkfifo(tmp_path / "pipe.polymargin")
    for read in (polymargin.load, polymargin.models.read_metadata):
        with pytest.raises(ModelFileError, match="it is not a regular file"):
            read(tmp_path / "pipe.polymargin")


@pytest.mark.parametrize("name", ["sparse", "linear", "kernel", "sparse kernel"])
def test_numbers_that_nothing_is_computed_with(name, tmp_path):
    path = tmp_path / "half.polymargin"
    write_sample(name, path)
    document, tensors = take_apart(path)
    for key in [key for key, array in tensors.items() if array.dtype.kind == "f"]:
        changed = tensors | {key: tensors[key].astype(np.float16)}
        put_together(path, document, changed)
        if "history" in key:
            polymargin.load(path)
            continue
        with pytest.raises(ModelFileError):
            polymargin.load(path)
