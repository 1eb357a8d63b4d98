"""Tables of more than numbers: types, missing cells, what is told of broken ones."""

import io

import numpy as np
import pandas as pd
import pytest

from polymargin.files.data.columns import Trained, load_columns


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return load_columns(content, **({"format": "csv"} | options))


def types(data):
    return dict(data.types)


def test_numbers_are_read_by_our_own_parser():
    data = read("a,b,class\n1,2,x\n3,4,y\n")
    assert isinstance(data.X, np.ndarray) and data.types is None
    assert data.is_table and data.label_name == "class"
    assert data.feature_names == ["a", "b"]


def test_types():
    data = read(
        'n,w,d,t,class\n 1 ,"red, dark",2024-01-05,05.01.2024,x\n'
        "?,,2024-02-05,NA,y\n1e3,nan,,31.12.2023,1\n"
    )
    assert types(data) == {
        "n": "number",
        "w": "words",
        "d": "%Y-%m-%d",
        "t": "%d.%m.%Y",
    }
    assert data.X["n"].to_pylist() == [1, None, 1000]
    assert data.X["w"].to_pylist() == ["red, dark", None, None]
    assert data.X["d"].to_pylist()[1].month == 2
    assert data.X["t"].to_pylist()[2].year == 2023
    assert data.y.tolist() == ["x", "y", "1"]


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        ("2021-03-05 10:20:30.125", "%Y-%m-%d %H:%M:%S", "2021-03-05T10:20:30"),
        ("2021-03-05T10:20:30Z", "%Y-%m-%dT%H:%M:%S", "2021-03-05T10:20:30"),
        ("2021-03-05 10:20:30+02:00", "%Y-%m-%d %H:%M:%S", "2021-03-05T10:20:30"),
        ("05.03.2021 10:20", "%d.%m.%Y %H:%M", "2021-03-05T10:20"),
        ("5.3.21", "%d.%m.%y", "2021-03-05"),
        ("3/15/2021 7:05", "%m/%d/%Y %H:%M", "2021-03-15T07:05"),
        ("05-Mar-2021", "%d-%b-%Y", "2021-03-05"),
        ("1.5.2", "words", None),  # a version, and no year 2
        ("12:30", "words", None),
    ],
)
def test_dates_as_programs_write_them(cells, kind, first):
    data = read(f"when,class\n{cells},x\n-,y\n{cells},y\n")
    assert types(data) == {"when": kind}
    if first is not None:
        assert data.X["when"].to_numpy()[0] == np.datetime64(first)
        assert data.X["when"].null_count == 1


def test_marks_of_missing_numbers():
    marks = ["-", "--", ".", "n.a.", "#N/A", "<NA>", "Unknown", "none", "#DIV/0!"]
    rows = [f"{mark},{mark},{mark},x" for mark in marks] + ["1.5,red,,y", ",,,y"]
    data = read("\n".join(["a,w,m,class", *rows]))
    assert types(data) == {"a": "number", "w": "words", "m": "words"}
    assert data.X["a"].to_pylist() == [None] * len(marks) + [1.5, None]
    assert data.X["w"].to_pylist() == [*marks, "red", None]  # there they are words
    trained = Trained([("a", "number")], None, True)
    again = read("a\n-\n2\n", trained=trained)
    assert again.X["a"].to_pylist() == [None, 2]


def test_missing_cells_of_every_kind():
    """A row to be predicted may have nothing but missing cells."""
    kinds = ["number", "number, as 1,234.5", "number, as 1.234,5", "%d.%m.%Y", "words"]
    names = "abcde"
    trained = Trained(list(zip(names, kinds, strict=True)), None, True)
    data = read(";".join(names) + "\n;-;NA;;\n", trained=trained)
    assert data.X.to_pylist() == [dict.fromkeys(names)]


def test_line_breaks_between_quotes_and_other_delimiters():
    data = read('a;b\n"two\nlines";1\nw;2\n')
    assert data.X["a"].to_pylist() == ["two\nlines", "w"]
    assert data.y.tolist() == [1, 2]
    data = read("a\tclass\nw\t1\n", format="tsv")
    assert data.X["a"].to_pylist() == ["w"]


def test_no_header():
    data = read("5.1,red,yes\n4.2,blue,no\n")
    assert data.feature_names == ["0", "1"] and data.label_name is None
    assert data.y.tolist() == ["yes", "no"]


def test_words_that_look_like_numbers():
    data = read("code,class\n01,x\n02,y\n", as_words=["code"])
    assert data.X["code"].to_pylist() == ["01", "02"]


def test_as_in_training():
    trained = Trained([("a", "number"), ("b", "number")], "z", mixed=False)
    with pytest.warns(UserWarning, match="does not know: 'c'"):
        data = read("b,c,z,a\n1,w,x,2\n3,v,y,4\n", trained=trained)
    np.testing.assert_array_equal(data.X, [[2, 1], [4, 3]])
    assert data.y.tolist() == ["x", "y"]
    data = read("b,a\n1,?\n3,4\n", trained=trained)
    np.testing.assert_array_equal(data.X, [[np.nan, 1], [4, 3]])
    assert data.y is None
    trained = Trained([("a", "number"), ("b", "words")], "z", mixed=True)
    data = read("b,a\n1,2\n3,4\n", trained=trained)
    assert data.X["b"].to_pylist() == ["1", "3"]  # whatever it looks like here


