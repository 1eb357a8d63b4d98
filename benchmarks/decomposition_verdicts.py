"""Where the paper on decomposition and the numbers here agree, computed and said."""

from math import isnan

from scipy.stats import kendalltau

from . import decomposition_paper as paper
from .agreement import held, leaders, listed, slower, standard_error
from .decomposition_run import DEFAULT, FOOTNOTE
from .markdown import NONE, markdown_table, times
from .measure import geometric_mean


def verdicts(records: list[dict]) -> str:
    """The section: a table of the orders of accuracy, then sentences."""
    known = [record for record in records if record["data"] in paper.SIZES]
    lines = [
        *_accuracy_lines(known),
        *_claim_lines(known),
        *_ratio_lines(known),
        *_footnote_lines(known),
    ]
    text = (
        "Computed from the tables above. Two accuracies that differ by no more than "
        "one standard error of a share of that many test rows are a tie, here and "
        "there. Fits that the clock stopped decide a comparison of time or iterations "
        "only as far as what they took is a lower bound."
    )
    return "\n\n".join([text, _leaders_table(known), "\n".join(lines)])


def _accuracies(record: dict) -> tuple[dict[str, float], dict[str, float]]:
    """Accuracy by machine, here and there."""
    ours = {
        machine: record["methods"][f"{machine} {DEFAULT}"]["accuracy"]
        for machine in paper.MACHINES
    }
    return ours, paper.by_machine(paper.ACCURACY, record["data"])


def _leaders_table(records: list[dict]) -> str:
    rows = []
    for record in records:
        ours, theirs = _accuracies(record)
        n = record["test_rows"]
        tau = kendalltau(list(ours.values()), list(theirs.values())).statistic
        close = [
            machine
            for machine in paper.MACHINES
            if abs(ours[machine] - theirs[machine])
            <= standard_error(theirs[machine], n)
        ]
        rows.append(
            [
                record["data"],
                listed(leaders(ours, n)),
                listed(leaders(theirs, n)),
                NONE if isnan(tau) else f"{tau:.2f}",
                listed(close),
            ]
        )
    header = ["data set", "best here", "best there", "tau", "as accurate as there"]
    table = markdown_table(header, rows, numbers=False)
    return f"{table}\n\nTau: Kendall's, of the order of the machines here and there."


def _accuracy_lines(records: list[dict]) -> list[str]:
    """Who is at least as accurate as whom: claims of the paper."""
    lines = []
    for better, worse in (
        *(("LLW", other) for other in ("WW", "CS", "OVA")),
        *(("WW", other) for other in ("CS", "OVA")),
    ):
        here, there, differ = [], [], []
        for record in records:
            n = record["test_rows"]
            own, their = (
                _ahead(values[better], values[worse], n)
                for values in _accuracies(record)
            )
            here.append(own)
            there.append(their)
            if own * their < 0:
                differ.append(record["data"])
        lines.append(
            f"- {better} against {worse} by accuracy: here {_score(here)}; there "
            f"{_score(there)}. Opposite verdicts: {listed(differ)}."
        )
    return lines


def _ahead(better: float, worse: float, n: int) -> int:
    """1 if the first accuracy is ahead, -1 if the second is, 0 if they tie."""
    if abs(better - worse) <= standard_error(max(better, worse), n):
        return 0
    return 1 if better > worse else -1


def _score(outcomes: list[int]) -> str:
    return (
        f"{outcomes.count(1)} ahead, {outcomes.count(-1)} behind, "
        f"{outcomes.count(0)} ties"
    )


def _values(record: dict, key: str) -> tuple[dict[str, float], dict[str, float]]:
    """Iterations or seconds by method, here and there, without doubtful ones."""
    ours = {method: record["methods"][method][key] for method in paper.METHODS}
    table = paper.ITERATIONS if key == "iterations" else paper.SECONDS
    theirs = paper.by_method(table, record["data"])
    for name, method in paper.DOUBTFUL:
        if name == record["data"] and key == "iterations":
            del theirs[method]
    return ours, theirs


