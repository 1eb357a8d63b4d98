"""How a search goes over its grid: upwards in C, and beyond an edge while that pays."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ..base.threads import on_cluster
from ..driver.loop import Clock
from .fold_fits import Fits, begin_fits
from .folds import Folds
from .time_left import TimeLeft
from .tuning import TuningPoint, best_of

_MOST_GROWTH = 6  # points beyond an edge of the grid


class TimeIsOver(Exception):
    """There is no time for another point."""


class Walk:
    """The points with one kernel, ascending in C.

    Parameters
    ----------
    folds : Folds
    gamma : float or None
        Of the kernel; None: as the machine has it.
    """

    def __init__(self, folds: Folds, gamma: float | None):
        self.folds, self.gamma = folds, gamma
        self.points: list[TuningPoint] = []
        self.rest()

    def rest(self) -> None:
        """Forget the machines: the next point begins with new ones."""
        self.fits: Fits | None = None

    def try_point(self, C: float, clock: Clock, left: Callable) -> TuningPoint:
        """Train with a C that is larger than the machines have, and measure."""
        start = clock.seconds()
        folds = self.folds
        if self.fits is None:
            self.fits = begin_fits(folds, self.gamma)
        outcomes = self.fits.fit(C, left)
        parameters = {f"{folds.prefix}C": C}
        if self.gamma is not None:
            parameters[f"{folds.prefix}gamma"] = self.gamma
        return TuningPoint(
            parameters,
            np.array([outcome.score for outcome in outcomes]),
            clock.seconds() - start,
            np.array([outcome.fit_seconds for outcome in outcomes]),
            np.array([outcome.score_seconds for outcome in outcomes]),
        )


class GridWalk:
    """A search over a grid of C, or of C and gamma.

    Parameters
    ----------
    folds : Folds
    Cs : ndarray
        Ascending.
    gammas : ndarray or None
        Ascending; None: gamma is as the machine has it.
    grow : bool
        Whether to go beyond the grid.
    patience : int or None
        C does not grow further when so many points in a row are clearly worse.
    clock : Clock
        Fits end when its time is over, and so does the search. Those of the first point
        have a share of the time each, so that there is always an answer.
    watch : callable
        ``watch(point, seconds_left)`` is told of every point.
    """

    def __init__(
        self,
        folds: Folds,
        Cs,
        gammas,
        grow: bool,
        patience: int | None,
        clock: Clock,
        watch: Callable[[TuningPoint, float], None],
    ):
        self.folds, self.grow, self.patience = folds, grow, patience
        self.clock, self.watch = clock, watch
        self.Cs = [float(C) for C in Cs]
        self.gammas = [None] if gammas is None else [float(gamma) for gamma in gammas]
        self.walks: dict[float | None, Walk] = {}
        self.time_left = TimeLeft()
        self.planned = len(self.gammas) * self.Cs

    @property
    def points(self) -> list[TuningPoint]:
        """All points so far, in the order of C, then of gamma."""
        found = [point for walk in self.walks.values() for point in walk.points]
        return sorted(found, key=_C_and_gamma)

    def run(self) -> str:
        """Search, and return how it ended: "complete", or "max_time"."""
        try:
            for gamma in self.gammas:
                self._walk(gamma, self.Cs)
            while beyond := self._beyond_the_grid():
                gamma, self.planned = beyond
                self._walk(gamma, list(self.planned))
        except TimeIsOver:
            return "max_time"
        return "complete"

    def _walk(self, gamma: float | None, Cs: list[float]) -> None:
        """Try some C with one kernel, upwards, until it is hopeless."""
        for other, walk in self.walks.items():
            if other != gamma:
                walk.rest()
        walk = self.walks.setdefault(gamma, Walk(self.folds, gamma))
        if walk.points and Cs[0] < _C_and_gamma(walk.points[0])[0]:
            walk.rest()  # its machines have a larger C
        tried: list[TuningPoint] = []
        for C in Cs:
            self.planned.remove(C)
            if not self._hopeless(tried):
                tried.append(self._try(walk, C))

    def _hopeless(self, points: list[TuningPoint]) -> bool:
        """Whether the last points are all clearly worse than the best."""
        patience = self.patience
        if patience is None or len(points) <= patience:
            return False
        best = best_of(points)
        return all(best.is_clearly_better(point) for point in points[-patience:])

    def _try(self, walk: Walk, C: float) -> TuningPoint:
        clock, left = self.clock, self.clock.left
        first = not self.points
        if first:
            at_a_time = min(self.folds.threads, len(self.folds))
            left = partial(float, clock.limit * at_a_time / len(self.folds))
        elif clock.left() <= 0:
            raise TimeIsOver
        elif on_cluster():
            left = partial(float, clock.left())  # clocks elsewhere are others
        point = walk.try_point(C, clock, left)
        if clock.left() <= 0 and not first:
            raise TimeIsOver  # the fits may have been cut short
        walk.points.append(point)
        walk.points.sort(key=_C_and_gamma)
        self.time_left.add(C, point.seconds)
        ahead = self.planned
        if not ahead:
            _, ahead = self._beyond_the_grid() or (None, [])
        self.watch(point, min(self.time_left.expected(ahead), clock.left()))
        return point

    def _beyond_the_grid(self) -> tuple[float | None, list[float]] | None:
        """Return gamma and the C to try next, if the best point is at an edge."""
        if not self.grow:
            return None
        C, gamma = _C_and_gamma(best_of(self.points))
        points = self.walks[gamma].points
        beyond = _beyond(points, 0, self.Cs)
        if beyond is not None:
            return gamma, [beyond]
        if gamma is None:
            return None
        tops = [best_of(walk.points) for walk in self.walks.values() if walk.points]
        beyond = _beyond(sorted(tops, key=lambda p: _C_and_gamma(p)[1]), 1, self.gammas)
        if beyond is None:
            return None
        tried = [_C_and_gamma(point)[0] for point in points]
        at = tried.index(C)
        return beyond, tried[max(at - 1, 0) : at + 2]


def _C_and_gamma(point: TuningPoint) -> tuple:
    C, *gamma = point.parameters.values()
    return C, gamma[0] if gamma else None


def _beyond(points: list[TuningPoint], which: int, grid: list[float]) -> float | None:
    """Return the next value beyond the edge of points at which the best is.

    None if it is not at an edge, is not clearly better than its neighbour there, or if
    the edge is far from the grid.

    Parameters
    ----------
    points : list of TuningPoint
        Ascending.
    which : {0, 1}
        Whether C or gamma is to go on.
    grid : list of float
        As it was given, ascending.
    """
    best = best_of(points)
    value = _C_and_gamma(best)[which]
    step = grid[-1] / grid[-2] if len(grid) > 1 else 2.0
    most = step ** (_MOST_GROWTH - 0.5)
    alone = len(points) == 1
    if best is points[-1] and (alone or best.is_clearly_better(points[-2])):
        return value * step if value < grid[-1] * most else None
    if best is points[0] and best.is_clearly_better(points[1]):
        return value / step if value > grid[0] / most else None
    return None
