"""What a certificate says of numbers that prove nothing."""

from math import inf, nan

import pytest

from polymargin.certify.certificate import UNCERTIFIED, Certificate, relative_gap


@pytest.mark.parametrize("primal", [nan, inf, -inf, 1.0])
@pytest.mark.parametrize("dual", [nan, inf, -inf])
def test_what_is_not_finite_is_no_proof(primal, dual):
    assert relative_gap(primal, dual) == inf
    assert relative_gap(dual, primal) == inf
    assert Certificate(primal, dual, 0.0).gap == inf


def test_of_finite_numbers():
    assert relative_gap(2.0, 1.5) == 0.25
    assert relative_gap(1.0, 1.0 + 1e-16) == 0
    assert relative_gap(0.0, 0.0) == 0
    assert UNCERTIFIED.gap == inf


def test_a_dual_above_the_primal_proves_nothing():
    assert Certificate(-3e273, 3e273, 0.0).gap == inf
    assert Certificate(1.0, 1.1, 0.0).gap == inf
    assert Certificate(1.0, 1.0001, 0.0).gap == 0  # rounding, as in single precision
