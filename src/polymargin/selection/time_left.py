"""How long the rest of a search will take, from what its points have taken."""

from math import log


class TimeLeft:
    """Foresees the seconds of points by those of their neighbours.

    A point is expected to take as long as the last one with the same C took. If there
    is none, it takes as long as the one with the C before, times what it grew by there.
    """

    def __init__(self):
        self.by_C: dict[float, float] = {}

    def add(self, C: float, seconds: float) -> None:
        """Take note of a point."""
        self.by_C[C] = seconds

    def expected(self, Cs) -> float:
        """Return the seconds of points yet to come, by their C."""
        return sum(map(self._expected_at, Cs))

    def _expected_at(self, C: float) -> float:
        known = sorted(self.by_C)
        if C in self.by_C or not known:
            return self.by_C.get(C, 0.0)
        below = [other for other in known if other < C]
        if not below:
            return self.by_C[known[0]]  # a smaller C is no more work
        seconds = self.by_C[below[-1]]
        if len(below) > 1:
            ratio = below[-1] / below[-2]
            growth = seconds / max(self.by_C[below[-2]], 1e-9)
            steps = round(log(C / below[-1]) / log(ratio))
            # Not more than C itself grows, as epochs do at worst.
            seconds *= min(max(growth, 1.0), ratio) ** max(steps, 1)
        return seconds
