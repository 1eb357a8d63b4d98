"""What drivers are told: one frozen object for each family of them.

They are made of the parameters of a user's object. Defaults are for tests and scripts,
and are those of the parameters.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class LinearOptions:
    """How to train a linear machine.

    Attributes
    ----------
    solver : str
        A name in the table of linear solvers, or "auto".
    tol : float
        Relative duality gap at which separate problems are done.
    violation_tol : float or None
        Largest violation of the optimality conditions; replaces `tol`.
    bias : float
        Value of the constant feature; zero if there is none.
    fit_intercept : bool or "free"
        "free": the intercepts are not penalised, and the constant feature is theirs.
    penalty : {"l2", "l1", "group"}
        Of the weights.
    weight_bounds : pair or None
        The least and the largest weight.
    features : {"full", "reduced"}
        Which weights there are.
    candidates : int or None
        How many classes each row is trained against; None: all.
    order : {"acf", "permuted", "cyclic", "max_violation", "random"}
        Who is visited next.
    shrinking : bool or "classes"
        Of the order of visits; "classes": of the classes of every visit, too.
    cooling : bool
        Of the order of visits.
    restricted : str
        Solver of the restricted problems.
    restricted_tol : float
        Of the restricted solvers that are not exact.
    restricted_sweeps : int
        How often "smo" goes round.
    seed : int
    threads : int
        The model does not depend on it.
    """

    solver: str = "auto"
    tol: float = 1e-3
    violation_tol: float | None = None
    bias: float = 1.0
    fit_intercept: bool | str = True
    penalty: str = "l2"
    weight_bounds: tuple | None = None
    features: str = "full"
    candidates: int | None = None
    order: str = "acf"
    shrinking: bool | str = True
    cooling: bool = True
    restricted: str = "exact"
    restricted_tol: float = 1e-3
    restricted_sweeps: int = 1
    seed: int = 0
    threads: int = 1

    @property
    def by_features(self) -> bool:
        """Whether training goes through the features, and not through the rows."""
        return self.penalty != "l2" or self.weight_bounds is not None


@dataclass(frozen=True)
class KernelOptions:
    """How to train a machine with a kernel.

    Attributes
    ----------
    solver : str
        A name in the table of kernel solvers.
    tol : float
        Relative duality gap at which the pairs of one-vs-one are done.
    violation_tol : float or None
        Largest violation of the optimality conditions; replaces `tol`.
    cache_bytes : float
        Room for kernel values. There is always enough for two rows.
    shrinking : bool
        Whether examples may be left out for a while.
    seed : int
    threads : int
        The model does not depend on it.
    """

    solver: str = "auto"
    tol: float = 1e-3
    violation_tol: float | None = None
    cache_bytes: float = 1e9
    shrinking: bool = True
    seed: int = 0
    threads: int = 1


# Steps that one draw of processOptimize makes, in the core.
_OPTIMIZATIONS = 10


@dataclass(frozen=True)
class OnlineOptions:
    """How to learn from one example at a time; see the parameters of `OnlineSVM`."""

    selection: str
    schedule: str
    steps: tuple[float, float]
    hits: int
    violation_tol: float
    budget: int | None
    cost: str
    revisit: bool
    cache_bytes: float

    @property
    def weights(self) -> tuple[float, float, float]:
        """How often each kind of step is drawn, at first."""
        if self.schedule == "adaptive":
            return 1.0, 1.0, 1.0
        old, optimize = self.steps
        return 1.0, old, optimize / _OPTIMIZATIONS
