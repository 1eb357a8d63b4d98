"""Tests of the paper on decomposition, repeated: a stand-in and tiny data only."""

import numpy as np
import pytest
from benchmark_records import filled, page_of, record, run_in

import polymargin
from benchmarks.harness.data import FOLDER_VARIABLE
from benchmarks.papers import (
    decomposition,
    kernel_claims,
    kernel_data,
    kernel_search,
    kernel_shrinking,
)
from benchmarks.papers.claims import FAILS, HOLDS, PARTLY

THEIRS = kernel_data.PAPER.theirs
SIZES = THEIRS["sizes"]


def test_tables_of_the_paper_are_complete():
    columns = {"parameters": 4, "accuracy by machine": 4}
    columns |= {"iterations": 6, "seconds by method": 6, "sizes": 2}
    assert set(columns) == set(THEIRS)
    for name, width in columns.items():
        assert set(THEIRS[name]) == set(SIZES)
        assert {len(row) for row in THEIRS[name].values()} == {width}


@pytest.mark.parametrize("name", SIZES)
def test_accuracies_of_the_paper_are_shares_of_its_test_rows(name):
    """A misread digit, or another size of the splits, would hardly give one."""
    rows = SIZES[name][1]
    accuracies = np.array(THEIRS["accuracy by machine"][name])
    shares = (accuracies * rows).round() / rows
    np.testing.assert_allclose(shares, accuracies, rtol=0, atol=5.1e-5)


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [("unit variance", [[-1, 0], [1, 0]]), ("[-1, 1]", [[-1, 0], [1, 0]])],
)
def test_both_parts_are_scaled_by_the_first(scaling, expected):
    X = np.array([[0.0, 5.0], [4.0, 5.0]])
    scaled, scaled_test = kernel_data.scale(X, 2 * X, scaling)
    np.testing.assert_array_equal(scaled, expected)
    slope = (scaled[1, 0] - scaled[0, 0]) / 4
    assert scaled_test[1, 0] == scaled[0, 0] + 8 * slope


def test_margin_two_is_half_the_cost_and_half_the_tolerance():
    stated = decomposition.parameters("satimage", "WW SMO")
    tolerance = decomposition.VIOLATION / 2
    expected = dict(machine="ww", gamma=0.5, C=2.0, violation_tol=tolerance)
    assert stated == expected | {"solver": "smo"}
    assert decomposition.parameters("satimage", "LLW S2DO")["C"] == 4.0
    assert decomposition.parameters("vehicle", "OVA SMO")["machine"] == "ovr"
    precise = decomposition.parameters("iris", decomposition.PRECISE)
    assert (precise["solver"], precise["violation_tol"]) == ("s2do", 1e-5)


@pytest.fixture
def soybean(monkeypatch, tmp_path):
    """Rows of which only the first 307 are of the paper."""
    X = np.arange(683, dtype=np.float32)[:, None]
    np.savez(tmp_path / "soybean.npz", X=X, y=np.arange(683, dtype=np.int32) % 3)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))


def test_splits_have_the_sizes_of_the_paper(soybean):
    one, two = kernel_data.splits("soybean, [-1, 1]", 2)
    assert [len(one.y), len(one.y_test)] == SIZES["soybean"]
    assert np.ptp(one.X) == 2 and one.X.mean() == pytest.approx(0, abs=0.2)
    assert list(one.X[:, 0]) != list(two.X[:, 0])
    assert kernel_data.sizes_of(one)["shape"] == {"n": 214, "d": 1, "k": 3}
    assert kernel_data.parts_of("iris") == ("iris", "unit variance")


class StandIn:
    """Says class 0 of all rows; by SMO it takes all the time there is."""

    def __init__(self, machine="", **params):
        self.params = params

    def fit(self, X, y):
        stopped = self.params.get("solver") == "smo"
        self.status_ = "max_time" if stopped else "converged"
        self.n_iter_ = 1000
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


