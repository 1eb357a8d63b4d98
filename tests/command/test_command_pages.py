"""``--html``: a page with what was found, whole and by itself."""

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest
from sklearn.datasets import load_iris, load_wine

from polymargin.command import main
from polymargin.selection.comparison import figures

VOID = {"meta", "link", "br"}


class Balanced(HTMLParser):
    """Sees that elements are closed in order, and keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "href"):
                assert value.startswith("#"), "nothing is loaded from elsewhere"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def words_of(page):
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    return " ".join(" ".join(reader.text).split())


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    rows = [
        ",".join([*map(str, row), ["a & b", "<i>", "c"][label]])
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    (tmp_path / "t.csv").write_text("p,q,r,s,kind\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_page_of_training_and_of_evaluation(table, capsys):
    words = ["train", "t.csv", "--budget", "1e9", "--html", "t.html"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["page", "t.html"]
    page = (table / "t.html").read_text()
    text = words_of(page)
    assert "150 rows, 4 columns, 3 classes in column “kind”." in text
    assert "of the rows, each held out in cross-validation, are predicted right" in text
    assert "a & b" in text and "<i>" in text and "<i>" not in page
    assert "centred and scaled" in text and "settings were compared in" in text
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) >= 3
    for plot in plots:
        ElementTree.fromstring(plot)
    names = re.findall(r'id="(.*?)"', page)
    assert len(names) == len(set(names))

    words = ["evaluate", "t.polymargin", "t.csv", "--json", "--html", "e.html"]
    assert main(words) == 0
    text = words_of((table / "e.html").read_text())
    assert "of the rows are predicted right" in text


def test_calibration_of_probabilities(table, capsys):
    words = ["train", "t.csv", "-m", "maxent", "--html", "t.html"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "calibration: a probability of " in shown
    assert "Calibration: a probability of" in words_of((table / "t.html").read_text())


def test_without_matplotlib(table, monkeypatch):
    monkeypatch.setattr("polymargin.command.report_page.available", lambda: False)
    assert main(["train", "t.csv", "--quick", "-q", "--html", "t.html"]) == 0
    page = (table / "t.html").read_text()
    assert "<svg" not in page and "matplotlib is not installed" in words_of(page)
    assert figures.available()


def test_many_labels_have_no_matrix(table):
    rows = [f"{i % 50},{i % 7},c{i % 50}" for i in range(500)]
    (table / "m.csv").write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    words = ["train", "m.csv", "-m", "cs", "-k", "linear", "-v", "2", "-q"]
    assert main([*words, "--html", "m.html"]) == 0
    text = words_of((table / "m.html").read_text())
    assert "c49" in text and "taken for another" not in text


@pytest.mark.parametrize("name", ["t.csv", "-", "none/t.html"])
def test_where_a_page_cannot_go(table, name, capsys):
    assert main(["train", "t.csv", "--html", name]) != 0
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in table.iterdir()] == ["t.csv"]


def test_wine_is_a_page_too(table):
    X, y = load_wine(return_X_y=True)
    rows = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
    (table / "w.csv").write_text("\n".join(rows) + "\n")
    assert main(["train", "w.csv", "t.csv", "-q", "--html", "w.html"]) == 1
    assert not (table / "w.html").exists()
