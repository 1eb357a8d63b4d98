"""npz and Parquet: the layouts that are read, and files that are broken or hostile."""

import io
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from polymargin import convert, load_data
from polymargin.files.data.train_and_test import load_parts, load_together

X = np.array([[1.0, 0, 2], [0, 3, 0]])
CSR = sp.csr_matrix(X)
PARTS = {name: getattr(CSR, name) for name in ("data", "indices", "indptr", "shape")}


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def parquet(**columns) -> bytes:
    pytest.importorskip("pyarrow")
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


def test_dense_npz():
    data = load_data(npz(X=X, y=["b", "a"], feature_names=["u", "v", "w"]))
    np.testing.assert_array_equal(data.X, X)
    assert (data.y.tolist(), data.feature_names) == (["b", "a"], ["u", "v", "w"])
    assert load_data(npz(X=X)).y is None
    assert load_data(npz(X=X, y=[1, 2]), label=False).y is None


def test_sparse_npz():
    data = load_data(npz(**PARTS, y=[2.0, 1.0]))
    assert sp.issparse(data.X) and data.y.dtype == np.int64
    np.testing.assert_array_equal(data.X.toarray(), X)
    file = io.BytesIO()
    sp.save_npz(file, CSR)  # the layout of SciPy
    np.testing.assert_array_equal(load_data(file.getvalue()).X.toarray(), X)


def test_kinds_of_labels():
    for y, expected in [
        ([True, False], [1, 0]),
        (np.array([2**63, 1], dtype=np.uint64), [2**63, 1]),
        (np.array([b"a", b"b"]), ["a", "b"]),
        (np.array([1.5, 2]), [1.5, 2]),
        (np.array(["1", "2"]), [1, 2]),
    ]:
        assert load_data(npz(X=X, y=y)).y.tolist() == expected


def test_types():
    narrow = npz(X=X.astype(np.float32), y=[1, 2])
    assert load_data(narrow).X.dtype == np.float64
    assert load_data(narrow, dtype=None).X.dtype == np.float32
    assert load_data(npz(X=X.astype(int)), dtype=None).X.dtype == np.float64
    assert load_data(npz(**PARTS), dtype=np.float32).X.dtype == np.float32


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"y": [1]}, "no X and no indptr, only y"),
        ({}, "no X and no indptr, only nothing"),
        ({"X": X, "y": [1, 2, 3]}, r"X with 2 rows and y of shape \(3,\)"),
        ({"X": X[0], "y": [1, 2, 3]}, r"X of shape \(3,\)"),
        ({"X": X.astype(str)}, "type <U32; it takes two dimensions and numbers"),
        ({"X": X, "y": [1, np.nan]}, "labels that are missing or not finite"),
        ({"X": X, "y": [1j, 2]}, "labels of type complex128"),
        ({"X": X, "feature_names": ["a"]}, "one name for each"),
        ({"X": X[:0]}, "has no rows"),
        ({"X": X[:, :0]}, "has no features"),
        ({"X": [[1.0, np.inf]]}, "has inf in row 0, feature 1, counted from 0"),
        ({**PARTS, "data": [1, np.nan, 1]}, "has nan in row 0, feature 2"),
        ({**PARTS, "indices": [0, 9, 1]}, "cannot be read as .npz"),
        ({**PARTS, "indptr": [0, 5, 3]}, "cannot be read as .npz"),
        ({**PARTS, "format": b"csc"}, "stored as .*csc.*; save X.tocsr"),
        ({"X": np.array([{}, []], dtype=object)}, "cannot be read as .npz.*pickle"),
    ],
)
def test_bad_npz(arrays, words):
    with pytest.raises(ValueError, match=words) as caught:
        load_data(npz(**arrays), format="npz")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("the input")


class Hostile:
    def __reduce__(self):
        return pytest.fail, ("code from a file was run",)


def test_code_is_not_run(tmp_path):
    path = tmp_path / "hostile.npz"
    np.savez(path, X=np.array([[Hostile()]], dtype=object), y=[1])
    for content in (path, pickle.dumps(Hostile())):
        with pytest.raises(ValueError, match=r"cannot be read as \.npz"):
            load_data(content, format="npz")


def test_parquet():
    content = parquet(a=[1, 2], b=[True, False], label=["u", "v"], c=[0.5, 1])
    data = load_data(content)
    np.testing.assert_array_equal(data.X, [[1, 1, 0.5], [2, 0, 1]])
    assert (data.y.tolist(), data.feature_names) == (["u", "v"], ["a", "b", "c"])
    narrow = parquet(a=np.float32([1, 2]), y=[3, 4])
    assert load_data(narrow, dtype=None).X.dtype == np.float32
    without = load_data(narrow, label=False, format="parquet", n_features=2)
    assert without.y is None and without.feature_names == ["a", "y"]


