"""The machine and the versions a benchmark was run with."""

import io
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import polymargin


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
    with redirect_stdout(io.StringIO()):
        config = polymargin.show_config()
    words = sys.argv[1:] if arguments is None else arguments
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join([f"python -m {module}", *words]),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{_memory_bytes() / 2**30:.0f} GiB",
        **{name: str(value) for name, value in config.items()},
        "commit": _commit(),
        **{package: _version(package) for package in peers},
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


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
