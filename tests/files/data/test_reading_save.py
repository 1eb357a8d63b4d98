"""save_data: what is written reads back exactly, and is never there in part."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_svmlight_file

from polymargin import load_data, save_data

NAMES = ["a.svm", "a.csv", "a.tsv", "a.npz"]
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
MATRICES = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.one_of(st.just(0.0), FINITE),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("saved")


@given(
    X=MATRICES,
    sparse=st.booleans(),
    name=st.sampled_from(NAMES),
    labels=st.sampled_from([[3, -4], [0.5, 1e-300], ["spam", "Käse"], None]),
)
@settings(deadline=None, max_examples=300)
def test_round_trip(folder, X, sparse, name, labels):
    y = None if labels is None else np.array(labels)[np.arange(len(X)) % 2]
    save_data(sp.csr_matrix(X) if sparse else X, y, folder / name)
    options = {"dtype": X.dtype, "n_features": X.shape[1]}
    if name == "a.svm":
        options["zero_based"] = False
    elif y is None:
        options["label"] = False
    data = load_data(folder / name, **options)
    read = data.X.toarray() if sp.issparse(data.X) else data.X
    np.testing.assert_array_equal(read, X)
    if y is None:
        assert data.y is None
    else:
        assert data.y.tolist() == y.tolist()
    assert os.listdir(folder) == [name] or name in os.listdir(folder)


@pytest.mark.parametrize("zero_based", [False, True])
def test_scikit_learn_reads_it(tmp_path, zero_based):
    X = sp.random(30, 20, 0.3, "csr", random_state=0)
    y = np.arange(30) / 4
    save_data(X, y, tmp_path / "rows", zero_based=zero_based)
    other, labels = load_svmlight_file(
        str(tmp_path / "rows"), zero_based=zero_based, n_features=20
    )
    assert (other != X).nnz == 0
    np.testing.assert_array_equal(labels, y)


def test_names_and_quotes(tmp_path):
    y = np.array(["a,b", 'say "so"', " blank ", "plain"])
    names = ["u,v", "label", "3"]
    for name in ("t.csv", "t.tsv", "t.npz"):
        save_data(np.arange(12).reshape(4, 3), y, tmp_path / name, feature_names=names)
        data = load_data(tmp_path / name)
        assert data.y.tolist() == y.tolist()
        assert data.feature_names == names


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed(tmp_path, suffix):
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    path = tmp_path / f"rows.csv{suffix}"
    save_data(np.eye(300), np.arange(300), path)
    assert path.stat().st_size < 10_000
    np.testing.assert_array_equal(load_data(path).X, np.eye(300))


def test_many_rows(tmp_path):
    """More than become text at once."""
    X = sp.random(9001, 50, 0.05, "csr", random_state=0)
    save_data(X, np.arange(9001), tmp_path / "rows")
    data = load_data(tmp_path / "rows", n_features=50)
    assert (data.X != X).nnz == 0
    np.testing.assert_array_equal(data.y, np.arange(9001))


def test_standard_output(run_python):
    script = "from polymargin import save_data; save_data([[0, 1.5]], ['a'], '-')"
    assert run_python(script) == "a 2:1.5\n"


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        ([[1.0]], ["a b"], {}, "label 'a b', which svmlight text cannot hold; rename"),
        ([[1.0]], ["1:2"], {}, "label '1:2'"),
        ([[1.0]], [""], {}, "label ''"),
        ([[1.0]], [np.nan], {}, "label 'nan'"),
        ([[1.0]], ["x" * 256], {}, "label 'xxx"),
        ([[1.0]], ["a\nb"], {"format": "csv"}, "which a table cannot hold"),
        ([[1.0]], [1, 2], {}, r"y has shape \(2,\), but X has 1 rows"),
        ([1.0], [1], {}, r"X has shape \(1,\)"),
        ([[np.inf]], [1], {}, "X has values that are not finite"),
        ([[1.0]], [1], {"feature_names": ["a", "b"]}, "feature_names has 2 names"),
        ([[1.0]], [1], {"format": "arff"}, "format='arff' is not known"),
        (
            [[1.0]],
            [1],
            {"format": "csv", "feature_names": ["a\nb"]},
            "a name of several lines",
        ),
    ],
)
def test_errors(tmp_path, X, y, options, words):
    path = tmp_path / "rows"
    path.write_text("before")
    with pytest.raises(ValueError, match=words) as caught:
        save_data(X, y, path, **options)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["rows"]  # nothing beside it
    assert path.read_text() == "before"


def test_a_failing_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "rows"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_data([[1.0]], [1], path)
    assert os.listdir(tmp_path) == ["rows"]
    assert path.read_text() == "before"
