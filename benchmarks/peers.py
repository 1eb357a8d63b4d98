"""The solvers, behind one small interface: polymargin and its peers.

All solve the problem of Crammer and Singer (or Weston and Watkins) with C = 1 and no
intercept on one thread. A solver is handed float32 rows. What a peer needs to turn
them into its own structures is not counted; of polymargin all of `fit` is counted:
validation, the sparse copy and the certificate.
"""

import ctypes
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from polymargin import LinearSVM


@dataclass(frozen=True)
class Fit:
    """A trained model.

    Attributes
    ----------
    seconds : float
        Training only.
    raw_weights : ndarray of shape (n_classes, n_features)
        As the solver has them, rows in the order of the sorted labels.
    details : dict
        What else the solver says: epochs, gap, status.
    """

    seconds: float
    raw_weights: np.ndarray
    details: dict = field(default_factory=dict)

    @property
    def weights(self) -> np.ndarray:
        """Weights in float64."""
        return self.raw_weights.astype(np.float64)


class Solver(ABC):
    """A solver with a ladder of tolerances, from loose to tight."""

    name: str
    tolerances: tuple[float, ...]

    @abstractmethod
    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        """Train to a tolerance of the solver's own meaning."""


class Polymargin(Solver):
    """`LinearSVM`; the tolerance is the relative duality gap.

    Parameters
    ----------
    machine : {"cs", "ww"}
    **params : parameters of LinearSVM
        What to change for the benchmark at hand.
    """

    tolerances = (
        *(0.1, 0.06, 0.03, 0.02, 0.01, 0.006, 0.004, 0.003, 0.002),
        *(0.0015, 0.001, 0.0005),
    )

    def __init__(self, machine: str = "cs", **params):
        self.name = f"polymargin {machine}"
        self.params = {
            "machine": machine,
            "fit_intercept": False,
            "random_state": 0,
            "max_iter": 100_000,
            **params,
        }

    def model(self, X, y, **params) -> LinearSVM:
        """Return the fitted estimator itself."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return LinearSVM(**{**self.params, **params}).fit(X, y)

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


class Peer(Solver):
    """A solver that reads rows in a structure of its own, made before the clock."""

    def __init__(self):
        self._source = self._converted = None

    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        if self._source is not X:
            self._source, self._converted = X, self._convert(X, y)
        return self._train(self._converted, y, tolerance, seed)

    @abstractmethod
    def _convert(self, X, y):
        """Return the rows in the structure of the peer."""

    @abstractmethod
    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        """Train on converted rows."""


class Liblinear(Peer):
    """LIBLINEAR ``-s 4`` through its own Python package, liblinear-official."""

    name = "LIBLINEAR -s 4"
    tolerances = (
        *(1, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01),
        *(0.007, 0.005, 0.003, 0.002, 0.001, 0.0005, 0.0002, 0.0001),
    )

    def __init__(self):
        super().__init__()
        from liblinear import liblinearutil  # reported when it is missing

        self._library = liblinearutil

    def _convert(self, X, y):
        rows = sp.csr_matrix(X, dtype=np.float64)
        return self._library.problem(y.astype(np.float64), rows, bias=-1)

    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        parameter = self._library.parameter(f"-s 4 -c 1 -e {tolerance} -q")
        ctypes.CDLL(None).srand(seed + 1)  # it draws from rand(); 0 and 1 are the same
        start = perf_counter()
        model = self._library.train(converted, parameter)
        seconds = perf_counter() - start
        flat = np.ctypeslib.as_array(model.w, (model.nr_feature * model.nr_class,))
        weights = flat.reshape(-1, model.nr_class).T[np.argsort(model.get_labels())]
        return Fit(seconds, weights)  # indexing copied: the model may go


class ScikitLearn(Peer):
    """scikit-learn's `LinearSVC`; of its `fit`, only the change to float64 is free."""

    name = "LinearSVC"
    tolerances = Liblinear.tolerances

    def _convert(self, X, y):
        return sp.csr_matrix(X, dtype=np.float64)

    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        model = LinearSVC(
            multi_class="crammer_singer",
            fit_intercept=False,
            tol=tolerance,
            max_iter=1_000_000,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            start = perf_counter()
            model.fit(converted, y)
            seconds = perf_counter() - start
        return Fit(seconds, model.coef_, {"epochs": int(model.n_iter_)})


SOLVERS = {
    "polymargin cs": Polymargin,
    "LIBLINEAR -s 4": Liblinear,
    "LinearSVC": ScikitLearn,
}


def available_solvers() -> tuple[dict[str, Solver], list[str]]:
    """Return the solvers for Crammer-Singer by name, and what is missing and why."""
    solvers, missing = {}, []
    for name, kind in SOLVERS.items():
        try:
            solvers[name] = kind()
        except ImportError as error:
            missing.append(f"{name} is left out ({error}); install it to compare.")
    return solvers, missing
