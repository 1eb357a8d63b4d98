"""Numbers of things, in words."""

import pytest

from polymargin.base.counted import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 epochs"), (1, "1 epoch"), (1200, "1,200 epochs")]
)
def test_one_and_many(number, words):
    assert counted(number, "epochs") == words
