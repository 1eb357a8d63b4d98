"""Which machine is taken: by accuracies alone, in a budget, the simpler of equals."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.preprocessing import StandardScaler

import polymargin
from polymargin.selection import candidate_fits, choice, trial_runs
from polymargin.selection.auto_machine import AutoMachine
from polymargin.selection.candidates import (
    Candidate,
    beyond,
    finer,
    narrower,
    other_machines,
)
from polymargin.selection.choice import choose
from polymargin.selection.trainers import KernelTrainer
from polymargin.selection.trials import Trial, is_worse, still_hopeful, take

LONG = 1e9  # seconds: the clock has no say


def test_circles_need_a_kernel():
    X, y = make_circles(120, noise=0.1, factor=0.5, random_state=0)
    found = choose(X, y, budget=LONG, random_state=0)
    assert found.complete
    assert found.best.candidate.family == "kernel"
    assert found.reason == "the most accurate"
    assert found.best.accuracy > 0.9 > found.baseline == 0.5
    tried = {(one.candidate.machine, one.candidate.family) for one in found.trials}
    assert tried == {
        *(("cs", "linear"), ("ovr", "linear"), ("maxent", "linear")),
        *(("ovo", "kernel"), ("ww", "kernel")),
    }
    # What is reported of the best is what it predicted for rows it had not seen.
    assert (found.predicted == found.labels).mean() == pytest.approx(
        found.scores.mean()
    )
    np.testing.assert_array_equal(y[found.rows], found.labels)
    # Few rows are held out three times, and told of once.
    assert found.best.folds == list(range(15))
    np.testing.assert_array_equal(np.sort(found.rows), np.arange(len(y)))


def trial(family, right):
    gamma = None if family == "linear" else 1.0
    return Trial(Candidate("ovo", 1.0, gamma), right={0: np.array(right, bool)})


@pytest.mark.parametrize(
    ("linear", "kernel", "taken"),
    [
        ([1, 0, 1, 0], [0, 1, 1, 1], "linear"),  # 1/4 behind, give or take 0.41
        ([0, 0, 1, 1], [1, 1, 1, 1], "kernel"),  # 1/2 behind, give or take 0.25
        ([1, 1, 1, 1], [1, 1, 1, 1], "linear"),
        ([1, 1, 1, 1], [0, 1, 1, 1], "linear"),
    ],
)
def test_equals_go_to_the_linear_one(linear, kernel, taken):
    best, reason = take([trial("linear", linear), trial("kernel", kernel)], 1.0)
    assert best.candidate.family == taken
    behind = sum(linear) < sum(kernel) and taken == "linear"
    assert ("linear, and as accurate as" in reason) == behind


@pytest.mark.parametrize("room", [0, 2e5], ids=["none", "one matrix"])
def test_kernels_that_find_no_room(room, monkeypatch):
    X, y = make_circles(120, noise=0.1, factor=0.5, random_state=0)
    kept = choose(X, y, budget=LONG, random_state=0)
    monkeypatch.setattr(candidate_fits, "_KERNEL_BYTES", room)
    found = choose(X, y, budget=LONG, random_state=0)
    assert found.best.candidate == kept.best.candidate
    assert found.best.accuracy == pytest.approx(kept.best.accuracy, abs=2 / 120)


def test_rows_that_are_held_out_again_are_no_more_rows():
    best, hits = np.ones(50, bool), np.arange(50) >= 3
    assert is_worse(hits, best, 1.5)
    assert is_worse(np.tile(hits, 3), np.tile(best, 3), 2.0)
    assert not is_worse(np.tile(hits, 3), np.tile(best, 3), 2.0, times=3)


def test_few_rows_drop_nothing_but_the_hopeless():
    close = [trial("kernel", np.arange(40) % 12 != at) for at in range(12)]
    hopeless = trial("kernel", np.zeros(40))
    assert still_hopeful([*close, hopeless], [0], None) == close
    few = still_hopeful([*close, hopeless], [0], 3)
    assert len(few) == 3
    assert max(close, key=lambda one: one.accuracy) in few


def test_the_grid_goes_on_where_the_best_is_at_its_edge():
    tried = [Candidate("ww", C, gamma) for C in (1.0, 10.0) for gamma in (0.5, 2.0)]
    assert beyond(tried[0], tried) == [
        Candidate("ww", 0.1, 0.5),
        Candidate("ww", 1.0, 0.125),
        Candidate("ww", 0.1, 0.125),
    ]
    lines = [Candidate("cs", C) for C in (0.1, 1.0, 10.0)]
    assert beyond(lines[1], tried + lines) == []
    assert beyond(lines[2], tried + lines) == [Candidate("cs", 100.0)]


def test_finer_steps_around_the_best():
    found = finer(Candidate("ww", 10.0, 2.0))
    assert [(round(one.C, 2), one.gamma) for one in found] == [
        (3.16, 2.0),
        (31.62, 2.0),
        (10.0, 1.0),
        (10.0, 4.0),
    ]
    assert {one.C for one in finer(Candidate("cs", 1.0))} == {1 / 10**0.5, 10**0.5}


def test_other_machines_where_one_was_best():
    assert other_machines(Candidate("cs", 1.0)) == []
    found = other_machines(Candidate("ovo", 10.0, 2.0))
    assert found == [Candidate("ww", 10.0, 2.0), Candidate("ww", 10 / 10**0.5, 2.0)]
    assert max(one.C for one in other_machines(Candidate("ovo", 1e4, 2.0))) == 100.0


def test_same_seed_same_choice_on_any_number_of_threads():
    X, y = load_iris(return_X_y=True)
    found = [
        choose(X, y, StandardScaler(), budget=LONG, random_state=0, n_jobs=n)
        for n in (1, 2)
    ]
    candidates = [[str(one.candidate) for one in each.trials] for each in found]
    assert candidates[0] == candidates[1]
    assert found[0].best.candidate == found[1].best.candidate
    np.testing.assert_array_equal(found[0].predicted, found[1].predicted)


def test_hopeless_ones_are_dropped_early():
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    found = choose(X, y, budget=LONG, random_state=0)
    folds = {one.candidate.family: set() for one in found.trials}
    for one in found.trials:
        folds[one.candidate.family].add(len(one.folds))
    assert folds["linear"] == {1} and max(folds["kernel"]) > 1


def test_many_rows_are_tried_on_few_first(monkeypatch):
    monkeypatch.setattr(trial_runs, "_FEW_ROWS", (60, 100))
    monkeypatch.setattr(trial_runs, "_ENOUGH", 60)
    monkeypatch.setattr(trial_runs, "_SURE", 120)
    monkeypatch.setattr(trial_runs, "_REPEATED", 100)
    monkeypatch.setattr(trial_runs, "_MANY", 100)
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    found = choose(X, y, budget=LONG, random_state=0)
    later = [one for one in found.trials if -1 not in one.right]
    assert len(later) < len(found.trials) / 3  # those that more rows ask for
    assert any(set(one.right) == {-1, -2} for one in found.trials)
    assert found.best.folds == [0, 1]  # 120 rows
    assert found.best.candidate.family == "kernel"


def test_transformers_are_fitted_within_folds():
    seen = []

    class Recording(StandardScaler):
        def fit_transform(self, X, y=None, **params):
            seen.append(len(X))
            return super().fit_transform(X, y)

    X, y = load_wine(return_X_y=True)
    choose(X, y, Recording(), budget=LONG, random_state=0)
    assert seen and max(seen) < len(X)


def test_no_time_at_all():
    X, y = load_iris(return_X_y=True)
    found = choose(X, y, budget=1e-9, random_state=0)
    assert not found.complete
    assert len([one for one in found.trials if one.right]) == 1
    assert found.best.candidate.machine == "cs"


def test_fits_that_are_cut_short_do_not_count(monkeypatch):
    X, y = make_circles(120, noise=0.1, factor=0.5, random_state=0)
    train, cut = KernelTrainer.train, []

    def train_and_say_so(self, C, *others):
        train(self, C, *others)
        if C == 10.0:
            cut.append(self)
            self.machine.status_ = "max_time"

    monkeypatch.setattr(KernelTrainer, "train", train_and_say_so)
    found = choose(X, y, budget=LONG, random_state=0)
    assert cut
    for one in found.trials:
        assert bool(one.right) != (
            one.candidate.gamma is not None and one.candidate.C == 10.0
        )


def test_stopped():
    X, y = load_iris(return_X_y=True)
    seen = []
    found = choose(
        X,
        y,
        budget=LONG,
        random_state=0,
        watch=lambda share, trial: seen.append(share),
        stopped=lambda: len(seen) >= 3,
    )
    assert len(seen) == 3 and not found.complete


def test_the_best_come_first_on_the_next_fold():
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    seen = []
    choose(
        *(X, y),
        budget=LONG,
        random_state=0,
        watch=lambda share, trial: seen.append((trial, dict(trial.right))),
        stopped=lambda: len(seen) > 40,
    )
    second = [(one, right[0].mean()) for one, right in seen if set(right) == {0, 1}]
    assert len(second) > 3
    shares = [share for _, share in second]
    assert shares == sorted(shares, reverse=True) and shares[0] > shares[-1]


def test_shares_grow_to_one():
    X, y = load_iris(return_X_y=True)
    shares = []
    choose(X, y, budget=LONG, random_state=0, watch=lambda s, _: shares.append(s))
    assert 0 < shares[0] < 0.2
    assert all(0 <= share <= 1 for share in shares)
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    "kind", [np.array, sp.csr_array, pd.DataFrame, np.asfortranarray, np.float32, list]
)
def test_rows_of_any_kind(kind):
    X, y = load_iris(return_X_y=True)
    rows = kind((10 * X).astype(int))
    found = choose(rows, y.tolist(), budget=LONG, random_state=0)
    assert found.best.accuracy > 0.9
    if kind is not list:
        model = AutoMachine(budget=LONG, random_state=0).fit(rows, y)
        assert model.best_estimator_.C == found.best.candidate.C


def test_classes_of_one_row():
    X, y = load_iris(return_X_y=True)
    y = np.append(y, 7)
    X = np.vstack([X, X[0] + 9])
    found = choose(X, y, budget=LONG, random_state=0)
    assert found.best.accuracy > 0.9


def test_more_rows_than_are_compared_by(monkeypatch):
    monkeypatch.setattr(choice, "MOST_ROWS", 100)
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    found = choose(X, y, budget=LONG, random_state=0)
    assert len(found.rows) <= 100
    assert found.best.candidate.family == "kernel"
    assert found.best.candidate.given == {}


def test_of_those_that_came_furthest_one_is_taken():
    """What was tried on few rows only is not compared with the others."""
    few, more, whole = trial("linear", [1]), trial("kernel", [1]), trial("kernel", [1])
    few.right = {-1: np.ones(4, bool)}
    more.right = {-1: np.zeros(4, bool), -2: np.array([1, 1, 1, 0], bool)}
    assert take([few, more], 1.0)[0] is more
    assert more.accuracy == 0.75
    whole.right = {-1: np.zeros(4, bool), 0: np.array([0, 1, 0, 0], bool)}
    late = trial("kernel", [1, 1, 0, 0])  # joined when whole folds were tried
    assert take([few, more, whole, late], 1.0)[0] is late


def test_auto_machine_in_a_pipeline():
    data = load_wine(as_frame=True)
    frame = data.data.assign(
        color=np.where(data.target == 0, "red", "white"), number=np.arange(178)
    )
    names = np.array(["a", "b", "c"])[data.target]
    model = polymargin.tabular(random_state=0, budget=LONG).fit(frame, names)
    machine = model["machine"]
    assert machine.best_score_ > 0.95 > machine.choice_.baseline
    assert model.score(frame, names) > 0.95
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.decision_function(frame[:2]).shape == (2, 3)
    np.testing.assert_array_equal(
        model.predict(frame[list(frame)[::-1]]), model.predict(frame)
    )
    assert isinstance(frame, pd.DataFrame)


def test_auto_machine_refuses():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="weight for 7, which is not one of"):
        AutoMachine(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter of LinearSVM must be"):
        choose(X, y, loss="none")
    with pytest.raises(ValueError, match="'budget' parameter of AutoMachine"):
        AutoMachine(budget=-1).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        AutoMachine().fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="y has another class in each of its 9 rows"):
        AutoMachine().fit(X[:9], np.arange(9))


def test_no_probabilities():
    X, y = load_iris(return_X_y=True)
    model = AutoMachine().fit(X, y)
    model.best_estimator_ = polymargin.LinearSVM().fit(X, y)
    with pytest.raises(AttributeError) as caught:
        _ = model.predict_proba
    assert "name one that has: tabular('maxent')" in str(caught.value.__cause__)


def test_more_rows_ask_for_narrower_kernels(monkeypatch):
    """A checkerboard of fine squares: few rows show little of it."""
    monkeypatch.setattr(trial_runs, "_FEW_ROWS", (150,))
    monkeypatch.setattr(trial_runs, "_MANY", 1000)
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 2))
    y = np.floor(6 * X).astype(int).sum(axis=1) % 2
    found = choose(X, y, budget=LONG, random_state=0)
    whole = [one for one in found.trials if 0 in one.right]
    joined = [one for one in whole if -1 not in one.right]
    assert joined and found.best in joined
    first = [one.candidate for one in found.trials if -1 in one.right]
    assert found.best.candidate.C * found.best.candidate.gamma > max(
        one.C * one.gamma for one in first if one.gamma is not None and one.C <= 10
    )
    for one in narrower(found.best.candidate):
        assert one.C >= found.best.candidate.C
    assert narrower(Candidate("cs", 1.0)) == [Candidate("cs", pytest.approx(10**0.5))]


def test_several_labels_a_row_are_for_another_machine():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="several labels a row, and this takes one"):
        AutoMachine().fit(X, np.eye(3)[y])
