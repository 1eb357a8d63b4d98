"""Where two sets of results put methods in the same order, computed and said.

Accuracies count as equal if they differ by no more than one standard error of a share
of that many rows, ``sqrt(p (1 - p) / n)``.
"""

from collections.abc import Iterable
from math import sqrt

from scipy.stats import kendalltau

from . import schemes_paper as paper
from .markdown import NONE, markdown_table

LOSSES = ("LR", "L2", "L1")
TIE = "tie"


def standard_error(share: float, n: int) -> float:
    """Of a share of n rows."""
    return sqrt(max(share * (1 - share), 0.0) / n)


def ahead(one_all: float, one_one: float, n: int) -> str:
    """Which of one-vs-all and one-vs-one has the higher accuracy, or "tie"."""
    difference = one_one - one_all
    if abs(difference) <= standard_error(max(one_all, one_one), n):
        return TIE
    return "1-1" if difference > 0 else "1-all"


def leaders(accuracies: dict[str, float], n: int) -> list[str]:
    """The methods that are as good as the best."""
    best = max(accuracies.values())
    margin = standard_error(best, n)
    return [name for name, value in accuracies.items() if best - value <= margin]


def _ours(record: dict, key: str) -> dict[str, float]:
    return {name: entry[key] for name, entry in record["methods"].items()}


def _theirs(table: dict, name: str, unit: float = 1.0) -> dict[str, float]:
    values = zip(paper.METHODS, table.get(name, ()), strict=False)
    return {method: value / unit for method, value in values if value is not None}


def verdicts(records: list[dict]) -> str:
    """The section: a table of leaders, then sentences."""
    known = [record for record in records if record["data"] in paper.SIZES]
    parts = [
        "Computed from the tables above. Two accuracies that differ by no more than "
        "one standard error of a share of that many rows are a tie, here and there.",
        _leaders_table(known),
        "\n".join(
            [
                *_pairs_lines(known, "cross_validation", paper.CROSS_VALIDATION, 0),
                *_pairs_lines(known, "test", paper.TEST, 1),
                *_crammer_singer_lines(known),
                *_time_lines(known),
                *_cost_lines(known),
            ]
        ),
    ]
    return "\n\n".join(parts)


def _leaders_table(records: list[dict]) -> str:
    header = ["data set", "best here (cross-validation)", "best there", "tau"]
    header += ["fastest to train here", "there"]
    rows = []
    for record in records:
        name = record["data"]
        ours = _ours(record, "cross_validation")
        theirs = _theirs(paper.CROSS_VALIDATION, name, 100)
        both = [method for method in ours if method in theirs]
        tau = kendalltau([ours[m] for m in both], [theirs[m] for m in both]).statistic
        rows.append(
            [
                name,
                _named(leaders(ours, record["shape"]["n"])),
                _named(leaders(theirs, paper.SIZES[name][0])),
                NONE if tau != tau else f"{tau:.2f}",
                _fastest(_ours(record, "training")),
                _fastest(_theirs(paper.TRAINING, name)),
            ]
        )
    table = markdown_table(header, rows, numbers=False)
    return f"{table}\n\nTau: Kendall's, of the order of the methods here and there."


def _named(methods: list[str]) -> str:
    return "all" if len(methods) == len(paper.METHODS) else ", ".join(methods)


def _fastest(seconds: dict[str, float]) -> str:
    if not seconds:
        return NONE
    least = min(seconds.values())
    return _named([name for name, value in seconds.items() if value == least])


def _pairs_lines(records: list[dict], key: str, table: dict, part: int) -> list[str]:
    """One-vs-one against one-vs-all: how often each is ahead, and who disagrees."""
    here, there, opposite = [], [], []
    for record in records:
        name = record["data"]
        ours, theirs = _ours(record, key), _theirs(table, name, 100)
        rows = record["shape"]["n"] if part == 0 else record["test_rows"]
        for loss in LOSSES:
            pair = (f"{loss} 1-all", f"{loss} 1-1")
            if not all(method in ours and method in theirs for method in pair):
                continue
            own = ahead(*(ours[method] for method in pair), rows)
            their = ahead(*(theirs[m] for m in pair), paper.SIZES[name][part])
            here.append(own)
            there.append(their)
            if {own, their} == {"1-1", "1-all"}:
                opposite.append(f"{name} {loss} ({own} here)")
    same = sum(own == their for own, their in zip(here, there, strict=True))
    what = "cross-validation" if part == 0 else "test accuracy"
    return [
        f"- One-vs-one against one-vs-all by {what}: here {_count(here)}; there "
        f"{_count(there)}. The same verdict in {same} of {len(here)} comparisons, the "
        f"opposite {f'in {listed(opposite)}' if opposite else 'in none'}."
    ]


