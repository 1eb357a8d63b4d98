"""Who competes for what: the speed tables of the linear family, as data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

from .data import EXTRA_NAMES, NAMES, Dataset
from .objectives import CRAMMER_SINGER, Formulation
from .peers import (
    GRADIENT_LADDER,
    NEWTON_LADDER,
    Liblinear,
    LiblinearPairs,
    ScikitLearn,
)
from .solvers import Fastest, Polymargin, Rival

Maker = Callable[[], Rival]


@dataclass(frozen=True)
class Contest:
    """A speed table.

    Attributes
    ----------
    words : str
        What is solved, for the reader.
    formulation : Formulation
    peers : tuple of callables
        Each makes a rival; an ImportError leaves it out.
    main : tuple of str
        The better of these peers is what polymargin is held against.
    mean, each : float or None
        The bars: geometric mean of the ratios and the smallest of them.
    data : tuple of str
        Data sets that can be chosen.
    """

    words: str
    formulation: Formulation
    peers: tuple[Maker, ...]
    main: tuple[str, ...]
    mean: float | None = None
    each: float | None = None
    data: tuple[str, ...] = (*NAMES, *EXTRA_NAMES)

    @property
    def ours(self) -> str:
        """The name of polymargin here."""
        return f"polymargin {self.formulation.name}"

    def rivals(self) -> tuple[dict[str, Rival], list[str]]:
        """Return who takes part by name, and who is missing and why."""
        present: dict[str, Rival] = {self.ours: Polymargin(self.formulation)}
        missing = []
        for make in self.peers:
            try:
                rival = make()
            except ImportError as error:
                missing.append(f"A peer is left out ({error}); install it to compare.")
            else:
                present[rival.name] = rival
        return present, missing


def _linear_svc(name: str, wrap: Callable | None = None, **params) -> Maker:
    """LinearSVC, perhaps inside a wrapper such as one-vs-one."""

    def build(tolerance: float, seed: int):
        model = LinearSVC(
            fit_intercept=False,
            tol=tolerance,
            max_iter=1_000_000,
            random_state=seed,
            **params,
        )
        return wrap(model) if wrap else model

    # dual=False is a Newton method, with a tolerance of another kind
    ladder = {} if params.get("dual", True) else {"tolerances": NEWTON_LADDER}
    return partial(ScikitLearn, name, build, **ladder)


def _logistic(solver: str, wrap: Callable | None) -> ScikitLearn:
    """LogisticRegression with one of its solvers."""

    def build(tolerance: float, seed: int):
        model = LogisticRegression(
            solver=solver,
            fit_intercept=False,
            tol=tolerance,
            max_iter=2000 if solver in ("sag", "saga") else 20_000,
            random_state=seed,
        )
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

    def suits(solver: str, data: Dataset) -> bool:
        if solver != "newton-cholesky":
            return True
        unknowns = data.X.shape[1] * (1 if wrap else data.n_classes)
        return unknowns <= 500  # a matrix of that size is factorised in every step

    def make() -> Fastest:
        return Fastest(
            name,
            [(_logistic(solver, wrap), partial(suits, solver)) for solver in solvers],
        )

    return make


# With 150 and 200 classes the weights of all pairs take gigabytes.
_FEW_PAIRS = tuple(
    name
    for name in (*NAMES, *EXTRA_NAMES)
    if name not in ("clinc150", "debian_maintainer")
)
_ONE_VS_ONE = OneVsOneClassifier
_PAIRS_SVC = "OneVsOne(LinearSVC)"

# By the number of the table.
CONTESTS: dict[int, Contest] = {
    1: Contest(
        "Crammer-Singer",
        CRAMMER_SINGER,
        (
            partial(Liblinear, 4),
            _linear_svc("LinearSVC", multi_class="crammer_singer"),
        ),
        main=("LIBLINEAR -s 4",),
        mean=4.0,
        each=1.5,
    ),
    6: Contest(
        "One-vs-rest, hinge",
        Formulation("ovr", "hinge"),
        (partial(Liblinear, 3), _linear_svc("LinearSVC", loss="hinge")),
        main=("LIBLINEAR -s 3",),
        mean=6.0,
        each=1.2,
    ),
    7: Contest(
        "One-vs-rest, squared hinge",
        Formulation("ovr", "squared_hinge"),
        (
            partial(Liblinear, 1),
            partial(Liblinear, 2),
            _linear_svc("LinearSVC, dual", dual=True),
            _linear_svc("LinearSVC, primal", dual=False),
        ),
        main=("LIBLINEAR -s 1", "LIBLINEAR -s 2"),
        mean=5.0,
        each=1.2,
    ),
    8: Contest(
        "One-vs-rest, logistic",
        Formulation("ovr", "logistic"),
        (
            partial(Liblinear, 7),
            partial(Liblinear, 0),
            _fastest_logistic(
                "OneVsRest(LogisticRegression)",
                ("liblinear", "lbfgs", "newton-cholesky", "sag", "saga"),
                OneVsRestClassifier,
            ),
        ),
        main=("LIBLINEAR -s 7", "LIBLINEAR -s 0"),
        mean=4.0,
        each=1.2,
    ),
    9: Contest(
        "Maximum entropy",
        Formulation("maxent"),
        (
            _fastest_logistic(
                "LogisticRegression", ("lbfgs", "newton-cg", "newton-cholesky", "saga")
            ),
        ),
        main=("LogisticRegression",),
        mean=3.0,
        each=1.2,
    ),
    10: Contest(
        "One-vs-one, hinge",
        Formulation("ovo", "hinge"),
        (
            partial(LiblinearPairs, 3),
            _linear_svc(_PAIRS_SVC, _ONE_VS_ONE, loss="hinge"),
        ),
        main=("LIBLINEAR -s 3, pairs",),
        data=_FEW_PAIRS,
    ),
    11: Contest(
        "One-vs-one, squared hinge",
        Formulation("ovo", "squared_hinge"),
        (
            partial(LiblinearPairs, 1),
            partial(LiblinearPairs, 2),
            _linear_svc(_PAIRS_SVC, _ONE_VS_ONE, dual=True),
        ),
        main=("LIBLINEAR -s 1, pairs", "LIBLINEAR -s 2, pairs"),
        data=_FEW_PAIRS,
    ),
    12: Contest(
        "One-vs-one, logistic",
        Formulation("ovo", "logistic"),
        (
            partial(LiblinearPairs, 7),
            partial(LiblinearPairs, 0),
            _fastest_logistic(
                "OneVsOne(LogisticRegression)", ("liblinear", "lbfgs"), _ONE_VS_ONE
            ),
        ),
        main=("LIBLINEAR -s 7, pairs", "LIBLINEAR -s 0, pairs"),
        data=_FEW_PAIRS,
    ),
}
