"""Linear machines against LIBLINEAR, LogisticRegression and, if installed, Snap ML.

Ours at the default gap of 1e-3, which certifies an objective within 0.1 % of the
optimum; a peer at the loosest tolerance of a ladder with which it gets as near. The
search along the ladder is not counted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
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
from ..harness.pairs import PairsOfLiblinear
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
    *("news20_bydate", "reuters_r52", "ohsumed23", "clinc150", "webkb4"),
    *("letter", "satimage", "usps", "optdigits", "shuttle"),
    *("car_onehot", "soybean_onehot", "dna"),
)
MORE = ("mnist", "covtype", "segment", "debian_maintainer")
# Of few enough classes for a machine for each pair.
FEW = tuple(name for name in NAMES if name != "clinc150")
WITHIN = 1e-3  # of the optimum
LADDER = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4)
GIVE_UP = 3.0  # seconds of a fit, after which a peer is not tried again
LIBLINEAR, LOGISTIC = "LIBLINEAR (LinearSVC)", "LogisticRegression"
PRIMAL, PAIRS = "LIBLINEAR, primal (LinearSVC)", "LIBLINEAR, pair by pair"
SNAP = "Snap ML"
SAME = {"fit_intercept": False, "random_state": 0}


@dataclass(frozen=True)
class Match:
    """One problem, and who solves it."""

    words: str
    formulation: Formulation
    peers: dict[str, Callable[[float], object]] = field(default_factory=dict)
    goals: tuple[float, float] | None = None  # of the ratios: their mean, the smallest
    names: tuple[str, ...] = NAMES


def _svc(tol: float, **parameters):
    return LinearSVC(tol=tol, max_iter=20_000, **SAME, **parameters)


def _logistic(tol: float):
    return LogisticRegression(tol=tol * 1e-2, max_iter=5_000, **SAME)


def _snap(loss: str) -> dict[str, Callable[[float], object]]:
    """Snap ML's one-vs-rest machine, if it is installed."""
    if find_spec("snapml") is None:
        return {}

    def build(tol: float):
        machine = import_module("snapml").SupportVectorMachine
        limits = {"tol": tol * 1e-2, "max_iter": 20_000, "n_jobs": 1}
        return machine(loss=loss, regularizer=1.0, **limits, **SAME)

    return {SNAP: build}


MATCHES = {
    "cs": Match(
        "Crammer-Singer",
        Formulation("cs"),
        {LIBLINEAR: partial(_svc, multi_class="crammer_singer")},
        (6.0, 3.0),
    ),
    "ovr": Match(
        "One-vs-rest, hinge",
        Formulation("ovr", "hinge"),
        {LIBLINEAR: partial(_svc, loss="hinge")} | _snap("hinge"),
        (7.0, 3.0),
    ),
    "ovr squared": Match(
        "One-vs-rest, squared hinge",
        Formulation("ovr", "squared_hinge"),
        {LIBLINEAR: partial(_svc, dual=True), PRIMAL: partial(_svc, dual=False)}
        | _snap("squared_hinge"),
        (7.0, 3.0),
    ),
    "ovo": Match(
        "One-vs-one, hinge",
        Formulation("ovo", "hinge"),
        {PAIRS: PairsOfLiblinear},
        (2.0, 1.2),
        FEW,
    ),
    "maxent": Match(
        "Maximum entropy", Formulation("maxent"), {LOGISTIC: _logistic}, (3.0, 1.2)
    ),
    "ww": Match("Weston-Watkins", Formulation("ww")),
}
WW_TO_CS = 4 / 3  # seconds of the one, over those of the other, at most


def climb(
    match: Match, peer: str, data: Dataset, target: float
) -> tuple[float | None, dict]:
    """The loosest tolerance with which a peer reaches an objective, and facts.

    Without one, the facts are how long it took at least.
    """
    longest = 0.0
    for tol in LADDER:
        progress(f"{data.name}, {peer}: tolerance {tol:g}")
        made = match.peers[peer](tol)
        seconds, model = timed(partial(made.fit, data.X, data.y))
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
    if match.peers:
        _, tight = timed(lambda: formulation.estimator(tol=1e-4).fit(data.X, data.y))
        bound = tight.objective_ * (1 - tight.dual_gap_)
    for peer, build in match.peers.items():
        # what LIBLINEAR and lbfgs would convert to in every fit
        X = data.X.astype(np.float64)
        wide = replace(data, X=X if peer == LOGISTIC else sp.csr_matrix(X))
        tol, found = climb(match, peer, wide, (1 + WITHIN) * bound)
        if tol is None:
            missed[peer] = found
        else:
            tasks[peer] = partial(facts, partial(build, tol), wide)
    return {"shape": data.shape, "fits": race(name, tasks, run.repeats) | missed}


def ratios(match: Match, records: list[dict]) -> dict[str, float]:
    """How often as fast as the fastest peer, by data set; lower bounds where all gave
    up.
    """
    found = {}
    for record in records:
        fits = [record["fits"][peer] for peer in match.peers if peer in record["fits"]]
        all_seconds = [fit.get("seconds", fit.get("at_least")) for fit in fits]
        if all_seconds:
            least = min(all_seconds)
            found[record["data"]] = least / record["fits"]["polymargin"]["seconds"]
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
        gains = ratios(match, records.of(name, match.names))
        if not gains or match.goals is None:
            continue
        mean, least = match.goals
        what = f"{match.words}, speed-up over {' and '.join(match.peers)}"
        lines.append(bar(f"{what}, mean", geometric_mean(gains.values()), mean))
        lines += worst_bar(f"{what}, least", gains, least)
    lines += _ww_beside_cs(records)
    said = "Seconds until the objective is within 0.1 % of the optimum."
    return [said, "\n".join(lines)]


def _ww_beside_cs(records: Records) -> list[str]:
    seconds = {
        name: {
            record["data"]: seconds_of(record, "polymargin")
            for record in records.of(name, NAMES)
        }
        for name in ("cs", "ww")
    }
    both = [data for data in seconds["cs"] if data in seconds["ww"]]
    if not both:
        return []
    gains = {data: seconds["cs"][data] / seconds["ww"][data] for data in both}
    return worst_bar("Weston-Watkins, speed beside Crammer-Singer", gains, 1 / WW_TO_CS)


def draw(records: Records, path: Path) -> None:
    """A panel for each problem."""
    groups = {}
    for name, match in MATCHES.items():
        found = records.of(name, match.names)
        if found and match.peers:
            groups[match.words] = [
                (one["data"], {who: seconds_of(one, who) for who in entrants([one])})
                for one in found
            ]
    dots(path, groups, peers=(LIBLINEAR, PAIRS, LOGISTIC, PRIMAL, SNAP))


TABLES = {
    name: Table(
        match.words, partial(measure, match), match.names, partial(body, match), MORE
    )
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
