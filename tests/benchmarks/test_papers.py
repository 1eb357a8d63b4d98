"""Tests of the configurations of the papers' tables: tiny data, made-up numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from benchmark_records import page_of, record

from benchmarks.harness.contest import Table
from benchmarks.harness.data import FOLDER_VARIABLE
from benchmarks.harness.records import Records
from benchmarks.papers import compared, contest, quantities, reduced, sections
from benchmarks.papers.claims import (
    FAILS,
    HOLDS,
    Claim,
    PaperPage,
    claims_table,
    how_many,
    verdicts_table,
)
from benchmarks.papers.comparing import carry_out, load
from benchmarks.papers.configuration import KNOWN, PAPERS, Entry, read
from benchmarks.papers.quantities import QUANTITIES, Value, ahead
from polymargin.selection.comparison.machine_names import find_machines

COMPARED = list(compared.COMPARED.values())
SMALL = """
paper = "000"
table = "table 0"
about = "two machines"
why = "Because."
show = ["accuracy", "seconds", "p", "C"]
claims = [["accuracy", "B", "A"]]

[compare]
options = "order=permuted"
machines = ["A=cs:shrinking=False", "B=ovr"]
protocol = "holdout"
changes = { repeats = 2, grid = { C = [0.1, 1.0] } }
prepare = "standard"

[data]
iris = { place_of = "IRIS" }
"some digits" = { file = "digits", place_of = "DIGITS", rows = 300, prepare = "none" }

[theirs.accuracy]
IRIS = [[99.0, 0.1], [50.0, 0.2]]

[theirs.p]
IRIS = [1.0, 0.01]
DIGITS = [1.0, 0.02]
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "000-0.toml"
    path.write_text(SMALL)
    return read(path)


def test_every_paper_has_tables():
    assert {one.paper for one in KNOWN.values()} == set(PAPERS)
    assert all(one.about and one.table for one in KNOWN.values())
    run = set(contest.CONTEST.all_tables)
    assert set(KNOWN) == run
    for page in contest.PAGES:
        assert {KNOWN[name].paper for name in page.tables} == {page.paper}


@pytest.mark.parametrize("configuration", COMPARED, ids=lambda one: one.name)
def test_comparisons_can_be_run(configuration):
    machines = find_machines(list(configuration.machines))
    assert list(machines) == list(configuration.columns)
    assert set(configuration.show) <= {*sections.SECTIONS, *QUANTITIES}
    assert configuration.entries
    for entry in configuration.entries:
        protocol = configuration.protocol_of(entry)  # its changes are of the protocol
        assert protocol.repeats >= 1
        for machine in machines.values():
            machine.set_params(**entry.parameters)
    for quantity, first, second in (*configuration.claims, *configuration.looks):
        assert quantity in QUANTITIES
        assert {first, second} <= set(machines)


@pytest.mark.parametrize("configuration", COMPARED, ids=lambda one: one.name)
def test_numbers_of_the_papers_are_whole_rows(configuration):
    places = {entry.place_of for entry in configuration.entries}
    passes = {
        count
        for entry in configuration.entries
        for count in configuration.protocol_of(entry).passes
    }
    lines = {f"{place} {count}" for place in places for count in passes} or places
    theirs = [name for name in configuration.columns if name != "ours"]
    assert list(configuration.columns[: len(theirs)]) == theirs
    for table in configuration.theirs.values():
        assert set(table) == lines
        assert {len(row) for row in table.values()} == {len(theirs)}


def test_what_is_left_out_is_as_for_all(small):
    iris, digits = small.entries
    assert small.machines[0] == "A=cs:order=permuted,shrinking=False"
    assert small.machines[1] == "B=ovr:order=permuted"
    assert (iris.prepare, digits.prepare) == ("standard", "none")
    assert small.protocol_of(digits).repeats == 2
    assert small.paper_says("accuracy", "iris") == {"A": (99.0, 0.1), "B": (50.0, 0.2)}
    assert small.paper_says("accuracy", "some digits") == {}


def test_rows_are_chosen_from_every_class():
    data = load(Entry("few", "FEW", file="digits", rows=200))
    counts = np.bincount(data.y)
    assert data.name == "few" and abs(len(data.y) - 200) <= 10
    assert counts.min() >= 18 and counts.max() <= 23