def _count(outcomes: list[str]) -> str:
    words = [
        f"{outcomes.count(outcome)} {text}"
        for outcome, text in (("1-1", "for"), ("1-all", "against"), (TIE, "ties"))
    ]
    return ", ".join(words)


def listed(names: Iterable[str]) -> str:
    """Names in a row, or the word none."""
    return ", ".join(names) or "none"


def _crammer_singer_lines(records: list[dict]) -> list[str]:
    """Where Crammer-Singer is among the best, and ahead of maximum entropy."""
    lines = []
    for key, table, part, what in (
        ("cross_validation", paper.CROSS_VALIDATION, 0, "cross-validation"),
        ("test", paper.TEST, 1, "test accuracy"),
    ):
        here, there = [], []
        for record in records:
            name = record["data"]
            rows = record["shape"]["n"] if part == 0 else record["test_rows"]
            if "CS" in leaders(_ours(record, key), rows):
                here.append(name)
            theirs = _theirs(table, name, 100)
            if "CS" in leaders(theirs, paper.SIZES[name][part]):
                there.append(name)
        lines.append(
            f"- Crammer-Singer is as good as the best by {what} here on "
            f"{listed(here)}; there on {listed(there)}; on both: "
            f"{listed(name for name in here if name in there)}."
        )
    return lines


def slower(seconds: dict[str, float], slow: str, fast: str) -> bool | None:
    """Whether one method takes longer; None if unknown or as long."""
    if slow not in seconds or fast not in seconds or seconds[slow] == seconds[fast]:
        return None
    return seconds[slow] > seconds[fast]


def _time_lines(records: list[dict]) -> list[str]:
    """Sentences on who takes longer, each a claim of the thesis."""
    all_one = [(f"{loss} 1-all", f"{loss} 1-1") for loss in LOSSES]
    one_all = [(slow, fast) for fast, slow in all_one]
    claims = (
        ("One-vs-all trains longer than one-vs-one", "training", all_one),
        ("Maximum entropy trains longer than CS", "training", [("ME", "CS")]),
        ("ME-2 trains longer than ME", "training", [("ME-2", "ME")]),
        ("One-vs-one predicts longer than one-vs-all", "testing", one_all),
    )
    tables = {"training": paper.TRAINING, "testing": paper.TESTING}
    lines = []
    for claim, key, pairs in claims:
        here, there, exceptions = [], [], []
        for record in records:
            name = record["data"]
            ours, theirs = _ours(record, key), _theirs(tables[key], name)
            for slow, fast in pairs:
                own, their = slower(ours, slow, fast), slower(theirs, slow, fast)
                here.append(own)
                there.append(their)
                if own is False:
                    exceptions.append(f"{name} {slow}")
        lines.append(f"- {claim}: here {held(here)}; there {held(there)}.")
        if exceptions and len(exceptions) <= 12:
            lines[-1] += f" Not here: {listed(exceptions)}."
    return lines


def held(outcomes: list[bool | None]) -> str:
    """In how many of the cases that are decided a claim holds."""
    decided = [outcome for outcome in outcomes if outcome is not None]
    return f"in {sum(decided)} of {len(decided)} cases" if decided else "unknown"


def _cost_lines(records: list[dict]) -> list[str]:
    """Whether small or large C is best, on the data sets the thesis names."""
    small, large = [], []
    for record in records:
        exponents = sorted(_ours(record, "exponent").values())
        median = exponents[len(exponents) // 2]
        if median <= -2:
            small.append(record["data"])
        elif median >= 2:
            large.append(record["data"])
    return [
        "- Small C is best (median over the methods at most 2^-2) here on "
        f"{listed(small)}, large C (at least 2^2) on {listed(large)}; there small on "
        "news20, wine and dna, large on segment, letter and shuttle."
    ]
