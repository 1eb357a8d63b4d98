"""A model that was saved and loaded is the model that it was."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from model_files import SAMPLES, put_together, take_apart, write_sample
from numpy.testing import assert_array_equal
from online_problems import assert_same_model
from problems import ALL_PAIRS, make_model, make_problem, rotated
from safetensors.numpy import load_file
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import LinearSVC

import polymargin
from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM
from polymargin.access.kernel_registry import KERNELS
from polymargin.files.models import ModelFileError, read_metadata

X, y = make_problem(n=120, d=7, k=5)
LABELS = {
    "integers": y,
    "small integers": y.astype(np.int8) - 3,
    "text": np.array(["oak", "ash", "fir", "élan", "a longer name"])[y],
    "objects": np.array(["oak", "ash", "fir", "\N{MAPLE LEAF}", ""], dtype=object)[y],
    "truth": y > 1,
    "floats": y * 2.0,
}
ROWS = {
    "float64": X,
    "float32": X.astype(np.float32),
    "csr_array": sp.csr_array(X),
    "csr_matrix": sp.csr_matrix(X.astype(np.float32)),
    "far": X + 9,
}
MODELS = (
    [make_model(machine, loss, random_state=0) for machine, loss in ALL_PAIRS]
    + [
        KernelSVM(machine, kernel=kernel, gamma=0.05, coef0=0.1, tol=1e-2)
        for machine in ("ww", "cs", "llw", "ovr", "ovo")
        for kernel in KERNELS
    ]
    + [OnlineSVM(kernel, gamma=0.05, random_state=0) for kernel in KERNELS]
    + [
        LinearSVM("ovr", loss="squared_hinge", solver="tron"),
        LinearSVM("ovo", loss="logistic", solver="tron"),
        LinearSVM("cs", solver="cutting_plane", tol=1e-2),
        LinearSVM(features="reduced", fit_intercept=False),
        MaxEnt(features="reduced", intercept_scaling=3.0),
        KernelSVM(probability=True, cv=3),
        KernelSVM("ovo", probability=True, cv=3),
        KernelSVM(approximation="nystroem", rank=11),
        KernelSVM("cs", solver="s2do"),
        OnlineSVM(epochs="converged"),
        OnlineSVM(machine="ww", C=0.02, random_state=0),
        OnlineSVM(machine="ww", loss="squared_hinge", random_state=0),
        OnlineSVM(machine="cs", loss="squared_hinge", C=30, random_state=0),
        OnlineSVM(budget=15, schedule="fixed", selection="random", random_state=0),
    ]
)


def rows_of(model, X):
    return X @ X.T if getattr(model, "kernel", None) == "precomputed" else X


def again(model, path, **options):
    polymargin.save(model, path)
    return polymargin.load(path, **options)


def assert_equal_values(found, expected):
    if sp.issparse(expected):
        assert type(found) is type(expected)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        for part in ("data", "indices", "indptr"):
            assert_array_equal(getattr(found, part), getattr(expected, part))
    elif isinstance(expected, np.ndarray):
        assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert_equal_values(found[name], value)
    else:
        assert found == expected


def assert_same_estimator(found, expected, X):
    assert type(found) is type(expected)
    assert found.get_params() == expected.get_params()
    assert set(vars(found)) == set(vars(expected))
    for name in dir(expected):
        if name.endswith("_") and not name.startswith("_"):
            assert_equal_values(getattr(found, name), getattr(expected, name))
    for name in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        assert hasattr(found, name) == hasattr(expected, name)
        if hasattr(expected, name):
            answers = getattr(expected, name)(X)
            assert_array_equal(getattr(found, name)(X), answers)
            assert getattr(found, name)(X).dtype == answers.dtype


@pytest.mark.parametrize(
    ("model", "k"), rotated([(m,) for m in MODELS], [2, 5]), ids=repr
)
def test_every_machine(tmp_path, model, k):
    model, labels = clone(model), y % k
    data = rows_of(model, X)
    model.fit(data, labels)
    assert_same_estimator(again(model, tmp_path / "model"), model, data)


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize(
    "model",
    [
        LinearSVM(C=0.01, random_state=0),
        MaxEnt(features="reduced"),
        KernelSVM("ovo"),
        KernelSVM(kernel="laplacian"),
        KernelSVM(approximation="nystroem", rank=9),
        OnlineSVM(random_state=0),
    ],
    ids=repr,
)
def test_every_kind_of_rows(tmp_path, model, kind):
    model = clone(model).fit(ROWS[kind], y)
    assert_same_estimator(again(model, tmp_path / "model"), model, ROWS[kind])


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("estimator", [LinearSVM, KernelSVM, OnlineSVM])
def test_every_kind_of_labels(tmp_path, estimator, kind):
    model = estimator(C=0.1).fit(X, LABELS[kind])
    assert_same_estimator(again(model, tmp_path / "model"), model, X)


def test_many_classes_and_features(tmp_path):
    wide, labels = make_problem(n=300, d=400, k=40)
    for dtype in (np.float32, np.float64):
        model = LinearSVM(tol=0.1).fit(wide.astype(dtype), labels)
        assert_same_estimator(again(model, tmp_path / "model"), model, wide)


def test_names_of_features(tmp_path):
    frame = pd.DataFrame(X, columns=[f"størrelse {j}" for j in range(7)])
    for model in (LinearSVM(), KernelSVM(), OnlineSVM(random_state=0)):
        model.fit(frame, y)
        copy = again(model, tmp_path / "model")
        assert copy.feature_names_in_.tolist() == frame.columns.tolist()
        assert_same_estimator(copy, model, frame)
        with pytest.raises(ValueError, match="feature names"):
            copy.predict(frame[frame.columns[::-1]])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_certificate_and_history(tmp_path):
    for model in (
        LinearSVM(max_iter=2, tol=1e-9, history=True),
        KernelSVM("ww", max_iter=1, tol=1e-9, history=True),
    ):
        copy = again(model.fit(X, y), tmp_path / "model")
        assert copy.status_ == "max_iter" and copy.dual_gap_ > 1e-9
        assert (copy.objective_, copy.dual_gap_) == (model.objective_, model.dual_gap_)
        assert_equal_values(copy.history_, model.history_)


def test_what_was_never_certified(tmp_path):
    model = LinearSVM(random_state=0).partial_fit(X, y, classes=np.arange(5))
    copy = again(model, tmp_path / "model")
    assert not hasattr(copy, "dual_gap_") and copy.status_ == "partial"
    copy.partial_fit(X, y)
    assert_array_equal(copy.coef_, model.partial_fit(X, y).coef_)
    model = LinearSVM(random_state=0).fit(X, y)
    model.dual_gap_ = model.objective_ = float("inf")  # as after an interrupt
    model.dual_objective_ = float("-inf")
    copy = again(model, tmp_path / "model")
    assert copy.dual_gap_ == copy.objective_ == -copy.dual_objective_ == float("inf")


@pytest.mark.parametrize(
    "model",
    [LinearSVM(warm_start=True), KernelSVM(warm_start=True, machine="llw", C=0.1)],
    ids=repr,
)
def test_it_can_be_fitted_again(tmp_path, model):
    model = clone(model).set_params(random_state=0).fit(X, y)
    copy = again(model, tmp_path / "model")
    # From the solution: at most 7 epochs of 91 to 147, with twelve seeds, or 1 of 2.
    assert copy.fit(X, y).n_iter_ <= max(1, model.n_iter_ / 10)
    fresh = again(model, tmp_path / "model").set_params(warm_start=False, C=0.05)
    expected = clone(fresh).fit(X + 1, y)
    assert_array_equal(fresh.fit(X + 1, y).predict(X), expected.predict(X))
    assert fresh.objective_ == expected.objective_


@pytest.mark.parametrize("name", SAMPLES)
def test_without_the_rows_of_the_training(tmp_path, name):
    model = write_sample(name, tmp_path / "long")
    polymargin.save(model, tmp_path / "short", training=False)
    lean = polymargin.load(tmp_path / "short")
    n = lean.n_features_in_
    rows = np.random.default_rng(0).normal(size=(9, n))
    scores = (each.decision_function(rows) for each in (lean, model))
    found, expected = (s.toarray() if sp.issparse(s) else s for s in scores)
    assert_array_equal(found, expected)
    assert not hasattr(lean, "_fitted")
    if hasattr(model, "coef_") or name == "landmarks":
        shapes = [tensor.shape for tensor in load_file(tmp_path / "short").values()]
        assert all(30 not in shape for shape in shapes)
    if "dual_gap_" in vars(model):
        assert lean.dual_gap_ == model.dual_gap_


@pytest.mark.parametrize("kind", ["float64", "float32", "csr_array", "far"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"budget": 20},
        {"schedule": "fixed", "steps": (1, 10)},
        {"selection": "random"},
    ],
    ids=repr,
)
def test_a_stream_goes_on(tmp_path, kind, parameters):
    """As from a copy without its cache, which is what a callback gets."""
    rows = ROWS[kind]
    model = OnlineSVM(C=5, random_state=3, history=True, **parameters)
    model.partial_fit(rows[:60], y[:60], classes=np.arange(5))
    copy = again(model, tmp_path / "model")
    assert_same_estimator(copy, model, rows)
    model._driver = model._driver.snapshot()
    model.partial_fit(rows[60:], y[60:])
    copy.partial_fit(rows[60:], y[60:])
    assert_same_model(copy, model)
    assert copy.n_seen_ == 120
    np.testing.assert_array_equal(copy.history_["dual"], model.history_["dual"])
    copy.finish()
    assert copy.dual_gap_ <= copy.tol


def test_a_stream_of_a_precomputed_kernel_cannot_finish(tmp_path):
    model = OnlineSVM("precomputed", random_state=0).fit(X @ X.T, y)
    copy = again(model, tmp_path / "model")
    with pytest.raises(ValueError, match="finish before you save"):
        copy.finish()
    assert_array_equal(copy.predict(X @ X.T), model.predict(X @ X.T))


def base_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return type(getattr(array, "obj", array)).__name__


def test_arrays_are_views_of_the_file(tmp_path):
    """The last base of every large array is the mapping, not memory of its own."""
    models = [
        LinearSVM().fit(X, y),
        MaxEnt(features="reduced").fit(X, y),
        KernelSVM().fit(X + 9, y),
        KernelSVM().fit(sp.csr_array(X), y),
    ]
    for model in models:
        for mmap, expected in ((True, "mmap"), (False, "bytearray")):
            copy = again(model, tmp_path / "model", mmap=mmap)
            arrays = [copy.classes_, copy._fitted.labels, copy.dual_coef_]
            if hasattr(copy, "coef_"):
                arrays += [copy.coef_, copy.intercept_]
            else:
                points = copy._expansion.points
                arrays += [points.rows, points.norms, copy.support_vectors_]
                arrays += [copy._expansion.coefficients]
            for array in arrays:
                parts = [array]
                if sp.issparse(array):
                    parts = [array.data, array.indices, array.indptr]
                assert {base_of(part) for part in parts} == {expected}


MEMORY = """
import sys, polymargin
def private_dirty():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if "Private_Dirty" in line)
import polymargin.files.models
small = polymargin.load(sys.argv[2])
before = private_dirty()
model = polymargin.load(sys.argv[1])
print(private_dirty() - before, model.coef_.nbytes // 1024)
"""


@pytest.mark.skipif(
    not os.path.exists("/proc/self/smaps_rollup"), reason="Linux tells what is private"
)
def test_loading_takes_no_memory_of_its_own(tmp_path, run_python):
    wide = np.zeros((4, 1_000_000), dtype=np.float32)
    wide[:, :4] = np.eye(4)
    model = LinearSVM().fit(sp.csr_array(wide), range(4))
    polymargin.save(model, tmp_path / "model")
    polymargin.save(LinearSVM().fit(X, y), tmp_path / "small")
    words = run_python(MEMORY, tmp_path / "model", tmp_path / "small").split()
    taken, size = map(int, words)
    assert size == 15_625
    assert taken < size / 5


def test_a_loaded_model_can_be_changed_and_saved_in_its_place(tmp_path):
    path = tmp_path / "model"
    model = again(LinearSVM(random_state=0).fit(X, y), path)
    scores = model.decision_function(X)
    model.coef_ *= 2
    model.intercept_ *= 2
    polymargin.save(model, path)
    np.testing.assert_allclose(polymargin.load(path).decision_function(X), 2 * scores)
    np.testing.assert_allclose(model.decision_function(X), 2 * scores)
    assert os.listdir(tmp_path) == ["model"]
    assert_array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)


def test_metadata(tmp_path):
    path, about = tmp_path / "model", {"data": "iris", "by": ["å", 1.5, None, {}]}
    model = KernelSVM(C=2, class_weight={1: 2.0}).fit(X, y)
    polymargin.save(model, path, metadata=about)
    copy = polymargin.load(path)
    assert copy.metadata_ == about
    assert not hasattr(model, "metadata_")
    assert read_metadata(path) == {
        "class": "KernelSVM",
        "library": polymargin.__version__,
        "parameters": model.get_params(),
        "metadata": about,
    }
    polymargin.save(copy, path)
    assert polymargin.load(path).metadata_ == about
    polymargin.save(copy, path, metadata={})
    assert not hasattr(polymargin.load(path), "metadata_")
    for wrong in ([1], {"a": np.arange(3)}, {"a": float("nan")}, {"a": {1, 2}}):
        with pytest.raises(ValueError, match="metadata must be a dict"):
            polymargin.save(copy, path, metadata=wrong)


def test_parameters_come_back_as_they_were(tmp_path):
    model = OnlineSVM(C=np.float64(0.1), steps=[2, 3], n_jobs=np.int64(1)).fit(X, y)
    copy = again(model, tmp_path / "model")
    assert copy.get_params() == model.get_params()
    assert type(copy.C) is float and type(copy.n_jobs) is int
    words = LABELS["text"]
    model = LinearSVM(class_weight={"oak": 2, np.str_("ash"): 0.5}).fit(X, words)
    assert again(model, tmp_path / "model").class_weight == {"oak": 2, "ash": 0.5}
    model = LinearSVM(class_weight={True: 2.0, False: 1.0}).fit(X, y > 0)
    keys = again(model, tmp_path / "model").class_weight
    assert [type(key) for key in keys] == [bool, bool]


def product(A, B):
    return A @ B.T


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelSVM(kernel=product), "kernel=.* is code"),
        (OnlineSVM(kernel=product), "kernel=.* is code"),
        (LinearSVM(random_state=np.random.RandomState(0)), "random_state=.* cannot be"),
        (KernelSVM(cv=iter([(range(60), range(60, 120))])), "cv=.* cannot be written"),
    ],
)
def test_parameters_that_cannot_be_written(tmp_path, model, message):
    with pytest.raises(ValueError, match=message):
        polymargin.save(clone(model).fit(X, y), tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_what_is_not_saved(tmp_path):
    with pytest.raises(TypeError, match=r"LinearSVC cannot .* give one of LinearSVM,"):
        polymargin.save(LinearSVC().fit(X, y), tmp_path / "model")
    with pytest.raises(TypeError, match="LinearSVM cannot"):
        other = type("LinearSVM", (LinearSVM,), {})()
        polymargin.save(other.fit(X, y), tmp_path / "model")
    with pytest.raises(NotFittedError):
        polymargin.save(LinearSVM(), tmp_path / "model")
    model = LinearSVM().fit(X, y)
    with pytest.raises(ValueError, match=r"coef_ does not fit .*; fit it again"):
        polymargin.save(model.set_params(machine="ovo"), tmp_path / "model")
    with pytest.raises(ValueError, match="'C' parameter"):
        polymargin.save(model.set_params(machine="cs", C=-1), tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_newer_version(tmp_path):
    path = tmp_path / "model"
    write_sample("linear", path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"version":"1"', b'"version":"2"'))
    with pytest.raises(ModelFileError, match="is version 2, and this polymargin"):
        polymargin.load(path)


def test_a_parameter_that_came_later_has_its_default(tmp_path):
    path = tmp_path / "model"
    write_sample("linear", path)
    document, tensors = take_apart(path)
    del document["parameters"]["solver"]
    put_together(path, document, tensors)
    assert polymargin.load(path).solver == "auto"


def test_files_are_small(tmp_path):
    """Support vectors are there once, though the model has them twice."""
    model = KernelSVM("ww").fit(X - X.mean(axis=0), y)
    polymargin.save(model, tmp_path / "model", training=False)
    names = [name for name in load_file(tmp_path / "model") if "_vectors_" in name]
    assert names == []
    assert (
        tmp_path / "model"
    ).stat().st_size < X.nbytes + model.dual_coef_.nbytes + 8e3


def test_no_warning_of_convergence_when_loading(tmp_path):
    with pytest.warns(ConvergenceWarning):
        model = LinearSVM(max_iter=1, tol=1e-9).fit(X, y)
    again(model, tmp_path / "model")
