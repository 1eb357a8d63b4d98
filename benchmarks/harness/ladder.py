"""Time to the optimum: the search along ladders of tolerances, and the timing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median

import numpy as np

from .contest import Run
from .data import Dataset, load
from .objectives import CRAMMER_SINGER, Formulation
from .records import Records
from .solvers import Fastest, Fit, Polymargin, Solver
from .timing import interleave, progress, spread

WITHIN = 1e-3  # of the optimum: what it means to have reached it
DEFAULT_TOL = 1e-3  # of LinearSVM
OPTIMUM_TOL = 1e-5
OPTIMUM_SECONDS = 1800  # what it may take at most; the gap reached is shown
LONG_SECONDS = 5.0  # fits that take longer are not repeated with the same seed
SLOW_SECONDS = 150.0  # after a fit that takes longer a solver is not run again
Maker = Callable[[], Solver | Fastest]


@dataclass(frozen=True)
class Match:
    """Polymargin against its peers on the same problem."""

    words: str  # what is solved, for the reader
    formulation: Formulation
    peers: tuple[Maker, ...]  # each makes one; an ImportError leaves it out
    main: tuple[str, ...]  # the better of these peers is what we are held against
    mean: float | None = None  # the bars: geometric mean of the ratios,
    each: float | None = None  # and the smallest of them

    @property
    def ours(self) -> str:
        """The name of polymargin here."""
        return f"polymargin {self.formulation.name}"

    def rivals(self) -> dict[str, Solver | Fastest]:
        """Return who takes part, by name."""
        present: dict[str, Solver | Fastest] = {self.ours: Polymargin(self.formulation)}
        for make in self.peers:
            try:
                rival = make()
            except ImportError as error:
                progress(f"A peer is left out ({error}); install it to compare.")
            else:
                present[rival.name] = rival
        return present


def optimum(
    data: Dataset,
    folder: Path,
    formulation: Formulation = CRAMMER_SINGER,
    max_time: float = OPTIMUM_SECONDS,
) -> dict[str, float]:
    """Return the optimal objective and its certified gap, computed once in float64."""
    sizes = "x".join(str(size) for size in data.shape.values())
    optima, key = Records(folder / "optima.jsonl"), f"{data.name}/{sizes}"
    if (formulation.name, key) not in optima:
        progress(f"{data.name}: optimum of {formulation.name}, once, in float64")
        solver = Polymargin(formulation, tol=OPTIMUM_TOL, max_time=max_time)
        model = solver.model(data.X.astype(np.float64), data.y)
        found = {"objective": float(model.objective_), "gap": float(model.dual_gap_)}
        optima.add({"table": formulation.name, "data": key, "optimum": found})
    return optima.get(formulation.name, key)["optimum"]


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
        test = self.data.X_test, self.data.y_test
        return {
            **spread([fit.seconds for fit in fits]),
            "objective": max(objectives),
            "reached": max(objectives) <= self.target,
            "accuracy": self.formulation.accuracy(*test, worst.weights),
            **worst.details,
        }


@dataclass(frozen=True)
class Search:
    """A search along a ladder: the loosest tolerance that is good enough, if any."""

    tolerance: float | None
    steps: list[dict]  # tolerance, objective and seconds of every fit
    fit: Fit  # the last one

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
        label = f"{goal.data.name}: {solver.name}"
        progress(f"{label}, tolerance {tolerance:g}, seed {seed}")
        fit = solver.fit(goal.data.X, goal.data.y, tolerance, seed)
        objective = goal.objective(fit)
        step = {"tolerance": tolerance, "objective": objective, "seconds": fit.seconds}
        steps.append(step)
        if objective <= goal.target:
            return Search(tolerance, steps, fit)
        if fit.seconds > give_up or fit.details.get("exhausted"):
            break
    return Search(None, steps, fit)


def race(
    rival: Solver | Fastest, goal: Goal
) -> tuple[Solver, Search, dict[str, list[dict]]]:
    """Search the ladders of all candidates of a rival.

    A candidate is given up as soon as one of its fits, not good enough, takes longer
    than all of the fastest so far. Returns the fastest that reached the goal (the first
    candidate if none did), its search, and the steps of every candidate.
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


