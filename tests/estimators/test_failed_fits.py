"""A fit that fails leaves the estimator as it was, and the core checks what it gets."""

import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from problems import make_problem
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM

MODELS = [
    LinearSVM(random_state=0),
    LinearSVM("ovo", random_state=0),
    MaxEnt(random_state=0),
    KernelSVM(gamma=0.5, random_state=0),
    KernelSVM(gamma=0.5, approximation="nystroem", rank=10, random_state=0),
    OnlineSVM(gamma=0.5, random_state=0),
]


def iris():
    X, y = load_iris(return_X_y=True)
    return X / X.max(axis=0), y


def wide(n_columns, y):
    """Rows with their one value in the last column."""
    n = len(y)
    at = (np.arange(n), np.full(n, n_columns - 1))
    return sp.csr_matrix((np.ones(n), at), shape=(n, n_columns))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_failed_refit_changes_nothing(model):
    X, y = iris()
    model.fit(sp.csr_matrix(X), y)
    before, labels = set(vars(model)), model.predict(sp.csr_matrix(X))
    with pytest.raises(ValueError, match="class"):
        model.fit(wide(10**7, y), np.zeros_like(y))
    assert set(vars(model)) == before
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(X)), labels)
    with pytest.raises(ValueError, match="features"):
        model.predict(wide(10**7, y))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_failed_first_fit_leaves_nothing(model):
    X, y = iris()
    fresh = type(model)(**model.get_params())
    with pytest.raises(ValueError, match="sample_weight"):
        fresh.fit(X, y, sample_weight=-np.ones(len(y)))
    assert set(vars(fresh)) == set(fresh.get_params())
    with pytest.raises(NotFittedError):
        fresh.predict(X)


@pytest.mark.parametrize("model", [LinearSVM(), OnlineSVM(gamma=0.5)], ids=repr)
def test_a_failed_chunk_changes_nothing(model):
    X, y = iris()
    model.partial_fit(X, y, classes=[0, 1, 2])
    before = model.predict(X)
    with pytest.raises(ValueError, match="not in the classes"):
        model.partial_fit(X, y + 1)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("machine", ["cs", "ww", "ovr", "ovo"])
@pytest.mark.parametrize("C", [1e39, 1e300])
def test_a_weight_beyond_the_number_format_is_an_error(machine, C):
    X, y = iris()
    with pytest.raises(ValueError, match="float32 cannot hold; choose a smaller C"):
        LinearSVM(machine, C=C).fit(X.astype(np.float32), y)
    with pytest.raises(ValueError, match="float32 cannot hold"):
        KernelSVM(machine, C=C).fit(X.astype(np.float32), y)


def test_a_product_of_weights_beyond_float64_is_an_error():
    X, y = iris()
    with pytest.raises(ValueError, match="float64 cannot hold"):
        LinearSVM(C=1e300).fit(X, y, sample_weight=np.full(len(y), 1e300))


@pytest.mark.parametrize("solver", ["auto", "dual", "newton"])
@pytest.mark.parametrize("machine", ["cs", "ww", "ovr", "ovo"])
def test_rows_too_long_for_float32_are_an_error(machine, solver):
    X, y = iris()
    with pytest.raises(ValueError, match="a row of X is too long"):
        LinearSVM(machine, solver=solver).fit((X * 1e25).astype(np.float32), y)


@pytest.mark.parametrize("solver", ["tron", "newton", "dual"])
def test_rows_too_long_for_smooth_losses_are_an_error(solver):
    X, y = iris()
    model = LinearSVM("ovr", loss="squared_hinge", solver=solver)
    with pytest.raises(ValueError, match="a row of X is too long"):
        model.fit((X * 1e25).astype(np.float32), y)


def test_dates_are_no_features():
    y = np.arange(6) % 3
    dates = np.arange(6).astype("M8[D]")[:, None]
    for model in (LinearSVM(), KernelSVM(), OnlineSVM()):
        with pytest.raises(ValueError, match=r"datetime64\[D\]; give dates .* as numb"):
            model.fit(dates, y)


def test_kernel_values_too_large_to_add_prove_nothing(run_python):
    """In a process of its own, which a wrong address would end."""
    lines = run_python(
        """
        import warnings
        from itertools import product
        import numpy as np
        from polymargin import KernelSVM

        warnings.simplefilter("ignore")
        X = np.array([1.2e154, -1.2e154] * 9)[:, None]  # squares are just finite
        y = np.arange(18) % 3
        for machine, solver in product(
            ("ww", "llw", "ovr"), ("smo", "s2do", "block", "newton")
        ):
            model = KernelSVM(machine, kernel="linear", solver=solver, max_iter=20)
            model.set_params(random_state=14)  # of which one said "converged"
            model.fit(X, y)
            assert np.isfinite(model.dual_coef_).all()
            print(model.status_, model.dual_gap_)
        """
    ).splitlines()
    assert len(lines) == 12
    for line in lines:
        status, gap = line.split()
        assert status != "converged" and float(gap) > 1e-3


