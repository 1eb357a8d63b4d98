"""What a long comparison shows."""

import io
import sys

import pytest

from polymargin.selection.comparison import task_progress as progress
from polymargin.selection.comparison.tasks import Task

TASKS = [
    Task("fit", dataset, machine, split)
    for split in range(2)
    for dataset in ("iris", "wine")
    for machine in ("cs", "ww")
]


def row(task, seconds=1.0, accuracy=0.9):
    return task.as_dict() | {"seconds": seconds, "accuracy": accuracy}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_says_everything(clock):
    stream = io.StringIO()
    shown = progress.PlainProgress(TASKS, [row(TASKS[0], accuracy=0.95)], stream)
    shown.begin(TASKS[1])
    shown.tell("C = 0.1 (point 2)")  # too soon after the last line
    clock[0] += 10
    shown.tell("C = 1 (point 3)")
    first, second = stream.getvalue().splitlines()
    assert first.startswith("[1/8] iris, ww, split 1; 7 s left")
    assert second.startswith("[1/8] iris, ww, split 1: C = 1 (point 3)")
    assert second.endswith("best on iris: cs 95.00 %")


def test_lines_are_rare_but_the_last_is_shown(clock):
    stream = io.StringIO()
    shown = progress.PlainProgress(TASKS, [], stream)
    for task in TASKS:
        shown.begin(task)
        for point in range(100):
            shown.tell(str(point))
        clock[0] += 0.1
        shown.end(row(task))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[-1].startswith("[8/8]") and "left" not in lines[-1]


def test_time_left(clock):
    shown = progress.Progress(TASKS, [])
    assert shown.seconds_left() is None
    for task, seconds in zip(TASKS[:4], (1.0, 2.0, 30.0, 40.0), strict=True):
        shown.begin(task)
        shown.end(row(task, seconds))
    assert shown.seconds_left() == pytest.approx(73)
    shown.begin(TASKS[4])
    clock[0] += 0.5
    assert shown.seconds_left() == pytest.approx(72.5)
    clock[0] += 50  # longer than thought: no less than all the others
    assert shown.seconds_left() == pytest.approx(72)


def test_rows_of_others_do_not_count():
    stranger = row(Task("fit", "digits", "cs", 0))
    failed = TASKS[0].as_dict() | {"error": "no", "seconds": 1.0}
    assert progress.Progress(TASKS, [stranger, failed]).done == 0


@pytest.mark.parametrize("verbose", [None, False])
def test_quiet_where_there_is_no_terminal(monkeypatch, verbose):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert type(progress.make_progress(TASKS, [], verbose)) is progress.Progress


def test_lines_where_asked_for(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(progress.make_progress(TASKS, [], True), progress.PlainProgress)


def test_rich_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    shown = progress.make_progress(TASKS, [], None)
    assert isinstance(shown, progress.RichProgress)
    for task in TASKS[:2]:
        shown.begin(task)
        shown.tell("C = 1")
        shown.end(row(task))
    shown.begin(TASKS[2])
    shown.tell("C = 3 (point 6)")
    shown.live.refresh()
    shown.close()
    text = sys.stderr.getvalue()
    assert "wine, cs, split 1: C = 3 (point 6)" in text
    assert "2/8" in text and "6 s left" in text


def test_no_rich(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(progress.make_progress(TASKS, [], None), progress.PlainProgress)
