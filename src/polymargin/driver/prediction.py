"""How much work is left, and whether another way to the end is shorter.

Work is counted in operations and weighed by what they cost on one machine: only ratios
matter, and no clock is read, so that the same data take the same way everywhere.
"""

from dataclasses import dataclass, field
from math import ceil, inf, log

# Before so much of the work that the other way takes was done, nothing is decided: it
# is little to lose, tells more of the rate, and what was found is begun with. More, if
# this way is not predicted to take much longer: rates of few epochs are a guess.
TRIED, TRIED_IF_EQUAL = 0.05, 0.4
# Between two decisions, epochs grow by this factor.
NEXT_LOOK = 1.25


def work_left(work: list[float], least: list[float], tol: float) -> float:
    """Return the work until the gap is `tol`, if it falls as in the last half.

    Parameters
    ----------
    work : list of float
        Work until the end of each epoch.
    least : list of float
        Least relative gap until the end of each epoch.
    tol : float

    Returns
    -------
    work : float
        Infinite if the gap does not fall, or `tol` is zero.
    """
    now = least[-1]
    if now <= tol:
        return 0.0
    work, least = [0.0, *work], [1.0, *least]  # the gap of weights that are zero
    middle = (len(least) - 1) // 2
    before, spent = least[middle], work[-1] - work[middle]
    if not now < before or tol <= 0:
        return inf
    return spent * log(now / tol) / log(before / now)


@dataclass
class Course:
    """The epochs of a run so far, and when to think about them again.

    Parameters
    ----------
    tol : float
        Relative gap at which the run ends.
    tried : float
        Share of the other way's work that is done at least before it is taken.
    """

    tol: float
    tried: float = TRIED
    work: list[float] = field(default_factory=list)
    least: list[float] = field(default_factory=list)
    estimate: float = inf
    next_look: int = 1
    next_correction: int = 1

    def add(self, work: float, gap: float) -> None:
        """Note an epoch, its work and its gap: an estimate, which need not fall."""
        self.work.append(work + self.spent)
        self.least.append(min(gap, self.least[-1]) if self.least else gap)
        self.estimate = gap

    def correct(self, gap: float) -> None:
        """Note what the gap really is: no estimate before was smaller for good.

        Only when and as often as an estimate calls for a certificate (see `epochs`): a
        run whose history has one for every epoch goes the same way.
        """
        epochs = len(self.work)
        if self.estimate > self.tol or epochs < self.next_correction:
            return
        self.least = [max(estimate, gap) for estimate in self.least]
        self.next_correction = epochs + max(1, epochs // 10)

    @property
    def spent(self) -> float:
        """The work so far."""
        return self.work[-1] if self.work else 0.0

    @property
    def left(self) -> float:
        """The work until the end, as far as it can be told."""
        return work_left(self.work, self.least, self.tol)

    @property
    def is_time(self) -> bool:
        """Whether to compare the ways again."""
        return len(self.work) >= self.next_look

    def is_longer_than(self, other: float) -> bool:
        """Whether another way takes less work, and it is time to say so."""
        left = self.left
        if left <= other:
            return False
        share = max(self.tried, TRIED_IF_EQUAL * other / left)
        return self.spent >= share * other

    def wait(self) -> None:
        """Go on for some epochs before the ways are compared again."""
        self.next_look = max(len(self.work) + 1, ceil(NEXT_LOOK * len(self.work)))
