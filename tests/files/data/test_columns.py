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
        ("2021-03-05 10:20:30+02:00", "%Y-%m-%d %H:%M:%S", "2021-03-05T08:20:30"),
        ("05.03.2021 10:20", "%d.%m.%Y %H:%M", "2021-03-05T10:20"),
        ("5.3.21", "%d.%m.%y", "2021-03-05"),
        ("3/15/2021 7:05", "%m/%d/%Y %H:%M", "2021-03-15T07:05"),
        ("05-Mar-2021", "%d-%b-%Y", "2021-03-05"),
        ("1.5.2", "words", None),  # a version, and no year 2
        ("January 5, 2021", "%b %d, %Y", "2021-01-05"),
        ("3/15/2021 12:05 AM", "%m/%d/%Y %I:%M %p", "2021-03-15T00:05"),
        (
            "Fri, 05 Mar 2021 10:20:30 GMT",
            "%a, %d %b %Y %H:%M:%S",
            "2021-03-05T10:20:30",
        ),
        ("2021-03", "%Y-%m", "2021-03-01"),
        ("2021-03-05T10:20:30.5-0530", "%Y-%m-%dT%H:%M:%S", "2021-03-05T15:50:30"),
        ("2021/03/05 10:20:30 PM GMT+1", "%Y/%m/%d %I:%M:%S %p", "2021-03-05T21:20:30"),
        (
            "Fri Mar 05 2021 10:20:30 GMT+0100 (CET)",
            "%a %b %d %Y %H:%M:%S",
            "2021-03-05T09:20:30",
        ),
    ],
)
def test_dates_as_programs_write_them(cells, kind, first):
    data = read(f'when,class\n"{cells}",x\n-,y\n"{cells}",y\n')
    assert types(data) == {"when": kind}
    if first is not None:
        assert data.X["when"].to_numpy()[0] == np.datetime64(first)
        assert data.X["when"].null_count == 1


def test_marks_of_missing_numbers():
    marks = ["-", "--", ".", "n.a.", "#N/A", "<NA>", "Unknown", "none", "#DIV/0!"]
    marks += ["na", "Null", "(null)", "\\N", "*", "Not available"]
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
    data = read("code,class\n01,x\n02,y\n", asked={"code": "words"})
    assert data.X["code"].to_pylist() == ["01", "02"]


def test_codes_with_a_zero_before_other_digits_are_words():
    data = read("zip,n,class\n02134,1,x\n94103,2,y\n")
    assert types(data) == {"zip": "words", "n": "number"}
    assert data.X["zip"].to_pylist() == ["02134", "94103"]
    data = read("zip,class\n02134,x\n94103,y\n", asked={"zip": "number"})
    assert data.X["zip"].to_pylist() == [2134, 94103]
    rows = "".join(f"{code},x\n" for code in range(900, 1000))
    assert types(read(f"code,class\n0900,y\n{rows}")) == {"code": "words"}
    data = read('a,b,class\n0,0.5,07\n"00.5",-0,1\n')  # in labels there are none
    assert data.y.tolist() == [7, 1]


def test_codes_are_what_they_were_in_training():
    trained = Trained([("zip", "number")], "class", mixed=False)
    assert read("zip\n02134\n", trained=trained).X.tolist() == [[2134]]
    trained = Trained([("zip", "words")], "class", mixed=True)
    assert read("zip\n2134\n", trained=trained).X["zip"].to_pylist() == ["2134"]


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
        (b"a\nb,1,class\n1,w\n", "leave out what is above the names"),
        (b"a,b,class\n1,w,x\n3,4,y,z\n", "found 4; put what has a ',' in it between"),
        (b"a,kind\n1,\n2,\n", "column 'kind', which is to have the labels, is empty"),
        (b"a,kind\n,\n,\n", "the input has only empty rows; fill them in."),
        (
            b"a,b,class\n1,w,x\n3,4,NA\n",
            "in column 'class', 'NA' stands for none; fill",
        ),
        (b"a,a,class\n1,w,x\n2,v,y\n", "has 2 columns called 'a'; give each a name"),
        (b"a,a,class\n1,1,x\n2,2,y\n", "has 2 columns called 'a'; give each a name"),
        (b"class\nx\ny\nx\n", "the input has one column, the label 'class'; give oth"),
        (b"a b class\n1 2 x\n", "give others to learn from, with a comma, tab, semic"),
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
    for options in ({"encoding": "utf-16"}, {}):  # its mark tells
        data = read(text.encode("utf-16"), **options)
        assert data.X["a"].to_pylist() == ["rä", "ru"]
    with pytest.raises(ValueError, match=r"0x80 is no text.*--encoding cp1252"):
        read("a,class\n5 €,x\n".encode("cp1252"))
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


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("number", "a;z\n1,5;\n$2;\n", [1.5, 2]),
        ("number, as 1.234,5", "a;z\n1.5;\n2;\n", [1.5, 2]),
        ("number, as 1,234.5 kg", "a;z\n1.5;\n2;\n", [1.5, 2]),
        ("time, as 12:30", "a;z\n7:30 AM;\n-;\n", [7.5, None]),
    ],
)
def test_written_in_another_way_than_in_training(kind, text, found):
    trained = Trained([("a", kind)], "z", True)
    assert read(text, trained=trained, optional=True).X["a"].to_pylist() == found


