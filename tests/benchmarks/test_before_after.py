"""Two versions in turns: made-up fits, and one real fit by this interpreter."""

import pytest

from benchmarks.harness import before_after


def test_both_take_turns_and_the_minimum_counts():
    order = []

    def fake(function, kind, machine, name, python):
        order.append(python)
        return {"seconds": len(order) * (1.0 if python == "old" else 1.2)} | OUTCOME

    found = before_after.compare(("linear", "cs", "usps"), ("old", "new"), 3, fake)
    assert order == ["old", "new", "new", "old", "old", "new"]
    row = before_after.line(("linear", "cs", "usps"), found)
    assert row[3:6] == ["1", "2.4", "2.400 slower"]
    assert row[6] == "5.00" and row[-1] == "7"


OUTCOME = {"gap": 1e-4, "epochs": 7}


def test_a_missed_gap_is_said():
    sides = [[{"seconds": 1.0, **OUTCOME}], [{"seconds": 1.0, **OUTCOME, "gap": 0.1}]]
    assert before_after.line(("a", "b", "c"), sides)[5] == "1.000 **gap missed**"


@pytest.mark.parametrize(("kind", "machine"), [("linear", "maxent"), ("kernel", "ww")])
def test_a_fit(kind, machine):
    found = before_after.fit_seconds(kind, machine, "digits")
    assert found["seconds"] > 0 and found["gap"] <= before_after.TOL


def test_all_rows_of_the_rule():
    rows = before_after.rows(["linear", "kernel"])
    assert len(rows) == 4 * 4 + 2 * 2 and ("kernel", "ww", "satimage") in rows


def test_an_interpreter_that_is_not_there(capsys):
    words = ["/no/such/python", "/no/such/python", "--only", "kernel", "--data", "usps"]
    assert before_after.main(words) == 2
    assert "/no/such/python" in capsys.readouterr().err
