"""LIBLINEAR's own `predict` answers as we do, in both directions."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from liblinear import liblinearutil
from numpy.testing import assert_allclose, assert_array_equal
from problems import ALL_PAIRS, make_model, make_problem, rotated
from sklearn.exceptions import NotFittedError

from polymargin import (
    KernelSVM,
    LinearSVM,
    MaxEnt,
    export_liblinear,
    import_liblinear,
    load,
    save,
)
from polymargin.files.models import ModelFileError

BIASES = ({}, {"intercept_scaling": 10.0}, {"fit_intercept": False})
NEW = make_problem(n=500, d=7, k=5, seed=1)[0]


def problem(k):
    """Labels that do not begin with 0, nor with the first of the rows."""
    X, y = make_problem(n=120, d=7, k=k)
    return X, (y * 3 - 4)[::-1].copy()


@pytest.mark.parametrize(
    ("machine", "loss", "bias", "k"), rotated(ALL_PAIRS, BIASES, [2, 5], times=2)
)
def test_it_answers_as_we_do(tmp_path, machine, loss, bias, k):
    if machine == "ovo" and k > 2:
        pytest.skip("votes")
    X, y = problem(k)
    model = make_model(machine, loss, C=0.1, **bias).fit(X, y)
    path = str(tmp_path / "model")
    export_liblinear(model, path)
    theirs = liblinearutil.load_model(path)
    labels, _, values = liblinearutil.predict([], NEW, theirs, "-q")
    assert_array_equal(labels, model.predict(NEW))
    values, scores = np.array(values), model.decision_function(NEW)
    if k == 2:  # of the first of two weights that differ in sign, or the only one
        values = values[:, 0] * (1 if machine in ("ovr", "ovo", "maxent") else 2)
    assert_allclose(values, scores, rtol=1e-10, atol=1e-12)
    if loss == "logistic" or (loss == "log" and k == 2):
        _, _, values = liblinearutil.predict([], NEW, theirs, "-q -b 1")
        order = np.argsort(theirs.get_labels())
        assert_allclose(np.array(values)[:, order], model.predict_proba(NEW), rtol=1e-8)
    back = import_liblinear(path)
    assert_array_equal(back.predict(NEW), model.predict(NEW))
    assert_allclose(
        back.decision_function(NEW), model.decision_function(NEW), rtol=1e-14
    )
    assert back.fit_intercept == model.fit_intercept
    assert back.intercept_scaling == model.intercept_scaling


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("bias", [-1, 0, 1, 2.5])
@pytest.mark.parametrize("solver", [0, 1, 2, 3, 4, 7])
def test_we_answer_as_it_does(tmp_path, solver, bias, k):
    X, y = problem(k)
    theirs = liblinearutil.train(y, X, f"-s {solver} -B {bias} -q")
    path = str(tmp_path / "model")
    liblinearutil.save_model(path, theirs)
    model = import_liblinear(path)
    labels, _, values = liblinearutil.predict([], NEW, theirs, "-q")
    assert_array_equal(model.predict(NEW), labels)
    values, order = np.array(values), np.argsort(theirs.get_labels())
    if k > 2:
        assert_allclose(model.decision_function(NEW), values[:, order], rtol=1e-10)
    if solver in (0, 7):
        _, _, values = liblinearutil.predict([], NEW, theirs, "-q -b 1")
        assert_allclose(model.predict_proba(NEW), np.array(values)[:, order], rtol=1e-8)
    # An estimator like any other: written by us, and trained for the same problem.
    save(model, tmp_path / "ours")
    assert_array_equal(load(tmp_path / "ours").coef_, model.coef_)
    C = 0.01
    model.set_params(C=C, tol=1e-6, max_iter=100_000).fit(X, y)
    theirs = liblinearutil.train(y, X, f"-s {solver} -B {bias} -c {C} -e 1e-8 -q")
    liblinearutil.save_model(path, theirs)
    assert_allclose(model.coef_, import_liblinear(path).coef_, atol=2e-3)


def test_sparse_weights_and_single_precision(tmp_path):
    X, y = problem(5)
    for model in (
        LinearSVM(features="reduced").fit(sp.csr_array(X), y),
        LinearSVM("ovr", solver="dual").fit(X.astype(np.float32), y.astype(float)),
    ):
        export_liblinear(model, tmp_path / "model")
        back = import_liblinear(tmp_path / "model")
        coef = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        assert_array_equal(back.coef_, coef)
        assert_array_equal(back.classes_, model.classes_)


def test_solver_types(tmp_path):
    X, y = problem(5)
    expected = {
        LinearSVM(): "MCSVM_CS",
        LinearSVM("ovr"): "L2R_L1LOSS_SVC_DUAL",
        LinearSVM("ovr", loss="squared_hinge", solver="dual"): "L2R_L2LOSS_SVC_DUAL",
        LinearSVM("ovr", loss="squared_hinge", solver="tron"): "L2R_L2LOSS_SVC",
        LinearSVM("ovr", loss="logistic", solver="dual"): "L2R_LR_DUAL",
        LinearSVM("ovr", loss="logistic", solver="tron"): "L2R_LR",
    }
    for model, solver in expected.items():
        export_liblinear(model.fit(X, y), tmp_path / "model")
        words = (tmp_path / "model").read_text().split()
        assert words[:2] == ["solver_type", solver]
        back = import_liblinear(tmp_path / "model")
        assert (back.machine, back.loss) == (model.machine, model.loss)


def test_what_cannot_be_said(tmp_path):
    X, y = problem(5)
    path = tmp_path / "model"
    words = np.array(["one", "two", "three", "four", "five"])[y // 3]
    with pytest.raises(ValueError, match="32-bit integers as labels, and 'five'"):
        export_liblinear(LinearSVM().fit(X, words), path)
    with pytest.raises(ValueError, match="32-bit integers"):
        export_liblinear(LinearSVM().fit(X, y + 2**31), path)
    with pytest.raises(ValueError, match="votes, which LIBLINEAR does not"):
        export_liblinear(LinearSVM("ovo").fit(X, y), path)
    with pytest.raises(TypeError, match="KernelSVM is no linear machine"):
        export_liblinear(KernelSVM().fit(X, y), path)
    with pytest.raises(NotFittedError):
        export_liblinear(MaxEnt(), path)
    assert os.listdir(tmp_path) == []


GOOD = """solver_type MCSVM_CS
nr_class 2
label 1 -1
nr_feature 2
bias -1
w
1 -1
0.5 -0.5
"""


def test_a_good_file(tmp_path):
    (tmp_path / "model").write_text(GOOD)
    model = import_liblinear(tmp_path / "model")
    assert model.coef_.tolist() == [[2.0, 1.0]]
    assert model.classes_.tolist() == [-1, 1] and not model.fit_intercept


BROKEN = {
    "nothing": ("", "line 1 should be"),
    "no head": (GOOD[GOOD.index("w\n") :], "it has no bias, label"),
    "a line twice": (GOOD.replace("bias -1", "label 1"), "line 5 should be"),
    "regression": (GOOD.replace("MCSVM_CS", "L2R_L2LOSS_SVR"), "solver_type"),
    "no number": (GOOD.replace("nr_class 2", "nr_class two"), "nr_class is not"),
    "a class": (GOOD.replace("nr_class 2", "nr_class 1"), "one label for each"),
    "labels": (GOOD.replace("label 1 -1", "label 1 1"), "one label for each"),
    "a fraction": (GOOD.replace("label 1 -1", "label 1 0.5"), "label is not"),
    "features": (GOOD.replace("nr_feature 2", "nr_feature 99999999"), "has 4 weights"),
    "beyond": (GOOD.replace("nr_feature 2", "nr_feature 9999999999"), "out of range"),
    "a weight less": (GOOD[:-5], "weights where 2 lines of 2 are expected"),
    "a word": (GOOD.replace("0.5 ", "half "), "the weights are not numbers only"),
    "infinite": (GOOD.replace("0.5 ", "inf "), "not finite"),
    "bias": (GOOD.replace("bias -1", "bias"), "bias is not one number"),
    "bytes": ("\x00\xff" * 50, "should be one of"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(tmp_path, case):
    text, message = BROKEN[case]
    (tmp_path / "model").write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelFileError, match=message):
        import_liblinear(tmp_path / "model")