def test_a_table_from_beginning_to_end(small, tmp_path, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    measured = [
        record("000-0", entry.name, **carry_out(small, entry, tmp_path / "kept"))
        for entry in small.entries
    ]
    text = "\n\n".join(compared.compared_section(small, measured))
    assert "(99.00 ± 0.10) |" in text  # the paper's number beside ours
    assert "In the paper behind on 1 (iris)" in text
    assert "differ at the level 0.01 here on none; in the paper on iris." in text
    assert text.endswith("Because.")
    fits = tmp_path / "kept" / "000-0" / "iris" / "fits.jsonl"
    done = fits.read_text()
    assert done.count('"kind": "fit"') == 4
    carry_out(small, small.entries[0], tmp_path / "kept")  # trains nothing again
    assert fits.read_text() == done


def test_failures_end_it(small, tmp_path):
    entry = Entry(
        "iris",
        "IRIS",
        changes={"repeats": 1, "grid": {}},
        parameters={"class_weight": {"no such class": 1.0}},
    )
    with pytest.raises(RuntimeError, match="A: ValueError: class_weight"):
        carry_out(small, entry, tmp_path)


def test_contents_say_how_to_run_everything(tmp_path):
    one = record("003-4.1", "covtype", full=378, kept=100)
    text = page_of(tmp_path, "papers", "papers-schemes.md", one)
    assert "| covtype | 378 | 100 | 26.5 % (63.2 %) | 378 | 239 |" in text
    assert "saved here on covtype; there on none" in text
    summary = (tmp_path / "docs" / "papers.md").read_text()
    assert summary.count("| `003-4.1` | [shown](papers-schemes.md) |") == 1
    for name in KNOWN:
        assert f"| `{name}` |" in summary


def test_claims_are_judged_from_records(tmp_path):
    records = Records(tmp_path / "papers.jsonl")

    def judge(records):
        found = records.of("000-0")
        return (
            (f"{len(found)} sets", HOLDS if len(found) > 1 else FAILS)
            if found
            else None
        )

    tables = {"000-0": Table("", lambda name, run: {}, ("iris", "glass"))}
    claims = (Claim("x", "1", judge),)
    page = PaperPage("a.md", "A", tables, paper="000", claims=claims)
    other = PaperPage("b.md", "B", {}, paper="001")
    assert "| x | 1 | - | **not run** |" in claims_table(page, records)
    assert how_many([page], records).endswith("and 1 has not been run.")
    assert "| Keerthi et al. (2008) | x | **not" in verdicts_table(
        [page, other], records
    )
    records.add(record("000-0", "iris"))
    assert "| x | 1 | 1 sets | **does not hold** |" in page.render("papers", records)
    records.add(record("000-0", "glass"))
    text = verdicts_table([page, other], records)
    assert "| [Keerthi et al. (2008)](a.md) | x | **holds** |" in text
    assert how_many([page, other], records).startswith(
        "Of 1 claims, taken from 1 of the five papers, 1 hold here, 0 hold in part"
    )
    broken = Claim("y", "", lambda records: ("", "reached"))
    with pytest.raises(ValueError, match="'reached' is no verdict"):
        broken.judged(records)


def test_who_is_ahead():
    assert ahead(Value(90, 1, 10), Value(89, 1, 10), True) == 1
    assert ahead(Value(90, 1, 10), Value(89, 1, 10), False) == -1
    assert ahead(Value(90, 4, 10), Value(89, 4, 10), True) == 0
    assert ahead(Value(1.0), Value(np.inf), False) == 1
    assert ahead(Value(np.inf), Value(np.inf), False) == 0
    assert ahead(Value(1.0, bound=True), Value(2.0), False) == 0
    assert ahead(Value(2.0, bound=True), Value(1.0), False) == -1
    close = {"a": Value(0.9, 0.01), "b": Value(0.895, 0.01), "c": Value(0.5, 0.01)}
    assert quantities.leaders(close, True) == ["a", "b"]


def record_of(configuration, values):
    """A record of accuracies (shares) by line and machine, two splits each."""
    entry = configuration.entries[0]
    passes = configuration.protocol_of(entry).passes or (None,)
    lines = [
        {
            "passes": count,
            "machines": {
                machine: {"accuracy": [value, value + 1e-4], "train_seconds": [1.0]}
                for machine, value in zip(configuration.columns, row, strict=True)
            },
        }
        for count, row in zip(passes, values, strict=True)
    ]
    return record(configuration.name, entry.name, lines=lines)


def test_verdicts_compare_both_sides():
    one = KNOWN["000-4.2"]
    records = [record_of(one, [[0.9, 0.8, 0.95]])]
    text = quantities.verdict(one, records, ("accuracy", "OVR", "WW"))
    assert "behind on 1 (reuters_r52). In the paper behind on 1" in text
    assert "same verdict on 1 of 1 lines, opposite ones: none" in text
    text = quantities.verdict(one, records, ("accuracy", "CS", "OVR"))
    assert "opposite ones: reuters_r52." in text
    text = quantities.verdict(one, records, ("seconds", "CS", "OVR"), False)
    assert "OVR over CS 1.00x here" in text


def test_reduced_weights_are_counted():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    assert reduced.count(X, np.array([0, 0, 1])) == 4


def test_overviews_say_how_many_of_how_many(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    before = "Before.\n<!-- claims -->\nfew\n<!-- /claims -->\nAfter.\n"
    for path in (tmp_path / "README.md", docs / "index.md"):
        path.write_text(before)
    page_of(
        tmp_path, "papers", "papers.md", record("003-4.1", "iris", full=12, kept=12)
    )
    summary = (docs / "papers.md").read_text()
    said = contest.how_many(contest.PAGES, Records(tmp_path / "papers.jsonl"))
    assert f"**{said}**" in summary
    for path in (tmp_path / "README.md", docs / "index.md"):
        text = path.read_text()
        assert f"<!-- claims -->\n{said} [All" in text and "few" not in text
        assert text.startswith("Before.") and text.endswith("After.\n")


def test_overviews_have_the_count_of_the_summary():
    root = Path(contest.__file__).parents[2]
    (said,) = re.findall(
        r"\*\*(Of \d+ claims, .*)\*\*", (root / "docs/papers.md").read_text()
    )
    for name in ("README.md", "docs/index.md"):
        assert said in (root / name).read_text()
