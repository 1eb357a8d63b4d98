"""What Dogan et al. concludes, and whether our records say the same."""

from collections.abc import Callable
from statistics import median

import numpy as np

from polymargin.selection.significance import average_ranks, compare_all_pairs

from ..harness.markdown import times
from ..harness.records import Records
from ..harness.timing import geometric_mean
from .claims import FAILS, HOLDS, PARTLY, Claim
from .kernel_data import MACHINES, PAPER, SCALINGS, SIZES, parts_of

LEVEL = 0.05  # of significance, the paper's
FEWEST = 5  # data sets, of which a conclusion may be drawn
Judge = Callable[[Records], tuple[str, str] | None]


def named(records: list[dict], scaling: str) -> list[dict]:
    """The records of a scaling, under the names of their data sets."""
    found = [(one, *parts_of(one["data"])) for one in records]
    return [one | {"data": name} for one, name, used in found if used == scaling]


def medians_of(records: list[dict], scaling: str) -> dict[str, list[float]]:
    """Median accuracies by data set, a column for each machine."""
    return {
        one["data"]: [median(one["machines"][m]["accuracy"]) for m in MACHINES]
        for one in named(records, scaling)
        if one["data"] in SIZES
    }


def paper_medians() -> dict[str, list[float]]:
    """The paper's table 2."""
    return dict(PAPER.theirs["accuracy by machine"])


Pairs = tuple[tuple[str, str], ...]  # the better, the worse


def compared(table: dict[str, list[float]], pairs: Pairs) -> tuple[str, list[bool]]:
    """Ranks and p-values in words; whether all are ahead, and significantly so."""
    scores = np.array([*table.values()])
    ranks = dict(zip(MACHINES, average_ranks(scores), strict=True))
    found = {
        frozenset((pair.first, pair.second)): pair.adjusted_p
        for pair in compare_all_pairs(scores, list(MACHINES))
    }
    p = {(b, w): found[frozenset((b, w))] for b, w in pairs}
    ahead = all(ranks[better] < ranks[worse] for better, worse in pairs)
    named_ones = dict.fromkeys(name for pair in pairs for name in pair)
    shown = ", ".join(f"{name} {ranks[name]:.2f}" for name in named_ones)
    said = f"ranks {shown}; p "
    said += ", ".join(f"{value:.2g} ({b}, {w})" for (b, w), value in p.items())
    return said, [ahead, ahead and max(p.values()) < LEVEL]


def accuracy_claim(words: str, pairs: Pairs) -> Claim:
    """A conclusion about accuracies, by the paper's tests on its own medians and ours.

    It holds if the ranks are so and all differences significant, in both scalings.
    """

    def judge(records: Records) -> tuple[str, str] | None:
        said, marks = [], []
        for scaling in SCALINGS:
            table = medians_of(records.of("004-1"), scaling)
            if len(table) >= FEWEST:
                words, found = compared(table, pairs)
                said.append(f"{scaling}, {len(table)} data sets: {words}")
                marks += found
        return ("; ".join(said), _verdict(marks)) if said else None

    theirs, _ = compared(paper_medians(), pairs)
    return Claim(words, f"its tests, applied by us to its table 2: {theirs}", judge)


def _verdict(marks: list[bool]) -> str:
    return HOLDS if all(marks) else PARTLY if any(marks) else FAILS


def fewer(quantity: str, pairs: tuple[tuple[str, str], ...], least: float = 1) -> Judge:
    """Whether methods take less than others: on how many data sets, and by how much.

    Parameters
    ----------
    quantity : {"iterations", "seconds"}
    pairs : tuple of (less, more)
    least : float
        The share of comparisons that must come out so for the claim to hold.
    """

    def judge(records: Records) -> tuple[str, str] | None:
        found = records.of("004-2")
        won, compared, said = 0, 0, []
        for less, more in pairs:
            ratios = []
            for record in found:
                first, second = record["methods"][less], record["methods"][more]
                # One that was stopped has taken at least as much.
                if first["stopped"] or (
                    second["stopped"] and second[quantity] <= first[quantity]
                ):
                    continue
                ratios.append(second[quantity] / first[quantity])
            if ratios:
                won += sum(ratio > 1 for ratio in ratios)
                compared += len(ratios)
                mean = times(geometric_mean(ratios))
                said.append(f"{more} over {less} {mean} ({len(ratios)})")
        if not compared:
            return None
        share = won / compared
        word = HOLDS if share >= least else PARTLY if share >= 0.5 else FAILS
        return f"{won} of {compared} comparisons; {', '.join(said)}", word

    return judge


