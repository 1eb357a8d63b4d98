"""Tables 5.3 to 5.7 of a thesis on large linear multi-class schemes, measured anew.

Logistic regression, squared-hinge and hinge SVM, each one-vs-all and one-vs-one,
Crammer-Singer, and maximum entropy on full and on reduced feature vectors: accuracy in
cross-validation at the best C, test accuracy, time to train and time to predict.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from sklearn.model_selection import StratifiedKFold

from .data import Dataset, choose_rows, load, split
from .measure import progress
from .objectives import CRAMMER_SINGER, Formulation
from .solvers import Polymargin

# By the names of `schemes_paper.METHODS`.
METHODS: dict[str, tuple[Formulation, dict]] = {
    "LR 1-all": (Formulation("ovr", "logistic"), {}),
    "LR 1-1": (Formulation("ovo", "logistic"), {}),
    "L2 1-all": (Formulation("ovr", "squared_hinge"), {}),
    "L2 1-1": (Formulation("ovo", "squared_hinge"), {}),
    "L1 1-all": (Formulation("ovr", "hinge"), {}),
    "L1 1-1": (Formulation("ovo", "hinge"), {}),
    "CS": (CRAMMER_SINGER, {}),
    "ME": (Formulation("maxent"), {}),
    "ME-2": (Formulation("maxent"), {"features": "reduced"}),
}
EXPONENTS = tuple(range(-5, 4))  # of C, base 2
SEARCH_TOL, FINAL_TOL = 1e-2, 1e-3
SEARCH_SECONDS = 10.0  # of a fit in cross-validation, at most
FINAL_SECONDS = 60.0


@dataclass(frozen=True)
class Setup:
    """How a data set is used.

    Attributes
    ----------
    folds : int
    rows, test_rows : int or None
        How many are taken at random; all if None.
    symmetric : bool
        Whether features are scaled to [-1, 1], as on the LIBSVM data page.
    resplit : bool
        Whether the training part is split 80 to 20, for the thesis did not use the
        test part.
    note : str
        What differs from the thesis.
    """

    folds: int = 5
    rows: int | None = None
    test_rows: int | None = None
    symmetric: bool = True
    resplit: bool = False
    note: str = ""


SETUPS: dict[str, Setup] = {
    "iris": Setup(),
    "wine": Setup(),
    "glass": Setup(),
    "vowel": Setup(resplit=True),
    "segment": Setup(),
    "dna": Setup(symmetric=False, note="0 and 1 as they are"),
    "satimage": Setup(),
    "letter": Setup(),
    "shuttle": Setup(),
    "news20_bydate": Setup(
        symmetric=False, note="the split by date: fewer rows, harder"
    ),
    "mnist": Setup(
        folds=3,
        rows=11_982,
        test_rows=1_984,
        symmetric=False,
        note="as many rows as in the thesis, chosen at random",
    ),
    "covtype": Setup(
        folds=3, rows=50_000, symmetric=False, note="50,000 rows, features in [0, 1]"
    ),
}


def prepare(name: str) -> tuple[Dataset, Setup]:
    """Load a data set and scale and cut it as its setup says."""
    setup = SETUPS.get(name, Setup())
    data = load(name)
    if setup.symmetric:
        varies = data.X.max(axis=0) > data.X.min(axis=0)  # others are left at zero
        data = replace(
            data, X=(2 * data.X - 1) * varies, X_test=(2 * data.X_test - 1) * varies
        )
    if setup.resplit:
        data = split(name, data.X, data.y)
    rows = choose_rows(len(data.y), setup.rows)
    test_rows = choose_rows(len(data.y_test), setup.test_rows)
    cut = Dataset(
        name, data.X[rows], data.y[rows], data.X_test[test_rows], data.y_test[test_rows]
    )
    return cut, setup


def best_exponent(accuracies: dict[int, float]) -> int:
    """Exponent of the C with the highest accuracy, the smallest of equals."""
    return max(sorted(accuracies), key=accuracies.__getitem__)


def cross_validate(
    build: Callable[[float], object], data: Dataset, folds: int
) -> tuple[dict[int, float], int]:
    """Return the accuracy for every exponent of C, and how many fits hit the limit."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    hits = dict.fromkeys(EXPONENTS, 0)
    limited = 0
    for train, held_out in splitter.split(np.empty(len(data.y)), data.y):
        X, y, X_out, y_out = (
            *(data.X[train], data.y[train]),
            *(data.X[held_out], data.y[held_out]),
        )
        for exponent in EXPONENTS:
            model = build(2.0**exponent).fit(X, y)
            hits[exponent] += int((model.predict(X_out) == y_out).sum())
            limited += model.status_ == "max_time"
    return {exponent: hit / len(data.y) for exponent, hit in hits.items()}, limited


def measure_method(solver: Polymargin, data: Dataset, folds: int) -> dict:
    """One cell of each of the five tables."""

    def build(C: float, tol: float = SEARCH_TOL, max_time: float = SEARCH_SECONDS):
        return solver.estimator(C=C, tol=tol, max_time=max_time)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes, and fits that hit the limit
        start = perf_counter()
        accuracies, limited = cross_validate(build, data, folds)
        searched = perf_counter() - start
        best = best_exponent(accuracies)
        fits: list[float] = []
        while not fits or (len(fits) < 3 and sum(fits) < 1):
            model = build(2.0**best, FINAL_TOL, FINAL_SECONDS)
            start = perf_counter()
            model.fit(data.X, data.y)
            fits.append(perf_counter() - start)
    predictions: list[float] = []
    for _ in range(3):
        start = perf_counter()
        predicted = model.predict(data.X_test)
        predictions.append(perf_counter() - start)
    return {
        "cross_validation": accuracies[best],
        "by_exponent": {str(exponent): value for exponent, value in accuracies.items()},
        "exponent": best,
        "test": float((predicted == data.y_test).mean()),
        "training": min(fits),
        "testing": min(predictions),
        "gap": float(model.dual_gap_),
        "status": model.status_,
        "limited": limited,
        "search_seconds": searched,
    }


def measure(name: str) -> dict:
    """The record of a data set: every method."""
    data, setup = prepare(name)
    methods = {}
    for method, (formulation, params) in METHODS.items():
        progress(f"tables 5.3 to 5.7, {name}: {method}")
        solver = Polymargin(formulation, **{"max_iter": 10_000, **params})
        methods[method] = measure_method(solver, data, setup.folds)
    return {
        "shape": data.shape,
        "test_rows": len(data.y_test),
        "folds": setup.folds,
        "note": setup.note,
        "methods": methods,
    }
