"""Model files, row stores and pickled streams that somebody has changed."""

import json
import pickle
import random
import shutil
import warnings
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from harness import Attack
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
from pipeline_samples import SAMPLES as PIPELINES
from pipeline_samples import fitted
from tampering import change_array, tampered

import polymargin
from polymargin import LinearSVM, OnlineSVM, convert, open_rows
from polymargin.access.row_store.header import _checksum
from polymargin.files.models import ModelFileError


@cache
def _model_of(name: str, folder: Path):
    """The bytes of a sample, its document and its arrays."""
    path = folder / "sample"
    write_sample(name, path)
    return path.read_bytes(), *take_apart(path)


def models(rng: random.Random, folder: Path) -> str:
    name, path = rng.choice(list(SAMPLES)), folder / "model"
    data, document, tensors = _model_of(name, folder)
    if rng.random() < 0.3:
        path.write_bytes(change_bytes(data, rng))
    else:
        put_together(path, *change_model(document, tensors, rng))
    try:
        model = polymargin.load(path, mmap=rng.random() < 0.5)
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    use(model, path)
    return "loaded"


@cache
def _pipeline_of(name: str, folder: Path):
    """The bytes of a sample, its document, its arrays, and rows for it."""
    path = folder / "pipeline-sample"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline, rows = fitted(name)
    polymargin.save(pipeline, path)
    return path.read_bytes(), *take_apart(path), rows


def pipelines(rng: random.Random, folder: Path) -> str:
    """Files of pipelines: one sentence, or what predicts or says why it cannot."""
    name, path = rng.choice(list(PIPELINES)), folder / "pipeline"
    data, document, tensors, rows = _pipeline_of(name, folder)
    if rng.random() < 0.2:
        path.write_bytes(change_bytes(data, rng))
    else:
        put_together(path, *change_model(document, tensors, rng))
    try:
        model = polymargin.load(path, mmap=rng.random() < 0.5)
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if not hasattr(model, "predict"):  # its last step is gone
                assert model.transform(rows).shape[0] == len(rows)
                return "transforms"
            assert len(model.predict(rows)) == len(rows)
            str(polymargin.describe(model))
        except ValueError as error:  # such as other columns, or no finite numbers
            assert str(error), type(error)
            return "no-predictions"
    return "loaded"


@cache
def _store(kind: str, folder: Path) -> Path:
    rows = X if kind == "dense" else sp.csr_matrix(X)
    names = np.array(["a", "b", "c"])[y] if kind == "dense" else y
    path = folder / f"{kind}.rows"
    convert([(rows, names)], path, segment_size=300, overwrite=True)
    return path


_ODD = [
    None,
    True,
    0,
    1,
    -1,
    2**31,
    2**62,
    2**63,
    10**30,
    0.5,
    "",
    "int64",
    [],
    {},
    [[]],
]
_ODD += ["../../etc/passwd", "str", "float32", [[2**61, 2**61, 0]], {"type": "int64"}]


def _change_json(value, rng: random.Random):
    """The same with one entry, at any depth, that is not what it was."""
    if isinstance(value, dict | list) and value and rng.random() < 0.85:
        value = value.copy()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(keys)
        if rng.random() < 0.05:
            del value[key]
        else:
            value[key] = _change_json(value[key], rng)
        return value
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 7))
    return rng.choice(_ODD)


def stores(rng: random.Random, folder: Path) -> str:
    """Checksums are made right again, so that rules have to find what is wrong."""
    path = folder / "copy"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(_store(rng.choice(("dense", "csr")), folder), path)
    header = json.loads((path / "header.json").read_text())
    del header["checksum"]
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.5:
            header = _change_json(header, rng)
            continue
        number = rng.randrange(len(list(path.glob("block-*.bin"))))
        block = path / f"block-{number:05d}.bin"
        values = np.frombuffer(block.read_bytes(), np.uint8).copy()
        values[rng.randrange(len(values))] = rng.choice((0, 1, 127, 128, 255))
        block.write_bytes(values.tobytes())
        if isinstance(header, dict) and isinstance(header.get("blocks"), list):
            entry = header["blocks"][number : number + 1]
            if entry and isinstance(entry[0], list) and entry[0]:
                entry[0][-1] = crc32(values.tobytes())
    if isinstance(header, dict):
        header = {**header, "checksum": _checksum(header)}
    (path / "header.json").write_text(json.dumps(header))
    try:
        store = open_rows(path)
        model = LinearSVM(tol=0.1, max_iter=3).fit(store)
    except (ValueError, MemoryError) as error:
        assert str(error)
        return "refused"
    assert np.isfinite(model.coef_).all()
    return "trained"


@cache
def _stream(kind: str) -> bytes:
    rows = X if kind == "dense" else sp.csr_array(X)
    kernel = "rbf" if kind == "dense" else "laplacian"
    return pickle.dumps(
        OnlineSVM(kernel, random_state=0).partial_fit(rows, y, [0, 1, 2])
    )


def streams(rng: random.Random, folder: Path) -> str:
    """A pickle is trusted with code, but its arrays may be damaged."""
    kind = rng.choice(("dense", "sparse"))
    rows = X if kind == "dense" else sp.csr_array(X)
    model = pickle.loads(_stream(kind))
    driver = model._driver
    state = driver.__getstate__()
    saved = state["_saved"]
    part = rng.choice(list(saved))
    if isinstance(saved[part], tuple):
        entries = list(saved[part])
        at = rng.randrange(len(entries))
        entries[at] = change_array(entries[at], rng)
        saved[part] = tuple(entries)
    else:
        saved[part] = rng.choice((-1, 0, 1, 10**6, saved[part] + 1))
    if rng.random() < 0.2:
        tampered(driver, rng)
    try:
        driver.__setstate__(state)
        model.predict(rows)
        model.partial_fit(rows, y)
        model.predict(rows)
    except AssertionError:
        raise
    except Exception:
        return "refused"
    return "used"


ATTACKS = [
    Attack("models", models, 4000),
    Attack("pipelines", pipelines, 3000),
    Attack("stores", stores, 1500),
    Attack("streams", streams, 2000),
]
