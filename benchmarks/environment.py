"""The machine and the versions a benchmark was run with."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from polymargin.comparison import environment as comparison


def environment(
    arguments: list[str] | None = None,
    module: str = "benchmarks.linear",
    peers: Sequence[str] = ("liblinear-official",),
) -> dict[str, str]:
    """Describe machine, versions, command line and date.

    Parameters
    ----------
    arguments : list of str or None
        Of the command line; those of this process if None.
    module : str
        What was run.
    peers : sequence of str
        Packages whose versions matter, beside those of polymargin itself.
    """
    here = comparison.environment()
    words = sys.argv[1:] if arguments is None else arguments
    return {
        "date": here["date"],
        "command": " ".join([f"python -m {module}", *words]),
        **here,
        "commit": _commit(),
        **{package: _version(package) for package in peers},
    }


def _commit() -> str:
    folder = Path(__file__).parent
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