def test_parquet():
    frame = pd.DataFrame(
        {"n": [1.0, None], "w": ["a", None], "b": [True, False], "class": ["x", "y"]}
    )
    content = io.BytesIO()
    frame.to_parquet(content)
    data = read(content.getvalue(), format="parquet")
    assert data.X.column_names == ["n", "w", "b"] and data.y.tolist() == ["x", "y"]
    trained = Trained([("w", "string"), ("n", "double")], "class", mixed=True)
    with pytest.warns(UserWarning, match="'b'"):
        again = read(content.getvalue(), format="parquet", trained=trained)
    assert again.X.column_names == ["w", "n"]


MIXED = "".join(f"{i},{i * i},x\n" for i in range(60))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "the input has no rows; give a line with the names of columns"),
        (b"a,b,class\n", "the input has a header, but no rows; add a line"),
        (b"made by me\na,b,class\n1,w,x\n", "leave out what is above the names"),
        (b"a,b,class\n1,w,x\n3,4,y,z\n", "found 4; put what has a ',' in it between"),
        (b"a,kind,\n1,x,\n2,y,\n", "column '', which is to have the labels, is empty"),
        (
            b"a,b,class\n1,w,x\n3,4,NA\n",
            "in column 'class', 'NA' stands for none; fill",
        ),
        (b"a,a,class\n1,w,x\n2,v,y\n", "has 2 columns called 'a'; give each a name"),
        (b"a,a,class\n1,1,x\n2,2,y\n", "has 2 columns called 'a'; give each a name"),
        (b"class\nx\ny\nx\n", "the input has one column, the label 'class'; give oth"),
        (b"a,b,class\n1,w\n3,4,y\n", "line 2: expected 3 columns, found 2; fill in"),
        (b"a,b,class\n1,w,x\n3,4,\n", "line 3: there is no label in column 'class';"),
        (
            b"a,b,class\n1,r\xe4,x\n",
            "the input, line 2: the byte 0xe4 is no text in UTF-8; save it as that",
        ),
        (
            b"a,b,class\n1,w,x\n3,\0,y\n",
            "the input, line 3: a byte is zero, which is no text; save the file again",
        ),
        (
            "a,class\n1,x\n".encode("utf-16"),
            "is text in UTF-16; save it as UTF-8, or, if it is a table, give --encod",
        ),
        (
            f"a,b,class\n{MIXED}7,oops,y\n".encode(),
            "line 62, column 'b': 'oops' is no number, as the others are; leave the",
        ),
    ],
)
def test_broken(text, sentence):
    with pytest.raises(ValueError) as caught:
        read(text)
    assert sentence in str(caught.value) and str(caught.value).endswith(".")


def test_encoding():
    text = "a,class\nrä,x\nru,y\n"
    data = read(text.encode("latin-1"), encoding="latin-1")
    assert data.X["a"].to_pylist() == ["rä", "ru"]
    data = read(text.encode("utf-16"), encoding="utf-16")
    assert data.X["a"].to_pylist() == ["rä", "ru"]
    with pytest.raises(ValueError, match="--encoding klingon is not known"):
        read(text, encoding="klingon")
    with pytest.raises(ValueError, match="line 2 is no text in ascii"):
        read(text, encoding="ascii")


def test_what_a_model_needs():
    trained = Trained([("a", "number"), ("d", "%Y-%m-%d")], None, mixed=True)
    with pytest.raises(ValueError, match="column 'd' is missing in the input, whose"):
        read("a,b\n1,2\n", trained=trained)
    with pytest.raises(ValueError, match=r"line 3, column 'd': '5.1.24' is no date of"):
        read("a,d\n1,2024-01-05\n2,5.1.24\n", trained=trained)


def test_without_pyarrow(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"'w'.*pip install polymargin\[files\]"):
        read("a,b,class\n1,w,x\n2,v,y\n")
    assert read("a,class\n1,x\n2,y\n").X.shape == (2, 1)


@pytest.mark.parametrize(
    ("text", "numbers", "kind"),
    [
        ('a,class\n"1,234.5",x\n7,y\n,z\n', [1234.5, 7, None], "number, as 1,234.5"),
        ("a,class\n12.5%,x\n-3 %,y\n", [12.5, -3], "number, as 1,234.5"),
        ("a,class\n$-0.5,x\n-$3,y\n", [-0.5, -3], "number, as 1,234.5"),
        ("a;class\n1,234;x\n0,5;y\n", [1.234, 0.5], "number, as 1.234,5"),
        ("a;class\n1.234,5;x\n7 €;y\n", [1234.5, 7], "number, as 1.234,5"),
        ('a,class\n"0,123",x\n"1,5",y\n', [0.123, 1.5], "number, as 1.234,5"),
        ("a,class\n1.2.3,x\n4,y\n", ["1.2.3", "4"], "words"),
        ("a,class\n1 2%,x\n4,y\n", ["1 2%", "4"], "words"),
    ],
)
def test_numbers_as_people_write_them(text, numbers, kind):
    data = load_columns(text.encode())
    assert data.types == [("a", kind)]
    assert data.X.column("a").to_pylist() == numbers
    # As in training, for rows to be predicted.
    again = load_columns(text.encode(), trained=Trained(data.types, "class", True))
    assert again.X == data.X


@pytest.mark.parametrize(
    "text",
    [
        "a|b|class\n1|2|x\n3|4|y\n",
        "sep=;\na;b;class\n1;2;x\n3;4;y\n",
        "sep=|\r\n1|2|x\r\n3|4|y\r\n",
        "\ufeffa;b;class\r\n1;2;x\r\n3;4;y\r\n",
    ],
)
def test_separators(text):
    data = load_columns(text.encode())
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    assert data.y.tolist() == ["x", "y"]
