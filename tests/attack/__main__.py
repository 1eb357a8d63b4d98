"""``python tests/attack``: inputs that want to do harm, by the thousand.

Every input has a number, and comes again with the same seed and number:

    python tests/attack --only models --seed 0 --first 1234 --inputs 1
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import fits
import memory
import processes
import readers
import saved
from harness import run

ATTACKS = [
    *readers.ATTACKS,
    *saved.ATTACKS,
    *memory.ATTACKS,
    *fits.ATTACKS,
    *processes.ATTACKS,
]


def main() -> int:
    names = [attack.name for attack in ATTACKS]
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first input"
    )
    parser.add_argument("--inputs", type=int, help="of each attack")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="times the usual number"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each")
    chosen = parser.parse_args()
    defects = 0
    for attack in ATTACKS:
        if attack.name not in chosen.only:
            continue
        inputs = chosen.inputs or max(int(chosen.scale * attack.inputs), 1)
        outcome = run(attack, chosen.seed, chosen.first, inputs, chosen.seconds)
        ends = ", ".join(f"{n} {end}" for end, n in outcome.ends.most_common())
        print(
            f"{attack.name:11s} {outcome.inputs:8d} inputs {outcome.seconds:7.1f} s  "
            f"{len(outcome.defects)} defects  ({ends})",
            flush=True,
        )
        for number, what in outcome.defects:
            again = f"--only {attack.name} --seed {chosen.seed} --first {number}"
            print(f"\n  input {number} ({again} --inputs 1):\n{what}", flush=True)
        defects += len(outcome.defects)
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