def test_stopped_methods_are_given_up(soybean, monkeypatch, tmp_path):
    monkeypatch.setattr(polymargin, "KernelSVM", StandIn, raising=False)
    found = decomposition.measure("soybean, unit variance", run_in(tmp_path, seeds=3))
    methods = found["methods"]
    assert set(methods) == set(decomposition.METHODS)
    assert methods["LLW SMO"]["splits"] == methods["LLW SMO"]["stopped"] == 2
    assert methods["LLW S2DO"]["splits"] == 3
    assert methods["WW block"]["accuracy"] == pytest.approx(1 / 3, abs=0.1)


def test_a_search_selects_and_evaluates(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_search, "GRID", {"C": (0.5, 8.0), "gamma": (0.01, 0.1)})
    monkeypatch.setattr(kernel_search, "REFINEMENTS", 0)
    monkeypatch.setattr(kernel_search, "SPLITS", 2)
    monkeypatch.setattr(kernel_search, "SEARCH_ROWS", 150)
    found = kernel_search.measure("digits, unit variance", run_in(tmp_path))
    ww = found["machines"]["WW"]
    assert ww["points"] == 4
    assert ww["C"] in (0.0, 4.0)  # margin 2: the paper's C is twice ours
    assert min(ww["accuracy"]) > 0.85 and len(ww["accuracy"]) == 2
    assert 0 <= min(ww["violations"]) < 1
    assert set(found["machines"]) == set(kernel_data.MACHINES)


def record_of(name, scaling="unit variance", **changes):
    """A record with the numbers of the paper but for some."""

    def theirs(quantity):
        said = kernel_data.PAPER.paper_says(quantity, name)
        return {column: value for column, (value, _) in said.items()}

    accuracy, iterations = theirs("accuracy by machine"), theirs("iterations")
    seconds = theirs("seconds by method")
    methods = {
        method: {
            "accuracy": accuracy[method.split()[0]],
            "iterations": iterations.get(method, 1),
            "seconds": seconds.get(method, 1.0),
            "stopped": 0,
            "splits": 3,
        }
        for method in decomposition.METHODS
    }
    for method, change in changes.items():
        methods[method].update(change)
    n, test_rows = SIZES[name]
    facts = {"shape": {"n": n, "d": 4, "k": 3}, "test_rows": test_rows}
    return record("004-2", f"{name}, {scaling}", methods=methods, **facts)


def selected(name, scaling="unit variance", accuracies=None):
    """A record of selected parameters with the paper's accuracies, or others."""
    accuracies = accuracies or THEIRS["accuracy by machine"][name]
    machines = {
        machine: {
            "gamma": log_gamma,
            "C": log_C,
            "accuracy": [accuracy] * 3,
            "violations": [1 - accuracy] * 3,
            "stopped": [False] * 3,
        }
        for machine, accuracy, (log_gamma, log_C) in zip(
            kernel_data.MACHINES, accuracies, THEIRS["parameters"][name], strict=True
        )
    }
    return record("004-1", f"{name}, {scaling}", machines=machines)


def test_the_page_of_the_papers_own_numbers(tmp_path):
    records = [
        make(name) for name in reversed(list(SIZES)) for make in (record_of, selected)
    ]
    text = page_of(tmp_path, "papers", "papers-kernel.md", *records)
    assert (tmp_path / "docs" / "papers-kernel.png").exists()
    assert text.index("| car |") < text.index("| iris |")  # in the order of the paper
    assert "| iris | unit variance | -9, 9 (-9, 9) | -4, 5 (-4, 5) |" in text
    assert "| iris | unit variance | 0.9556 (0.9556) |" in text
    assert "| iris | 21,145 (21,145) | 1,697 (1,697) |" in text
    assert "(16.0M)" in text and "(1,700.0M†)" in text
    # by its table 3 CS is slower on eight data sets and needs more iterations on ten
    assert "- WW S2DO against CS S2DO, iterations: ahead on all 10;" in text
    assert "WW S2DO against CS S2DO, seconds to train: ahead on 8, behind on 2" in text
    # Its tests do not find in its own table what it says.
    assert "WW 2.25, LLW 1.60, CS 3.10, OVA 3.05" in text
    assert "| the paper's medians | LLW, CS | LLW | 0.009 | 0.056 | no |" in text
    judged = [line for line in text.splitlines() if line.startswith('| "The LLW')]
    assert len(judged) == 1 and judged[0].endswith("| **holds in part** |")