def combine_seeds(entries: Sequence[dict]) -> dict:
    """Combine what was measured with several seeds.

    Every entry has a tolerance (None if none was good enough) and, if there is one,
    seconds, spread, accuracy and whether the objective was reached; if there is none,
    perhaps "at_least", the seconds after which the search was given up. Seconds become
    their median, with their range; there are none if a seed never got there.
    """
    combined: dict = {"seeds": list(entries)}
    if any(entry["tolerance"] is None for entry in entries):
        bounds = [entry["at_least"] for entry in entries if "at_least" in entry]
        return combined | ({"at_least": max(bounds)} if bounds else {})
    seconds = [entry["seconds"] for entry in entries]
    return combined | {
        "seconds": median(seconds),
        "range": [min(seconds), max(seconds)],
        "spread": max(entry["spread"] for entry in entries),
        "accuracy": fmean(entry["accuracy"] for entry in entries),
        "reached": all(entry["reached"] for entry in entries),
    }


def time_to_optimum(match: Match, name: str, run: Run) -> dict:
    """Every solver of a match to within 0.1 % of the optimum.

    When a solver stops depends on its seed, so the search and the timing are done for
    each of several seeds. Which candidate of a rival runs is decided by the first.
    """
    data = load(name)
    best = optimum(data, run.scratch, match.formulation)
    goal = Goal(data, match.formulation, (1 + WITHIN) * best["objective"])
    entries: dict[str, list[dict]] = {}  # by solver, one for each seed
    tasks: dict[str, Callable[[], Fit]] = {}  # the fits to time,
    timed: dict[str, dict] = {}  # and their entries
    long: set[str] = set()
    winners: dict[str, Solver] = {}
    candidates: dict[str, dict] = {}

    def add(solver_name: str, solver: Solver, seed: int, search: Search | None) -> None:
        """Take a search, or polymargin at its default tolerance."""
        tolerance = search.tolerance if search else DEFAULT_TOL
        entry: dict = {"tolerance": tolerance, "search": search.steps if search else []}
        entries.setdefault(solver_name, []).append(entry)
        if search and search.seconds > SLOW_SECONDS:
            entry["slow"] = True
            reached = tolerance is not None
            once = goal.summary([search.fit]) if reached else {}
            entry.update(once or {"at_least": search.seconds})
        elif tolerance is not None:
            key = f"{solver_name}, seed {seed}"
            tasks[key] = partial(solver.fit, data.X, data.y, tolerance, seed)
            timed[key] = entry
            if search and search.seconds > LONG_SECONDS:
                long.add(key)

    rivals = match.rivals()
    for seed in range(run.seeds):
        for rival_name, rival in rivals.items():
            if any(entry.get("slow") for entry in entries.get(rival_name, [])):
                continue
            if seed == 0:
                winner, search, steps = race(rival, goal)
                winners[rival_name] = winner
                if len(steps) > 1:
                    candidates[rival_name] = {"fastest": winner.name, "races": steps}
            else:
                search = search_ladder(winners[rival_name], goal, seed)
            add(rival_name, winners[rival_name], seed, search)
        add("default", winners[match.ours], seed, None)
    for key, fits in interleave(name, tasks, run.repeats, once=long).items():
        timed[key].update(goal.summary(fits))
    combined = {one: combine_seeds(found) for one, found in entries.items()}
    default = combined.pop("default")
    return {
        "shape": data.shape,
        "data_bytes": data.nbytes,
        "optimum": best,
        "solvers": {
            one: entry | candidates.get(one, {}) for one, entry in combined.items()
        },
        "default": default,
    }
