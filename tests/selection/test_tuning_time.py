"""The time of a search: what is left is foreseen, and what is over ends it."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import polymargin
from polymargin.selection import tune as module
from polymargin.selection.time_left import TimeLeft

X, y = load_iris(return_X_y=True)
SAME = {"cv": 3, "random_state": 0, "refit": False, "solver": "newton"}


class CountedClock:
    """A clock on which every point takes ten seconds."""

    def __init__(self, max_time=None):
        self.limit = float("inf") if max_time is None else max_time
        self.points = 0

    def seconds(self):
        return 10.0 * self.points

    def left(self):
        return self.limit - self.seconds()


@pytest.fixture
def clock(monkeypatch):
    """Let time go by with the points, whose fits count it."""
    made = []

    def make(max_time):
        made.append(CountedClock(max_time))
        return made[-1]

    def score(model, rows, labels):
        # Three folds of a point; the best point is beyond the grid.
        made[-1].points += 1 / 3
        return np.log2(model.C)

    monkeypatch.setattr(module, "Clock", make)
    make.score = score
    return make


def test_the_time_ends_a_search_with_what_was_found(clock):
    Cs = [0.25, 0.5, 1.0, 2.0, 4.0]
    told = []
    tuning = polymargin.tune(
        *(X, y),
        Cs=Cs,
        scoring=clock.score,
        max_time=35,
        progress=lambda *found: told.append(found),
        **SAME,
    )
    assert tuning.status == "max_time"
    assert [point.parameters["C"] for point in tuning.points] == Cs[:3]
    assert tuning.best.parameters["C"] == 1.0
    shares, seconds = map(list, zip(*told, strict=True))
    assert seconds == pytest.approx([25, 15, 5])  # not more than there is
    assert shares == pytest.approx([10 / 35, 20 / 35, 30 / 35])


def test_there_is_always_an_answer(clock):
    tuning = polymargin.tune(X, y, scoring=clock.score, max_time=1e-3, **SAME)
    assert (tuning.status, len(tuning.points)) == ("max_time", 1)


def test_without_a_limit(clock):
    told = []
    tuning = polymargin.tune(
        *(X, y),
        Cs=[1.0, 2.0, 4.0],
        scoring=clock.score,
        progress=lambda *found: told.append(found),
        **SAME,
    )
    assert tuning.status == "complete"
    assert len(tuning.points) == 3 + 6  # beyond the edge, but not without end
    # Two, one, and one more for every step beyond the grid but the last.
    assert [left for _, left in told] == pytest.approx([20, 10, *6 * [10], 0])


@pytest.mark.parametrize("max_time", [0, -1.0])
def test_bad_limits(max_time):
    with pytest.raises(ValueError, match=r"max_time=.* must be a positive number"):
        polymargin.tune(X, y, max_time=max_time)


def test_what_is_foreseen():
    time_left = TimeLeft()
    assert time_left.expected([1.0, 2.0]) == 0  # nothing is known yet
    time_left.add(1.0, 3.0)
    assert time_left.expected([2.0, 4.0]) == 6.0
    time_left.add(2.0, 4.5)
    assert time_left.expected([4.0, 8.0]) == pytest.approx(4.5 * 1.5 + 4.5 * 1.5**2)
    time_left.add(4.0, 45.0)  # not more than C itself grows
    assert time_left.expected([8.0]) == pytest.approx(90.0)
    assert time_left.expected([0.5, 1.0, 2.0]) == pytest.approx(3.0 + 3.0 + 4.5)
