"""Who reads svmlight text: polymargin, scikit-learn, and LIBLINEAR's ways."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_svmlight_file

from polymargin import load_data

PLAIN = "C library, as LIBLINEAR"
OURS = {"polymargin, 1 thread": 1, "polymargin, 2 threads": 2}
SKLEARN = "scikit-learn"
PYTHON = "liblinear-official, Python"


def readers(path: Path, folder: Path) -> dict[str, Callable[[], float]]:
    """Return tasks that read a file and return the seconds it took.

    Parameters
    ----------
    path : Path
        Of svmlight text.
    folder : Path
        Where the reader in C is compiled to.
    """
    tasks = {
        name: _timed(lambda threads=threads: load_data(path, n_jobs=threads))
        for name, threads in OURS.items()
    }
    program = compile_plain_reader(folder)
    if program is not None:
        tasks[PLAIN] = lambda: run_plain_reader(program, path)["seconds"]
    tasks[SKLEARN] = _timed(lambda: load_svmlight_file(str(path)))
    try:
        from liblinear.commonutil import svm_read_problem
    except ImportError:
        return tasks
    tasks[PYTHON] = _timed(lambda: svm_read_problem(str(path), return_scipy=True))
    return tasks


def _timed(task: Callable) -> Callable[[], float]:
    def run() -> float:
        start = perf_counter()
        task()
        return perf_counter() - start

    return run


def compile_plain_reader(folder: Path) -> Path | None:
    """Compile the reader in C; None if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "plain_reader"
    source = Path(__file__).with_name("plain_reader.c")
    subprocess.run([compiler, "-O3", "-o", program, source], check=True)
    return program


def run_plain_reader(program: Path, path: Path) -> dict[str, float]:
    """Run it on a file: seconds, as it measures them itself, and what it found."""
    command = [program, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, rows, entries, total = done.stdout.split()
    return {
        "seconds": float(seconds),
        "rows": int(rows),
        "entries": int(entries),
        "sum": float(total),
    }


def same_arrays(path: Path) -> bool:
    """Whether polymargin finds the matrix that scikit-learn finds, bit by bit."""
    data, (X, y) = load_data(path, n_jobs=2), load_svmlight_file(str(path))
    return (
        data.X.shape == X.shape
        and np.array_equal(data.X.indptr, X.indptr)
        and np.array_equal(data.X.indices, X.indices)
        and data.X.data.tobytes() == X.data.tobytes()
        and np.array_equal(data.y, y)
    )
