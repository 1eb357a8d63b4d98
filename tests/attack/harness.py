"""Runs attacks: inputs by number, in a child that may crash or hang.

An attack is a function of a random generator and a folder to work in. It returns how an
input ended, in a word, and raises if something happened that must not. The generator of
an input comes from the seed, the name of the attack and the number of the input alone,
so that any of them can be had again by itself.
"""

import faulthandler
import mmap
import os
import random
import resource
import signal
import struct
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# Seconds of an input: of the processor, and of the clock, if it only waits.
LONGEST_WORK, LONGEST_WAIT = 60, 1200
_MOST_DEFECTS = 20
_MEMORY = 6 << 30


@dataclass(frozen=True)
class Attack:
    """Something to be tried many times.

    Attributes
    ----------
    name : str
    once : callable
        ``once(rng, folder)`` returns a word.
    inputs : int
        How many are a fair share of a run of some minutes.
    """

    name: str
    once: Callable[[random.Random, Path], str]
    inputs: int


@dataclass
class Outcome:
    """How the inputs of an attack ended.

    Attributes
    ----------
    ends : Counter
        Inputs by how they ended.
    defects : list of (int, str)
        The number of an input, and what happened.
    seconds : float
    """

    ends: Counter = field(default_factory=Counter)
    defects: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def inputs(self) -> int:
        return self.ends.total() + len(self.defects)


def try_once(attack: Attack, seed: int, number: int, folder: Path) -> str:
    """Try one input in this process."""
    return attack.once(random.Random(f"{attack.name} {seed} {number}"), folder)


def run(
    attack: Attack, seed: int, first: int, inputs: int, seconds: float = float("inf")
) -> Outcome:
    """Try inputs one after the other, in children of this process.

    Parameters
    ----------
    attack : Attack
    seed : int
    first : int
        Number of the first input.
    inputs : int
    seconds : float
        Nothing begins after so many.

    Returns
    -------
    outcome : Outcome
    """
    outcome, start = Outcome(), time.monotonic()
    current = first
    while current < first + inputs and time.monotonic() - start < seconds:
        left = seconds - (time.monotonic() - start)
        reached, report, status = _in_child(
            attack, seed, range(current, first + inputs), left
        )
        done, _, defect = report.partition("\n")
        outcome.ends.update(_counts(done))
        current = reached + 1
        if status == 0:
            break
        how = defect or f"the process ended by {_cause(status)}"
        outcome.defects.append((reached, how))
        if len(outcome.defects) >= _MOST_DEFECTS:
            break
    outcome.seconds = time.monotonic() - start
    return outcome


def _in_child(attack: Attack, seed: int, numbers: range, seconds: float):
    """Return the number that was reached, what the child wrote, and its status."""
    shared = mmap.mmap(-1, 1 << 16)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = _try_all(attack, seed, numbers, seconds, shared)
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    [reached] = struct.unpack_from("q", shared)
    return reached, shared[8:].rstrip(b"\0").decode(errors="replace"), status


def _try_all(attack, seed, numbers, seconds, shared) -> int:
    faulthandler.enable()
    for limit in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(limit, signal.SIG_DFL)
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which maps all there is
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    ends: Counter = Counter()
    start = time.monotonic()

    def note(number, text=""):
        known = " ".join(f"{end}={count}" for end, count in ends.items())
        content = f"{known}\n{text}".encode()[: len(shared) - 8]
        struct.pack_into("q", shared, 0, number)
        shared[8:] = content.ljust(len(shared) - 8, b"\0")

    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for number in numbers:
            if time.monotonic() - start >= seconds:
                break
            note(number)
            signal.setitimer(signal.ITIMER_PROF, LONGEST_WORK)
            signal.alarm(LONGEST_WAIT)
            try:
                ends[try_once(attack, seed, number, Path(folder))] += 1
            except BaseException:
                note(number, traceback.format_exc())
                return 1
        note(numbers[-1])
    return 0


def _counts(text: str) -> dict[str, int]:
    pairs = (entry.rsplit("=", 1) for entry in text.split())
    return {end: int(count) for end, count in pairs}


def _cause(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"