def test_stopped_fits_are_lower_bounds(tmp_path):
    larger = record_of("iris", **{"WW SMO": {"stopped": 2}})
    text = page_of(tmp_path / "one", "papers", "papers-kernel.md", larger)
    assert "146,387† (146,387)" in text
    assert "- WW S2DO against WW SMO, iterations: ahead on 1 (iris)" in text
    smaller = record_of("iris", **{"WW S2DO": {"stopped": 2}})
    text = page_of(tmp_path / "two", "papers", "papers-kernel.md", smaller)
    assert "- WW S2DO against WW SMO, iterations: ties on 1 (iris)" in text


def test_disagreement_is_said(tmp_path):
    other = record_of("iris", **{"WW S2DO": {"iterations": 10**6}})
    text = page_of(tmp_path, "papers", "papers-kernel.md", other)
    assert "CS S2DO, iterations: behind on 1 (iris)" in text
    assert "opposite ones: iris" in text


def test_conclusions_about_accuracy(tmp_path):
    """They hold if ranks say so and the tests too, in every scaling that was run."""
    clear = [0.8, 0.9, 0.5, 0.6]
    claims = {claim.words[:8]: claim for claim in kernel_claims.CLAIMS}
    llw = claims['"The LLW']
    few = filled(tmp_path / "0", "papers", *[selected(n) for n in list(SIZES)[:4]])
    assert llw.judge(few) is None  # too few data sets
    all_clear = [selected(name, accuracies=clear) for name in SIZES]
    found = filled(tmp_path / "1", "papers", *all_clear)
    said, verdict = llw.judge(found)
    assert "LLW 1.00, WW 2.00" in said and verdict == PARTLY  # WW is too near
    assert claims['OVA "yie'].judge(found)[1] == FAILS  # CS is worse
    assert claims['"the acc'].judge(found)[1] == HOLDS
    other = [selected(n, "[-1, 1]", [0.5, 0.1, 0.6, 0.7]) for n in SIZES]
    found = filled(tmp_path / "2", "papers", *all_clear, *other)
    assert claims['"the acc'].judge(found)[1] == PARTLY


def test_claims_about_iterations_and_seconds(tmp_path):
    claims = {claim.words: claim for claim in kernel_claims.CLAIMS}
    iterations = claims["S2DO needs fewer iterations than SMO"]
    found = filled(tmp_path / "1", "papers", *map(record_of, SIZES))
    said, verdict = iterations.judge(found)
    assert said.startswith("20 of 20 comparisons") and verdict == HOLDS
    assert claims["LLW is the slowest"].judge(found)[1] == HOLDS
    stopped = {"WW SMO": {"stopped": 2, "iterations": 1}}
    stopped |= {"LLW S2DO": {"stopped": 2}}
    found = filled(tmp_path / "2", "papers", record_of("iris", **stopped))
    assert iterations.judge(found) is None  # bounds that decide nothing
    slow = {"WW S2DO": {"iterations": 10**9}, "LLW S2DO": {"iterations": 10**9}}
    found = filled(tmp_path / "3", "papers", record_of("iris", **slow))
    assert iterations.judge(found)[1] == FAILS


def test_settled_variables_and_vectors():
    scores = np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    duals = np.array([[0.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 1.0, 0.0]])
    labels = np.zeros(3, dtype=int)
    found = kernel_shrinking.settled_variables(scores, duals, labels, 1.0, 1e-3)
    # far inside the margin; free and violating; at the bound, beside one that violates
    assert found.tolist() == [[True] * 3, [True, False, False], [True, True, False]]
    shares = kernel_shrinking.shares(found)
    assert shares["examples"] == pytest.approx(1 / 3)
    assert shares["variables"] == pytest.approx(0.5) and shares["packs"] == 0
    wide = np.ones((2, 12), dtype=bool)
    wide[0, 1] = False  # its second vector is settled
    assert kernel_shrinking.shares(wide)["packs"] == 0.5


def test_settled_variables_of_a_real_machine(tmp_path):
    found = kernel_shrinking.measure("digits", run_in(tmp_path))
    assert found["status"] == "converged"
    assert 0.2 < found["shares"]["examples"] < 1
    assert 0 < found["shares"]["packs"] < found["shares"]["variables"] < 1
