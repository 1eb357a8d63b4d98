"""Tables 2 and 3 of a paper on training multi-class kernel machines, measured anew.

Accuracy, iterations and time of Weston-Watkins, Lee-Lin-Wahba, Crammer-Singer and
one-vs-all machines with a Gaussian kernel and without bias, by SMO and S2DO and by the
default solver, at the paper's hyper-parameters: medians over ten splits.
"""

from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

import polymargin

from ..harness.contest import Run, Table
from ..harness.data import FALLBACK, pooled
from ..harness.markdown import LIMITED, NONE, SIZES, data_name, digits, table_of
from ..harness.timing import progress, timed
from .claims import PaperPage
from .compared import compared_tables
from .configuration import KNOWN
from .quantities import TIES, leaders_table, quantity_table, verdicts

CONFIGURATION = KNOWN["004-2"]
PAPER_SIZES = CONFIGURATION.theirs["sizes"]
VIOLATION = 1e-3  # of the paper's optimality conditions
SPLITS, TRIAL_SPLITS = 10, 3
FIT_SECONDS, TRIAL_SECONDS = 60.0, 10.0  # what a fit may take
GIVE_UP = 2  # splits that hit the limit before a method is not run on further ones
MACHINES = {"WW": "ww", "LLW": "llw", "CS": "cs", "OVA": "ovr"}
DEFAULT = "block"
METHODS = (*CONFIGURATION.columns, *(f"{machine} {DEFAULT}" for machine in MACHINES))
# Margin of the paper's machine over that of ours. Its ww asks for a margin of 2: with
# w = 2 w' and xi = 2 xi' the objective 1/2 |w|^2 + C xi is four times
# 1/2 |w'|^2 + C/2 xi', the problem with margin 1 and C / 2, whose gradients are half
# as large (its footnote 3 has margin 1; iterations with that reading were farther from
# the paper's). The others are ours as they stand: cs and one-vs-all with margin 1, llw
# with margin 1/(k-1).
MARGINS = {"WW": 2.0, "LLW": 1.0, "CS": 1.0, "OVA": 1.0}
SCALINGS = ("as it is", "unit variance", "[0, 1]", "[-1, 1]")


@dataclass(frozen=True)
class Form:
    """A form in which a data set may have been used; the paper does not say which."""

    file: str
    scaling: str
    rows: int | None = None  # how many of the first; all if None

    @property
    def words(self) -> str:
        return f"{self.file}, {self.scaling}"


def forms(name: str) -> list[Form]:
    """All forms that are tried; categories in two ways, 0 and 1 as they are."""
    if name == FALLBACK:
        return [Form(FALLBACK, "[0, 1]")]
    categories = {"car": ("car_ordinal", None), "soybean": ("soybean", 307)}
    file, rows = categories.get(name, (name, None))
    codes = [Form(file, scaling, rows) for scaling in SCALINGS]
    one_hot = [Form(f"{name}_onehot", "as it is", rows)] if name in categories else []
    return [*codes, *one_hot]


def scale(X: np.ndarray, X_test: np.ndarray, scaling: str):
    """Scale both parts by the first; features that do not vary become zero."""
    if scaling == "as it is":
        return X, X_test
    low, width, shift = X.min(axis=0), np.ptp(X, axis=0), 0.0
    if scaling == "unit variance":
        low, width = X.mean(axis=0), X.std(axis=0)
    elif scaling == "[-1, 1]":
        width, shift = width / 2, 1.0
    varies = width > 0
    width = np.where(varies, width, 1)
    return tuple((((part - low) / width - shift) * varies) for part in (X, X_test))


def splits(name: str, form: Form, count: int):
    """Yield X, y, X_test, y_test of the paper's sizes; 70 to 30 if it has none."""
    X, y = pooled(form.file)
    X, y = X[: form.rows].astype(np.float64), y[: form.rows]
    train, _ = PAPER_SIZES.get(name, (round(0.7 * len(y)), None))
    for seed in range(count):
        order = np.random.RandomState(seed).permutation(len(y))
        rows, others = order[:train], order[train:]
        scaled, scaled_test = scale(X[rows], X[others], form.scaling)
        yield scaled, y[rows], scaled_test, y[others]


def parameters(name: str, machine: str) -> dict:
    """C, gamma and tolerance of a machine, in our convention."""
    theirs = CONFIGURATION.theirs["parameters"].get(name)
    columns = list(MACHINES)
    log_gamma, log_C = theirs[columns.index(machine)] if theirs else (-5, 3)
    margin = MARGINS[machine]
    return {
        "machine": MACHINES[machine],
        "gamma": 2.0**log_gamma,
        "C": 2.0**log_C / margin,
        "violation_tol": VIOLATION / margin,
    }


def fit(split: tuple, max_time: float, **params) -> dict:
    """Train once; seconds, iterations, accuracy and whether the clock stopped it."""
    X, y, X_test, y_test = split
    limits = {"max_iter": 2**62, "max_time": max_time}
    model = polymargin.KernelSVM(**params, **limits, n_jobs=1, random_state=0)
    seconds, _ = timed(lambda: model.fit(X, y))
    return {
        "seconds": seconds,
        "iterations": int(model.n_iter_),
        "accuracy": float((model.predict(X_test) == y_test).mean()),
        "stopped": model.status_ == "max_time",
    }