def test_parquet_categories():
    colours = pd.Categorical(["red", "blue", "red"])
    assert load_data(parquet(a=[1, 2, 3], colour=colours)).y.tolist() == list(colours)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"a": ["x", "y"], "label": [1, 2]}, r"type \w*string in column 'a'; features"),
        ({"a": [1, None], "label": [1, 2]}, "1 missing values in column 'a'; fill"),
        ({"a": [1, 2], "label": ["x", None]}, "1 missing values in column 'label'"),
        ({"a": [1, np.inf], "label": [1, 2]}, "has inf in row 1, feature 0"),
        ({"label": [1, 2]}, "has no features"),
        ({"a": [], "label": []}, "no rows|column 'a'"),
    ],
)
def test_bad_parquet(columns, words):
    with pytest.raises(ValueError, match=words) as caught:
        load_data(parquet(**columns))
    assert "\n" not in str(caught.value)


def test_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="needs the package pyarrow; pip install"):
        load_data(b"PAR1....", format="parquet")


@given(
    whole=st.sampled_from([npz(X=X, y=[1, 2]), npz(**PARTS, y=["a", "b"])]),
    changes=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=4),
    kept=st.floats(0.1, 1),
)
@settings(deadline=None, max_examples=500)
def test_broken_npz_gives_rows_or_one_sentence(whole, changes, kept):
    content = bytearray(whole)
    for at, byte in changes:
        content[int(at * len(content))] = byte
    try:
        load_data(bytes(content[: int(kept * len(content))]), format="npz")
    except ValueError as error:
        assert "\n" not in str(error)


def test_cut_parquet():
    whole = parquet(a=[1, 2], label=["u", "v"])
    for size in (4, 10, len(whole) // 2, len(whole) - 1):
        with pytest.raises(ValueError, match="cannot be read as Parquet"):
            load_data(whole[:size], format="parquet")


def test_parts_of_npz(tmp_path):
    path = tmp_path / "both.npz"
    np.savez(path, X=X, y=[1, 2], X_test=X[:1], y_test=[1])
    train, test = load_parts(path)
    assert (len(train.y), len(test.y)) == (2, 1)
    test_parts = {f"test_{key}": value for key, value in PARTS.items()}
    np.savez(path, **PARTS, y=[1, 2], **test_parts, y_test=[3, 4])
    train, test = load_parts(path)
    np.testing.assert_array_equal(test.X.toarray(), X)
    assert test.y.tolist() == [3, 4]


def test_parts_in_two_files(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:1 2:2\n2 1:1\n")
    assert len(load_parts(path)) == 1
    (tmp_path / "rows.svm.t").write_bytes(b"1 0:1 7:2\n")
    train, test = load_parts(path)
    assert train.zero_based and test.zero_based
    assert train.X.shape[1] == test.X.shape[1] == 8
    np.testing.assert_array_equal(train.X.indices, [1, 2, 1])


def test_together_without_index_zero():
    first, second = load_together([b"1 1:1\n", b"2 4:1\n"])
    assert first.X.shape[1] == second.X.shape[1] == 4
    assert second.X.indices.tolist() == [3]


@pytest.mark.parametrize("indptr", [[0, 2, 0], [0, 2**20, 0], [0, -1, 0]])
def test_starts_of_rows_that_end_at_zero(tmp_path, indptr):
    """They are looked at even if the matrix claims to have no values."""
    path = tmp_path / "a.npz"
    np.savez(
        path, data=[1.0, 2.0], indices=[0, 1], indptr=indptr, shape=[2, 3], y=[0, 1]
    )
    with pytest.raises(ValueError, match="indptr"):
        load_data(path)
    with pytest.raises(ValueError, match="indptr"):
        convert(path, tmp_path / "a.rows")


def test_a_reason_that_quotes_the_file():
    """A name that goes on to the end of the file would be told as a whole."""
    file = io.BytesIO()
    np.savez(file, X=np.ones((400, 3)), y=np.arange(400) % 2)
    content = bytearray(file.getvalue())
    content[26:28] = (9000).to_bytes(2, "little")  # the length of the first name
    with pytest.raises(ValueError, match=r"cannot be read as \.npz: File name") as told:
        load_data(bytes(content))
    assert len(str(told.value)) < 400
