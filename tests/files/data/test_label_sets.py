"""Several labels a row in svmlight text."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from polymargin import load_data, save_data

TEXT = b"1,5,9 3:0.4\n 1:1\n5 2:2 # one\n2:7\n9,1 qid:3 1:1\n"
SETS = [(1, 5, 9), (), (5,), (), (1, 9)]


def test_as_in_scikit_learn(tmp_path):
    (tmp_path / "tags.svm").write_bytes(b"1,5,9 3:0.4\n 1:1\n5 2:2\n")
    X, sets = load_svmlight_file(str(tmp_path / "tags.svm"), multilabel=True)
    ours = load_data(tmp_path / "tags.svm", several_labels=True)
    assert_array_equal(ours.X.toarray(), X.toarray())
    binarizer = MultiLabelBinarizer()
    assert_array_equal(ours.y.toarray(), binarizer.fit_transform(sets))
    assert_array_equal(ours.label_names, binarizer.classes_)


def test_numbers_words_and_rows_without_labels():
    data = load_data(TEXT, format="svmlight", several_labels="auto")
    assert data.label_names.tolist() == [1, 5, 9]
    expected = [[label in one for label in (1, 5, 9)] for one in SETS]
    assert_array_equal(data.y.toarray(), expected)
    words = load_data(b"b,a 1:1\na,a 1:1\n", format="svmlight", several_labels=True)
    assert words.label_names.tolist() == ["a", "b"]
    assert_array_equal(words.y.toarray(), [[1, 1], [1, 0]])


def test_auto_leaves_one_label_a_row_as_it_is():
    data = load_data(b"3 1:1\n1 1:2\n", format="svmlight", several_labels="auto")
    assert data.label_names is None
    assert data.y.tolist() == [3, 1]


def test_auto_needs_no_order_of_the_rows():
    """The first rows may have no label, or one."""
    lines = [b"1:1", b"4 1:2", b"1,3 2:1", b"3 1:3"]
    for order in permutations(lines):
        text = b"\n".join(order) + b"\n"
        data = load_data(text, format="svmlight", several_labels="auto")
        expected = load_data(text, format="svmlight", several_labels=True)
        assert_array_equal(data.y.toarray(), expected.y.toarray())
        assert data.label_names.tolist() == [1, 3, 4]


def test_auto_is_not_for_rows_that_are_wrong():
    for text in (b"1:1\n4 1:2\n", b"4 1:2\n1:1\n"):
        with pytest.raises(ValueError, match="line 2, column 1: expected"):
            load_data(text, format="svmlight", several_labels="auto")


@given(st.data())
def test_round_trip(tmp_path_factory, data):
    n, k = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 5))
    bits = st.lists(st.booleans(), min_size=k, max_size=k)
    Y = np.array(data.draw(st.lists(bits, min_size=n, max_size=n)), dtype=int)
    Y[0] = 1  # every label occurs
    X = np.arange(3 * n).reshape(n, 3) % 4.0
    names = np.array(["p", "q", "r:s".replace(":", ""), "t", "u"])[:k]
    path = tmp_path_factory.mktemp("sets") / "tags.svm"
    save_data(X, sp.csr_array(Y) if n % 2 else Y, path, label_names=names)
    again = load_data(path, several_labels=True, n_features=3)
    assert_array_equal(again.y.toarray(), Y[:, np.argsort(names)])
    assert_array_equal(again.label_names, np.sort(names))
    assert_array_equal(again.X.toarray(), X)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (b"1,5 1:1\n", {}, "line 1, column 1: expected one label, found '1,5'"),
        (b"1,,5 1:1\n", {"several_labels": True}, "'1,,5', of which one is empty"),
        (b"1,5 x\n", {"several_labels": True}, "line 1, column 5: expected"),
        (
            b"a,b\n1,2\n",
            {"several_labels": True, "format": "csv"},
            "several_labels=True, but the input is csv; give svmlight text",
        ),
    ],
)
def test_what_cannot_be_read(text, options, message):
    with pytest.raises(ValueError, match=message):
        load_data(text, **{"format": "svmlight"} | options)


@pytest.mark.parametrize(
    ("y", "name", "options", "message"),
    [
        (np.eye(2), "tags.npz", {}, "several labels a row, which npz does not hold"),
        (np.eye(3), "tags.svm", {}, "y has shape .3, 3., but X has 2 rows"),
        (np.eye(2), "tags.svm", {"label_names": ["a,b", "c"]}, "'a,b', which svmlight"),
        (np.eye(2), "tags.svm", {"label_names": ["a"]}, "there are 1 label_names"),
    ],
)
def test_what_cannot_be_written(tmp_path, y, name, options, message):
    with pytest.raises(ValueError, match=message):
        save_data(np.eye(2), y, tmp_path / name, **options)
    assert not list(tmp_path.iterdir())