def combine(fits: list[dict]) -> dict:
    """Medians over splits, and how many of how many hit the limit."""
    keys = ("seconds", "iterations", "accuracy")
    medians = {key: median(one[key] for one in fits) for key in keys}
    stopped = sum(one["stopped"] for one in fits)
    return {**medians, "stopped": stopped, "splits": len(fits)}


def try_form(name: str, form: Form) -> dict:
    """Accuracy of every machine in a form, and how far from the paper's on average."""
    tried = list(splits(name, form, TRIAL_SPLITS))
    theirs = CONFIGURATION.paper_says("accuracy by machine", name)
    distances = []
    for machine in MACHINES:
        progress(f"{name}: {form.words}, {machine}")
        params = parameters(name, machine)
        accuracy = median(
            fit(split, TRIAL_SECONDS, **params)["accuracy"] for split in tried
        )
        if machine in theirs:
            distances.append(abs(accuracy - theirs[machine][0]))
    return {"form": form.words, "distance": fmean(distances) if distances else 0.0}


def measure_methods(name: str, form: Form) -> dict[str, dict]:
    """Every machine by every solver, over the splits, in turns."""
    fits: dict[str, list[dict]] = {method: [] for method in METHODS}
    for number, split in enumerate(splits(name, form, SPLITS)):
        for method, done in fits.items():
            if sum(one["stopped"] for one in done) >= GIVE_UP:
                continue
            progress(f"{name}: {method}, split {number + 1} of {SPLITS}")
            machine, solver = method.split()
            params = parameters(name, machine) | {"solver": solver.lower()}
            done.append(fit(split, FIT_SECONDS, **params))
    return {method: combine(done) for method, done in fits.items()}


def measure(name: str, run: Run) -> dict:
    """The record of a data set: the forms tried, and all methods in the nearest."""
    candidates = forms(name)
    tried = [try_form(name, form) for form in candidates]
    nearest = min(range(len(tried)), key=lambda at: tried[at]["distance"])
    X, y, _, y_test = next(splits(name, candidates[nearest], 1))
    k = int(max(y.max(), y_test.max())) + 1
    return {
        "shape": {"n": len(y), "d": X.shape[1], "k": k},
        "test_rows": len(y_test),
        "form": candidates[nearest].words,
        "tried": tried,
        "methods": measure_methods(name, candidates[nearest]),
    }


def tables(records: list[dict]) -> list[str]:
    """All tables of the page, and where they agree with the paper's."""

    def tried(used: bool):
        def cell(record: dict) -> str:
            found = {one["form"]: 100 * one["distance"] for one in record["tried"]}
            if used:
                return f"{found[record['form']]:.1f}"
            others = [
                f"{form} {off:.1f}"
                for form, off in found.items()
                if form != record["form"]
            ]
            return "; ".join(others) or NONE

        return cell

    def default_seconds(machine: str):
        def cell(record: dict) -> str:
            entry = record["methods"][f"{machine} {DEFAULT}"]
            return digits(entry["seconds"]) + LIMITED * bool(entry["stopped"])

        return cell

    def shown(name: str) -> str:
        return quantity_table(CONFIGURATION, records, name)

    known = [record for record in records if record["data"] in PAPER_SIZES]
    return [
        "Dogan, Glasmachers and Igel, 2011, section 6: Weston-Watkins (WW), "
        "Lee-Lin-Wahba (LLW), Crammer-Singer (CS) and one-vs-all (OVA) machines "
        "without bias, Gaussian kernel, until the optimality conditions hold to 1e-3. "
        f"Medians over {SPLITS} random splits of the sizes that the paper's numbers "
        "imply, float64 rows, one thread. In brackets the number of the paper, whose "
        "computer and splits are others.",
        "gamma and C are those of its table 1. Its WW is stated with a margin of 2 "
        "between the true class and another: that is the problem with margin 1, half "
        "the C and half the tolerance, and so it is trained here. LLW (margin "
        "1/(k-1)), CS and OVA (margin 1) are the same there and here.",
        "The paper does not say how features were scaled. "
        f"Tried on {TRIAL_SPLITS} splits with the default solver; the form whose "
        "accuracies come nearest to the paper's, on average over the four machines, is "
        "used below. The mean difference in points:",
        table_of(
            records,
            {
                "data set": data_name,
                **SIZES,
                "test": lambda record: f"{record['test_rows']:,}",
                "used": lambda record: record["form"],
                "difference": tried(True),
                "others": tried(False),
            },
            numbers=False,
        ),
        "Table 2, here by the default solver:",
        shown("accuracy by machine"),
        f"Table 3. {LIMITED}: fits were stopped after "
        f"{FIT_SECONDS:g} s; after {GIVE_UP} such splits the method was not run on "
        "more, and its iterations, seconds and accuracy are those until then. Of CS, "
        "SMO and S2DO are the same; the paper counts no iterations of OVA, and its "
        f"number with {LIMITED} is probably a slip.",
        shown("iterations"),
        shown("seconds by method"),
        f"**Seconds of the default solver** (`{DEFAULT}`) to the same accuracy",
        table_of(
            records,
            {"data set": data_name}
            | {machine: default_seconds(machine) for machine in MACHINES},
        ),
        "### Where they agree",
        TIES,
        leaders_table(CONFIGURATION, known, "accuracy by machine"),
        verdicts(CONFIGURATION, known),
    ]


PAGE = PaperPage(
    "papers-kernel.md",
    "Results of a paper on kernel machines, repeated",
    compared_tables("004")
    | {CONFIGURATION.name: Table("", measure, tuple(PAPER_SIZES), tables)},
    on_request=True,
    paper="004",
)