# What is claimed, the measure, and the pairs of the larger and the smaller one.
_ALL_IN_ONE = ("LLW S2DO", "WW S2DO", "CS S2DO")
CLAIMS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "S2DO needs fewer iterations than SMO (WW and LLW)",
        "iterations",
        (("WW SMO", "WW S2DO"), ("LLW SMO", "LLW S2DO")),
    ),
    (
        "S2DO trains sooner than SMO (WW and LLW)",
        "seconds",
        (("WW SMO", "WW S2DO"), ("LLW SMO", "LLW S2DO")),
    ),
    ("CS needs more iterations than WW", "iterations", (("CS S2DO", "WW S2DO"),)),
    ("CS trains longer than WW", "seconds", (("CS S2DO", "WW S2DO"),)),
    (
        "LLW trains longer than WW and than CS",
        "seconds",
        (("LLW S2DO", "WW S2DO"), ("LLW S2DO", "CS S2DO")),
    ),
    (
        "OVA trains sooner than LLW, WW and CS",
        "seconds",
        tuple((method, "OVA SMO") for method in _ALL_IN_ONE),
    ),
)


def _decided(record: dict, values: dict, larger: str, smaller: str) -> bool | None:
    """Whether the first is larger here; None if the clock leaves it open."""
    outcome = slower(values, larger, smaller)
    stopped = {
        method: record["methods"][method]["limited"] > 0 for method in (larger, smaller)
    }
    if stopped[smaller] if outcome else stopped[larger]:
        return None  # the one that seems smaller is a lower bound only
    return outcome


def _claim_lines(records: list[dict]) -> list[str]:
    lines = []
    for claim, key, pairs in CLAIMS:
        here, there, differ, exceptions = [], [], [], []
        for record in records:
            ours, theirs = _values(record, key)
            for larger, smaller in pairs:
                own = _decided(record, ours, larger, smaller)
                their = slower(theirs, larger, smaller)
                here.append(own)
                there.append(their)
                what = f"{record['data']} ({larger} and {smaller})"
                if own is False:
                    exceptions.append(what)
                if None not in (own, their) and own != their:
                    differ.append(what)
        line = f"- {claim}: here {held(here)}; there {held(there)}."
        if exceptions:
            line += f" Not here: {listed(exceptions)}."
        lines.append(f"{line} Other than there: {listed(differ)}.")
    return lines


def _ratio_lines(records: list[dict]) -> list[str]:
    """How many iterations and how much time S2DO saves, and what an iteration costs."""
    lines = []
    for machine in ("WW", "LLW"):
        slow, fast = f"{machine} SMO", f"{machine} S2DO"
        saved: dict[str, list[str]] = {}
        for key in ("iterations", "seconds"):
            saved[key] = [
                _mean_ratio(records, key, side, slow, fast) for side in (0, 1)
            ]
        lines.append(
            f"- SMO over S2DO, {machine}, geometric means where neither was stopped: "
            f"iterations {saved['iterations'][0]} here and {saved['iterations'][1]} "
            f"there, time {saved['seconds'][0]} here and {saved['seconds'][1]} there."
        )
    for method in paper.METHODS:
        ratios = _ratios_to_paper(records, method, method)
        if ratios:
            lines.append(
                f"- {method}: iterations here over there {_range(ratios)}, where not "
                "stopped."
            )
    return lines


def _mean_ratio(records: list[dict], key: str, side: int, slow: str, fast: str) -> str:
    ratios = []
    for record in records:
        values = _values(record, key)[side]
        stopped = any(record["methods"][method]["limited"] for method in (slow, fast))
        if slow in values and fast in values and not stopped:
            ratios.append(values[slow] / values[fast])
    return times(geometric_mean(ratios)) if ratios else "unknown"


def _ratios_to_paper(records: list[dict], here: str, there: str) -> list[float]:
    """Iterations here over those of the paper, of fits that were not stopped."""
    ratios = []
    for record in records:
        _, theirs = _values(record, "iterations")
        entry = record["methods"][here]
        if there in theirs and not entry["limited"]:
            ratios.append(entry["iterations"] / theirs[there])
    return ratios


def _range(ratios: list[float]) -> str:
    low, mean, high = min(ratios), geometric_mean(ratios), max(ratios)
    return f"{times(mean)} in the geometric mean ({times(low)} to {times(high)})"


def _footnote_lines(records: list[dict]) -> list[str]:
    """Which reading of the margin of WW gives iterations nearer to the paper's."""
    readings = {"2": "WW S2DO", "1, of its footnote 3": FOOTNOTE}
    means = {
        margin: geometric_mean(
            max(ratio, 1 / ratio)
            for ratio in _ratios_to_paper(records, method, "WW S2DO")
        )
        for margin, method in readings.items()
    }
    if any(isnan(value) for value in means.values()):
        return []
    nearest = min(means, key=means.__getitem__)
    words = " and ".join(
        f"{times(value)} with margin {margin}" for margin, value in means.items()
    )
    return [
        f"- Iterations of WW S2DO are off the paper's, up or down, by {words}: the "
        f"reading with margin {nearest} is the nearer one."
    ]
