"""Tables 1 to 5 of the linear contest, beside the speed.

Memory and the cost of an epoch, what the parts contribute, Weston-Watkins, many
classes, threads.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
import scipy.sparse as sp

from ..harness import markdown as md
from ..harness.contest import Run, Table
from ..harness.data import FALLBACK, GENERATED, Dataset, load
from ..harness.ladder import DEFAULT_TOL, WITHIN, Match, optimum, time_to_optimum
from ..harness.objectives import CRAMMER_SINGER, Formulation
from ..harness.process import in_fresh_process, measured
from ..harness.solvers import Polymargin, Solver
from ..harness.timing import interleave, progress, quickest, spread, timed

OURS = "polymargin cs"
MANY_CLASSES = tuple(f"{GENERATED}{k}" for k in (1000, 10_000))


def train_once(solver: Solver, data_name: str, tolerance: float) -> dict:
    """Train Crammer-Singer once, and tell the peak memory."""
    small = load(FALLBACK)
    solver.fit(small.X[:200], small.y[:200], 0.1)  # loads what is loaded lazily
    data = load(data_name)
    facts, fit = measured(lambda: solver.fit(data.X, data.y, tolerance))
    test = data.X_test, data.y_test
    return {
        **facts,
        "seconds": fit.seconds,
        "accuracy": CRAMMER_SINGER.accuracy(*test, fit.raw_weights),
        "shape": data.shape,
        "data_bytes": data.nbytes,
        **fit.details,
    }


def product_seconds(X, n_classes: int, budget: float = 0.5) -> float:
    """Seconds of one ``X @ W`` with W of shape (d, k), C-ordered, as precise as X.

    The minimum over as many products as the budget of seconds allows, at least five.
    """
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((X.shape[1], n_classes)).astype(X.dtype)
    seconds: list[float] = []
    while len(seconds) < 5 or sum(seconds) < budget:
        seconds.append(timed(lambda: X @ weights)[0])
    return min(seconds)


def epoch_cost(data: Dataset, repeats: int) -> dict[str, float | None]:
    """Seconds of a full epoch, early and late, and of one product ``X @ W``.

    A full epoch visits every row once and looks at all classes. Early means epochs 2
    to 6, late means epochs 26 to 30, where few rows still move; medians of each, and
    of those the minimum over the repeats. "csr" is SciPy's product with a sparse X,
    "blas" the one of a dense X, None if X is sparse.
    """
    full = {"order": "permuted", "shrinking": False, "max_iter": 30, "tol": 0}
    epochs = []
    for repeat in range(repeats):
        progress(f"{data.name}: cost of an epoch, run {repeat + 1} of {repeats}")
        model = Polymargin(**full).model(data.X, data.y, history=True)
        seconds = np.diff(model.history_["seconds"])  # without its certificates
        epochs.append([np.median(seconds[:5]), np.median(seconds[-5:])])
    early, late = np.min(epochs, axis=0).tolist()
    dense = None if sp.issparse(data.X) else product_seconds(data.X, data.n_classes)
    csr = product_seconds(sp.csr_array(data.X), data.n_classes)
    return {"early": early, "late": late, "csr": csr, "blas": dense}


def crammer_singer(match: Match, train: Callable, name: str, run: Run) -> dict:
    """Table 1: speed, and beside it peak memory and the cost of an epoch."""
    record = time_to_optimum(match, name, run)
    for solver_name, entry in record["solvers"].items():
        if "seconds" in entry:
            progress(f"{name}: {solver_name}, peak memory in a fresh process")
            tolerance = entry["seeds"][0]["tolerance"]
            trained = in_fresh_process(train, solver_name, name, tolerance)
            entry["peak_bytes"] = trained["peak_bytes"]
    record["epoch"] = epoch_cost(load(name), run.repeats)
    return record


def cost_tables(records: list[dict]) -> list[str]:
    """What table 1 has beside the speed: memory, and the cost of an epoch."""
    names = list(dict.fromkeys(name for one in records for name in one["solvers"]))

    def memory(name: str):
        return lambda one: md.megabytes(one["solvers"].get(name, {}).get("peak_bytes"))

    def cost(form: Callable[[dict], float | None]):
        return lambda record: md.digits(form(record["epoch"]))

    dearest = {
        f"{record['data']}, {when}": record["epoch"][when] / record["epoch"]["csr"]
        for record in records
        for when in ("early", "late")
    }
    data_bytes = {"data MB": lambda one: md.megabytes(one["data_bytes"])}
    return [
        "Peak memory of training in MB, above the process with the data loaded; each "
        "solver's own copy of the data counts.",
        md.table_of(
            records,
            {"data set": md.data_name}
            | data_bytes
            | {f"{name} MB": memory(name) for name in names},
        ),
        'Cost of one full epoch (`order="permuted"`, no shrinking) in units of one '
        "SciPy `X @ W` with CSR rows in float32. Early: median of epochs 2 to 6; "
        "late: of epochs 26 to 30. For dense data also in units of the BLAS product.",
        md.table_of(
            records,
            {
                "data set": md.data_name,
                "X @ W ms": cost(lambda one: 1e3 * one["csr"]),
                "early epoch ms": cost(lambda one: 1e3 * one["early"]),
                "early": cost(lambda one: one["early"] / one["csr"]),
                "late epoch ms": cost(lambda one: 1e3 * one["late"]),
                "late": cost(lambda one: one["late"] / one["csr"]),
                "late, BLAS": cost(lambda one: md.ratio(one["late"], one["blas"])),
            },
        ),
        *md.worst_bar("dearest epoch in X @ W", dearest, 1.5, at_least=False),
    ]


# Table 2: what is changed, by the name of the change.
DEFAULT_VARIANT = "default (acf, exact)"
_SOLVERS = (
    *("sort", "pivot", "bisection", "active_set"),
    *("smo", "frank_wolfe", "fixed_point"),
)
VARIANTS: dict[str, dict] = {
    DEFAULT_VARIANT: {},
    "acf, no shrinking": {"shrinking": False},
    "permuted, shrinking, cooling": {"order": "permuted"},
    "permuted, shrinking, no cooling": {"order": "permuted", "cooling": False},
    "permuted, no shrinking": {"order": "permuted", "shrinking": False},
    **{f"restricted={name}": {"restricted": name} for name in _SOLVERS},
    **{
        f"restricted={name}, tau 1e-5": {"restricted": name, "restricted_tol": 1e-5}
        for name in ("bisection", "fixed_point")
    },
}


def first_reached(history: dict, best: float) -> dict:
    """When a history comes within 0.1 % of the best objective.

    Returns seconds and epochs until then, both None if it never does, and how far the
    closest objective is from the best, as a share of it.
    """
    objectives = np.asarray(history["objective"])
    off = float(objectives.min() / best - 1) if len(objectives) else None
    below = np.flatnonzero(objectives <= (1 + WITHIN) * best)
    if not len(below):
        return {"seconds": None, "epochs": None, "off": off}
    seconds, epochs = (history[key][below[0]] for key in ("seconds", "epoch"))
    return {"seconds": float(seconds), "epochs": int(epochs), "off": off}


def effects(name: str, run: Run) -> dict:
    """Table 2: seconds and epochs of variants to within 0.1 % of the optimum.

    Both are read off the history of a run, whose certificates are not counted. A
    variant may take 20 times as long as the default, at least 10 seconds.
    """
    data = load(name)
    best = optimum(data, run.scratch)["objective"]

    def train(variant: str, max_time: float | None = None) -> dict:
        # a gap this small implies the objective, so a run ends soon after it
        ends = {"tol": 0.9 * WITHIN, "max_time": max_time}
        solver = Polymargin(**VARIANTS[variant])
        model = solver.model(data.X, data.y, history=True, **ends)
        return {**first_reached(model.history_, best), "status": model.status_}

    needed = train(DEFAULT_VARIANT)["seconds"]
    limit = None if needed is None else max(10.0, 20 * needed)
    tasks = {variant: partial(train, variant, limit) for variant in VARIANTS}
    variants = {}
    for variant, repeated in interleave(name, tasks, run.repeats).items():
        known = None not in [outcome["seconds"] for outcome in repeated]
        variants[variant] = quickest(repeated) if known else repeated[0]
    return {"shape": data.shape, "limit": limit, "variants": variants}


def _effects_table(records: list[dict]) -> list[str]:
    def effect(record: dict):
        def cell(variant: str) -> str:
            entry = record["variants"].get(variant)
            if not entry:
                return md.NONE
            if entry["seconds"] is None:
                return f"{md.percent(entry['off'])} off ({entry['status']})"
            default = record["variants"][DEFAULT_VARIANT]["seconds"]
            if variant == DEFAULT_VARIANT or default is None:
                return f"{md.digits(entry['seconds'])} s ({entry['epochs']})"
            return f"{md.times(entry['seconds'] / default)} ({entry['epochs']})"

        return cell

    return [
        "Crammer-Singer to within 0.1 % of the optimum. First row: seconds and, in "
        "brackets, epochs. Other rows: time as a multiple of it, and epochs. Read off "
        "the histories of runs, so without validation and certificates. Shrinking "
        "matters to acf with more than 64 classes only. Where 0.1 % was not reached: "
        "how far off the run ended, and why (max_time: 20 times as long as the default "
        "and at least 10 s; precision: no step moves any more, as inexact solvers of "
        "the restricted problem leave it).",
        md.table_of(
            VARIANTS, {"variant": str} | {one["data"]: effect(one) for one in records}
        ),
    ]


# Table 3: seconds and relative gap of two programs for Weston-Watkins with one thread
# and C = 1, training only. Not measured by this harness, but once on a machine of this
# kind. Walrus makes NaN of the empty rows of clinc150, so it has no time there.
WW_REFERENCES: dict[str, dict[str, tuple[float, float]]] = {
    "news20_bydate": {"Shark": (1.12, 0.032), "Walrus": (1.07, 0.0013)},
    "clinc150": {"Shark": (2.8, 0.013)},
    "letter": {"Shark": (1.9, 0.00045), "Walrus": (2.1, 0.0015)},
}


def weston_watkins(name: str, run: Run) -> dict:
    """Table 3: Weston-Watkins to the default tolerance, beside other programs."""
    data, machine = load(name), Formulation("ww")
    task = partial(Polymargin(machine).fit, data.X, data.y, DEFAULT_TOL)
    fits = interleave(name, {"ww": task}, run.repeats)["ww"]
    return {
        "shape": data.shape,
        **spread([fit.seconds for fit in fits]),
        **fits[-1].details,
        "accuracy": machine.accuracy(data.X_test, data.y_test, fits[-1].weights),
    }


def _timed(entry: dict) -> str:
    return f"{md.digits(entry['seconds'])} ({entry['spread']:.2f})"


# Columns of a fit of ours.
_OUTCOME = {
    "epochs": lambda one: str(one["epochs"]),
    "gap": lambda one: md.percent(one["gap"]),
    "accuracy": lambda one: md.share(one["accuracy"]),
}


def _weston_watkins_table(records: list[dict]) -> list[str]:
    def reference(name: str):
        def cell(record: dict) -> str:
            found = WW_REFERENCES.get(record["data"], {}).get(name)
            if found is None:
                return md.NONE
            return f"{md.digits(found[0])} ({md.percent(found[1])})"

        return cell

    def gain(record: dict) -> float | None:
        references = WW_REFERENCES.get(record["data"], {}).values()
        better = min((seconds for seconds, _ in references), default=None)
        return md.ratio(better, record["seconds"])

    gains = {one["data"]: gain(one) for one in records}
    return [
        "Weston-Watkins, C = 1, no intercept, one thread, to a relative gap of 0.1 %. "
        "The figures of Shark's linear solver and of Walrus were measured once on a "
        "machine of this kind, training only, and are not measured by this harness. "
        "The better of the two is the quicker, whatever its gap; Walrus cannot do "
        "clinc150, whose empty rows give it NaN (its epochs take 70 ms there).",
        md.table_of(
            records,
            {"data set": md.data_name, "polymargin s": _timed}
            | _OUTCOME
            | {f"{name} s (gap)": reference(name) for name in ("Shark", "Walrus")}
            | {"ratio to the better": lambda one: md.times(gain(one))},
        ),
        *md.worst_bar("smallest ratio", gains, 4.0),
    ]


def _many_classes_table(records: list[dict]) -> list[str]:
    def numbers(*keys: str):
        return lambda one: md.megabytes(4 * prod(one["shape"][key] for key in keys))

    return [
        "Generated sparse rows, Crammer-Singer at the default `tol=1e-3`, float32. "
        "Peak: memory of training above the process with the data loaded; it holds W "
        "and the non-zero duals. Dense duals are what n times k numbers would take.",
        md.table_of(
            records,
            {"data set": md.data_name, **md.SIZES}
            | {"seconds": lambda one: md.digits(one["seconds"]), **_OUTCOME}
            | {"data MB": lambda one: md.megabytes(one["data_bytes"])}
            | {"W MB": numbers("d", "k"), "dense duals MB": numbers("n", "k")}
            | {"peak MB": lambda one: md.megabytes(one["peak_bytes"])},
        ),
    ]


def threads(name: str, run: Run) -> dict:
    """Table 5: one and two threads, and whether the models are the same."""
    data = load(name)
    tasks = {
        str(n): partial(Polymargin(n_jobs=n).fit, data.X, data.y, DEFAULT_TOL)
        for n in (1, 2)
    }
    fits = interleave(f"{name}, threads", tasks, run.repeats)
    models = [fit.raw_weights for repeated in fits.values() for fit in repeated]
    return {
        "shape": data.shape,
        "n_jobs": {n: spread([f.seconds for f in done]) for n, done in fits.items()},
        "identical": all(np.array_equal(models[0], model) for model in models[1:]),
    }


def _threads_table(records: list[dict]) -> list[str]:
    def gain(record: dict) -> str:
        one, two = (record["n_jobs"][n]["seconds"] for n in "12")
        return md.times(one / two)

    return [
        "Crammer-Singer at the default `tol=1e-3`; models compared bit by bit.",
        md.table_of(
            records,
            {
                "data set": md.data_name,
                "n_jobs=1 s": lambda record: _timed(record["n_jobs"]["1"]),
                "n_jobs=2 s": lambda record: _timed(record["n_jobs"]["2"]),
                "ratio": gain,
                "same model": lambda one: "yes" if one["identical"] else "NO",
            },
        ),
    ]


def tables(
    names: tuple[str, ...], more: tuple[str, ...], train: Callable
) -> dict[str, Table]:
    """Tables 2 to 5, by number."""

    def many_classes(name: str, run: Run) -> dict:
        return in_fresh_process(train, OURS, name, DEFAULT_TOL)

    two = Table("What the parts contribute", effects, names, _effects_table, more)
    three = Table(
        "Weston-Watkins", weston_watkins, tuple(WW_REFERENCES), _weston_watkins_table
    )
    four = Table("Many classes", many_classes, MANY_CLASSES, _many_classes_table)
    five = Table("Threads", threads, (*names, MANY_CLASSES[0]), _threads_table, more)
    return {
        str(number): replace(table, title=f"Table {number}. {table.title}")
        for number, table in enumerate((two, three, four, five), start=2)
    }
