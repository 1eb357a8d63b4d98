"""CSV and TSV: the label column, headers, quotes, and what is wrong where."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polymargin import load_data

IRIS = "sepal,petal,species\n5.1,1.4,setosa\n6.3,4.9,versicolor\n"


def load(text: str, **options):
    return load_data(text.encode(), **options)


def test_header_and_words():
    data = load(IRIS)
    np.testing.assert_array_equal(data.X, [[5.1, 1.4], [6.3, 4.9]])
    assert data.y.tolist() == ["setosa", "versicolor"]
    assert data.feature_names == ["sepal", "petal"]


@pytest.mark.parametrize(
    ("text", "label", "y", "names"),
    [
        ("y,a,b\n1,2,3\n4,5,6\n", None, [1, 4], ["a", "b"]),
        ("a,Class,b\n1,2,3\n", None, [2], ["a", "b"]),
        ("label,a,target\n1,2,3\n", None, [3], ["label", "a"]),
        ("a,b,c\n1,2,3\n", None, [3], ["a", "b"]),
        ("a,b,c\n1,2,3\n", "b", [2], ["a", "c"]),
        ("a,b,c\n1,2,3\n", 0, [1], ["b", "c"]),
        ("a,b,c\n1,2,3\n", -2, [2], ["a", "c"]),
        ("a,b,c\n1,2,3\n", False, None, ["a", "b", "c"]),
        ("1,2,3\n4,5,6\n", None, [3, 6], None),
        ("1,2,3\n4,5,6\n", 0, [1, 4], None),
        ("1,2,cat\n4,5,dog\n", None, ["cat", "dog"], None),
        ("0,1,label\n4,5,dog\n", None, ["dog"], ["0", "1"]),
        ("0,1,x\n4,5,6\n", None, [6], ["0", "1"]),
        ("1,2,0.5\n1,2,1\n", None, [0.5, 1.0], None),
    ],
)
def test_which_column_is_the_label(text, label, y, names):
    data = load(text, format="csv", label=label)
    assert data.feature_names == names
    assert (None if data.y is None else data.y.tolist()) == y


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_blanks_and_quotes(delimiter, end):
    rows = [
        ["a", '"b c"', "label"],
        ["1", ' "2.5" ', '"x;y,z"'],
        [],
        [" -3e2", "+4 ", '" say ""so"" "'],
        ["5", ".5", "plain"],
    ]
    text = end.join(delimiter.join(row) for row in rows)
    for whole in (text, text + end, "\ufeff" + text):
        data = load(whole, format="tsv" if delimiter == "\t" else "csv")
        np.testing.assert_array_equal(data.X, [[1, 2.5], [-300, 4], [5, 0.5]])
        assert data.y.tolist() == ["x;y,z", ' say "so" ', "plain"]
        assert data.feature_names == ["a", "b c"]


@given(
    X=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(
                st.floats(allow_nan=False, allow_infinity=False),
                min_size=width,
                max_size=width,
            ),
            min_size=1,
            max_size=8,
        )
    ),
    words=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1)
        .map(lambda word: "w" + word.strip())
        .filter(lambda word: len(word.encode()) < 80),
        min_size=8,
        max_size=8,
    ),
)
@settings(deadline=None, max_examples=200)
def test_what_pandas_writes(X, words):
    X = np.array(X)
    table = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    table["class"] = words[: len(X)]
    data = load_data(table.to_csv(index=False).encode(), format="csv")
    assert data.X.tobytes() == X.tobytes()
    assert data.y.tolist() == words[: len(X)]


def test_threads_do_not_show():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    y = rng.integers(5, size=len(X))
    text = io.BytesIO()
    pd.DataFrame(X).assign(y=y).to_csv(text, index=False, lineterminator="\n\n")
    assert text.tell() > 8 * 2**18
    for threads in range(1, 9):
        data = load_data(text.getvalue(), format="csv", n_jobs=threads)
        assert data.X.tobytes() == X.tobytes()
        np.testing.assert_array_equal(data.y, y)


def test_types():
    assert load(IRIS, dtype=np.float32).X.dtype == np.float32
    assert load(IRIS, dtype=None).X.dtype == np.float64
    with pytest.raises(ValueError, match="finite in this dtype in column 'a'"):
        load("a,y\n1e300,1\n", dtype=np.float32)


HEAD = "a,b,label\n1,2,x\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            HEAD + "3,red,y\n",
            "line 3, column 3: expected a number in column 'b'",
        ),
        (
            HEAD + "3,,y\n",
            "column 'b', found nothing; fill it in, or leave out",
        ),
        (HEAD + "3,NA,y\n", "expected a number in column 'b', found 'NA'; correct it"),
        (HEAD + "3,nan,y\n", "expected a finite number in column 'b', found 'nan'"),
        (HEAD + "3,1e999,y\n", "number that is finite in this dtype in column 'b'"),
        (HEAD + "3,4\n", "line 3: expected 3 columns, found only 2"),
        (HEAD + "\n\n3,4,5,6\n", "line 5: expected 3 columns, found more"),
        (
            HEAD + "3,4,\n",
            "column 5: expected a label in column 'label', f.*nothing",
        ),
        (HEAD + "3,4,nan\n", "expected a label in column 'label', found 'nan'"),
        (HEAD + '3,4,"x\n', "label with its closing quote in the same line"),
        (HEAD + f"3,4,{'x' * 256}\n", "expected a label of at most 255 bytes in"),
        ("1,2,3\n4,x,6\n", "line 2, column 3: expected a number in column 1, counted"),
        (",a,y\n0,1,2\n", "first column without a name.*index=False"),
        ("y\n1\n", "only one column, the label; separate columns by a comma"),
        ("a,b,y\n", "a header, but no rows"),
        ("", "the input has no rows"),
        ("\n \n", "the input has no rows"),
    ],
)
def test_errors(text, words):
    with pytest.raises(ValueError, match=words) as caught:
        load(text, format="csv")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("the input")


def test_errors_of_encoding():
    for text in (b"\xff,b\n1,2\n", b"a,b\n1,\xff\n"):
        with pytest.raises(ValueError, match="is no text in UTF-8"):
            load_data(text, format="csv")
    with pytest.raises(ValueError, match=r"line 3.*expected a label in UTF-8"):
        load_data(b"a,b\n1,2\n3,\xff\n", format="csv")


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "c",
            "label='c', but the input has no column of that name; its columns",
        ),
        ("a", "label='a', but the input has several columns"),
        (3, "label=3, but the input has 3 columns"),
        (-4, "label=-4, but the input has 3 columns"),
        (1.5, "label=1.5 names no column; give"),
        (True, "label=True names no column; give"),
    ],
)
def test_errors_of_the_label(label, words):
    with pytest.raises((ValueError, TypeError), match=words):
        load("a,a,b\n1,2,3\n", label=label)


def test_a_name_needs_a_header():
    with pytest.raises(ValueError, match="label='a', but the input has no header"):
        load("1,2\n3,4\n", label="a")


def test_number_of_features():
    assert load(IRIS, n_features=2).X.shape == (2, 2)
    with pytest.raises(ValueError, match="n_features=3, but the input has 2"):
        load(IRIS, n_features=3)


@given(st.one_of(st.binary(max_size=100), st.text('1,.\n"-ea ;\t\r').map(str.encode)))
@settings(deadline=None, max_examples=500)
def test_any_bytes_give_rows_or_one_sentence(text):
    try:
        data = load_data(text, format="csv")
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(data.X).all() and len(data.X) == len(data.y) > 0