def judge_step(records: Records) -> tuple[str, str] | None:
    """Whether an iteration of S2DO takes about as long as two of SMO."""
    ratios = []
    for record in records.of("004-2"):
        for machine in ("WW", "LLW"):
            two, one = (record["methods"][f"{machine} {s}"] for s in ("S2DO", "SMO"))
            both = [entry["seconds"] / entry["iterations"] for entry in (two, one)]
            ratios.append(both[0] / both[1])
    if not ratios:
        return None
    mean = geometric_mean(ratios)
    word = HOLDS if 1.5 <= mean <= 2.5 else PARTLY if mean > 1 else FAILS
    return f"{times(mean)}, from {times(min(ratios))} to {times(max(ratios))}", word


def judge_precise(records: Records) -> tuple[str, str] | None:
    """Whether Crammer-Singer is no more accurate at 1e-5."""
    found = [
        record["methods"]["CS 1e-5"]["accuracy"]
        - record["methods"]["CS S2DO"]["accuracy"]
        for record in records.of("004-2")
    ]
    if not found:
        return None
    better = sum(difference > 0 for difference in found)
    said = (
        f"better on {better} of {len(found)}, by {100 * max(found):.2f} points at most"
    )
    return said, HOLDS if better <= len(found) / 4 else PARTLY


def judge_violations(records: Records) -> tuple[str, str] | None:
    """Whether the machine with the smaller sum of violations errs less: WW or CS."""
    agree = compared = smaller = 0
    for record in records.of("004-1"):
        pair = [record["machines"][machine] for machine in ("WW", "CS")]
        sums = [median(one["violations"]) for one in pair]
        errors = [1 - median(one["accuracy"]) for one in pair]
        smaller += sums[0] < sums[1]
        if sums[0] != sums[1] and errors[0] != errors[1]:
            compared += 1
            agree += (sums[0] < sums[1]) == (errors[0] < errors[1])
    if not compared:
        return None
    total = len(records.of("004-1"))
    said = f"WW has the smaller sum on {smaller} of {total}; the machine with the "
    said += f"smaller sum errs less on {agree} of {compared}"
    share = agree / compared
    return said, HOLDS if share > 0.75 else PARTLY if share > 0.5 else FAILS


CLAIMS = (
    accuracy_claim(
        '"The LLW SVM was significantly the best machine in terms of accuracy"',
        (("LLW", "WW"), ("LLW", "CS"), ("LLW", "OVA")),
    ),
    accuracy_claim(
        "\"the accuracy of WW's algorithm was statistically significantly superior to "
        'the CS SVMs"',
        (("WW", "CS"),),
    ),
    accuracy_claim(
        'OVA "yielded hypotheses with a statistically significantly worse accuracy"',
        (("WW", "OVA"), ("LLW", "OVA"), ("CS", "OVA")),
    ),
    Claim(
        "Crammer-Singer is no more accurate at a tolerance of 1e-5",
        "no increase observed",
        judge_precise,
    ),
    Claim(
        "S2DO needs fewer iterations than SMO",
        "on all 10, for WW and LLW",
        fewer("iterations", (("WW S2DO", "WW SMO"), ("LLW S2DO", "LLW SMO"))),
    ),
    Claim(
        "S2DO is faster than SMO in training time",
        "on 9 of 10 for WW and for LLW; significantly",
        fewer("seconds", (("WW S2DO", "WW SMO"), ("LLW S2DO", "LLW SMO")), 0.8),
    ),
    Claim(
        "One iteration of S2DO takes about as long as two of SMO",
        "roughly two, but for Iris",
        judge_step,
    ),
    Claim(
        "Training CS is slower than training WW",
        "on 7 of 10 data sets by its text, on 8 by its table 3; not significantly",
        fewer("seconds", (("WW S2DO", "CS S2DO"),), 0.6),
    ),
    Claim(
        "LLW is the slowest",
        "1.5 to 2,300 times the seconds of WW",
        fewer("seconds", (("WW S2DO", "LLW S2DO"), ("CS S2DO", "LLW S2DO")), 0.9),
    ),
    Claim(
        "OVA is considerably faster than the other machines",
        "than WW on 7 of 10, than LLW on 10",
        fewer(
            "seconds",
            (
                ("OVA SMO", "WW S2DO"),
                ("OVA SMO", "CS S2DO"),
                ("OVA SMO", "LLW S2DO"),
            ),
            0.8,
        ),
    ),
    Claim(
        "Minimising the sum of target margin violations is a proper strategy: bounds "
        "(6) and (7)",
        "theory; WW minimises it, CS only indirectly",
        judge_violations,
    ),
)
