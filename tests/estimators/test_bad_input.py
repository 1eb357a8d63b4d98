"""Bad input is one sentence that names the argument; odd input is decided."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import ALL_PAIRS, make_model, make_problem
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

from polymargin import LinearSVM, MaxEnt

X, y = make_problem(n=30, d=4, k=3)


def fit(X, y, machine="cs", loss="hinge", sample_weight=None, **parameters):
    parameters = {"random_state": 0, "C": 0.5} | parameters
    model = LinearSVM(machine, loss=loss, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("machine", "svm"),
        ("machine", None),
        ("loss", "logistic"),
        ("restricted", "newton"),
        ("order", "backwards"),
        ("C", 0),
        ("C", -1.0),
        ("C", np.nan),
        ("C", np.inf),
        ("C", "1"),
        ("tol", -1e-3),
        ("tol", None),
        ("tol", np.nan),
        ("violation_tol", 0),
        ("violation_tol", -1),
        ("max_iter", 0),
        ("max_iter", 2.5),
        ("max_time", 0),
        ("max_time", -1),
        ("intercept_scaling", 0),
        ("intercept_scaling", -1),
        ("restricted_tol", 0),
        ("restricted_sweeps", 0),
        ("shrinking", "rows"),
        ("class_weight", "unbalanced"),
        ("shrinking", "yes"),
        ("warm_start", 2),
        ("n_jobs", 1.5),
        ("random_state", "seed"),
        ("verbose", -1),
        ("history", "no"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_bad_parameter(name, value, method):
    model = LinearSVM(**{name: value})
    arguments = {} if method == "fit" else {"classes": [0, 1, 2]}
    with pytest.raises(ValueError, match=rf"\b{name}\b") as caught:
        getattr(model, method)(X, y, **arguments)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", -1.0),
        ("tol", np.nan),
        ("violation_tol", 0),
        ("max_iter", 0),
        ("order", "backwards"),
        ("restricted", "active_set"),
        ("class_weight", "unbalanced"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_bad_parameter_of_maximum_entropy(name, value, method):
    arguments = {} if method == "fit" else {"classes": [0, 1, 2]}
    with pytest.raises(ValueError, match=rf"'{name}' parameter of MaxEnt") as caught:
        getattr(MaxEnt(**{name: value}), method)(X, y, **arguments)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["dense", "F", "csr", "float32", "sample_weight"])
def test_not_finite(where, bad):
    Z = X.copy()
    if where == "sample_weight":
        weight = np.ones(len(y))
        weight[3] = bad
        with pytest.raises(ValueError, match=r"(?i)sample_weight contains|weights"):
            fit(X, y, sample_weight=weight)
        return
    Z[5, 2] = bad
    Z = {
        "dense": Z,
        "F": np.asfortranarray(Z),
        "csr": sp.csr_array(Z),
        "float32": Z.astype(np.float32),
    }[where]
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        fit(Z, y)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X[0], y, "1D array"),
        (X[:, :, None], y, "dim 3"),
        (X[:-1], y, "inconsistent numbers of samples"),
        (X, y[:, None].repeat(2, axis=1), "y should be a 1d array"),
        (X, None, "y cannot be None|requires y"),
        (X[:0], y[:0], "0 sample"),
        (X[:, :0], y, "0 feature"),
        (X, np.linspace(0, 1, len(y)), "Unknown label type: continuous"),
        (X, np.where(y == 1, np.nan, y), "y contains NaN"),
        (X.astype(complex), y, "Complex data not supported"),
        (X.astype(str)[:, :1] + "a", y, "could not convert|dtype"),
    ],
)
def test_bad_data(rows, labels, message):
    with pytest.raises(ValueError, match=message):
        fit(rows, labels)


@pytest.mark.parametrize("estimator", [LinearSVM(), LinearSVM("ovo"), MaxEnt()])
@pytest.mark.parametrize("label", [1, "a", True])
def test_one_class(label, estimator):
    with pytest.raises(ValueError, match="at least two classes in y") as caught:
        estimator.fit(X, [label] * len(X))
    message = str(caught.value)
    assert message.startswith(type(estimator).__name__)
    assert repr(label) in message
    assert message.endswith(".") and message.count("\n") == 0


def test_one_row():
    with pytest.raises(ValueError, match="at least two classes in y"):
        fit(X[:1], y[:1])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(len(y)), "Negative values.*sample_weight"),
        (np.ones(3), r"sample_weight.shape == \(3,\)"),
        (np.ones((len(y), 2)), "(?i)sample.weight"),
    ],
)
def test_bad_sample_weight(weight, message):
    with pytest.raises(ValueError, match=message):
        fit(X, y, sample_weight=weight)


def test_class_weight_of_an_unknown_class():
    with pytest.raises(ValueError, match=r"class_weight|not in class"):
        fit(X, y, class_weight={7: 2.0, 8: 1.0, 9: 3.0})


@pytest.mark.parametrize("weight", [-1.0, np.nan])
def test_class_weight_that_is_not_a_weight(weight):
    """A negative or missing C_i is no machine."""
    with pytest.raises(ValueError, match="class_weight"):
        fit(X, y, class_weight={0: weight})


def test_predict_before_fit():
    for machine, loss in ALL_PAIRS:
        for name in ("predict", "decision_function", "predict_proba"):
            model = make_model(machine, loss)
            if hasattr(model, name):
                with pytest.raises(NotFittedError):
                    getattr(model, name)(X)
        with pytest.raises(NotFittedError):
            model.score(X, y)


@pytest.mark.parametrize("estimator", [LinearSVM(), LinearSVM("ovo"), MaxEnt()])
def test_wrong_number_of_features_at_predict(estimator):
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"3 features, but {name} is expecting 4"):
        estimator.fit(X, y).predict(X[:, :3])


def test_a_failed_fit_leaves_no_half_fitted_model():
    model = LinearSVM(random_state=0).fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), y)
    np.testing.assert_array_equal(model.coef_, before)
    np.testing.assert_array_equal(
        model.predict(X), LinearSVM(random_state=0).fit(X, y).predict(X)
    )


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_tol_zero_ends(machine, loss):
    """It cannot be met, but it is not an error: the fit ends and says how."""
    model = make_model(machine, loss, tol=0, C=0.1, max_iter=20_000, random_state=0)
    try:
        model.fit(X, y)
    except Warning:
        assert model.status_ in ("precision", "max_iter")
    else:
        assert model.status_ == "converged" and model.dual_gap_ <= 0
    assert abs(model.dual_gap_) < 1e-6


def test_sensible_reference_is_not_fooled():
    """The data of this file can be learned: a model that errs is not the data's."""
    assert LinearSVC(random_state=0).fit(X, y).score(X, y) > 0.6
    assert fit(X, y).score(X, y) > 0.6
