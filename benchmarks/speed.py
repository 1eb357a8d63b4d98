"""Time to the optimum: the search along ladders of tolerances, and the timing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .contests import Contest
from .data import Dataset, load
from .measure import WITHIN, combine_seeds, interleave, progress, spread
from .objectives import Formulation
from .results import Optima
from .solvers import Fit, Polymargin, Rival, Solver

DEFAULT_TOL = 1e-3  # of LinearSVM
OPTIMUM_TOL = 1e-5
OPTIMUM_SECONDS = 1800  # what it may take at most; the gap reached is shown
LONG_SECONDS = 5.0  # fits that take longer are not repeated with the same seed
SLOW_SECONDS = 150.0  # after a fit that takes longer a solver is not run again


@dataclass(frozen=True)
class Context:
    """What the measurements share."""

    repeats: int
    seeds: int
    optima: Optima


def optimum(
    data: Dataset,
    formulation: Formulation,
    optima: Optima,
    max_time: float = OPTIMUM_SECONDS,
) -> dict[str, float]:
    """Return the optimal objective and its certified gap, computed once in float64."""
    sizes = "x".join(str(size) for size in data.shape.values())
    key = f"{data.name}/{formulation.name}/{sizes}"
    known = optima.get(key)
    if known is None:
        progress(f"{data.name}: optimum of {formulation.name}, once, in float64")
        solver = Polymargin(formulation, tol=OPTIMUM_TOL, max_time=max_time)
        model = solver.model(data.X.astype(np.float64), data.y)
        known = {"objective": float(model.objective_), "gap": float(model.dual_gap_)}
        optima.put(key, known)
    return known


@dataclass(frozen=True)
class Goal:
    """An objective to reach on a data set."""

    data: Dataset
    formulation: Formulation
    target: float

    def objective(self, fit: Fit) -> float:
        return self.formulation.objective(self.data.X, self.data.y, fit.weights)

    def summary(self, fits: list[Fit]) -> dict:
        """Times of repeated fits; objective and accuracy of the worst of them."""
        objectives = [self.objective(fit) for fit in fits]
        worst = fits[int(np.argmax(objectives))]
        data = self.data
        return {
            **spread([fit.seconds for fit in fits]),
            "objective": max(objectives),
            "reached": max(objectives) <= self.target,
            "accuracy": self.formulation.accuracy(
                data.X_test, data.y_test, worst.weights
            ),
            **worst.details,
        }


@dataclass(frozen=True)
class Search:
    """A search along a ladder.

    Attributes
    ----------
    tolerance : float or None
        The loosest that is good enough.
    steps : list of dict
        Tolerance, objective and seconds of every fit.
    fit : Fit
        The last one.
    """

    tolerance: float | None
    steps: list[dict]
    fit: Fit

    @property
    def seconds(self) -> float:
        return self.fit.seconds


def search_ladder(
    solver: Solver, goal: Goal, seed: int = 0, give_up: float = SLOW_SECONDS
) -> Search:
    """Search the ladder of a solver for the loosest tolerance that reaches the goal.

    It ends without one at the first fit that took more than `give_up` seconds, or of
    which the solver says that no tolerance gets further.
    """
    steps: list[dict] = []
    for tolerance in solver.tolerances:
        progress(
            f"{goal.data.name}: {solver.name}, tolerance {tolerance:g}, seed {seed}"
        )
        fit = solver.fit(goal.data.X, goal.data.y, tolerance, seed)
        objective = goal.objective(fit)
        steps.append(
            {"tolerance": tolerance, "objective": objective, "seconds": fit.seconds}
        )
        if objective <= goal.target:
            return Search(tolerance, steps, fit)
        if fit.seconds > give_up or fit.details.get("exhausted"):
            break
    return Search(None, steps, fit)


def race(rival: Rival, goal: Goal) -> tuple[Solver, Search, dict[str, list[dict]]]:
    """Search the ladders of all candidates of a rival.

    A candidate is given up as soon as one of its fits, not good enough, takes longer
    than all of the fastest so far.

    Returns
    -------
    winner : Solver
        The fastest that reached the goal; the first candidate if none did.
    search : Search
        That of the winner.
    steps : dict of str to list of dict
        The steps of every candidate, by its name.
    """
    candidates = rival.candidates(goal.data)
    steps: dict[str, list[dict]] = {}
    winner, best = candidates[0], None
    for solver in candidates:
        reached = best is not None and best.tolerance is not None
        give_up = min(SLOW_SECONDS, best.seconds) if reached else SLOW_SECONDS
        search = search_ladder(solver, goal, give_up=give_up)
        steps[solver.name] = search.steps
        faster = search.tolerance is not None and (
            not reached or search.seconds < best.seconds
        )
        if best is None or faster:
            winner, best = solver, search
    return winner, best, steps


class _Runs:
    """The entries of all solvers and seeds, and the fits that are to be timed."""

    def __init__(self, goal: Goal):
        self.goal = goal
        self.entries: dict[str, list[dict]] = {}
        self.tasks: dict[str, Callable[[], Fit]] = {}
        self.timed: dict[str, dict] = {}  # the entries of the tasks
        self.long: set[str] = set()

    def add(self, name: str, solver: Solver, search: Search, seed: int) -> dict:
        """Take a search; returns its entry."""
        entry = {"tolerance": search.tolerance, "search": search.steps}
        self.entries.setdefault(name, []).append(entry)
        slow = search.seconds > SLOW_SECONDS
        if slow:
            entry["slow"] = True
        if search.tolerance is None:
            if slow:
                entry["at_least"] = search.seconds
        elif slow:
            entry.update(self.goal.summary([search.fit]))
        else:
            key = self._task(name, solver, entry, search.tolerance, seed)
            if search.seconds > LONG_SECONDS:
                self.long.add(key)
        return entry

    def add_default(self, solver: Solver, seed: int) -> None:
        """Take polymargin at its default tolerance."""
        entry: dict = {"tolerance": DEFAULT_TOL, "search": []}
        self.entries.setdefault("default", []).append(entry)
        self._task("default", solver, entry, DEFAULT_TOL, seed)

    def _task(self, name: str, solver: Solver, entry: dict, tolerance: float, seed):
        key = f"{name}, seed {seed}"
        data = self.goal.data
        self.tasks[key] = partial(solver.fit, data.X, data.y, tolerance, seed)
        self.timed[key] = entry
        return key

    def slow(self, name: str) -> bool:
        """Whether a solver is not to be run again."""
        return any(entry.get("slow") for entry in self.entries.get(name, []))

    def run(self, repeats: int) -> None:
        """Time all tasks, in turns."""
        name = self.goal.data.name
        for key, fits in interleave(name, self.tasks, repeats, once=self.long).items():
            self.timed[key].update(self.goal.summary(fits))


def time_to_optimum(contest: Contest, name: str, context: Context) -> dict:
    """Every solver of a contest to within 0.1 % of the optimum.

    When a solver stops depends on its seed, so the search and the timing are done for
    each of several seeds. Which candidate of a rival runs is decided by the first.
    """
    data = load(name)
    best = optimum(data, contest.formulation, context.optima)
    goal = Goal(data, contest.formulation, (1 + WITHIN) * best["objective"])
    rivals, _ = contest.rivals()
    runs = _Runs(goal)
    winners: dict[str, Solver] = {}
    candidates: dict[str, dict] = {}
    for seed in range(context.seeds):
        for rival_name, rival in rivals.items():
            if runs.slow(rival_name):
                continue
            if seed == 0:
                winner, search, steps = race(rival, goal)
                winners[rival_name] = winner
                if len(steps) > 1:
                    candidates[rival_name] = {"fastest": winner.name, "races": steps}
            else:
                search = search_ladder(winners[rival_name], goal, seed)
            runs.add(rival_name, winners[rival_name], search, seed)
        runs.add_default(winners[contest.ours], seed)
    runs.run(context.repeats)
    combined = {
        solver_name: combine_seeds(entries)
        for solver_name, entries in runs.entries.items()
    }
    for solver_name, found in candidates.items():
        combined[solver_name].update(found)
    default = combined.pop("default")
    return {
        "shape": data.shape,
        "data_bytes": data.nbytes,
        "optimum": best,
        "solvers": combined,
        "default": default,
    }
