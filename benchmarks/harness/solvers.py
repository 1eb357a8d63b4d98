"""Linear solvers behind one small interface: polymargin, LIBLINEAR, scikit-learn.

All train with C = 1 and no intercept on one thread. A solver is handed float32 rows.
What a peer needs to turn them into its own structures is not counted; of polymargin
all of `fit` is counted: validation, the sparse copy and the certificate.
"""

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

import polymargin

from .data import Dataset
from .objectives import CRAMMER_SINGER, Formulation, class_pairs
from .timing import timed

# Ladders, each from loose to tight.
DUAL_LADDER = (  # largest violation of the optimality conditions
    *(1, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01),
    *(0.007, 0.005, 0.003, 0.002, 0.001, 0.0005, 0.0002, 0.0001),
)
ENTROPY_LADDER = (10, 5, 2, *DUAL_LADDER)  # the same, where steps are smooth
NEWTON_LADDER = (  # share of the gradient at zero, times that of the smaller class
    *(10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    *(5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5),
)
GRADIENT_LADDER = (  # gradient of the mean loss, or change of the weights
    *(1, 3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5),
    *(1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8),
)
LIBLINEAR_LADDERS = {0: NEWTON_LADDER, 2: NEWTON_LADDER, 7: ENTROPY_LADDER}


@dataclass(frozen=True)
class Fit:
    """A trained model: seconds of training only, and weights in the order of labels.

    Details are what else the solver says: epochs, gap, status. "exhausted" is true if a
    tighter tolerance would change nothing.
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

    def candidates(self, data: Dataset) -> list["Solver"]:
        """The solvers to try on a data set."""
        return [self]

    @abstractmethod
    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        """Train to a tolerance of the solver's own meaning."""


@dataclass(frozen=True)
class Fastest:
    """The fastest of several solvers, found anew for each data set that they suit."""

    name: str
    solvers: list[Solver]
    suits: Callable[[Solver, Dataset], bool]

    def candidates(self, data: Dataset) -> list[Solver]:
        """The solvers to try on a data set."""
        return [solver for solver in self.solvers if self.suits(solver, data)]


class Polymargin(Solver):
    """`LinearSVM`, or `MaxEnt`; the tolerance is the relative duality gap.

    Other parameters are what to change for the contest at hand.
    """

    tolerances = (
        *(0.1, 0.06, 0.03, 0.02, 0.01, 0.006, 0.004, 0.003, 0.002),
        *(0.0015, 0.001, 0.0005),
    )

    def __init__(self, formulation: Formulation = CRAMMER_SINGER, **params):
        self.name = f"polymargin {formulation.name}"
        self._kind, chosen = polymargin.LinearSVM, {"machine": formulation.machine}
        if formulation.machine == "maxent":
            self._kind, chosen = polymargin.MaxEnt, {}
        elif formulation.loss:
            chosen["loss"] = formulation.loss
        chosen |= {"fit_intercept": False, "random_state": 0, "max_iter": 100_000}
        self.params = chosen | params

    def estimator(self, **params):
        """Return an estimator that is not fitted."""
        return self._kind(**self.params | params)

    def model(self, X, y, **params):
        """Return the fitted estimator itself."""
        return timed(lambda: self.estimator(**params).fit(X, y))[1]

    def fit(self, X, y, tolerance: float, seed: int = 0) -> Fit:
        model = self.estimator(tol=tolerance, random_state=seed)
        seconds, _ = timed(lambda: model.fit(X, y))
        details = {"epochs": int(model.n_iter_), "gap": float(model.dual_gap_)}
        return Fit(seconds, model.coef_, details | {"status": model.status_})


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
    """LIBLINEAR through its own Python package, liblinear-official.

    Its dual solvers end after 300 iterations. Those of ``-s 1`` and ``-s 7`` then go
    on by a Newton method; ``-s 3`` leaves it at that, so that when all its binary
    problems ended so, no tolerance gets further.

    Parameters
    ----------
    kind : int
        What its option ``-s`` takes: 0 logistic, primal; 1 squared hinge, dual; 2 the
        same, primal; 3 hinge, dual; 4 Crammer-Singer; 7 logistic, dual.
    """

    def __init__(self, kind: int):
        super().__init__()
        from liblinear import liblinear, liblinearutil  # reported when it is missing

        self.name = f"LIBLINEAR -s {kind}"
        self.tolerances = LIBLINEAR_LADDERS.get(kind, DUAL_LADDER)
        self._kind = kind
        self._structures, self._library = liblinear, liblinearutil

    def _convert(self, X, y):
        rows = sp.csr_matrix(X, dtype=np.float64)
        return self._library.problem(y.astype(np.float64), rows, bias=-1)

    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        (model,), seconds, capped = self._train_all([converted], tolerance, seed)
        weights = self._weights(model)
        return Fit(seconds, weights, {"exhausted": capped == len(weights)})

    def _train_all(
        self, problems: list, tolerance: float, seed: int
    ) -> tuple[list, float, int]:
        """Train on every problem; the models, seconds, and how often it gave up."""
        said: list[bytes] = []
        parameter = self._library.parameter(f"-s {self._kind} -c 1 -e {tolerance}")
        listen = self._structures.PRINT_STRING_FUN(said.append)
        parameter.print_func = listen  # keeps it quiet, too
        ctypes.CDLL(None).srand(seed + 1)  # it draws from rand(); 0 and 1 are the same
        start = perf_counter()
        models = [self._library.train(problem, parameter) for problem in problems]
        seconds = perf_counter() - start
        gave_up = b"Using -s 2 may be faster"
        return models, seconds, sum(gave_up in text for text in said)

    def _weights(self, model) -> np.ndarray:
        """Rows by class; of two classes, one row that is positive for the second."""
        labels = model.get_labels()
        single = len(labels) == 2 and self._kind != 4
        columns = 1 if single else len(labels)
        flat = np.ctypeslib.as_array(model.w, (model.nr_feature * columns,))
        by_class = flat.reshape(-1, columns).T
        if single:  # LIBLINEAR's is positive for the first label it names
            return by_class * (1 if labels[0] > labels[1] else -1)
        return by_class[np.argsort(labels)]  # copied: the model may go


class LiblinearPairs(Liblinear):
    """LIBLINEAR on every pair of classes; the problems share the rows."""

    def __init__(self, kind: int):
        super().__init__(kind)
        self.name = f"LIBLINEAR -s {kind}, pairs"

    def _convert(self, X, y):
        whole = super()._convert(X, y)
        rows = [np.flatnonzero(y == label) for label in range(int(y.max()) + 1)]
        pairs = class_pairs(len(rows))
        return whole, [self._pair(whole, rows[a], rows[b]) for a, b in pairs]

    def _pair(self, whole, first: np.ndarray, second: np.ndarray):
        """A binary problem whose rows are those of another; the second is positive."""
        rows = np.concatenate([first, second])
        pair = self._library.problem.__new__(self._library.problem)
        pair.l, pair.n, pair.bias = len(rows), whole.n, -1
        signs = np.repeat([-1, 1], [len(first), len(second)])
        pair.y = (ctypes.c_double * pair.l)(*signs)
        pair.x = (ctypes.POINTER(self._structures.feature_node) * pair.l)()
        _addresses(pair)[:] = _addresses(whole)[rows]
        return pair

    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        _, pairs = converted
        models, seconds, capped = self._train_all(pairs, tolerance, seed)
        weights = np.vstack([self._weights(model) for model in models])
        return Fit(seconds, weights, {"exhausted": capped == len(pairs)})


def _addresses(problem) -> np.ndarray:
    """The pointers to the rows of a problem, as numbers that can be set."""
    pointers = ctypes.cast(problem.x, ctypes.POINTER(ctypes.c_uint64))
    return np.ctypeslib.as_array(pointers, (problem.l,))


class ScikitLearn(Peer):
    """An estimator of scikit-learn; of its `fit`, only the change to float64 is free.

    `build` makes it from a tolerance and a seed; `csr` says whether dense rows are
    handed over as CSR, which is faster for what is LIBLINEAR inside.
    """

    def __init__(
        self,
        name: str,
        build: Callable[[float, int], Any],
        tolerances: tuple[float, ...] = DUAL_LADDER,
        csr: bool = True,
    ):
        super().__init__()
        self.name, self.tolerances = name, tolerances
        self._build, self._csr = build, csr

    def _convert(self, X, y):
        if self._csr or sp.issparse(X):
            return sp.csr_matrix(X, dtype=np.float64)
        return X.astype(np.float64)

    def _train(self, converted, y, tolerance: float, seed: int) -> Fit:
        model = self._build(tolerance, seed)
        seconds, _ = timed(lambda: model.fit(converted, y))
        parts = getattr(model, "estimators_", [model])  # binary ones it is made of
        return Fit(seconds, np.vstack([part.coef_ for part in parts]))
