"""Who takes part in the kernel benchmark: machines and solvers of polymargin, peers.

All get the same kernel, as many threads and 1,000 MB for their caches. Each stops at
its default tolerance: polymargin at a relative duality gap of 1e-3, the peers at a
violation of 1e-3 in each of their binary problems.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from sklearn.svm import SVC

import polymargin

from .kernel_data import Setting

CACHE_MB = 1000.0
SOLVER_SECONDS = 300.0  # what a fit of polymargin may take where solvers are compared
PEERS = ("SVC", "intelex SVC")


@dataclass(frozen=True)
class Entrant:
    """A tool with its parameters.

    Attributes
    ----------
    build : callable
        Makes an estimator from a setting, a number of classes and of threads.
    dtype : type
        What its rows are turned into before the clock starts, as the tool itself
        would: LIBSVM computes in float64.
    ours : bool
        Whether it is polymargin.
    """

    build: Callable[[Setting, int, int], object]
    dtype: type = np.float32
    ours: bool = True


def _polymargin(
    machine: str, params: dict, setting: Setting, n_classes: int, threads: int
):
    return polymargin.KernelSVM(
        machine,
        C=setting.machine_C(machine, n_classes),
        gamma=setting.gamma,
        cache_size=CACHE_MB,
        n_jobs=threads,
        random_state=0,
        **params,
    )


def _svc(setting: Setting, n_classes: int, threads: int):
    return SVC(C=setting.C, gamma=setting.gamma, cache_size=CACHE_MB)


def _intelex(setting: Setting, n_classes: int, threads: int):
    from sklearnex.svm import SVC as IntelexSVC

    return IntelexSVC(
        C=setting.C, gamma=setting.gamma, cache_size=CACHE_MB, n_jobs=threads
    )


def solver_name(machine: str, solver: str) -> str:
    """The name of a machine trained by a solver that is compared with others."""
    return f"{machine} by {solver}"


MACHINES = ("ww", "cs", "llw", "ovr", "ovo")
# Crammer-Singer moves two variables of an example at least: smo would be s2do.
SOLVED = tuple(
    (machine, solver)
    for machine in ("ww", "cs", "llw", "ovr")
    for solver in ("block", "s2do", "smo")
    if (machine, solver) != ("cs", "smo")
)

ENTRANTS: dict[str, Entrant] = {
    **{machine: Entrant(partial(_polymargin, machine, {})) for machine in MACHINES},
    **{
        solver_name(machine, solver): Entrant(
            partial(
                _polymargin, machine, {"solver": solver, "max_time": SOLVER_SECONDS}
            )
        )
        for machine, solver in SOLVED
    },
    "SVC": Entrant(_svc, np.float64, ours=False),
    "intelex SVC": Entrant(_intelex, ours=False),
}


def missing_peers() -> dict[str, str]:
    """Peers that are not installed, and what to say of them."""
    if find_spec("sklearnex") is not None:
        return {}
    return {
        "intelex SVC": "The peer scikit-learn-intelex is left out, for it is not "
        "installed; install it to compare."
    }
