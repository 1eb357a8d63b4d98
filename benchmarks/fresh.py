"""Work in a fresh process, and the peak memory of this one."""

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_module(
    module: str,
    arguments: Sequence[str],
    what: str,
    variables: dict[str, str] | None = None,
) -> dict:
    """Run a module of the benchmarks in a process of its own.

    Parameters
    ----------
    module : str
        Its name within the package; it prints a JSON object.
    arguments : sequence of str
    what : str
        What it does, for the message if it fails.
    variables : dict of str to str or None
        Environment variables to set for it.

    Returns
    -------
    result : dict
        The object it printed.

    Raises
    ------
    RuntimeError
        If it fails; the message ends with the last line it wrote to stderr.
    """
    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *arguments],
        cwd=ROOT,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        reason = run.stderr.strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"{what} failed: {reason[0]}")
    return json.loads(run.stdout)


def _status(field: str) -> int:
    """Bytes of a field of this process's status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {field} in /proc/self/status")


def resident_and_reset_peak() -> int:
    """Return the resident bytes; from here on the peak counts anew, on Linux.

    What was freed is given back before, else what comes would fill it unseen.
    """
    with suppress(OSError, AttributeError, TypeError):  # C libraries without it
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak()


def peak() -> int:
    """Return the largest number of resident bytes so far."""
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
