"""A few inputs of every attack; thousands with ``make attack``."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.importorskip("resource")  # processes as on POSIX

import fits
import memory
import processes
import readers
import saved
from harness import Attack, run, try_once

SHARE = 0.004  # of the inputs of `make attack`
ATTACKS = [*readers.ATTACKS, *saved.ATTACKS, *memory.ATTACKS, *fits.ATTACKS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_few_inputs(attack, tmp_path):
    for number in range(max(int(SHARE * attack.inputs), 1)):
        assert try_once(attack, 0, number, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("attack", processes.ATTACKS, ids=lambda attack: attack.name)
def test_a_few_processes(attack):
    outcome = run(attack, 0, 0, 3)
    assert outcome.inputs == 3 and not outcome.defects, outcome.defects


def test_crashes_and_defects_are_noticed():
    """By number, and the inputs after them are tried too."""

    def once(rng, folder):
        number = next(numbers)
        if number == 2:
            import os
            import signal

            os.kill(os.getpid(), signal.SIGSEGV)
        assert number != 4, "four"
        return "fine"

    numbers = iter(range(10))
    # A child begins with the iterator as it was when the last one began.
    first = run(Attack("crash", once, 3), 0, 0, 3)
    assert first.ends == {"fine": 2}
    assert [number for number, _ in first.defects] == [2]
    assert "SIGSEGV" in first.defects[0][1]
    numbers = iter(range(3, 10))
    second = run(Attack("defect", once, 2), 0, 3, 2)
    assert second.ends == {"fine": 1}
    assert [number for number, _ in second.defects] == [4]
    assert "four" in second.defects[0][1]


def test_an_input_comes_again():
    drawn = []
    attack = Attack("draws", lambda rng, folder: drawn.append(rng.random()), 1)
    for seed, number in ((0, 5), (0, 6), (1, 5), (0, 5)):
        try_once(attack, seed, number, Path())
    assert drawn[0] == drawn[3] and len(set(drawn)) == 3
