"""Two installed versions of polymargin in turns: ``before-after OLD NEW``.

Every fit runs in a fresh process of either interpreter, on one thread, to a relative
duality gap of 1e-3. Of the package only what is public is used, and of the benchmarks
only what needs no version of it, so that an older one can run it.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from time import perf_counter

from .data import load
from .kernel_settings import CACHE_MB, SETTINGS, load_kernel_data
from .markdown import markdown_table
from .process import in_fresh_process

LINEAR = ("news20_bydate", "letter", "clinc150", "usps")
KERNEL = ("usps", "satimage")
MACHINES = {"linear": ("cs", "ww", "ovr", "maxent"), "kernel": ("ww", "cs")}
TOL = 1e-3
SLOWER = 1.05  # what a row may be slower at most
SHORT_SECONDS, SHORT_FITS = 0.5, 5  # fits as short as that are repeated in a process


def fit_seconds(kind: str, machine: str, name: str) -> dict:
    """Train once (short fits some times), after a small fit to warm up."""
    import polymargin

    def build():
        if machine == "maxent":
            return polymargin.MaxEnt(fit_intercept=False, tol=TOL, random_state=0)
        if kind == "linear":
            return polymargin.LinearSVM(
                machine, fit_intercept=False, tol=TOL, random_state=0, n_jobs=1
            )
        setting = SETTINGS[name]
        return polymargin.KernelSVM(
            machine,
            C=setting.C,
            gamma=setting.gamma,
            cache_size=CACHE_MB,
            tol=TOL,
            n_jobs=1,
            random_state=0,
        )

    data = (load if kind == "linear" else load_kernel_data)(name)
    small = load("digits")
    seconds: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gap is told
        build().fit(small.X[:200], small.y[:200])
        while len(seconds) < SHORT_FITS and (not seconds or seconds[0] < SHORT_SECONDS):
            start = perf_counter()
            model = build().fit(data.X, data.y)
            seconds.append(perf_counter() - start)
    return {
        "seconds": min(seconds),
        "gap": float(model.dual_gap_),
        "epochs": int(model.n_iter_),
    }


def rows(kinds: Sequence[str]) -> list[tuple[str, str, str]]:
    """All rows: kind, machine and data set."""
    names = {"linear": LINEAR, "kernel": KERNEL}
    return [
        (kind, machine, name)
        for kind in kinds
        for machine in MACHINES[kind]
        for name in names[kind]
    ]


def compare(
    row: tuple[str, str, str],
    pythons: Sequence[str],
    runs: int,
    fit: Callable = in_fresh_process,
) -> list[list[dict]]:
    """Fits of both versions in turns; who is first changes with every turn."""
    found: list[list[dict]] = [[], []]
    for turn in range(runs):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            found[side].append(fit(fit_seconds, *row, python=pythons[side]))
    return found


def line(row: tuple[str, str, str], found: list[list[dict]]) -> list[str]:
    """A row of the table: minima, their ratio, spreads, gaps and epochs."""
    seconds = [[one["seconds"] for one in side] for side in found]
    least = [min(side) for side in seconds]
    ratio = least[1] / least[0]
    spreads = [f"{max(side) / min(side):.2f}" for side in seconds]
    reached = [max(one["gap"] for one in side) for side in found]
    epochs = [str(side[0]["epochs"]) for side in found]
    mark = " slower" if ratio > SLOWER else ""
    mark += " **gap missed**" if max(reached) > TOL * (1 + 1e-6) else ""
    return [
        *row,
        *(f"{value:.4g}" for value in least),
        f"{ratio:.3f}{mark}",
        *spreads,
        *(f"{value:.1e}" for value in reached),
        *epochs,
    ]


HEADER = [
    *("contest", "machine", "data set", "old s", "new s", "new / old"),
    *("old spread", "new spread", "old gap", "new gap", "old epochs", "new epochs"),
]


def main(arguments: Sequence[str]) -> int:
    """Compare two interpreters; returns 1 if a row is slower by more than 5 %."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks before-after", description=__doc__.splitlines()[0]
    )
    parser.add_argument("old", help="an interpreter with the old version installed")
    parser.add_argument("new", help="an interpreter with the new version installed")
    parser.add_argument("--runs", type=int, default=5, help="fits of each (5)")
    parser.add_argument("--only", nargs="+", choices=list(MACHINES), default=MACHINES)
    parser.add_argument("--machine", nargs="+", help="only these machines")
    parser.add_argument("--data", nargs="+", help="only these data sets")
    options = parser.parse_args(arguments)
    lines = []
    for row in rows(options.only):
        _, machine, name = row
        if machine not in (options.machine or [machine]):
            continue
        if name not in (options.data or [name]):
            continue
        try:
            found = compare(row, (options.old, options.new), options.runs)
        except (OSError, RuntimeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        lines.append(line(row, found))
        print(" ".join(lines[-1]), file=sys.stderr, flush=True)
    print(markdown_table(HEADER, lines))
    slower = [" ".join(one[:3]) for one in lines if "slower" in one[5]]
    print(f"\nSlower by more than 5 %: {', '.join(slower) or 'none'}.")
    return 1 if slower else 0
