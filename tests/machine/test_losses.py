"""Every machine's loss, written out as its authors have it, is that of its axes.

The other tests state machines by their axes; here is what the axes are to mean.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import LOSSES, MACHINES, losses, slacks

from polymargin.machine.registry import FORMULATIONS

# Slacks of an example of class y with scores s (others: s without s_y), and how they
# are added up.
SLACKS = {
    "cs": lambda s, y, others: (max, [1 - s[y] + other for other in others]),
    "ww": lambda s, y, others: (sum, [1 - s[y] + other for other in others]),
    "llw": lambda s, y, others: (sum, [other + 1 / len(others) for other in others]),
    "ovr": lambda s, y, others: (sum, [1 - s[y], *(1 + other for other in others)]),
    "adm": lambda s, y, others: (max, [other + 1 / len(others) for other in others]),
    "ats": lambda s, y, others: (sum, [1 - s[y], *(1 + other for other in others)]),
    "atm": lambda s, y, others: (max, [1 - s[y], *(1 + other for other in others)]),
    "mmr": lambda s, y, others: (sum, [1 - s[y]]),
    "rm": lambda s, y, others: (
        sum,
        [len(others) - s[y], *(1 + other for other in others)],
    ),
}
SUM_TO_ZERO = {"llw", "adm", "ats", "atm", "mmr", "rm"}


def loss_of(machine, loss, s, y):
    add_up, found = SLACKS[machine](s, y, np.delete(s, y))
    power = 2 if loss == "squared_hinge" else 1
    return add_up(max(slack, 0) ** power for slack in found)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("machine", MACHINES)
def test_loss_is_the_one_that_is_written_out(machine, loss, k):
    rng = np.random.default_rng(k)
    s, labels = rng.normal(scale=2, size=(30, k)), rng.integers(k, size=30)
    s[:5] += np.where(np.arange(k) == labels[:5, None], 20, -20)  # no slack at all
    if machine == "ovr" and k == 2:  # one problem, whose score is minus the other's
        s[:, 0] = -s[:, 1]
    pairs = zip(s, labels, strict=True)
    expected = np.array([loss_of(machine, loss, *each) for each in pairs])
    if machine == "ovr" and k == 2:
        s, expected = s[:, 1:], expected / 2
    found = losses(machine, loss, slacks(machine, loss, s, labels), labels)
    assert_allclose(found, expected, rtol=1e-12)
    assert (expected[:5] == 0).all() and (expected[5:] > 0).any()


def test_weights_sum_to_zero_where_they_should():
    named = {name for name, row in FORMULATIONS.items() if row.sums_to_zero}
    assert named == SUM_TO_ZERO & set(FORMULATIONS)
