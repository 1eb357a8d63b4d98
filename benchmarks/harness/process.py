"""Work in a fresh process, and the peak memory of this one.

``python -m benchmarks.harness.process MODULE FUNCTION`` reads arguments as JSON from
stdin, calls the function and prints what it returns as JSON.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from .data import FALLBACK, Dataset, load

ROOT = Path(__file__).resolve().parents[2]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def in_fresh_process(
    function: Callable, *arguments, threads: int = 1, python: str | None = None
) -> dict:
    """Call a function of a module in a process of its own.

    Parameters
    ----------
    function : callable
        Of the top level of a module; what it is given and returns fits into JSON.
    threads : int
        Of BLAS and OpenMP.
    python : str or None
        Another interpreter, which sees what is installed there and nothing else.

    Raises
    ------
    RuntimeError
        If it fails; the message ends with the last line it wrote to stderr.
    """
    command = ["-m", __name__, function.__module__, function.__qualname__]
    variables = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    if python is not None:
        variables.pop("PYTHONPATH", None)
    run = subprocess.run(
        [python or sys.executable, *command],
        input=json.dumps(arguments),
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        what = ", ".join(map(str, arguments))
        reason = run.stderr.strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"{function.__name__} of {what} failed: {reason[0]}")
    return json.loads(run.stdout.splitlines()[-1])


def fresh(function: Callable, *arguments, **options) -> Callable[[], dict]:
    """The same as a task, to be called later."""
    return partial(in_fresh_process, function, *arguments, **options)


def measured(task: Callable) -> tuple[dict, object]:
    """Call a task; returns seconds, processor seconds and peak bytes, and its result.

    Warnings are not shown: whoever looks at the result says how it ended.
    """
    before = resident_and_reset_peak()
    start, busy = perf_counter(), process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = task()
    facts = {
        "seconds": perf_counter() - start,
        "processor_seconds": process_time() - busy,
    }
    return facts | {"peak_bytes": max(peak() - before, 0)}, result


def trained(
    build: Callable[[int], Any], data: Dataset, dtype: type = np.float32, evaluate=True
) -> tuple[dict, Any]:
    """Train after a small fit that loads what is loaded lazily.

    `build` makes the estimator for so many classes. Returns what `measured` does, the
    accuracy if it is asked for, and the model.
    """
    small = load(FALLBACK)
    build(small.n_classes).fit(small.X[:200].astype(dtype), small.y[:200])
    X, X_test = (part.astype(dtype, copy=False) for part in (data.X, data.X_test))
    model = build(data.n_classes)
    facts, _ = measured(lambda: model.fit(X, data.y))
    facts["shape"] = data.shape
    if evaluate:
        facts["accuracy"] = float((model.predict(X_test) == data.y_test).mean())
    return facts, model


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


if __name__ == "__main__":
    called = getattr(import_module(sys.argv[1]), sys.argv[2])
    print(json.dumps(called(*json.load(sys.stdin))))
