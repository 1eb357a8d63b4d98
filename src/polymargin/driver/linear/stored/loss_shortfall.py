"""By how much the losses that were seen in passing fall short of those of the model.

A loss is seen while its batch is at hand, when W has just been made to fit that batch;
then W goes where other batches want it. A certificate shows the difference, and as it
costs a pass over all rows, the next one waits until it can be expected to be good
enough.
"""

# What is left of the difference after a pass: less than all, or no certificate follows.
_FASTEST, _SLOWEST = 0.05, 0.9


class LossShortfall:
    """The difference between certified and seen losses, between two certificates."""

    def __init__(self):
        self._difference: float | None = None
        self._decay = _SLOWEST
        self._passes = 0  # since the last certificate

    def expect_after_pass(self) -> float:
        """Return the difference that is expected after another pass."""
        self._passes += 1
        if self._difference is None:
            return 0.0
        return self._difference * self._decay**self._passes

    def learn(self, difference: float, primal: float) -> None:
        """Take note of what a certificate shows, with an objective of `primal`."""
        difference = max(difference, 0.0)
        before = primal if self._difference is None else self._difference
        if before > 0 and self._passes > 0:
            decay = (difference / before) ** (1 / self._passes)
            self._decay = min(max(decay, _FASTEST), _SLOWEST)
        self._difference, self._passes = difference, 0