def test_another_date_or_unit_than_in_training():
    trained = Trained([("a", "%d.%m.%Y")], None, True)
    (day,) = read("a,b\n2024-01-31,1\n", trained=trained).X["a"].to_pylist()
    assert (day.month, day.day) == (1, 31)
    trained = Trained([("a", "number, as 1,234.5 kg")], None, True)
    with pytest.raises(ValueError, match=r"'300 g' is no number, as 1,234.5 kg"):
        read("a,b\n300 g,1\n", trained=trained)


def test_columns_without_a_name():
    data = read(",n,,kind,\n0,1.5,w,x,\n1,2.5,v,y,\n")
    assert data.label_name == "kind"  # and not the empty column that is the last
    assert data.feature_names == ["Unnamed: 0", "n", "Unnamed: 2", "Unnamed: 4"]
    data = read("n,,kind\n1.5,2,3\n3,4,5\n")  # by our own parser
    assert data.feature_names == ["n", "Unnamed: 1"]


def test_rows_with_nothing_in_them():
    """As programs of sheets write them below the table."""
    text = "a,b,kind\n1,w,x\n2,v,y\n,,\n , ,\n"
    assert read(text).y.tolist() == ["x", "y"]
    trained = Trained([("a", "number"), ("b", "words")], "kind", True)
    with pytest.warns(UserWarning, match="line 4: there is no label"):
        again = read(text, trained=trained, optional=True)
    assert len(again.X) == 4  # a label for each


def test_labels_may_be_missing_where_they_are_not_needed():
    trained = Trained([("a", "number")], "kind", True)
    assert read("a,kind\n1,\n2,?\n", trained=trained, optional=True).y is None
    with pytest.warns(UserWarning, match="line 3: there is no label in column 'kind'"):
        assert read("a,kind\n1,x\n2,\n", trained=trained, optional=True).y is None
    with pytest.raises(ValueError, match="line 3: there is no label"):
        read("a,kind\n1,x\n2,\n", trained=trained)


@pytest.mark.parametrize("mixed", [False, True])
def test_columns_that_a_model_makes_nothing_of_may_be_missing(mixed):
    types = [("id", "number"), ("a", "number")]
    trained = Trained(types, "kind", mixed, unused=["id"])
    for text in ("a\n1\n2\n", "a,id\n1,p7\n2,p8\n"):
        X = read(text, trained=trained).X
        a, unused = (X["a"], X["id"]) if mixed else (X[:, 1], X[:, 0])
        assert np.asarray(a).tolist() == [1, 2]
        assert np.isnan(np.asarray(unused, dtype=float)).all()


def test_no_names_for_a_model():
    trained = Trained([("a", "number"), ("b", "number")], "kind", False)
    assert read("1,2\n3,4\n", trained=trained).y is None  # no column is left
    assert read("1,2,x\n3,4,y\n", trained=trained).y.tolist() == ["x", "y"]
    trained = Trained([("a", "number"), ("b", "words")], "kind", True)
    with pytest.raises(ValueError, match="has no line with the names of its columns"):
        read("1,w\n3,v\n", trained=trained)


def test_the_index_of_a_frame_is_no_label():
    content = io.BytesIO()
    frame = pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]}, index=[7, 3])
    frame.to_parquet(content)
    data = read(content.getvalue(), format="parquet")
    assert data.label_name == "kind"


def test_parquet_for_a_model():
    content = io.BytesIO()
    pd.DataFrame({"a": [1.5, 2], "kind": [None, "y"]}).to_parquet(content)
    trained = Trained([("id", "int64"), ("a", "double")], "kind", True, ["id"])
    options = {"format": "parquet", "trained": trained, "optional": True}
    data = read(content.getvalue(), **options)
    assert data.y is None and data.X.column_names == ["id", "a"]


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
        ("a,class\n1 234.5,x\n-12 000 000,y\n", [1234.5, -12e6], "number, as 1,234.5"),
        ("a;class\n1\u202f234,5;x\n1'000;y\n", [1234.5, 1000], "number, as 1.234,5"),
        ("a,class\n(12.5),x\n$3,y\n", [-12.5, 3], "number, as 1,234.5"),
        ("a,class\n\u22127,x\n3,y\n", [-7, 3], "number, as 1,234.5"),
        ("a,class\n12 34,x\n56 78,y\n", ["12 34", "56 78"], "words"),
        ("a,class\nUSD 5,x\nUSD -3.5,y\n", [5, -3.5], "number, as 1,234.5"),
        ("a,class\n12.5 kg,x\n-3kg,y\n,z\n", [12.5, -3, None], "number, as 1,234.5 kg"),
        ("a;class\n12,5 m²;x\n3 m²;y\n", [12.5, 3], "number, as 1.234,5 m²"),
        ("a,class\n1 year,x\n3 years,y\n", [1, 3], "number, as 1,234.5 year"),
        ("a,class\n37.5°C,x\n4 °C,y\n", [37.5, 4], "number, as 1,234.5 °C"),
        ("a,class\n1 kg,x\n300 g,y\n", ["1 kg", "300 g"], "words"),
        ("a,class\n12:30,x\n7:45,y\n-,z\n", [12.5, 7.75, None], "time, as 12:30"),
        ("a,class\n1:30:36,x\n0:00:00,y\n", [1.51, 0], "time, as 12:30:59"),
        ("a,class\n12:30 AM,x\n7:45 p.m.,y\n", [0.5, 19.75], "time, as 1:30 PM"),
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
        "a,b,class\r1,2,x\r3,4,y\r",
        "\ufeffa;b;class\r\n1;2;x\r\n3;4;y\r\n",
    ],
)
def test_separators(text):
    data = load_columns(text.encode())
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    assert data.y.tolist() == ["x", "y"]
