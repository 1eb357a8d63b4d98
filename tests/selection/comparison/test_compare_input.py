"""Data sets and machines by name, and one sentence for what is not one."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_iris
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, compare
from polymargin.selection.comparison.datasets import load_datasets
from polymargin.selection.comparison.machine_names import find_machines

IRIS = load_iris(return_X_y=True)


def test_toys():
    names = ["iris", "wine", "digits", "breast_cancer"]
    classes = [data.n_classes for data in load_datasets(names)]
    assert classes == [3, 3, 10, 2]


def test_dense_file(tmp_path):
    X, y = IRIS
    words = np.array(["a", "b", "c"])[y]
    np.savez(tmp_path / "flowers.npz", X=X, y=words, X_test=X[:30], y_test=words[:30])
    (data,) = load_datasets(tmp_path / "flowers.npz")
    assert (data.name, data.n_given_train) == ("flowers", 150)
    np.testing.assert_array_equal(data.X, np.vstack([X, X[:30]]))
    np.testing.assert_array_equal(data.y, np.concatenate([y, y[:30]]))


def test_sparse_file(tmp_path):
    X, y = sp.csr_matrix(IRIS[0]), IRIS[1]
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    np.savez(tmp_path / "sparse.npz", **arrays, shape=X.shape, y=y)
    (data,) = load_datasets([str(tmp_path / "sparse.npz")])
    assert sp.issparse(data.X) and data.n_given_train is None
    np.testing.assert_array_equal(data.X.toarray(), IRIS[0])


def test_svmlight_files(tmp_path):
    X, y = IRIS
    dump_svmlight_file(X, y + 1, str(tmp_path / "iris.scale"))
    dump_svmlight_file(X[:9], y[:9] + 1, str(tmp_path / "iris.scale.t"))
    (data,) = load_datasets([tmp_path / "iris.scale"])
    assert (data.name, data.n_given_train, data.n_classes) == ("iris", 150, 3)
    np.testing.assert_allclose(data.X[:150].toarray(), X)


def test_one_tuple_is_one_data_set():
    assert load_datasets(("mine", *IRIS))[0].name == "mine"
    assert len(load_datasets(("iris", "wine", "digits"))) == 3


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("mushrooms", "'mushrooms' is neither a file nor one of iris"),
        (("mine", np.ones((3, 1)), [1, 1, 1]), "has only the class 1"),
        (("mine", np.ones((3, 1)), [1, 2]), "3 rows and 2 labels"),
        (("mine", [[1.0], [np.nan]], [1, 2]), "'mine'.*NaN"),
        (("mine", np.ones((2, 1)), [[1], [2]]), "labels of shape"),
        (("mine", np.eye(2), [1, 2], np.ones((1, 3)), [1]), "2 features, but 3"),
        (["iris", "iris"], "'iris' twice"),
        ([], "datasets is empty"),
    ],
)
def test_bad_data(source, words):
    with pytest.raises((ValueError, FileNotFoundError), match=words) as caught:
        load_datasets(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("broken.npz", "cannot be read as .npz"), ("broken.svm", "line 1, column 6: exp")],
)
def test_unreadable_file(tmp_path, name, words):
    (tmp_path / name).write_bytes(b"what is this?\n" * 3)
    with pytest.raises(ValueError, match=rf"{name}.*{words}") as caught:
        load_datasets(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_file_without_labels(tmp_path):
    np.savez(tmp_path / "bare.npz", X=IRIS[0])
    with pytest.raises(ValueError, match=r"bare.npz' has no labels.*\by\b"):
        load_datasets(tmp_path / "bare.npz")


def test_facts_tell_data_sets_apart():
    X, y = IRIS
    (data,), (same,) = load_datasets(("a", X, y)), load_datasets(("a", X.copy(), y))
    (other,) = load_datasets(("a", X, np.roll(y, 1)))
    assert data.facts() == same.facts()
    assert data.facts()["sha256"] != other.facts()["sha256"]


def test_machines_by_name():
    machines = find_machines(
        [
            "ww",
            "ovr-squared_hinge",
            "kernel-llw",
            "maxent",
            "larank",
            "gala:epochs=2",
            "SDM=cs:order=permuted,tol=1e-4,shrinking=False",
            "sklearn.linear_model.SGDClassifier:alpha=0.1",
        ]
    )
    expected = {
        "ww": LinearSVM("ww"),
        "ovr-squared_hinge": LinearSVM("ovr", loss="squared_hinge"),
        "kernel-llw": KernelSVM("llw"),
        "maxent": MaxEnt(),
        "larank": OnlineSVM(selection="random"),
        "gala:epochs=2": OnlineSVM(selection="gain", epochs=2),
        "SDM": LinearSVM("cs", order="permuted", tol=1e-4, shrinking=False),
        "sklearn.linear_model.SGDClassifier:alpha=0.1": SGDClassifier(alpha=0.1),
    }
    assert list(machines) == list(expected)
    for name, machine in machines.items():
        assert type(machine) is type(expected[name])
        assert machine.get_params() == expected[name].get_params()


def test_machines_as_objects():
    pipeline = make_pipeline(StandardScaler(), LinearSVM())
    machines = find_machines([MaxEnt(), ("scaled", pipeline), ("b", "ww")])
    assert list(machines) == ["MaxEnt", "scaled", "b"]
    assert machines["scaled"] is not pipeline
    assert list(find_machines({"a": "cs", "b": MaxEnt()})) == ["a", "b"]
    assert list(find_machines("cs")) == ["cs"]


@pytest.mark.parametrize(
    ("machines", "words"),
    [
        ("svm", "'svm' is not known; choose one of cs"),
        ("cs-cubic", "'cs-cubic' is not known"),
        ("cs:speed=9", "no parameter 'speed'"),
        ("cs:tol", "without value, 'tol'"),
        ("sklearn.svm.Nothing", "cannot be imported"),
        ("numpy.random.Generator", "is no estimator"),
        (["cs", "cs"], "'cs' twice"),
        ([], "machines is empty"),
        (LinearRegression(), "is no classifier"),
        (3, "no list of machines"),
    ],
)
def test_bad_machines(machines, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        find_machines(machines)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"prepare": "whiten"}, "prepare='whiten'"),
        ({"seed": -1}, "seed=-1"),
        ({"protocol": "passes", "machines": "kernel-ww"}, "'kernel-ww' does not train"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        compare("iris", **arguments)
