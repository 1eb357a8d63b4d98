"""Tests of the configurations of the papers' tables: tiny data and made-up numbers."""

from importlib import import_module

import numpy as np
import pytest

from polymargin.comparison.machines import find_machines

from . import reduced
from .data import FOLDER_VARIABLE
from .page import SHOWN
from .papers import __main__ as command
from .papers import page, sections, verdicts
from .papers.comparing import carry_out, load
from .papers.configuration import Claim, Entry, read, read_all
from .papers.quantities import QUANTITIES, Value, final_accuracy, seconds_to
from .results import Results

KNOWN = read_all()
COMPARED = [one for one in KNOWN.values() if one.program is None]
PROGRAMS = [one for one in KNOWN.values() if one.program is not None]
SMALL = """
paper = "000"
table = "table 0"
about = "two machines"
why = "Because."

[compare]
machines = ["A=cs:order=permuted", "B=ovr"]
protocol = "holdout"
changes = { repeats = 2, grid = { C = [0.1, 1.0] } }
prepare = "standard"
convergence = true
show = ["accuracy", "seconds", "p", "C", "convergence"]

[data]
iris = { place_of = "IRIS" }

[data."some digits"]
file = "digits"
place_of = "DIGITS"
rows = 300
prepare = "none"
parameters = { C = 2.0 }

[theirs.accuracy]
IRIS = [[99.0, 0.1], [50.0, 0.2]]

[theirs.p]
IRIS = [1.0, 0.01]
DIGITS = [1.0, 0.02]

[[claims]]
quantity = "accuracy"
ahead = "B"
behind = "A"
"""


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "configurations"
    folder.mkdir()
    (folder / "000-0.toml").write_text(SMALL)
    return folder


def test_every_paper_has_tables():
    assert {one.paper for one in KNOWN.values()} == set(page.PAPERS)
    assert all(one.about and one.table for one in KNOWN.values())


@pytest.mark.parametrize("configuration", COMPARED, ids=lambda one: one.name)
def test_comparisons_can_be_run(configuration):
    machines = find_machines(list(configuration.machines))
    assert list(machines) == configuration.columns
    assert set(configuration.show) <= set(sections.SECTIONS)
    assert configuration.entries
    for entry in configuration.entries:
        protocol = configuration.protocol_of(entry)  # its changes are of the protocol
        assert protocol.repeats >= 1
        for machine in machines.values():
            machine.set_params(**entry.parameters)
    for claim in configuration.claims:
        assert claim.quantity in QUANTITIES
        assert {claim.ahead, claim.behind} <= set(machines)


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
    assert configuration.columns[: len(theirs)] == theirs
    for table in configuration.theirs.values():
        assert set(table) == lines
        assert {len(row) for row in table.values()} == {len(theirs)}


@pytest.mark.parametrize("configuration", PROGRAMS, ids=lambda one: one.name)
def test_programs_are_there(configuration, capsys):
    with pytest.raises(SystemExit) as end:
        import_module(configuration.program.module).main(["--help"])
    assert end.value.code == 0 and "--data" in capsys.readouterr().out


def test_list_shows_how_to_run_everything(capsys):
    assert command.main(["--list"]) == 0
    text = capsys.readouterr().out
    for name, one in KNOWN.items():
        assert f"python -m benchmarks.papers --tables {name}\n" in text
        if one.program is not None:
            assert f"python -m {one.program.module}" in text


def test_what_is_left_out_is_as_for_all(small):
    one = read(small / "000-0.toml")
    iris, digits = one.entries
    assert (iris.prepare, digits.prepare) == ("standard", "none")
    assert one.protocol_of(digits).repeats == 2
    assert one.paper_says("accuracy", "iris") == {"A": (99.0, 0.1), "B": (50.0, 0.2)}
    assert one.paper_says("accuracy", "some digits") == {}


def test_rows_are_chosen_from_every_class():
    data = load(Entry("few", "FEW", file="digits", rows=200))
    counts = np.bincount(data.y)
    assert data.name == "few" and abs(len(data.y) - 200) <= 10
    assert counts.min() >= 18 and counts.max() <= 23


