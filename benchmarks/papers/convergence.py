"""Figure 3 of Keerthi et al. (KDD 2008): methods for Crammer-Singer against time.

The relative difference of the function value, ``(f - f*) / |f*|`` with f the dual
objective as there, and the test accuracy, after every epoch of one run with C = 1.
"""

from pathlib import Path

import numpy as np

from polymargin import LinearSVM
from polymargin.selection.comparison.convergence import Clock, Examiner

from ..harness.contest import Run, Table
from ..harness.data import Dataset, load
from ..harness.figure import saved_figure
from ..harness.markdown import percent, table_of
from ..harness.records import Records
from ..harness.timing import progress, timed
from .claims import PaperPage
from .configuration import KNOWN
from .quantities import verdicts
from .sections import convergence_section

CONFIGURATION = KNOWN["000-figure-3"]
# What is compared, by its name in the figure; colour and line.
METHODS: dict[str, tuple[dict, str, str]] = {
    "SDM": ({"solver": "dual", "order": "permuted"}, "#d55e00", "-."),
    "default": ({}, "#000000", "-"),
    "EG": ({"solver": "exponentiated_gradient"}, "#0072b2", "--"),
    "CP": ({"solver": "cutting_plane"}, "#009e73", "-"),
}
# Data sets of the paper, by those that are or stand for them here.
DATA = {
    "news20_bydate": "NEWS20",
    "clinc150": "SECTOR",
    "mnist": "MNIST",
    "reuters_r52": "RCV1",
    "covtype": "COVER",
}
FIGURE = "papers-convergence.png"
TOL = 1e-4
OPTIMUM_TOL = 1e-5
SAME = {"fit_intercept": False, "random_state": 0, "max_iter": 100_000}
MAX_SECONDS = 30.0  # of a run
OPTIMUM_SECONDS = 300.0


def optimum(data: Dataset, folder: Path) -> dict[str, float]:
    """Return the optimal objective and its certified gap, computed once in float64."""
    sizes = "x".join(str(size) for size in data.shape.values())
    optima, key = Records(folder / "optima.jsonl"), f"{data.name}/{sizes}"
    if ("cs", key) not in optima:
        progress(f"{data.name}: optimum, once, in float64")
        model = LinearSVM("cs", tol=OPTIMUM_TOL, max_time=OPTIMUM_SECONDS, **SAME)
        timed(lambda: model.fit(data.X.astype(np.float64), data.y))
        found = {"objective": float(model.objective_), "gap": float(model.dual_gap_)}
        optima.add({"table": "cs", "data": key, "optimum": found})
    return optima.get("cs", key)["optimum"]


def follow(data: Dataset, best: float, max_time: float, **params) -> dict:
    """Train once and look at the model after every epoch.

    The looks are not counted: certificates are excused by the history itself, and
    what happens between two epochs is taken off.

    Returns
    -------
    curve : dict
        Lists of seconds, difference and accuracy; status, epochs and final gap.
    """
    clock, examiner = Clock(), Examiner(data.X_test, data.y_test)
    followed = SAME | {"history": True, "tol": TOL, "max_time": max_time}
    model = LinearSVM(**followed | params)
    model.set_callbacks(clock, examiner)
    timed(lambda: model.fit(data.X.astype(np.float64), data.y))
    history, epochs = model.history_, len(examiner.accuracy)
    seconds = np.asarray(history["seconds"][:epochs]) - clock.looks(epochs)
    duals = np.asarray(history["dual_objective"][:epochs])
    return {
        "curve_seconds": seconds.tolist(),
        "accuracy_seconds": seconds.tolist(),
        "difference": ((best - duals) / best).tolist(),
        "accuracy": examiner.accuracy,
        "epochs": int(model.n_iter_),
        "gap": float(model.dual_gap_),
    }


def measure(name: str, run: Run) -> dict:
    """The record of a data set: a curve for each method.

    f* is the certified primal objective, so a difference is too large by at most the
    gap of the optimum.
    """
    data = load(name)
    best = optimum(data, run.scratch)
    curves = {}
    for method, (params, *_) in METHODS.items():
        progress(f"figure 3, {name}: {method}")
        curves[method] = follow(data, best["objective"], MAX_SECONDS, **params)
    return {"shape": data.shape, "optimum": best, "curves": curves}


def draw(records: Records, folder: Path) -> None:
    """Draw a row of two plots for each data set."""
    found = records.of(CONFIGURATION.name, tuple(DATA))
    size = (9, 2.6 * len(found))
    with saved_figure(folder / FIGURE, len(found), 2, size) as (_, rows):
        for (left, right), record in zip(rows, found, strict=True):
            for method, curve in record["curves"].items():
                _, colour, line = METHODS[method]
                style = {"color": colour, "linestyle": line, "label": method}
                left.plot(curve["curve_seconds"], curve["difference"], **style)
                right.plot(curve["accuracy_seconds"], curve["accuracy"], **style)
            final = _final(record)
            left.set(yscale="log", ylim=(3e-5, 2), ylabel="relative difference")
            right.set(ylim=(final - 0.15, final + 0.03), ylabel="test accuracy")
            for axes in (left, right):
                axes.set(xscale="log", xlabel="training time in seconds")
                axes.set_title(record["data"])
                axes.grid(alpha=0.3)
        rows[0][0].legend(frameon=False)


def _final(record: dict) -> float:
    """Test accuracy of the model that is nearest the optimum."""
    curves = [curve for curve in record["curves"].values() if curve["difference"]]
    return min(curves, key=lambda curve: curve["difference"][-1])["accuracy"][-1]


def tables(records: list[dict]) -> list[str]:
    """The figure, the table, and who is faster."""
    stand = "; ".join(f"{own} in the place of {theirs}" for own, theirs in DATA.items())
    rows = [(record, *item) for record in records for item in record["curves"].items()]
    return [
        "Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008, section 2.3: "
        "Crammer-Singer with C = 1, no intercept, float64, one thread, one run of each "
        "method. SDM is the sequential dual method as in the paper (fresh "
        'permutations, shrinking, cooling: `solver="dual", order="permuted"`), default '
        "is `LinearSVM()` as it comes, EG `exponentiated_gradient`, CP "
        f"`cutting_plane`. A run ends at a gap of 1e-4 or after {MAX_SECONDS:g} s. The "
        "function is the dual objective, as in the paper; looking at the models is not "
        f"counted. The data sets are ours: {stand}.",
        f"![Relative difference and test accuracy against time]({FIGURE})",
        *convergence_section(CONFIGURATION, records)[:1],
        "How the runs ended:",
        table_of(
            rows,
            {
                "data set": lambda row: row[0]["data"],
                "method": lambda row: row[1],
                "epochs": lambda row: str(row[2]["epochs"]),
                "gap": lambda row: percent(row[2]["gap"]),
            },
        ),
        "The paper finds SDM much faster than EG and EG much faster than CP on all "
        "five data sets, for either aim, and EG unable to get close on COVER. Here:",
        verdicts(CONFIGURATION, records),
    ]


PAGE = PaperPage(
    "papers-convergence.md",
    "Methods for Crammer-Singer against time",
    {CONFIGURATION.name: Table("", measure, tuple(DATA), tables)},
    draw=draw,
    on_request=True,
    paper="000",
)
