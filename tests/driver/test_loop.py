"""The loop of training: why it ends, what time counts, what is kept."""

from types import SimpleNamespace

import pytest

from polymargin.driver.epochs import run_epochs
from polymargin.driver.loop import (
    Clock,
    History,
    Outcome,
    Reporter,
    Stopping,
    cut_short,
    run_steps,
)
from polymargin.driver.protocol import EpochReport


class Listener(Reporter):
    """Counts steps, and stops after so many."""

    def __init__(self, most=None):
        self.begun, self.ended, self.most = 0, [], most

    def begin(self):
        self.begun += 1

    def end(self, progress):
        self.ended.append(progress)
        return len(self.ended) == self.most


def steps(*outcomes):
    return [lambda seconds, outcome=outcome: outcome for outcome in outcomes]


@pytest.mark.parametrize(
    ("outcomes", "most", "status", "told"),
    [
        ([Outcome(1), Outcome(2)], None, "at the end", 2),
        ([Outcome(1), Outcome(2, "converged"), Outcome(3)], None, "converged", 2),
        ([Outcome(1), Outcome(None, "max_time"), Outcome(3)], None, "max_time", 1),
        ([Outcome(1), Outcome(2), Outcome(3)], 2, "callback", 2),
        ([Outcome(1, "converged")], 1, "converged", 1),
        ([Outcome(1, "precision")], 1, "callback", 1),
        ([Outcome(1, "precision")], None, "precision", 1),
        ([], None, "at the end", 0),
    ],
)
def test_why_it_ends(outcomes, most, status, told):
    listener = Listener(most)
    assert run_steps(steps(*outcomes), Clock(), listener, "at the end") == status
    assert len(listener.ended) == told


def test_no_step_begins_after_its_time(clock):
    listener, left = Listener(), []

    def slow(seconds):
        left.append(seconds)
        clock.now += 2
        return Outcome("slow")

    assert run_steps([slow] * 9, Clock(max_time=3), listener, "end") == "max_time"
    assert left == [3, 1]
    assert listener.begun == 2 and listener.ended == ["slow"] * 2


def test_time_that_is_not_counted(clock):
    run = Clock(max_time=10)
    clock.now += 1
    with run.stopped():
        clock.now += 5
    assert (run.seconds(), run.left()) == (1, 4)  # it has passed
    assert Clock().left() == float("inf")


def test_a_step_that_was_cut_short():
    assert cut_short(SimpleNamespace(interrupted=True)).status == "interrupted"
    assert cut_short(SimpleNamespace(interrupted=False)).status == "max_time"


def test_history():
    history = History.of(["a", "b"])
    history.add(1, 2.0)
    History(history.columns).add(3, 4.0)  # goes on
    assert history.columns == {"a": [1, 3], "b": [2.0, 4.0]}
    with pytest.raises(ValueError, match="argument"):
        history.add(1)


def test_enough():
    assert Stopping(0.1).enough(gap=0.1, violation=9)
    assert not Stopping(0.1).enough(gap=0.2, violation=0)
    assert Stopping(0.1, violation_tol=1e-3).enough(gap=0.2, violation=1e-3)
    assert not Stopping(0.1, violation_tol=1e-3).enough(gap=0, violation=1e-2)


@pytest.mark.parametrize("max_iter", [1, 5])
def test_what_is_not_finite_has_not_converged(max_iter):
    """Whatever its violation: nothing is larger than a number that is none."""
    nothing = float("nan")
    driver = SimpleNamespace(
        interrupted=False,
        epoch=lambda seconds: EpochReport(1, 0, 0.0, nothing, nothing),
        rebuild=lambda: None,
        certify=lambda: (nothing, nothing, 0.0),
    )
    run = run_epochs(driver, Stopping(1e-3, violation_tol=1e-3, max_iter=max_iter))
    assert run.status == ("max_iter" if max_iter == 1 else "precision")
    assert run.certificate.gap == float("inf")
