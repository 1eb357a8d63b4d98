"""Tables with a title or remarks above them."""

import pytest

from polymargin.files.data.columns import load_columns
from polymargin.files.data.table_start import title_bytes

ROWS = "id,sum,state\n1,2,ok\n2,3,off\n"
SHEET = 'Orders,,\n,,\n"made by me, today",,\n'


@pytest.mark.parametrize(
    "above",
    ["Orders\n", "Orders\n\n", "Orders\nMay, of 2024\n", "# a remark\n", SHEET, ",,\n"],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_title_is_left_out(above, delimiter, end):
    above = above.replace(",,", 2 * delimiter)
    rows = ROWS.replace(",", delimiter)
    text = (above + rows).replace("\n", end)
    with pytest.warns(UserWarning, match="lines above the table"):
        data = load_columns(text.encode(), format="csv")
    assert data.feature_names == ["id", "sum"]
    assert data.X.tolist() == [[1, 2], [2, 3]] and data.y.tolist() == ["ok", "off"]


@pytest.mark.parametrize(
    "text",
    [
        "id,sum\n1,2\n",
        "\n\na,b\n1,2\n",
        "a;b;c\n1,5;2,5;3,5\n4,5;2,5;3,5\n",  # decimal commas
        "a,b,c\n1,2,3,4\n1,2,3,4\n",  # as R names columns
        'text,label\n"a\nb, c, d",x\n"q",y\n',
        "1,,\n2,3,x\n4,5,x\n",  # a row with missing cells
        "text\nhello\nyou, there\n",
        "",
    ],
)
def test_nothing_is_left_out_of_a_table(text):
    assert title_bytes(text.encode(), (",", "\t", ";", "|")) == 0


def test_lines_are_counted_from_the_title_on():
    text = "Orders\n\na,b,class\n" + "1,2,x\n" * 60 + "1,2,3,x\n"
    with (
        pytest.warns(UserWarning, match="above the table"),
        pytest.raises(ValueError, match="line 64: expected 3"),
    ):
        load_columns(text.encode(), format="csv")


def test_a_first_row_of_words_that_are_there_again_has_no_names():
    data = load_columns(b"ham\tsee you\nspam\twin now\nham\tno idea\n", format="tsv")
    assert data.feature_names == ["0"] and len(data.y) == 3
    joined = b"kind\ttext\nspam\twin\nkind\ttext\nham\tsee\n"
    assert load_columns(joined, format="tsv", label=0).feature_names == ["text"]
    named = b"class,w\nclass,a\nb,c\n"
    assert load_columns(named, format="csv").label_name == "class"
