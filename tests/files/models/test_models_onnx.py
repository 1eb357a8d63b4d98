"""ONNX graphs answer in onnxruntime as the models do here."""

import os

import numpy as np
import onnxruntime
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import ALL_PAIRS, make_model, make_problem, rotated
from sklearn.base import clone
from sklearn.svm import LinearSVC

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, export_onnx
from polymargin.access.kernel_registry import KERNELS
from polymargin.access.product_kernels import LinearKernel

X, y = make_problem(n=120, d=7, k=5)
NEW = make_problem(n=300, d=7, k=5, seed=1)[0]
WORDS = np.array(["oak", "ash", "fir", "élan", "a longer name"])
LINEAR = [make_model(machine, loss, C=0.1) for machine, loss in ALL_PAIRS]
KERNEL = [
    KernelSVM(machine, kernel=kernel, gamma=0.05, coef0=0.2, tol=1e-2, probability=True)
    for machine in ("ww", "ovr", "ovo")
    for kernel in KERNELS
]
OTHERS = [
    LinearSVM(features="reduced"),
    MaxEnt(fit_intercept=False),
    KernelSVM("cs"),
    KernelSVM(approximation="nystroem", rank=11),
    OnlineSVM(random_state=0),
]


def run(graph, rows):
    session = onnxruntime.InferenceSession(
        graph if isinstance(graph, str) else graph.SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": rows}), strict=True))


def check(model, rows, graph=None, tolerance=1e-5):
    found = run(export_onnx(model) if graph is None else graph, rows)
    expected = model.predict(rows)
    assert found["label"].tolist() == expected.tolist()
    scores = model.decision_function(rows)
    assert found["scores"].shape == scores.shape
    assert_allclose(found["scores"], scores, rtol=tolerance, atol=tolerance)
    several_pairs = getattr(model, "machine", "") == "ovo" and scores.ndim == 2
    coupled = several_pairs and model.loss == "logistic"
    assert ("probabilities" in found) == (
        hasattr(model, "predict_proba") and not coupled
    )
    if "probabilities" in found:
        assert_allclose(
            found["probabilities"], model.predict_proba(rows), atol=tolerance
        )
    return found


@pytest.mark.parametrize(
    ("model", "k"), rotated([(m,) for m in LINEAR + KERNEL + OTHERS], [2, 5]), ids=repr
)
def test_every_machine(model, k):
    model = clone(model)
    pairwise = getattr(model, "kernel", None) == "precomputed"
    model.fit(X @ X.T if pairwise else X, y % k)
    found = check(model, NEW @ X.T if pairwise else NEW, tolerance=1e-9)
    assert found["scores"].dtype == np.float64


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", None])
def test_single_precision(kernel):
    model = LinearSVM() if kernel is None else KernelSVM(kernel=kernel, gamma=0.05)
    rows = NEW.astype(np.float32)
    model.fit(X.astype(np.float32), y)
    assert check(model, rows, tolerance=1e-4)["scores"].dtype == np.float32
    # Trained in double precision, and asked for single.
    model.fit(X, y)
    graph = export_onnx(model, dtype="float32")
    assert (run(graph, rows)["label"] == model.predict(NEW)).mean() > 0.99


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, lambda A: A + 9])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_kinds_of_rows(kernel, kind):
    """Sparse points become dense, far ones are moved as in the model."""
    model = KernelSVM(kernel=kernel, gamma=0.02).fit(kind(X), y)
    rows = kind(NEW)
    check(model, rows.toarray() if sp.issparse(rows) else rows)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("estimator", [LinearSVM, KernelSVM])
def test_kinds_of_labels(estimator, k):
    at = y % k
    for labels in (
        WORDS[at],
        WORDS.astype(object)[at],
        at.astype(np.int8) - 3,
        at * 2.0,
    ):
        check(estimator().fit(X, labels), NEW)
    check(estimator().fit(X, at > 0), NEW)


def test_ties_of_votes():
    """A circle of three classes that beat each other: the sum of scores decides."""
    model = LinearSVM("ovo").fit(X[y < 3], y[y < 3])
    model.coef_ = np.zeros((3, 7))
    model.coef_[0, 0], model.coef_[1, 0], model.coef_[2, 0] = -1, 1, -1
    model.intercept_ = np.zeros(3)
    rows = np.zeros((3, 7))
    rows[:, 0] = [1, -1, 0]
    check(model, rows)


def test_a_file(tmp_path):
    model = MaxEnt().fit(X, y)
    graph = export_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == graph.SerializeToString()
    check(model, NEW, graph=str(tmp_path / "model.onnx"))
    assert os.listdir(tmp_path) == ["model.onnx"]
    assert graph.producer_name == "polymargin"


def test_without_support_vectors():
    model = OnlineSVM(violation_tol=10.0).partial_fit(X[:9], y[:9], np.arange(5))
    assert_array_equal(run(export_onnx(model), NEW)["scores"], np.zeros((300, 5)))


def test_one_row_and_none():
    model = KernelSVM("ovo", kernel="laplacian").fit(X, y)
    check(model, NEW[:1])
    assert run(export_onnx(model), NEW[:0])["scores"].shape == (0, 5)


def test_what_cannot_be_said():
    with pytest.raises(TypeError, match="LinearSVC is no machine of polymargin"):
        export_onnx(LinearSVC().fit(X, y))
    with pytest.raises(ValueError, match="is code, which ONNX does not know"):
        export_onnx(KernelSVM(kernel=lambda A, B: A @ B.T).fit(X, y))
    with pytest.raises(ValueError, match="dtype='float16' must be"):
        export_onnx(LinearSVM().fit(X, y), dtype="float16")


def test_without_onnx(run_python):
    script = """
    import sys
    sys.modules["onnx"] = None
    from polymargin import LinearSVM, export_onnx
    try:
        export_onnx(LinearSVM())
    except ImportError as problem:
        print(problem)
    """
    assert "pip install 'polymargin[onnx]'" in run_python(script)


def test_a_kernel_without_a_graph_is_refused(monkeypatch):
    """One that derives from another must not be taken for it."""

    class CubeKernel(LinearKernel):
        pass

    model = KernelSVM(kernel="linear", fit_intercept=False).fit(X, y)
    monkeypatch.setattr(model._expansion.kernel, "__class__", CubeKernel)
    with pytest.raises(TypeError, match="CubeKernel has no ONNX graph"):
        export_onnx(model)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("k", [2, 4])
def test_several_labels_a_row(loss, k):
    several = np.column_stack([X[:, m] > 0.3 for m in range(k)]).astype(int)
    model = LinearSVM("ovr", loss=loss, thresholds="f1", random_state=0)
    model.fit(X, several)
    check(model, NEW, tolerance=1e-12)