def test_a_table_from_beginning_to_end(small, tmp_path, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    output = tmp_path / "docs" / "papers.md"
    words = ["--folder", str(tmp_path / "kept"), "--output", str(output)]
    words += ["--configurations", str(small)]
    assert command.main([*words, "--tables", "000-0"]) == 0
    text = output.read_text()
    assert "| 000, table 0 | two machines | below | `--tables 000-0` |" in text
    assert "(99.00 ± 0.10) |" in text  # the paper's number beside ours
    assert "In the paper behind on 1 (iris)" in text
    assert "differ at the level 0.01 here on none; in the paper on iris." in text
    assert text.index("Because.") < text.index("## Runs")
    fits = tmp_path / "kept" / "000-0" / "iris" / "fits.jsonl"
    done = fits.read_text()
    assert done.count('"kind": "fit"') == 4
    # Run again, it trains nothing; rendered, it reads nothing but the records.
    assert command.main([*words, "--tables", "000-0", "--data", "iris"]) == 0
    assert fits.read_text() == done
    fits.unlink()
    assert command.main([*words, "--render"]) == 0
    assert output.read_text().split("## Runs")[0] == text.split("## Runs")[0]


def test_failures_end_it(small, tmp_path):
    one = read(small / "000-0.toml")
    entry = Entry(
        "iris",
        "IRIS",
        changes={"repeats": 1, "grid": {}},
        parameters={"class_weight": {"no such class": 1.0}},
    )
    with pytest.raises(RuntimeError, match="A: ValueError: class_weight"):
        carry_out(one, entry, tmp_path)


def test_unknown_table(tmp_path, capsys):
    words = ["--folder", str(tmp_path), "--tables", "000-9"]
    assert command.main(words) == 1
    assert (
        "--tables 000-9 is not known; choose among 000-4.2" in capsys.readouterr().err
    )


def test_programs_are_given_their_arguments(monkeypatch, tmp_path):
    given = []
    module = import_module("benchmarks.decomposition")
    monkeypatch.setattr(module, "main", lambda words: given.append(words) or 0)
    words = ["--folder", str(tmp_path), "--output", str(tmp_path / "page.md")]
    words += ["--tables", "004-2", "--data", "iris", "--resume"]
    assert command.main(words) == 0
    assert given == [["--resume", "--data", "iris"]]
    monkeypatch.setattr(module, "main", lambda words: 1)
    assert command.main(words) == 1


def test_who_is_ahead():
    assert verdicts.ahead(Value(90, 1, 10), Value(89, 1, 10), True) == 1
    assert verdicts.ahead(Value(90, 1, 10), Value(89, 1, 10), False) == -1
    assert verdicts.ahead(Value(90, 4, 10), Value(89, 4, 10), True) == 0
    assert verdicts.ahead(Value(1.0), Value(np.inf), False) == 1
    assert verdicts.ahead(Value(np.inf), Value(np.inf), False) == 0


def record(configuration, values):
    """A record of accuracies (shares) by line and machine, two splits each."""
    entry = configuration.entries[0]
    passes = configuration.protocol_of(entry).passes or (None,)
    machines = configuration.columns
    return {
        "data": entry.name,
        "environment": dict.fromkeys(SHOWN, "x"),
        "shape": {"n": 1000, "d": 3, "k": 3},
        "lines": [
            {
                "passes": count,
                "machines": {
                    machine: {"accuracy": [value, value + 1e-4], "train_seconds": [1.0]}
                    for machine, value in zip(machines, row, strict=True)
                },
            }
            for count, row in zip(passes, values, strict=True)
        ],
        "curves": {},
        "scaling": {},
        "load": 1.0,
    }


def test_verdicts_compare_both_sides():
    one = KNOWN["002-II"]
    values = [[0.9, 0.9, 0.9, 0.8, 0.95, 0.9], [0.9] * 6, [0.9] * 6]
    claim = Claim("accuracy", "Sort", "SMO")
    text = verdicts.verdict(one, [record(one, values)], claim)
    assert "ahead on 1 (news20_bydate, 1 pass), ties on 2" in text
    assert "In the paper ahead on all 3." in text
    assert "same verdict on 1 of 3 lines, opposite ones: none" in text
    claim = Claim("accuracy", "Sort", "FW")
    text = verdicts.verdict(one, [record(one, values)], claim)
    assert "opposite ones: news20_bydate, 1 pass." in text


def test_curves():
    curve = {
        "curve_seconds": [1.0, 2.0],
        "difference": [0.5, 0.05],
        "accuracy_seconds": [1.0, 2.0, 3.0],
        "accuracy": [0.5, 0.899, 0.9],
    }
    about = {"data": "x", "shape": {"n": 500}, "curves": {"A": curve}}
    assert seconds_to(0.1)(curve, about).value == 2.0
    assert np.isinf(seconds_to(0.01)(curve, about).value)
    final = final_accuracy(curve, about)
    assert final.value == 90 and final.error == pytest.approx(3.0)
    (line,) = QUANTITIES["seconds to accuracy"].lines(None, about)
    assert line.here["A"].value == 2.0


def test_powers_of_k():
    series = {"classes": [2, 4, 8], "seconds": [1.0, 2.0, 4.0]}
    about = {"data": "x", "scaling": {"A": series}}
    table, said = sections.scaling_section(None, [about])
    assert "| A | 1.00 | 2.00 | 4.00 | 1.00 |" in table
    assert said.endswith("power of 1.00 to 1.00 on x.")


def test_parameters_in_the_papers_convention():
    one = KNOWN["004-1"]
    points = [{"gamma": 2.0**-9, "C": 2.0**power} for power in (6, 8, 9)]
    machines = {name: {"parameters": points} for name in one.columns}
    about = {"data": "iris", "lines": [{"passes": None, "machines": machines}]}
    table, said = sections.parameters_section(one, [about])
    assert "| iris | -9, 9 (-9, 9) | -9, 8 (-4, 5) |" in table
    assert "gamma is within a factor of 4 of the paper's in 1 of 4 cases" in said
    assert said.endswith("a factor of up to 2^3 (iris, WW).")


def test_results_without_a_configuration_are_left_out(tmp_path):
    results = Results(tmp_path)
    results.add({"table": "old", "data": "iris"})
    assert "not run yet" in page.render(KNOWN, results)


def test_reduced_weights_are_counted():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    assert reduced.count(X, np.array([0, 0, 1])) == 4
    about = {"data": "covtype", "environment": dict.fromkeys(SHOWN, "x")}
    text = reduced.render([about | {"full": 378, "kept": 100}])
    assert "| covtype | 378 | 100 | 26.5 % (63.2 %) | 378 | 239 |" in text
    assert "saved here on covtype; there on none" in text
