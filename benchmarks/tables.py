"""What is measured for each table: one function per table, one record per data set."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .contests import CONTESTS
from .data import EXTRA_NAMES, FALLBACK, GENERATED, NAMES, load
from .measure import WITHIN, epoch_cost, interleave, progress, spread
from .memory import train_in_fresh_process
from .objectives import CRAMMER_SINGER, Formulation, accuracy
from .solvers import Polymargin
from .speed import DEFAULT_TOL, Context, optimum, time_to_optimum

# Table 2: what is changed, by the name of the change.
DEFAULT_VARIANT = "default (acf, exact)"
VARIANTS: dict[str, dict] = {
    DEFAULT_VARIANT: {},
    "acf, no shrinking": {"shrinking": False},
    "permuted, shrinking, cooling": {"order": "permuted"},
    "permuted, shrinking, no cooling": {"order": "permuted", "cooling": False},
    "permuted, no shrinking": {"order": "permuted", "shrinking": False},
    "restricted=sort": {"restricted": "sort"},
    "restricted=pivot": {"restricted": "pivot"},
    "restricted=bisection": {"restricted": "bisection"},
    "restricted=bisection, tau 1e-5": {
        "restricted": "bisection",
        "restricted_tol": 1e-5,
    },
    "restricted=active_set": {"restricted": "active_set"},
    "restricted=smo": {"restricted": "smo"},
    "restricted=frank_wolfe": {"restricted": "frank_wolfe"},
    "restricted=fixed_point": {"restricted": "fixed_point"},
    "restricted=fixed_point, tau 1e-5": {
        "restricted": "fixed_point",
        "restricted_tol": 1e-5,
    },
}

# Table 3: seconds and relative gap of two programs for Weston-Watkins with one thread
# and C = 1, training only. Not measured by this harness: taken from issue 2 of the
# project, where they were measured once on a machine of this kind. Walrus makes NaN of
# the empty rows of clinc150, so it has no time there (its epochs take 70 ms).
WW_REFERENCES: dict[str, dict[str, tuple[float, float]]] = {
    "news20_bydate": {"Shark": (1.12, 0.032), "Walrus": (1.07, 0.0013)},
    "clinc150": {"Shark": (2.8, 0.013)},
    "letter": {"Shark": (1.9, 0.00045), "Walrus": (2.1, 0.0015)},
}


def crammer_singer(name: str, context: Context) -> dict:
    """Table 1: speed, and beside it peak memory and the cost of an epoch."""
    record = time_to_optimum(CONTESTS[1], name, context)
    for solver_name, entry in record["solvers"].items():
        if "seconds" in entry:
            tolerance = entry["seeds"][0]["tolerance"]
            trained = train_in_fresh_process(solver_name, name, tolerance)
            entry["peak_bytes"] = trained["peak_bytes"]
    record["epoch"] = epoch_cost(Polymargin(), load(name), context.repeats)
    return record


def first_reached(history: dict, best: float) -> dict:
    """When a history comes within 0.1 % of the best objective.

    Returns
    -------
    outcome : dict
        "seconds" and "epochs" until then, both None if it never does, and "off", how
        far the closest objective is from the best, as a share of it.
    """
    objectives = np.asarray(history["objective"])
    off = float(objectives.min() / best - 1) if len(objectives) else None
    below = np.flatnonzero(objectives <= (1 + WITHIN) * best)
    if not len(below):
        return {"seconds": None, "epochs": None, "off": off}
    at = below[0]
    return {
        "seconds": float(history["seconds"][at]),
        "epochs": int(history["epoch"][at]),
        "off": off,
    }


def effects(name: str, context: Context) -> dict:
    """Table 2: seconds and epochs of variants to within 0.1 % of the optimum.

    Both are read off the history of a run, whose certificates are not counted. A
    variant may take 20 times as long as the default, at least 10 seconds.
    """
    data = load(name)
    best = optimum(data, CRAMMER_SINGER, context.optima)["objective"]

    def run(variant: str, max_time: float | None = None) -> dict:
        # a gap this small implies the objective, so a run ends soon after it
        model = Polymargin(**VARIANTS[variant]).model(
            data.X, data.y, history=True, tol=0.9 * WITHIN, max_time=max_time
        )
        return {**first_reached(model.history_, best), "status": model.status_}

    progress(f"{name}: {DEFAULT_VARIANT}, to set the limit of time")
    needed = run(DEFAULT_VARIANT)["seconds"]
    limit = None if needed is None else max(10.0, 20 * needed)
    tasks = {variant: partial(run, variant, limit) for variant in VARIANTS}
    outcomes = interleave(name, tasks, context.repeats)
    variants = {}
    for variant, repeated in outcomes.items():
        variants[variant] = repeated[0]
        times = [outcome["seconds"] for outcome in repeated]
        if None not in times:
            variants[variant].update(spread(times))
    return {"shape": data.shape, "limit": limit, "variants": variants}


def weston_watkins(name: str, context: Context) -> dict:
    """Table 3: Weston-Watkins to the default tolerance, beside other programs."""
    data = load(name)
    solver = Polymargin(Formulation("ww"))
    task = partial(solver.fit, data.X, data.y, DEFAULT_TOL)
    fits = interleave(name, {solver.name: task}, context.repeats)[solver.name]
    return {
        "shape": data.shape,
        **spread([fit.seconds for fit in fits]),
        **fits[-1].details,
        "accuracy": accuracy(data.X_test, data.y_test, fits[-1].weights),
        "references": WW_REFERENCES.get(name, {}),
    }


def many_classes(name: str, context: Context) -> dict:
    """Table 4: generated data of many classes, in a process of its own."""
    return train_in_fresh_process("polymargin cs", name, DEFAULT_TOL)


def threads(name: str, context: Context) -> dict:
    """Table 5: one and two threads, and whether the models are the same."""
    data = load(name)
    tasks = {
        f"n_jobs={n}": partial(Polymargin(n_jobs=n).fit, data.X, data.y, DEFAULT_TOL)
        for n in (1, 2)
    }
    fits = interleave(name, tasks, context.repeats)
    models = [fit.raw_weights for repeated in fits.values() for fit in repeated]
    return {
        "shape": data.shape,
        "n_jobs": {
            n_jobs: spread([fit.seconds for fit in repeated])
            for n_jobs, repeated in fits.items()
        },
        "identical": all(np.array_equal(models[0], model) for model in models[1:]),
    }


@dataclass(frozen=True)
class Table:
    """A table: how a row is measured and which data sets it is for.

    Attributes
    ----------
    measure : callable
        Returns the record of a data set.
    data : tuple of str
        Data sets that can be chosen.
    generated : tuple of str
        Generated ones, which are always there.
    """

    measure: Callable[[str, Context], dict]
    data: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()

    def names(self, chosen: list[str], generated: bool = True) -> list[str]:
        """The data sets of this table among the chosen ones."""
        known = (*self.data, FALLBACK) if self.data else ()
        names = [name for name in chosen if name in known]
        return [*names, *self.generated] if generated else names


MANY_CLASSES = tuple(f"{GENERATED}{k}" for k in (1000, 10_000))
TABLES: dict[int, Table] = {
    1: Table(crammer_singer, CONTESTS[1].data),
    2: Table(effects, (*NAMES, *EXTRA_NAMES)),
    3: Table(weston_watkins, tuple(WW_REFERENCES)),
    4: Table(many_classes, generated=MANY_CLASSES),
    5: Table(threads, (*NAMES, *EXTRA_NAMES), generated=MANY_CLASSES[:1]),
    **{
        number: Table(partial(time_to_optimum, contest), contest.data)
        for number, contest in CONTESTS.items()
        if number > 1
    },
}
