"""The page of Keerthi et al. (KDD 2008), the sequential dual method.

Figures 1 to 5 are followed runs; tables 4.2 and 4.3 are a comparison. SDM is the method
as printed: fresh permutations, the restricted problem by an active set over M_i and the
variables that are not at their bound, both kinds of shrinking, five effective loops
counted in derivatives, cooling.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..harness.contest import Run, Table
from ..harness.data import load
from ..harness.markdown import SIZES, data_name, table_of
from ..harness.records import Records
from ..harness.timing import progress
from .claims import FAILS, HOLDS, Claim, PaperPage
from .compared import compared_tables
from .curves import (
    EXPLAINED,
    counted,
    curve_table,
    draw_curves,
    outcomes,
    verdict_of,
)
from .following import Limits, Method, final_accuracy, follow, optimum

PRINTED = {
    "order": "permuted",
    "shrinking": "classes",
    "cooling": True,
    "restricted": "active_set",
}
PLAIN = PRINTED | {"shrinking": False, "cooling": False}
RED, BLUE, GREEN = "#d55e00", "#0072b2", "#009e73"
OURS = Method(colour="#000000", line=":")
HEURISTICS = {
    "with": {"options": PRINTED, "colour": RED, "line": "-."},
    "without": {"options": PLAIN, "colour": BLUE, "line": "-"},
}
RIVALS = {
    "SDM": Method("cs", PRINTED, RED, "-."),
    "EG": Method("cs", {"solver": "exponentiated_gradient"}, BLUE, "--"),
    "CP": Method("cs", {"solver": "cutting_plane"}, GREEN, "-"),
    "default": OURS,
}
MACHINES = {
    "OVR": Method("ovr", PRINTED | {"shrinking": True}, GREEN, "-"),
    "CS": Method("cs", PRINTED, RED, "-."),
    "WW": Method("ww", PRINTED, BLUE, "--"),
}
PLACES = {
    "news20_bydate": "NEWS20",
    "clinc150": "SECTOR",
    "mnist": "MNIST",
    "reuters_r52": "RCV1",
    "debian_maintainer": "RCV1, too",
    "covtype": "COVER",
}


SLOW = Limits(seconds=20.0)


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: what is followed on which data, and how it is drawn."""

    number: str
    methods: Callable[[str], dict[str, Method]]  # of a line such as "mnist, ww"
    data: tuple[str, ...]
    words: str
    share: float = 1.0
    shown: tuple[str, ...] = ("difference", "accuracy")
    limits: Limits = SLOW

    @property
    def file(self) -> str:
        return f"papers-sequential-dual-{self.number}.png"


def heuristics(line: str) -> dict[str, Method]:
    """With and without shrinking and cooling, of the machine that a line names."""
    machine = line.split(", ")[1] if ", " in line else "cs"
    return {name: Method(machine, **facts) for name, facts in HEURISTICS.items()}


def measure(figure: Figure, line: str, run: Run) -> dict:
    """Curves of all methods, one for each seed, on one data set."""
    name, *rest = line.split(", ")
    C = float(rest[0].removeprefix("C = ")) if rest and "C" in rest[0] else 1.0
    data, found, curves = load(name), {}, {}
    methods = figure.methods(line)
    for label, method in methods.items():
        best = None
        if "difference" in figure.shown:
            found[method.machine] = optimum(data, method.machine, C, run.scratch)
            best = found[method.machine]["objective"]
        progress(f"figure {figure.number} of Keerthi et al., {line}: {label}")
        curves[label] = [
            follow(data, method, C, best, seed, figure.limits, figure.share)
            for seed in range(run.seeds)
        ]
    gap = max((one["gap"] for one in found.values()), default=0.0)
    return {
        "shape": data.shape,
        "optimum": {"gap": gap, "by_machine": found},
        "curves": curves,
    }


FIGURES = {
    "000-figure-1": Figure(
        "1",
        heuristics,
        ("mnist, cs", "mnist, ww", "covtype, cs", "covtype, ww"),
        "Figures 1 (cs) and 4 (ww): the method with (red) and without (blue) shrinking "
        "and cooling, C = 1.",
    ),
    "000-figure-2": Figure(
        "2",
        lambda line: RIVALS,
        ("mnist, C = 0.1", "mnist, C = 10"),
        "Figure 2: the sequential dual method (SDM, red), exponentiated gradient (EG, "
        "blue) and cutting planes (CP, green) for a small and a large C.",
    ),
    "000-figure-3": Figure(
        "3",
        lambda line: RIVALS,
        tuple(PLACES),
        "Figure 3: the same methods with C = 1 on every data set. The paper calls the "
        "green curve bundle; cutting planes here have their inner loop in NumPy.",
    ),
    "000-figure-5": Figure(
        "5",
        lambda line: MACHINES,
        ("mnist", "covtype"),
        "Figure 5: one-vs-rest (OVR, green), Crammer-Singer (CS, red) and "
        "Weston-Watkins (WW, blue) with C = 1, looked at four times within a loop.",
        share=0.25,
        shown=("accuracy",),
        limits=Limits(seconds=10.0, loops=60.0),
    ),
}


def body(figure: Figure, records: list[dict]) -> list[str]:
    """The figure and its numbers."""
    return [
        figure.words,
        f"![Figure {figure.number}]({figure.file})",
        table_of(records, {"data set": data_name, **SIZES, "seeds": _seeds}),
        curve_table(records, "loops"),
        curve_table(records, "seconds"),
        EXPLAINED,
    ]


