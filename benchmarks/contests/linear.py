"""The linear machines against LIBLINEAR and scikit-learn, to 0.1 % of the optimum."""

from collections.abc import Callable
from functools import partial

from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

from ..harness.contest import Contest, Page, Table
from ..harness.data import Dataset
from ..harness.ladder import Maker, Match, time_to_optimum
from ..harness.objectives import Formulation
from ..harness.solvers import (
    GRADIENT_LADDER,
    NEWTON_LADDER,
    Fastest,
    Liblinear,
    LiblinearPairs,
    ScikitLearn,
    Solver,
)
from . import linear_costs as costs
from .linear_tables import accuracy_table, speed_tables

NAMES = (
    *("news20_bydate", "reuters_r52", "ohsumed23", "clinc150", "letter", "satimage"),
    *("mnist", "usps", "covtype"),
)
MORE = ("reuters_r8", "segment", "optdigits", "shuttle", "debian_maintainer")
# With 150 and 200 classes the weights of all pairs take gigabytes.
MANY = ("clinc150", "debian_maintainer")


def _linear_svc(name: str, wrap: Callable = lambda model: model, **params) -> Maker:
    """LinearSVC, perhaps inside a wrapper such as one-vs-one."""

    def build(tolerance: float, seed: int):
        ends = {"tol": tolerance, "max_iter": 1_000_000, "random_state": seed}
        return wrap(LinearSVC(fit_intercept=False, **ends, **params))

    # dual=False is a Newton method, with a tolerance of another kind
    ladder = {} if params.get("dual", True) else {"tolerances": NEWTON_LADDER}
    return partial(ScikitLearn, name, build, **ladder)


def _logistic(solver: str, wrap: Callable | None) -> ScikitLearn:
    """LogisticRegression with one of its solvers."""

    def build(tolerance: float, seed: int):
        max_iter = 2000 if solver in ("sag", "saga") else 20_000
        ends = {"tol": tolerance, "max_iter": max_iter, "random_state": seed}
        model = LogisticRegression(solver=solver, fit_intercept=False, **ends)
        return wrap(model) if wrap else model

    inside_liblinear = solver == "liblinear"
    ladder = NEWTON_LADDER if inside_liblinear else GRADIENT_LADDER
    return ScikitLearn(solver, build, ladder, csr=inside_liblinear)


def _fastest_logistic(
    name: str, solvers: tuple[str, ...], wrap: Callable | None = None
) -> Maker:
    """The fastest of the solvers of LogisticRegression.

    Without a wrapper it is one problem for all classes, else one for each or each pair.
    """

    def suits(solver: Solver, data: Dataset) -> bool:
        unknowns = data.X.shape[1] * (1 if wrap else data.n_classes)
        # a matrix of that size is factorised in every step
        return solver.name != "newton-cholesky" or unknowns <= 500

    return lambda: Fastest(name, [_logistic(one, wrap) for one in solvers], suits)


def _match(words: str, machine: str, loss: str | None, *bars, kinds=(), peers=()):
    """A match against LIBLINEAR's solvers of these kinds, and other peers."""
    liblinear, end = Liblinear, ""
    if machine == "ovo":
        liblinear, end = LiblinearPairs, ", pairs"
    main = tuple(f"LIBLINEAR -s {kind}{end}" for kind in kinds)
    makers = (*(partial(liblinear, kind) for kind in kinds), *peers)
    main = main or ("LogisticRegression",)
    return Match(words, Formulation(machine, loss), makers, main, *bars)


_PAIRS_SVC = partial(_linear_svc, "OneVsOne(LinearSVC)", OneVsOneClassifier)
_OVR_LOGISTIC = _fastest_logistic(
    "OneVsRest(LogisticRegression)",
    ("liblinear", "lbfgs", "newton-cholesky", "sag", "saga"),
    OneVsRestClassifier,
)
_OVO_LOGISTIC = _fastest_logistic(
    "OneVsOne(LogisticRegression)", ("liblinear", "lbfgs"), OneVsOneClassifier
)
_MAXENT = _fastest_logistic(
    "LogisticRegression", ("lbfgs", "newton-cg", "newton-cholesky", "saga")
)
_SVC_CS = _linear_svc("LinearSVC", multi_class="crammer_singer")
_SVC_HINGE = _linear_svc("LinearSVC", loss="hinge")
_SVC_SQUARED = (
    _linear_svc("LinearSVC, dual", dual=True),
    _linear_svc("LinearSVC, primal", dual=False),
)
# By the number of the table; the bars are the mean of the ratios and the smallest.
MATCHES: dict[str, Match] = {
    "1": _match("Crammer-Singer", "cs", None, 4.0, 1.5, kinds=[4], peers=[_SVC_CS]),
    "6": _match(
        "One-vs-rest, hinge", "ovr", "hinge", 6.0, 1.2, kinds=[3], peers=[_SVC_HINGE]
    ),
    "7": _match(
        *("One-vs-rest, squared hinge", "ovr", "squared_hinge", 5.0, 1.2),
        kinds=[1, 2],
        peers=_SVC_SQUARED,
    ),
    "8": _match(
        *("One-vs-rest, logistic", "ovr", "logistic", 4.0, 1.2),
        kinds=[7, 0],
        peers=[_OVR_LOGISTIC],
    ),
    "9": _match("Maximum entropy", "maxent", None, 3.0, 1.2, peers=[_MAXENT]),
    "10": _match(
        *("One-vs-one, hinge", "ovo", "hinge"),
        kinds=[3],
        peers=[_PAIRS_SVC(loss="hinge")],
    ),
    "11": _match(
        *("One-vs-one, squared hinge", "ovo", "squared_hinge"),
        kinds=[1, 2],
        peers=[_PAIRS_SVC(dual=True)],
    ),
    "12": _match(
        *("One-vs-one, logistic", "ovo", "logistic"),
        kinds=[7, 0],
        peers=[_OVO_LOGISTIC],
    ),
}


def train_once(solver_name: str, data_name: str, tolerance: float) -> dict:
    """Train Crammer-Singer once, to tell its peak memory: for a fresh process."""
    return costs.train_once(MATCHES["1"].rivals()[solver_name], data_name, tolerance)


def _tables(match: Match, more: Callable, records: list[dict]) -> list[str]:
    accuracies = ["Test accuracy.", accuracy_table(match, records)]
    return [*speed_tables(match, records), *accuracies, *more(records)]


def _match_table(number: str) -> Table:
    match = MATCHES[number]
    measure, more = partial(time_to_optimum, match), lambda records: []
    title = f"Table {number}. {match.words}"
    if number == "1":
        measure = partial(costs.crammer_singer, match, train_once)
        title, more = "Table 1. Time to 0.1 % of the optimum", costs.cost_tables
    few = match.formulation.machine == "ovo"
    names, others = (
        tuple(name for name in them if not (few and name in MANY))
        for them in (NAMES, MORE)
    )
    return Table(title, measure, names, partial(_tables, match, more), others)


CONTEST = Contest(
    "linear",
    "linear machines against LIBLINEAR and scikit-learn",
    (
        Page(
            "benchmarks.md",
            "Benchmarks",
            {"1": _match_table("1"), **costs.tables(NAMES, MORE, train_once)},
        ),
        Page(
            "benchmarks-family.md",
            "Benchmarks of the linear family",
            {number: _match_table(number) for number in MATCHES if number != "1"},
            ["What is behind them is in [benchmark-notes.md](benchmark-notes.md)."],
        ),
    ),
    packages=("liblinear-official",),
)
