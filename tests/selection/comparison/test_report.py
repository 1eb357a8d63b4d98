"""What a report says, in text, CSV, Markdown and HTML."""

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from comparisons import EXAMPLE

from polymargin import compare
from polymargin.selection.comparison import figures
from polymargin.selection.comparison.report import Report
from polymargin.selection.comparison.tables import Cell, Table
from polymargin.selection.comparison.tasks import Task
from polymargin.selection.protocols import PROTOCOLS
from polymargin.significance import (
    compare_all_pairs,
    critical_difference,
    friedman,
)

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and keeps what they hold."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.tags, self.text = [], [], [], []
        self.targets, self.bold = [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("src", "href", "xlink:href"):
            if name in attributes:
                self.targets.append(attributes[name])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] == "b":
            self.bold.append(data)


def made_up(accuracies, machines, n_datasets, protocol="holdout", **more):
    """A report of accuracies of shape (n_datasets, n_machines, n_splits)."""
    facts = {"rows": 10, "features": 2, "classes": 3, "density": 1.0}
    settings = {
        "protocol": PROTOCOLS[protocol].as_dict(),
        "prepare": "none",
        "seed": 0,
        "datasets": {f"data{d}": facts for d in range(n_datasets)},
        "machines": {machine: f"{machine}()" for machine in machines},
    }
    tasks, rows = [], []
    for d, of_data in enumerate(accuracies):
        for machine, of_machine in zip(machines, of_data, strict=True):
            for split, accuracy in enumerate(of_machine):
                tasks.append(Task("fit", f"data{d}", machine, split))
                found = {
                    "accuracy": accuracy,
                    "train_seconds": 1.0 + machines.index(machine),
                    "search_seconds": 10.0,
                    "parameters": {"C": 0.3},
                    "seconds": 1.0,
                }
                rows.append(tasks[-1].as_dict() | found | more)
    return Report(settings, tasks, rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "results"
    # A data set with five classes shows how time grows with them.
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 30)
    X = np.eye(5)[y] + 0.3 * rng.normal(size=(150, 5))
    more = EXAMPLE | {"datasets": [*EXAMPLE["datasets"], ("five <5>", X, y)]}
    compare(**more, folder=folder)
    return folder


@pytest.fixture(scope="module")
def html(folder):
    return (folder / "report.html").read_text()


def test_best_is_bold_and_worse_is_marked():
    rng = np.random.default_rng(0)
    base = 0.8 + 0.01 * rng.random((1, 1, 10))
    shifts = np.array([0.05, 0.0505, 0.0]).reshape(1, 3, 1)
    noise = np.array([1, -1] * 5) * 1e-3 * np.array([0, 1.0, 0]).reshape(1, 3, 1)
    report = made_up(base + shifts + noise, ["a", "b", "c"], 1)
    line = report.tables()[0].lines[0]
    assert [cell.bold for cell in line] == [False, False, True, False]
    assert [cell.worse for cell in line] == [False, False, False, True]
    assert f"{100 * (base.mean() + 0.0505):.2f}" == line[2].text
    spread = 100 * (base + shifts + noise)[0, 2].std(ddof=1)
    assert line[3].note == f"± {spread:.2f}"
    text = report.as_markdown()
    assert re.search(r"\| data0 \| [\d.]+ ± [\d.]+ \| \*\*[\d.]+ ± [\d.]+\*\* \|", text)
    assert "†" in text and "p < 0.01" in text


def test_few_splits_are_not_tested():
    """Seven splits cannot show a difference at the level 0.01: 2 / 2^7 is above it."""
    for n_splits, tested in ((7, False), (8, True)):
        report = made_up([[[0.9] * n_splits, [0.5] * n_splits]], ["a", "b"], 1)
        assert report.tables()[0].lines[0][2].worse == tested
        assert ("splits" in [table.key for table in report.tables()]) == tested


def test_tests_over_data_sets():
    rng = np.random.default_rng(1)
    means = 0.7 + 0.05 * rng.random((8, 1)) + np.array([0.05, 0.02, 0.0])
    report = made_up(means[..., None], ["a", "b", "c"], 8)
    np.testing.assert_allclose(report.tests.ranks, [1, 2, 3])
    assert report.tests.friedman.p == friedman(means).p
    expected = compare_all_pairs(means, ["a", "b", "c"])
    assert report.tests.pairs == expected
    assert report.tests.difference == critical_difference(3, 8, 0.01)
    assert "a has the best average rank, 1.00 over 8 data sets" in report.tests.sentence
    assert "the machines differ" in report.tests.sentence


