"""Every contest from the command line to its page, on small data."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from benchmark_records import command, filled, page_of, record, run_in

from benchmarks.contests import classes, linear, machines, nystroem, online, paths
from benchmarks.harness import data, process, race, sheet
from benchmarks.harness.command import CONTESTS, find
from benchmarks.harness.objectives import Formulation

CLEAN = "abc1234"
PLACES = {name: one for one in sheet.SHEETS for name in one.contests}


@pytest.fixture
def clean(monkeypatch):
    """Sources without uncommitted changes."""
    for module in ("records", "command"):
        monkeypatch.setattr(f"benchmarks.harness.{module}.commit", lambda: CLEAN)


@pytest.fixture
def here(monkeypatch):
    """What would have a process of its own runs in this one: that takes seconds less.

    That a fresh process returns the same is for test_harness to show.
    """
    for module in (process, online, nystroem):
        monkeypatch.setattr(
            module, "in_fresh_process", lambda task, *words, **options: task(*words)
        )


def test_every_contest_has_a_place():
    own_pages = {"papers"}
    assert set(PLACES) | own_pages == set(CONTESTS)
    assert all(find(name).pages for name in own_pages)
    for name in PLACES:
        contest = find(name)
        assert contest.name == name and contest.title and contest.draw is not None
        assert all(table.data for table in contest.tables.values())


@pytest.mark.parametrize("name", ["linear", "kernel", "online", "nystroem", "paths"])
def test_from_small_data_to_the_page(name, clean, here, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CS", (0.1, 1.0))
    monkeypatch.setattr(paths, "FOLDS", 2)
    words = [name, "--data", "digits", "--repeats", "1", "--seeds", "1"]
    assert command(tmp_path, *words) == 0
    place = PLACES[name]
    text = (tmp_path / "docs" / place.file).read_text()
    assert text.startswith(f"# {place.title}\n")
    figures, tables = text.split("## The tables")
    assert f"![{find(name).title}](benchmarks-{name}.png)" in figures
    assert "| digits |" in tables and CLEAN in tables
    assert (tmp_path / "docs" / f"benchmarks-{name}.png").stat().st_size > 5_000


def test_threads_and_disk(clean, here, tmp_path):
    for name in ("threads", "disk"):
        assert command(tmp_path, name, "--data", "digits", "--repeats", "1") == 0
    text = (tmp_path / "docs" / "benchmarks-scale.md").read_text()
    assert text.index("## Threads") < text.index("## Training from disk")
    assert "| digits | " in text.split("## The tables")[1]


def test_partitions(clean, tmp_path):
    pytest.importorskip("distributed")
    words = ["partitions", "--tables", "partitions", "--data", "digits"]
    assert command(tmp_path, *words) == 0
    rounds = {"8": {"round": 0.02, "empty": 0.01}}
    shape = {"n": 1437, "d": 64, "k": 10}
    filled(tmp_path, "partitions", record("overhead", "d", shape=shape, rounds=rounds))
    assert command(tmp_path, "partitions", "--render") == 0
    text = (tmp_path / "docs" / "benchmarks-scale.md").read_text()
    assert "| digits | maxent | - | " in text and "| 8 | 20.0 | 10.0 |" in text


def test_machines_are_ranked_over_data_sets(tmp_path):
    names = (*machines.LINEAR, *machines.KERNEL)
    shape = {"n": 150, "d": 4, "k": 3}
    records = [
        record(
            "machines",
            data_set,
            shape=shape,
            accuracies={name: [0.9 - 0.01 * at] * 2 for at, name in enumerate(names)},
        )
        for data_set in machines.NAMES
    ]
    text = page_of(tmp_path, "machines", "benchmarks.md", *records)
    assert "Average ranks on 15 sets, 1 is best: cs 1.0, ww 2.0," in text
    assert "cs before maxent" in text and "ww before llw" not in text
    assert "| wine | 150 | 4 | 3 | 90.0 | 89.0 |" in text


def test_accuracies_of_machines_on_few_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(machines, "LINEAR", ("cs",))
    monkeypatch.setattr(machines, "KERNEL", ("kernel-ww",))
    grid = {"C": (1.0,), "gamma": (0.01,)}
    monkeypatch.setattr(machines, "PROTOCOL", replace(machines.PROTOCOL, grid=grid))
    monkeypatch.setattr(machines, "LARGEST", 150)
    found = machines.measure("digits", run_in(tmp_path))
    assert found["shape"] == {"n": 150, "d": 64, "k": 10}
    assert set(found["accuracies"]) == {"cs", "kernel-ww"}
    assert all(min(of) > 0.6 for of in found["accuracies"].values())


def test_classes_grow(tmp_path, monkeypatch):
    few = lambda name: data.generate(4, n=80, n_features=60)  # noqa: E731
    monkeypatch.setattr(classes, "load", few)
    small = record("classes", "generated_k10", **classes.measure("", run_in(tmp_path)))
    assert classes.PEER in small["fits"]
    large = {**small, "data": "generated_k1000", "shape": {**small["shape"], "k": 400}}
    text = page_of(tmp_path, "classes", "benchmarks-scale.md", small, large)
    assert "With 100 times the classes, training takes cs 1.00 times" in text


@pytest.mark.parametrize(
    "words", ["cs", "ww", "ovr hinge", "ovr squared_hinge", "ovo hinge", "maxent"]
)
def test_objectives_are_those_of_the_models(words):
    formulation = Formulation(*words.split())
    digits = data.load("digits")
    parts = [slice(None), digits.y < 2] if words.startswith("ovr") else [slice(None)]
    for rows in parts:
        X, y = digits.X[rows].astype(np.float64), digits.y[rows]
        model = formulation.estimator(tol=1e-4).fit(X, y)
        found = formulation.objective(X, y, model.coef_)
        assert found == pytest.approx(model.objective_, rel=1e-6)


def test_a_peer_that_never_gets_there_has_a_lower_bound(monkeypatch):
    digits, match = data.load("digits"), linear.MATCHES["cs"]
    monkeypatch.setattr(linear, "LADDER", (1.0,))
    tol, found = linear.climb(match, linear.LIBLINEAR, digits, target=0.0)
    assert tol is None and found["at_least"] > 0
    fits = {"polymargin": {"seconds": found["at_least"] / 2}, linear.LIBLINEAR: found}
    assert linear.ratios(match, [{"data": "digits", "fits": fits}])["digits"] == 2
    assert race.cell(found).startswith("> ")


def test_pairs_of_liblinear_solve_the_problem_of_one_vs_one():
    digits, match = data.load("digits"), linear.MATCHES["ovo"]
    X = sp.csr_matrix(digits.X.astype(np.float64))
    ours = match.formulation.estimator(tol=1e-4).fit(digits.X, digits.y)
    theirs = linear.PairsOfLiblinear(1e-4).fit(X, digits.y)
    objective = match.formulation.objective(X, digits.y, theirs.coef_)
    assert objective == pytest.approx(ours.objective_, rel=1e-3)
    assert theirs.score(X, digits.y) == pytest.approx(
        ours.score(digits.X, digits.y), abs=0.02
    )


def test_what_takes_long_is_run_once(monkeypatch):
    monkeypatch.setattr(race, "LONG", 5.0)
    calls = []

    def task(name, seconds):
        return lambda: calls.append(name) or {"seconds": seconds}

    found = race.race("test", {"a": task("a", 1.0), "b": task("b", 9.0)}, 3)
    assert calls == ["a", "b", "a", "a"]
    assert found["a"] == {"seconds": 1.0, "spread": 1.0}


def test_a_curve_is_ahead_at_the_dual_where_the_lower_one_ends():
    def shuffle(seconds, duals):
        return {"seconds": seconds, "work": seconds, "dual": duals, "error": [0.1, 0.1]}

    methods = {
        "GaLa": {"curve": shuffle([1.0, 2.0], [5.0, 10.0])},
        "LaRank": {"curve": shuffle([2.0, 4.0], [5.0, 8.0])},
    }
    assert online.speed_up([{"methods": methods}], "seconds") == pytest.approx(0.6)


def test_resuming_measures_again_on_another_commit(
    clean, here, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(nystroem, "RANKS", {"rank 10": 10})
    words = ["nystroem", "--data", "digits", "--seeds", "1", "--resume"]
    assert command(tmp_path, *words) == 0
    assert "measured already" not in capsys.readouterr().err
    assert command(tmp_path, *words) == 0
    assert "measured already" in capsys.readouterr().err
    old = record("nystroem", "digits")
    old["environment"] = {**old["environment"], "commit": "0000000"}
    filled(tmp_path, "nystroem", old)
    assert command(tmp_path, *words) == 0
    assert "measured already" not in capsys.readouterr().err


def test_intercepts_on_few_rows(clean, tmp_path):
    words = ("machines", "--tables", "intercepts", "--data", "digits", "--seeds", "1")
    assert command(tmp_path, *words) == 0
    text = (tmp_path / "docs" / "benchmarks.md").read_text()
    assert "### Intercepts of kernel machines" in text
    assert "linear, without" in text and "rbf, with" in text
