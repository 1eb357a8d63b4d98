"""Linear machines against LIBLINEAR, in LinearSVC, and LogisticRegression.

Ours at the default gap of 1e-3, which certifies an objective within 0.1 % of the
optimum; a peer at the loosest tolerance of a ladder with which it gets as near. The
search along the ladder is not counted.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ..harness.contest import Contest, Run, Table, bodies
from ..harness.data import Dataset, load
from ..harness.figure import dots
from ..harness.markdown import bar, share, worst_bar
from ..harness.objectives import Formulation
from ..harness.race import (
    entrants,
    facts,
    outcome,
    race,
    seconds_of,
    seconds_table,
)
from ..harness.records import Records
from ..harness.timing import geometric_mean, progress, timed

NAMES = (
    *("news20_bydate", "reuters_r52", "ohsumed23", "clinc150"),
    *("letter", "satimage", "usps"),
)
MORE = ("mnist", "covtype", "segment", "optdigits", "shuttle", "debian_maintainer")
WITHIN = 1e-3  # of the optimum
LADDER = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4)
GIVE_UP = 3.0  # seconds of a fit, after which a peer is not tried again
LIBLINEAR, LOGISTIC = "LIBLINEAR (LinearSVC)", "LogisticRegression"
SAME = {"fit_intercept": False, "random_state": 0}


@dataclass(frozen=True)
class Match:
    """One problem, and who solves it."""

    words: str
    formulation: Formulation
    peer: str | None = None
    build: Callable[[float], object] | None = None  # the peer, from a tolerance
    goals: tuple[float, float] | None = None  # of the ratios: their mean, the smallest


def _svc(tol: float, **parameters):
    return LinearSVC(tol=tol, max_iter=20_000, **SAME, **parameters)


def _logistic(tol: float):
    return LogisticRegression(tol=tol * 1e-2, max_iter=5_000, **SAME)


MATCHES = {
    "cs": Match(
        "Crammer-Singer",
        Formulation("cs"),
        LIBLINEAR,
        partial(_svc, multi_class="crammer_singer"),
        (4.0, 1.5),
    ),
    "ovr": Match(
        "One-vs-rest, hinge",
        Formulation("ovr", "hinge"),
        LIBLINEAR,
        partial(_svc, loss="hinge"),
        (6.0, 1.2),
    ),
    "ovr squared": Match(
        "One-vs-rest, squared hinge",
        Formulation("ovr", "squared_hinge"),
        LIBLINEAR,
        partial(_svc, dual=True),
        (5.0, 1.2),
    ),
    "maxent": Match(
        "Maximum entropy", Formulation("maxent"), LOGISTIC, _logistic, (3.0, 1.2)
    ),
    "ww": Match("Weston-Watkins", Formulation("ww")),
}


def climb(match: Match, data: Dataset, target: float) -> tuple[float | None, dict]:
    """The loosest tolerance with which the peer reaches an objective, and facts.

    Without one, the facts are how long it took at least.
    """
    longest = 0.0
    for tol in LADDER:
        progress(f"{data.name}, {match.peer}: tolerance {tol:g}")
        seconds, model = timed(lambda tol=tol: match.build(tol).fit(data.X, data.y))
        longest = max(longest, seconds)
        if match.formulation.objective(data.X, data.y, model.coef_) <= target:
            return tol, {"seconds": seconds, **outcome(model, data)}
        if seconds > GIVE_UP:
            break
    return None, {"at_least": longest}


def measure(match: Match, name: str, run: Run) -> dict:
    """The record of a data set."""
    data = load(name)
    formulation = match.formulation
    tasks = {
        "polymargin": partial(facts, partial(formulation.estimator, n_jobs=1), data)
    }
    missed = {}
    if match.build is not None:
        _, tight = timed(lambda: formulation.estimator(tol=1e-4).fit(data.X, data.y))
        bound = tight.objective_ * (1 - tight.dual_gap_)
        # what LIBLINEAR and lbfgs would convert to in every fit
        X = data.X.astype(np.float64)
        wide = replace(data, X=sp.csr_matrix(X) if match.peer == LIBLINEAR else X)
        tol, found = climb(match, wide, (1 + WITHIN) * bound)
        if tol is None:
            missed[match.peer] = found
        else:
            tasks[match.peer] = partial(facts, partial(match.build, tol), wide)
    return {"shape": data.shape, "fits": race(name, tasks, run.repeats) | missed}


def ratios(match: Match, records: list[dict]) -> dict[str, float]:
    """How often as fast as the peer, by data set; lower bounds where it gave up."""
    found = {}
    for record in records:
        fit = record["fits"].get(match.peer, {})
        seconds = fit.get("seconds", fit.get("at_least"))
        if seconds is not None:
            found[record["data"]] = seconds / record["fits"]["polymargin"]["seconds"]
    return found


def body(match: Match, records: list[dict]) -> list[str]:
    """The table of a match."""
    accuracies = {
        f"accuracy, {name}": lambda record, name=name: share(
            record["fits"].get(name, {}).get("accuracy")
        )
        for name in entrants(records)
    }
    return [seconds_table(records, more=accuracies)]


def all_tables(records: Records) -> list[str]:
    """What all tables have in common, then one after the other."""
    return [
        "Seconds to an objective within 0.1 % of the optimum, and test accuracy. C = "
        "1, no intercept. Our rows are float32, those of the others float64. `>`: the "
        "other program was not there after a fit of that time. We try no smaller "
        f"tolerance once a fit has taken {GIVE_UP:g} s.",
        *bodies(TABLES, records, "####"),
    ]


def verdict(records: Records) -> list[str]:
    """The bars of all matches."""
    lines = []
    for name, match in MATCHES.items():
        gains = ratios(match, records.of(name, NAMES))
        if not gains or match.goals is None:
            continue
        mean, least = match.goals
        what = f"{match.words}, speed-up over {match.peer}"
        lines.append(bar(f"{what}, mean", geometric_mean(gains.values()), mean))
        lines += worst_bar(f"{what}, least", gains, least)
    said = "Seconds until the objective is within 0.1 % of the optimum."
    return [said, "\n".join(lines)]


def draw(records: Records, path: Path) -> None:
    """A panel for each problem."""
    groups = {}
    for name, match in MATCHES.items():
        found = records.of(name, NAMES)
        if found and match.build is not None:
            groups[match.words] = [
                (one["data"], {who: seconds_of(one, who) for who in entrants([one])})
                for one in found
            ]
    dots(path, groups, peers=(LIBLINEAR, LOGISTIC))


TABLES = {
    name: Table(match.words, partial(measure, match), NAMES, partial(body, match), MORE)
    for name, match in MATCHES.items()
}
CONTEST = Contest(
    "linear",
    "Linear machines beside LIBLINEAR and scikit-learn",
    TABLES,
    verdict,
    draw,
    all_tables,
    packages=("scikit-learn",),
)
