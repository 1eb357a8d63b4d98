"""Which differences are more than luck, in words and tables."""

from dataclasses import dataclass

import numpy as np

from ..critical_difference import critical_difference
from ..significance import (
    Comparison,
    Friedman,
    average_ranks,
    compare_all_pairs,
    friedman,
    wilcoxon,
)
from .summary import Summary
from .tables import NONE, Cell, Table, p_value

_FEW_DATASETS = 5
_MOST_FOR_BERGMANN = 9  # more machines take long


@dataclass(frozen=True)
class Tests:
    """Tests over data sets.

    Attributes
    ----------
    n_datasets : int
    ranks : ndarray or None
        Average ranks of the machines; None if there are too few data sets.
    friedman : Friedman or None
    pairs : list of Comparison
    difference : float or None
        The critical difference of ranks.
    sentence : str
        What follows, in words.
    """

    n_datasets: int
    ranks: np.ndarray | None
    friedman: Friedman | None
    pairs: list[Comparison]
    difference: float | None
    sentence: str


def judge_over_datasets(summary: Summary) -> Tests:
    """Test whether machines differ over data sets."""
    scores = summary.for_tests()
    level, machines = summary.protocol.level, summary.machines
    n, k = scores.shape if len(scores) else (0, len(machines))
    if n < 2 or k < 2:
        what = "machines" if k < 2 else "data sets with results of all machines"
        sentence = f"Tests over data sets need at least two {what}."
        return Tests(n, None, None, [], None, sentence)
    if k == 2:
        pair = wilcoxon(scores[:, 0], scores[:, 1], machines)
        ranks = average_ranks(scores)
        verdict = "differ" if pair.p < level else "may be equal"
        sentence = (
            f"{machines[0]} and {machines[1]} {verdict} over {n} data sets (Wilcoxon's "
            f"signed-rank test, {_p(pair.p)}, level {level:g})."
        )
        return Tests(n, ranks, None, [pair], None, sentence)
    overall = friedman(scores)
    adjustment = "bergmann" if k <= _MOST_FOR_BERGMANN else "shaffer"
    pairs = compare_all_pairs(scores, machines, adjustment)
    best = machines[int(np.argmin(overall.ranks))]
    few = "" if n >= _FEW_DATASETS else f" With {n} data sets that says little."
    verdict = (
        "the machines differ" if overall.p < level else "the differences may be luck"
    )
    sentence = (
        f"{best} has the best average rank, {overall.ranks.min():.2f} over {n} data "
        f"sets; {verdict} (Friedman's test as sharpened by Iman and Davenport, "
        f"{_p(overall.p)}, level {level:g}).{few}"
    )
    difference = critical_difference(k, n, level)
    return Tests(n, overall.ranks, overall, pairs, difference, sentence)


def _p(p: float) -> str:
    return f"p {p_value(p)}" if p_value(p).startswith("<") else f"p = {p_value(p)}"


def pairs_table(summary: Summary, tests: Tests) -> Table:
    """All pairs of machines with their p-values."""
    level = summary.protocol.level
    lines = [
        [
            Cell(f"{pair.first} / {pair.second}"),
            Cell(p_value(pair.p)),
            Cell(p_value(pair.adjusted_p), bold=pair.adjusted_p < level),
            Cell(f"{pair.effect:+.2f}"),
        ]
        for pair in tests.pairs
    ]
    how = (
        "Wilcoxon's signed-rank test"
        if tests.friedman is None
        else "average ranks, p-values adjusted by "
        + (
            "Bergmann and Hommel"
            if len(summary.machines) <= _MOST_FOR_BERGMANN
            else "Shaffer"
        )
    )
    return Table(
        "pairs",
        "Pairs of machines",
        ("pair", "p", "adjusted p", "effect"),
        lines,
        f"Over {tests.n_datasets} data sets, by {how}; bold: below {level:g}. The "
        f"effect is positive if the first is better, from -1 to 1.",
    )


def worse_than_best(summary: Summary, line: tuple) -> dict[str, float]:
    """Return p-values of the other machines against the best of a line.

    By Wilcoxon's signed-rank test over the splits, as in Keerthi et al. (2008), not
    adjusted; empty if so few splits could not show any difference.
    """
    by_machine = {
        machine: summary.gains(line, machine)
        for machine in summary.machines
        if summary.complete(line, machine)
    }
    n_splits = min(map(len, by_machine.values()), default=0)
    if 2 * 0.5**n_splits >= summary.protocol.level:  # the smallest p there can be
        return {}
    sum_up = np.median if summary.protocol.summary == "median" else np.mean
    best = max(by_machine, key=lambda machine: sum_up(by_machine[machine]))
    return {
        machine: wilcoxon(by_machine[best], values).p
        for machine, values in by_machine.items()
        if machine != best
    }


def splits_table(summary: Summary) -> Table | None:
    """p-values of every machine against the best on the same data set."""
    lines = []
    for line in summary.lines:
        p = worse_than_best(summary, line)
        if p:
            cells = [
                Cell(p_value(p[m]), bold=p[m] < summary.protocol.level)
                if m in p
                else Cell("best" if summary.complete(line, m) else NONE)
                for m in summary.machines
            ]
            lines.append([Cell(summary.line_name(line)), *cells])
    if not lines or len(summary.machines) < 2:
        return None
    return Table(
        "splits",
        "Against the best, data set by data set",
        ("data set", *summary.machines),
        lines,
        f"p-values of Wilcoxon's signed-rank test over the splits against the best of "
        f"the line, not adjusted; bold: below {summary.protocol.level:g}. Splits share "
        f"rows, so these p-values are somewhat too small.",
    )
