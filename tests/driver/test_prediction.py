"""What is left of a run, predicted from made-up series of gaps."""

import math

import pytest

from polymargin.driver.prediction import NEXT_LOOK, TRIED, Course, work_left


def course(gaps, tol=1e-3, work=1.0):
    run = Course(tol)
    for gap in gaps:
        run.add(work, gap)
    return run


@pytest.mark.parametrize("epochs", [1, 2, 3, 10, 51])
def test_a_gap_that_falls_evenly_is_predicted_exactly(epochs):
    gaps = [0.8**t for t in range(1, epochs + 1)]
    work = [5.0 * t for t in range(1, epochs + 1)]
    needed = math.log(1e-6) / math.log(0.8)
    assert work_left(work, gaps, 1e-6) == pytest.approx(5 * (needed - epochs))


def test_epochs_count_by_their_work():
    """The gap halves with every unit of work, however it is divided."""
    work = [1.0, 4.0, 4.5, 7.0, 10.0]
    gaps = [0.5**w for w in work]
    assert work_left(work, gaps, 0.5**30) == pytest.approx(20)


def test_the_rate_is_that_of_the_last_half():
    gaps = [10.0**-t for t in range(10)] + [1e-9 * 0.9**t for t in range(1, 11)]
    left = work_left([float(t) for t in range(20)], gaps, 1e-12)
    assert left == pytest.approx(math.log(gaps[-1] / 1e-12) / -math.log(0.9))


def test_estimates_that_rise_do_not_count():
    even = [0.8**t for t in range(21)]
    noisy = [gap * (3 if t % 4 == 3 else 1) for t, gap in enumerate(even)]
    assert course(noisy, 1e-6).left == pytest.approx(course(even, 1e-6).left)


def test_an_estimate_that_was_too_small_is_forgotten():
    run = course([0.5, 0.2, 0.15, 1e-5])
    assert run.left == 0
    run.correct(0.1)
    assert run.left == course([0.5, 0.2, 0.15, 0.1]).left > 0


def test_only_estimates_that_call_for_a_certificate_are_corrected():
    run = course([0.5, 0.2])
    run.correct(0.4)
    assert run.left == course([0.5, 0.2]).left


def test_ends_that_are_reached_and_ends_that_are_not():
    assert work_left([1.0, 2.0], [0.5, 1e-4], 1e-3) == 0
    assert work_left([1.0, 2.0], [0.5, 0.5], 1e-3) == math.inf
    assert course([0.5, math.inf, 0.7]).left == math.inf
    assert work_left([1.0], [1.0], 1e-3) == math.inf
    assert work_left([1.0, 2.0], [0.5, 0.1], 0.0) == math.inf


def test_nothing_is_decided_before_something_was_tried():
    other = 100.0
    hopeless = course([1.0] * math.ceil(TRIED * other))
    assert hopeless.is_longer_than(other)
    assert not hopeless.is_longer_than(2 * other)
    assert not course([1.0]).is_longer_than(other)


def test_the_shorter_way_is_taken():
    quick = course([0.5**t for t in range(5)])
    assert quick.left == pytest.approx(math.log(1e3 / 2**4, 2))
    assert not quick.is_longer_than(7.0)
    assert quick.is_longer_than(5.0)


def test_a_gap_that_falls_ever_slower_is_left():
    """1/t: a thousand epochs to 1e-3, of which the first few promise less."""
    gaps = [1 / t for t in range(1, 101)]
    assert course(gaps[:4]).left < 20
    assert course(gaps).left > 150
    left = [course(gaps[:t]).is_longer_than(100.0) for t in range(1, 101)]
    assert left.index(True) < 60


def test_looks_are_ever_rarer():
    run, looks = Course(1e-3), []
    for epoch in range(1000):
        run.add(1.0, 1.0)
        if run.is_time:
            looks.append(epoch + 1)
            run.wait()
    assert looks[:5] == [1, 2, 3, 4, 5]
    assert len(looks) < 8 + math.log(1000, NEXT_LOOK)
