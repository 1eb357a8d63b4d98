"""Model files in parts, to be changed and put together again."""

import json
import random
import zlib
from copy import deepcopy

import numpy as np
import scipy.sparse as sp
from problems import make_problem

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, describe, load, save
from polymargin.files.models import safetensors_file
from polymargin.files.models.tensors import checksum

X, y = make_problem(n=30, d=3, k=3)
NAMES = np.array(["ash", "birch", "cedar"])[y]
SAMPLES = {
    "linear": lambda: LinearSVM(history=True, class_weight={"ash": 2.0}).fit(X, NAMES),
    "sparse": lambda: MaxEnt(features="reduced").fit(sp.csr_array(X), y),
    "pairs": lambda: LinearSVM("ovo", loss="logistic").fit(X, y),
    "candidates": lambda: LinearSVM(candidates=2).fit(sp.csr_array(X), NAMES),
    "zeros": lambda: LinearSVM("ovr", loss="squared_hinge", penalty="l1").fit(X, y),
    "costs": lambda: LinearSVM(costs="ordinal", fit_intercept="free").fit(X, y),
    "several labels": lambda: LinearSVM("ovr").fit(X, np.eye(3, dtype=int)[y]),
    "kernel pairs": lambda: KernelSVM("ovo").fit(X, y),
    "kernel": lambda: KernelSVM(probability=True).fit(X + 9, NAMES),
    "sparse kernel": lambda: KernelSVM("cs", kernel="poly").fit(sp.csr_array(X), y),
    "landmarks": lambda: KernelSVM(approximation="nystroem", rank=9).fit(X, y),
    "precomputed": lambda: KernelSVM(kernel="precomputed").fit(X @ X.T, y),
    "online": lambda: OnlineSVM(history=True, random_state=0).fit(X, y),
    "sparse online": lambda: OnlineSVM("laplacian", schedule="fixed").fit(
        sp.csr_array(X), y
    ),
}
WEIGHTS = {"zeros": "int8", "costs": "float16"}


def take_apart(path):
    """Return the document and the arrays of a model file."""
    tensors, header = safetensors_file.read(path, mapped=False)
    return json.loads(header["model"]), tensors


def put_together(path, document, tensors) -> None:
    """Write a file whose checksums are right, whatever is in it."""
    document = dict(document)
    if "checksums" in document:
        document["checksums"] = {name: checksum(t) for name, t in tensors.items()}
    text = json.dumps(document)
    header = {
        "format": "polymargin",
        "version": "1",
        "model": text,
        "checksum": str(zlib.crc32(text.encode())),
    }
    safetensors_file.write(path, tensors, header)


def change_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return a file with some of its bytes changed, moved, lost or added."""
    changed = bytearray(data)
    header = 8 + int.from_bytes(data[:8], "little")
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        # Half of them in the head, where most of the meaning is.
        most = max(len(changed) - 1, 1)
        at = rng.randrange(min(rng.choice((9, header, most, most)), most))
        kind = rng.randrange(7)
        if kind == 0:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1 and changed:
            changed[min(at, len(changed) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del changed[at : at + rng.randrange(1, 20)]
        elif kind == 3:
            changed[at:at] = rng.randbytes(rng.randrange(1, 20))
        elif kind == 4:
            del changed[at:]
        elif kind == 5:
            other = rng.randrange(most)
            changed[at : at + 8] = changed[other : other + 8]
        else:
            changed[at : at + 1] = rng.choice((b"0", b"9", b"-", b'"', b"[", b"}"))
    return bytes(changed)


_ODD = (
    None,
    True,
    0,
    1,
    -1,
    2**31,
    2**63,
    10**30,
    0.5,
    -1e308,
    "",
    "rbf",
    "linear",
    "ovo",
    "llw",
    "converged",
    [],
    {},
    [[]],
    {"float": "nan"},
    {"float": "inf"},
    {"tuple": []},
    {"dict": [[0, 1]]},
    {"tensor": "coef_", "transposed": True},
)


def change_model(document, tensors, rng: random.Random):
    """Return a document and arrays, of which something is not what it was."""
    document, tensors = json.loads(json.dumps(document)), dict(tensors)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if rng.random() < 0.4 and tensors:
            _change_tensor(tensors, rng)
        else:
            _change_entry(document, rng, list(tensors))
    return document, tensors


def _change_entry(document, rng, names) -> None:
    inside = [
        at for at in ("attributes", "parameters") if isinstance(document.get(at), dict)
    ]
    at = document[rng.choice(inside)] if inside and rng.random() < 0.95 else document
    at = at if isinstance(at, dict) else document
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = at[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.9:
            at = inner
            continue
        kind = rng.randrange(5)
        if kind == 0:
            del at[key]
        elif kind == 1 and isinstance(inner, int | float):
            at[key] = inner + rng.choice((-1, 1, 0.5))
        elif kind == 2 and names:
            at[key] = rng.choice(names)
        elif kind == 3:
            at[key] = deepcopy(at[rng.choice(keys)]) if keys else None
        else:
            at[key] = deepcopy(rng.choice(_ODD))
        return


def _change_tensor(tensors, rng) -> None:
    name = rng.choice(list(tensors))
    tensor = tensors[name].copy()
    kind = rng.randrange(6)
    if kind == 0:
        del tensors[name]
        return
    if kind == 1:
        tensor = tensor[:-1] if tensor.ndim and len(tensor) else tensor[None]
    elif kind == 2:
        tensor = tensor.astype(rng.choice(("f4", "f8", "i4", "i8", "u1", "?")))
    elif kind == 3:
        tensor = np.ascontiguousarray(tensor.T.reshape(tensor.T.shape + (1,)[:1]))
        tensor = tensor[..., 0] if rng.random() < 0.5 else tensor
    elif tensor.size:
        flat = tensor.reshape(-1)
        values = [0, 1, -1, 2**31 - 1, -(2**31), 3, 7]
        if tensor.dtype.kind == "f":
            values += [float("nan"), float("inf"), 1e300, -1e-300, 0.25]
        with np.errstate(all="ignore"):
            value = np.array(rng.choice(values)).astype(tensor.dtype)
        flat[rng.randrange(len(flat))] = value
    tensors[name] = np.ascontiguousarray(tensor)


def write_sample(name, path):
    """Fit and save a sample, and return it."""
    model = SAMPLES[name]()
    rounded = {"weights": WEIGHTS[name], "examples": (X, y)} if name in WEIGHTS else {}
    save(model, path, metadata={"name": name}, **rounded)
    return model


def use(model, path) -> None:
    """Predict with a loaded model, tell about it, and save it.

    What a file can be refused for is known when it is loaded, but for one thing: finite
    numbers of the model and finite rows may have kernel values that are not finite.
    """
    model.set_params(n_jobs=None)
    rows = X @ X.T if model.n_features_in_ == len(X) else X
    if rows.shape[1] == model.n_features_in_:
        try:
            with np.errstate(all="ignore"):
                assert len(model.predict(rows)) == len(X)
        except ValueError as error:
            assert "infinite or not a number" in str(error), error
            assert "\n" not in str(error)
    str(describe(model))
    save(model, path)


__all__ = ["SAMPLES", "change_bytes", "change_model", "load", "put_together", "use"]