TAMPERED = [
    "coefficients.indices[:50] = 10**6",
    "coefficients.indptr[3] = 10**6",
    "coefficients.data[::3] = np.nan",
]


def test_tampered_dual_variables_are_refused(run_python):
    """Or do no harm: in a process of its own, which a wrong address would end."""
    lines = run_python(
        """
        import sys
        from itertools import product
        import numpy as np
        from sklearn.datasets import load_iris
        from polymargin import LinearSVM

        X, y = load_iris(return_X_y=True)
        X = X / X.max(axis=0)
        for tamper, machine, solver in product(
            sys.argv[1:], ("cs", "ww", "llw", "ovr", "ovo"), ("dual", "newton")
        ):
            model = LinearSVM(machine, solver=solver, warm_start=True, random_state=0)
            coefficients = model.fit(X, y).dual_coef_
            exec(tamper)
            try:
                model.fit(X, y)
            except (ValueError, IndexError) as error:
                assert "dual" in str(error), error
                print("refused")
            else:
                print("gap", model.dual_gap_)
        """,
        *TAMPERED,
    ).splitlines()
    assert len(lines) == 10 * len(TAMPERED)
    for line in lines:
        assert line == "refused" or float(line.split()[1]) <= 1e-3


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
@pytest.mark.parametrize("broken", ["indices", "negative", "indptr"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_broken_matrices_are_refused_everywhere(model, make, broken):
    X, y = iris()
    model.fit(X, y)
    rows = make(X)
    if broken == "indices":
        rows.indices[7] = 10**8
    elif broken == "negative":
        rows.indices[7] = -5
    else:
        rows.indptr[3] = 10**8
    with pytest.raises(ValueError, match="is not a valid CS"):
        model.predict(rows)
    with pytest.raises(ValueError, match="is not a valid CS"):
        type(model)(**model.get_params()).fit(rows, y)


def unsigned(array):
    return array.astype(np.uint32)


def big_endian(array):
    return array.astype(">i4")


def with_gaps(array):
    return np.repeat(array, 2)[::2]


@pytest.mark.parametrize("change", [unsigned, big_endian, with_gaps])
@pytest.mark.parametrize("model", MODELS[:4], ids=repr)
def test_odd_index_arrays_are_read(model, change):
    X, y = iris()
    plain = sp.csr_array(X)
    odd = plain.copy()
    odd.indices, odd.indptr = change(plain.indices), change(plain.indptr)
    expected = model.fit(plain, y).predict(plain)
    np.testing.assert_array_equal(model.fit(odd, y).predict(plain), expected)


def test_a_stream_is_used_from_several_threads():
    """Chunks, predictions, attributes and pickles at the same time: one by one."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 6)), rng.integers(4, size=3000)
    model = OnlineSVM(gamma=0.2, random_state=0)
    model.partial_fit(X[:50], y[:50], classes=range(4))
    errors = []

    def repeat(work):
        try:
            for _ in range(5):
                work()
        except Exception as error:
            errors.append(error)

    def learn():
        model.partial_fit(X[:300], y[:300])

    works = [
        learn,
        learn,
        lambda: pickle.loads(pickle.dumps(model)).predict(X[:20]),
        lambda: model.dual_objective_ + model.n_seen_,
        lambda: model.predict(X[:200]),
        lambda: model.support_vectors_,
    ]
    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_a_stream_that_fails_midway_leaves_what_was_there():
    """A fit and a first chunk are taken back; of a stream, what was learned stays."""
    X, y = make_problem(n=600, k=3)
    broken = X.copy()
    broken[-1] = 1e200  # its kernel with itself is infinite
    fresh = OnlineSVM("linear", random_state=0)
    for learn in (fresh.fit, lambda X, y: fresh.partial_fit(X, y, classes=[0, 1, 2])):
        with pytest.raises(ValueError, match="infinite"):
            learn(broken, y)
        assert not hasattr(fresh, "classes_") and not hasattr(fresh, "_driver")
    model = OnlineSVM("linear", random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="infinite"):
        model.fit(broken, y)
    assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="infinite"):
        model.partial_fit(broken, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("model", [LinearSVM(), KernelSVM("ovo"), MaxEnt()], ids=repr)
def test_a_sum_of_weights_beyond_float64_is_an_error(model):
    """Each is a number, but no objective would be."""
    X, y = iris()
    with pytest.raises(ValueError, match=r"times the weights of all rows is inf"):
        clone(model).set_params(C=1e308).fit(X, y)
