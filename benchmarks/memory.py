"""Peak memory of training, measured in a fresh process.

Run as ``python -m benchmarks.memory <solver> <data set> <tolerance>``: trains once and
prints a JSON object with the peak above what the loaded data takes. The solver's own
copy of the data counts.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from .contests import CONTESTS
from .data import FALLBACK, load
from .measure import progress
from .objectives import accuracy

ROOT = Path(__file__).resolve().parents[1]


def train_in_fresh_process(solver: str, data: str, tolerance: float) -> dict:
    """Train once in a process of its own.

    Returns
    -------
    result : dict
        ``peak_bytes``, ``seconds``, ``accuracy``, the shape and bytes of the data, and
        the details of the solver.
    """
    progress(f"{data}: {solver}, peak memory in a fresh process")
    command = [sys.executable, "-m", "benchmarks.memory", solver, data, str(tolerance)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        reason = run.stderr.strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"Training {solver} on {data} failed: {reason[0]}")
    return json.loads(run.stdout)


def _status(field: str) -> int:
    """Bytes of a field of this process's status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {field} in /proc/self/status")


def _current_and_reset_peak() -> int:
    """Return the resident bytes; from here on the peak counts anew, on Linux."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _train(solver_name: str, data_name: str, tolerance: float) -> dict:
    rivals, _ = CONTESTS[1].rivals()
    solver = rivals[solver_name]
    small = load(FALLBACK)
    solver.fit(small.X[:200], small.y[:200], 0.1)  # loads what is loaded lazily
    data = load(data_name)
    before = _current_and_reset_peak()
    fit = solver.fit(data.X, data.y, tolerance)
    peak = _peak() - before
    return {
        "peak_bytes": peak,
        "seconds": fit.seconds,
        "accuracy": accuracy(data.X_test, data.y_test, fit.raw_weights),
        "shape": data.shape,
        "data_bytes": data.nbytes,
        **fit.details,
    }


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        print(json.dumps(_train(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