def test_missing_fits_are_left_out_of_tests():
    accuracies = np.full((3, 3, 2), 0.9) + 0.01 * np.arange(3)[None, :, None]
    report = made_up(accuracies, ["a", "b", "c"], 3)
    whole = Report(
        report.summary.settings,
        [task_of(row) for row in report.summary.fits],
        report.summary.fits[:-1],
    )
    assert np.isnan(whole.accuracy[2, 2]) and whole.tests.n_datasets == 2
    assert whole.tables()[0].lines[2][3] == Cell("-")


def task_of(row):
    return Task(*(row[name] for name in Task.__dataclass_fields__))


def test_two_machines():
    means = np.linspace(0.6, 0.9, 8)[:, None] + [0.0, 0.03]
    report = made_up(means[..., None], ["a", "b"], 8)
    assert "a and b differ over 8 data sets (Wilcoxon" in report.tests.sentence
    assert report.tests.pairs[0].p == pytest.approx(2 / 2**8)


def test_medians_and_parameters():
    report = made_up([[[0.5, 0.6, 1.0]]], ["a"], 1, "nested", parameters={"C": 0.25})
    assert report.accuracy[0, 0] == 0.6
    tables = {table.key: table for table in report.tables()}
    assert tables["accuracy"].lines[0][1].text == "60.00"
    assert str(tables["parameters"].lines[0][1]) == "C = 2^-2 (3 of 3)"


def test_text_of_a_table():
    table = Table("t", "Title", ("name", "a|b"), [[Cell("x"), Cell("1", bold=True)]])
    assert table.as_text().splitlines() == [
        "Title",
        "----  ---",
        "name  a|b",
        "----  ---",
        "x      1*",
        "----  ---",
    ]
    assert "| name | a\\|b |" in table.as_markdown()


def test_csv(folder):
    rows = list(csv.DictReader(io.StringIO((folder / "results.csv").read_text())))
    fits = [row for row in rows if row["kind"] == "fit"]
    assert len(fits) == 4 * 3 * 2
    assert {row["dataset"] for row in fits} == {*EXAMPLE["datasets"], "five <5>"}
    for row in fits:
        assert 0.5 < float(row["accuracy"]) <= 1
        assert re.fullmatch(r"C=(0\.1|1)", row["parameters"])
        assert float(row["train_seconds"]) > 0
        assert row["status"] == "converged" and float(row["dual_gap"]) <= 1e-3


def test_markdown(folder):
    text = (folder / "report.md").read_text()
    for heading in ("Accuracy", "Training time", "Best parameters", "Where it ran"):
        assert f"\n## {heading}\n" in text
    assert "| average rank |" in text and "Friedman" in text
    assert "| wine | 178 | 13 | 3 |" in text
    assert "LinearSVM(machine='ww')" in text


def test_html_is_whole(html):
    page = Page(html)
    text = "".join(page.text)
    assert len(page.ids) == len(set(page.ids))
    tables = ["accuracy", "time", "parameters", "datasets", "machines", "environment"]
    for section in [*tables, "significance", "convergence", "scaling"]:
        assert section in page.ids
    assert page.tags.count("svg") == page.tags.count("figure") == 1 + 2 * 4 + 1
    for words in ("critical difference", "relative difference", "test accuracy, %"):
        assert words in text
    for words in ("processor", "scikit-learn", "polymargin", "five <5>", "seed 0"):
        assert words in text
    assert any(re.fullmatch(r"\d+\.\d\d", words) for words in page.bold)
    assert '<meta name="viewport"' in html and "@media print" in html


def test_html_needs_nothing_else(html):
    page = Page(html)
    assert not {"script", "link", "iframe", "img"} & set(page.tags)
    assert all(target.startswith("#") for target in page.targets)
    assert all(target[1:] in page.ids for target in page.targets)
    assert "@import" not in html
    assert all(target.startswith("#") for target in re.findall(r"url\((.*?)\)", html))


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert not figures.available()
    report = made_up(np.full((2, 3, 2), 0.9), ["a", "b", "c"], 2)
    html = report.as_html()
    page = Page(html)
    assert "svg" not in page.tags and "table" in page.tags
    assert "matplotlib is not installed" in html and "polymargin[report]" in html


def test_names_cannot_break_the_page():
    name = '<script>alert("x")</script>'
    report = made_up(np.full((2, 3, 2), 0.9), [name, "b&c", "d"], 2)
    page = Page(report.as_html())
    assert "script" not in page.tags
    assert name in "".join(page.text)
