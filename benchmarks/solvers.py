"""Solvers behind one small interface, and polymargin as one of them.

All train with C = 1 and no intercept on one thread. A solver is handed float32 rows.
What a peer needs to turn them into its own structures is not counted; of polymargin
all of `fit` is counted: validation, the sparse copy and the certificate.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import polymargin

from .objectives import CRAMMER_SINGER, Formulation


@dataclass(frozen=True)
class Fit:
    """A trained model.

    Attributes
    ----------
    seconds : float
        Training only.
    raw_weights : ndarray of shape (n_classes or n_pairs, n_features)
        As the solver has them, rows in the order of the sorted labels.
    details : dict
        What else the solver says: epochs, gap, status. "exhausted" is true if a
        tighter tolerance would change nothing.
    """

    seconds: float
    raw_weights: np.ndarray
    details: dict = field(default_factory=dict)

    @property
    def weights(self) -> np.ndarray:
        """Weights in float64."""
        return self.raw_weights.astype(np.float64)


class Rival(ABC):
    """Who takes part: a solver, or the fastest of several."""

    name: str

    @abstractmethod
    def candidates(self, data) -> list["Solver"]:
        """The solvers to try on a data set."""


class Solver(Rival):
    """A solver with a ladder of tolerances, from loose to tight."""

    tolerances: tuple[float, ...]

    def candidates(self, data) -> list["Solver"]:
        return [self]

    @abstractmethod
    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        """Train to a tolerance of the solver's own meaning."""


class Fastest(Rival):
    """The fastest of several solvers, found anew for each data set.

    Parameters
    ----------
    name : str
    solvers : sequence of (Solver, callable)
        The callable says whether a solver is worth a try on a data set.
    """

    def __init__(
        self, name: str, solvers: Sequence[tuple[Solver, Callable[..., bool]]]
    ):
        self.name = name
        self._solvers = solvers

    def candidates(self, data) -> list[Solver]:
        return [solver for solver, suits in self._solvers if suits(data)]


class Polymargin(Solver):
    """`LinearSVM`, or `MaxEnt`; the tolerance is the relative duality gap.

    Parameters
    ----------
    formulation : Formulation
    **params : parameters of the estimator
        What to change for the benchmark at hand.
    """

    tolerances = (
        *(0.1, 0.06, 0.03, 0.02, 0.01, 0.006, 0.004, 0.003, 0.002),
        *(0.0015, 0.001, 0.0005),
    )

    def __init__(self, formulation: Formulation = CRAMMER_SINGER, **params):
        self.name = f"polymargin {formulation.name}"
        self._kind, chosen = polymargin.LinearSVM, {"machine": formulation.machine}
        if formulation.machine == "maxent":
            from polymargin import MaxEnt  # reported when it is missing

            self._kind, chosen = MaxEnt, {}
        elif formulation.loss:
            chosen["loss"] = formulation.loss
        self.params = {
            **chosen,
            "fit_intercept": False,
            "random_state": 0,
            "max_iter": 100_000,
            **params,
        }

    def estimator(self, **params):
        """Return an estimator that is not fitted."""
        return self._kind(**{**self.params, **params})

    def model(self, X, y, **params):
        """Return the fitted estimator itself."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.estimator(**params).fit(X, y)

    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        start = perf_counter()
        model = self.model(X, y, tol=tolerance, random_state=seed)
        seconds = perf_counter() - start
        details = {
            "epochs": int(model.n_iter_),
            "gap": float(model.dual_gap_),
            "status": model.status_,
        }
        return Fit(seconds, model.coef_, details)