def _seeds(record: dict) -> str:
    return str(len(next(iter(record["curves"].values()))))


def draw(records: Records, folder: Path) -> None:
    """All figures that there are records for."""
    for name, figure in FIGURES.items():
        if found := records.of(name, figure.data):
            methods = {
                label: method
                for record in found
                for label, method in figure.methods(record["data"]).items()
            }
            path = folder / figure.file
            label = "training time in seconds (processor time)"
            draw_curves(path, found, methods, "seconds", label, figure.shown)


def claim(
    table: str,
    first: str,
    second: str,
    level: float | None,
    lines: Callable[[str], bool] = lambda line: True,
):
    """Judge who is ahead by seconds; counted loops are told beside them."""

    def judge(records: Records) -> tuple[str, str] | None:
        found = [one for one in records.of(table) if lines(one["data"])]
        if not found:
            return None
        seconds, loops = (
            outcomes(found, first, second, axis, level) for axis in ("seconds", "loops")
        )
        words = f"{first} by seconds {counted(seconds)}; by loops {counted(loops)}"
        return words, verdict_of(seconds)

    return judge


def better_than_ovr(records: Records) -> tuple[str, str] | None:
    """CS and WW end more accurate than OVR (figure 5)."""
    found = records.of("000-figure-5")
    if not found:
        return None
    parts, outcomes_ = [], {}
    for record in found:
        ends = {name: final_accuracy(c) for name, c in record["curves"].items()}
        parts.append(
            f"{record['data']} "
            + ", ".join(f"{name} {100 * end:.2f}" for name, end in ends.items())
        )
        for name in ("CS", "WW"):
            outcomes_[f"{record['data']} {name}"] = (
                1 if ends[name] > ends["OVR"] else -1
            )
    return "; ".join(parts), verdict_of(outcomes_)


def accuracies(first: str, second: str, where: tuple[str, ...]):
    """Table 4.2: a mean is above another by more than its standard error."""

    def judge(records: Records) -> tuple[str, str] | None:
        import numpy as np

        parts, found = [], {}
        for record in records.of("000-4.2"):
            if record["data"] not in where:
                continue
            fits = record["lines"][0]["machines"]
            one, other = (
                np.asarray(fits[name]["accuracy"]) for name in (first, second)
            )
            gain = one - other
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
            found[record["data"]] = int(np.sign(gain.mean())) * (
                abs(gain.mean()) > error
            )
            parts.append(f"{record['data']} {100 * gain.mean():+.2f}")
        if not found:
            return None
        return f"points on {', '.join(parts)}", verdict_of(found)

    return judge


CLAIMS = (
    Claim(
        "Shrinking and cooling pay for accurate solutions (figures 1 and 4)",
        "curves; MNIST and COVER",
        claim("000-figure-1", "with", "without", 0.001),
    ),
    Claim(
        "SDM is much faster than exponentiated gradient, to the optimum (figure 3)",
        "all five data sets",
        claim("000-figure-3", "SDM", "EG", 0.01),
    ),
    Claim(
        "SDM is much faster than exponentiated gradient, to the accuracy (figure 3)",
        "all five data sets",
        claim("000-figure-3", "SDM", "EG", None),
    ),
    Claim(
        "Exponentiated gradient is much faster than cutting planes (figure 3)",
        "all five data sets",
        claim("000-figure-3", "EG", "CP", 0.01),
    ),
    Claim(
        "Exponentiated gradient does not reach the optimum on COVER (figure 3)",
        "above the others to the end",
        lambda records: _eg_on_cover(records),
    ),
    Claim(
        "SDM is also faster for small and large C (figure 2)",
        "C = 0.1 and 10",
        claim("000-figure-2", "SDM", "EG", 0.01),
    ),
    Claim(
        "With C = 1, CS and WW end more accurate than OVR (figure 5)",
        "MNIST and COVER",
        better_than_ovr,
    ),
    Claim(
        "CS is more accurate than OVR, C chosen (table 4.2), MNIST and COVER",
        "+1.04, +0.96 points",
        accuracies("CS", "OVR", ("mnist", "covtype")),
    ),
    Claim(
        "CS is more accurate than OVR, C chosen (table 4.2), SECTOR and RCV1",
        "+0.34, +0.34 points",
        accuracies("CS", "OVR", ("clinc150", "reuters_r52", "debian_maintainer")),
    ),
    Claim(
        "WW is less accurate than OVR on NEWS20 and SECTOR (table 4.2)",
        "-0.29, -0.46 points",
        accuracies("OVR", "WW", ("news20_bydate", "clinc150")),
    ),
)


def _eg_on_cover(records: Records) -> tuple[str, str] | None:
    for record in records.of("000-figure-3"):
        if record["data"] == "covtype":
            least = min(curve["difference"][-1] for curve in record["curves"]["EG"])
            return (
                f"ends at a difference of {least:.2g}",
                HOLDS if least > 1e-2 else FAILS,
            )
    return None


PAGE = PaperPage(
    "papers-sequential-dual.md",
    "Keerthi et al. (2008): the sequential dual method",
    {
        name: Table(
            f"Figure{'s 1 and 4' if figure.number == '1' else ' ' + figure.number}",
            partial(measure, figure),
            figure.data,
            partial(body, figure),
        )
        for name, figure in FIGURES.items()
    }
    | compared_tables("000"),
    draw=draw,
    paper="000",
    claims=CLAIMS,
)
