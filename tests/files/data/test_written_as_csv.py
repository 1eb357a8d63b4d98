"""JSON and ARFF: what they hold, and what is wrong with them where."""

import json

import numpy as np
import pandas as pd
import pytest

from polymargin import load_data
from polymargin.files.data.chunks import read_chunks
from polymargin.files.data.columns import load_columns

FRAME = pd.DataFrame(
    {
        "n": [1.5, None, 3],
        "zip": ["02134", "94103", "10001"],
        "w": ['a "b", c', "ü", None],
        "ok": [True, False, True],
        "class": ["x", "y", "x"],
    }
)
ARFF = """\
% made by hand
@RELATION test

@attribute 'n of it' NUMERIC
@attribute code {1, 2, 'three four'}
@attribute text string
@attribute class {x,y}
@DATA
1.5, 1, 'it\\'s, a', x
% a remark
?,'three four',"b 'c'",y

3,2,c,x
"""


@pytest.mark.parametrize("orient", ["records", "columns", "list", "lines"])
def test_json(orient):
    if orient == "list":
        text = json.dumps(
            FRAME.astype(object).where(FRAME.notna(), None).to_dict("list")
        )
    else:
        lines = orient == "lines"
        text = FRAME.to_json(orient="records" if lines else orient, lines=lines)
    data = load_columns(text.encode(), format="json")
    assert data.X.to_pydict() == {
        "n": [1.5, None, 3],
        "zip": ["02134", "94103", "10001"],
        "w": ['a "b", c', "ü", None],
        "ok": ["true", "false", "true"],
    }
    assert data.y.tolist() == ["x", "y", "x"] and data.label_name == "class"


def test_records_without_some_columns():
    text = b'{"a": 1, "class": 0}\n\n{"b": 2, "class": 1}\n'
    data = load_columns(text, format="json")
    assert data.X.to_pydict() == {"a": [1, None], "b": [None, 2]}


def test_arff():
    data = load_columns(ARFF.encode(), format="arff")
    assert dict(data.types) == {"n of it": "number", "code": "words", "text": "words"}
    assert data.X.to_pydict() == {
        "n of it": [1.5, None, 3],
        "code": ["1", "three four", "2"],
        "text": ["it's, a", "b 'c'", "c"],
    }
    assert data.y.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".arff"])
def test_numbers_by_the_name_of_the_file(suffix, tmp_path):
    path = tmp_path / f"data{suffix}"
    path.write_text(
        {
            ".json": '[{"a": 1, "y": 2}, {"a": 3, "y": 4}]',
            ".jsonl": '{"a": 1, "y": 2}\n{"a": 3, "y": 4}\n',
            ".arff": "@attribute a real\n@attribute y real\n@data\n1,2\n3,4",
        }[suffix]
    )
    data = load_data(path)
    np.testing.assert_array_equal(data.X, [[1], [3]])
    assert data.y.tolist() == [2, 4]
    with pytest.raises(ValueError, match="not read in parts; save it as CSV"):
        next(iter(read_chunks(path, 1000)))


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        ("json", "[1, 2]", "row 1 is int and no record; write a list of records"),
        ("json", '[{"a": 1}', "line 1 is no JSON"),
        ("json", '{"a": 1}\n{"a": }\n', "line 2 is no JSON"),
        ("json", '[{"a": [1, 2], "y": 0}]', "row 1 has a list in 'a'; give each part"),
        ("json", '{"a": [1, 2], "y": [0]}', "columns of several lengths"),
        ("json", "[]", "has no rows"),
        ("json", "[" * 100_000, "cannot be read as JSON"),
        ("arff", "@relation r\n@attribute a real\n1,2\n", "has no line @data"),
        ("arff", "@attribute a\n@data\n1\n", "line 1: '' is no type of a column"),
        ("arff", "@attribute\n@data\n1\n", "line 1: expected @attribute, a name"),
        ("arff", "@attribute a real\n@data\n{0 1}\n", "line 3: rows between braces"),
        (
            "arff",
            "@attribute a real\n@attribute y {p, q}\n@data\n1,p\n2\n",
            "line 5: expected 2 columns, found 1",
        ),
    ],
)
def test_what_is_wrong_where(kind, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        load_columns(text.encode(), format=kind)


def test_names_are_names_whatever_they_look_like():
    text = b'[{"x;y;1": "x;y;1", "class": "a"}, {"x;y;1": "b", "class": "class"}]'
    data = load_columns(text, format="json")
    assert data.feature_names == ["x;y;1"] and data.y.tolist() == ["a", "class"]
    data = load_columns(b'[{"1": 2, "2": 3}, {"1": 4, "2": 5}]', format="json")
    assert data.feature_names == ["1"] and data.y.tolist() == [3, 5]
