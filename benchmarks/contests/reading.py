"""Reading svmlight text: polymargin, scikit-learn, LIBLINEAR's ways."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from polymargin import load_data

from ..harness.contest import Contest, Run, Table
from ..harness.data import load
from ..harness.figure import dots
from ..harness.markdown import digits, table_of, times, worst_bar
from ..harness.records import Records
from ..harness.timing import interleave, progress, spread, timed

PLAIN = "C library, as LIBLINEAR"
OURS = {"polymargin, 1 thread": 1, "polymargin, 2 threads": 2}
ONE = next(iter(OURS))
SKLEARN = "scikit-learn"
PYTHON = "liblinear-official, Python"
GOALS = {SKLEARN: 5.0, PLAIN: 1.0}  # how often as fast one thread is to be


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
        name: lambda threads=threads: timed(lambda: load_data(path, n_jobs=threads))[0]
        for name, threads in OURS.items()
    }
    program = compile_plain_reader(folder)
    if program is not None:
        tasks[PLAIN] = lambda: run_plain_reader(program, path)["seconds"]
    tasks[SKLEARN] = lambda: timed(lambda: load_svmlight_file(str(path)))[0]
    try:
        from liblinear.commonutil import svm_read_problem
    except ImportError:
        return tasks
    tasks[PYTHON] = lambda: timed(
        lambda: svm_read_problem(str(path), return_scipy=True)
    )[0]
    return tasks


def compile_plain_reader(folder: Path) -> Path | None:
    """Compile the reader in C; None if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    program = folder / "plain_reader"
    source = Path(__file__).with_name("plain_reader.c")
    subprocess.run([compiler, "-O3", "-o", program, source], check=True)
    return program


def run_plain_reader(program: Path, path: Path) -> dict[str, float]:
    """Run it on a file: seconds, as it measures them itself, and what it found."""
    command = [program, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names = ("seconds", "rows", "entries", "sum")
    return dict(zip(names, map(float, done.stdout.split()), strict=True))


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


def measure(name: str, run: Run) -> dict:
    """The record of a data set, which is written to a file and read again."""
    data = load(name, scaled=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.svm"
        progress(f"{name}: writing {path.name}")
        dump_svmlight_file(data.X, data.y, str(path), zero_based=False)
        if not same_arrays(path):
            raise RuntimeError(f"{name} is read otherwise than by scikit-learn")
        runs = interleave(name, readers(path, path.parent), run.repeats)
        size = path.stat().st_size
    entries = {reader: spread(seconds) for reader, seconds in runs.items()}
    return {"rows": data.X.shape[0], "bytes": size, "readers": entries}


def against(record: dict, reader: str, peer: str) -> float:
    """How often as fast a reader is as a peer."""
    found = record["readers"]
    return found[peer]["seconds"] / found[reader]["seconds"]


def verdict(records: Records) -> list[str]:
    """The bars."""
    found = records.of("reading", NAMES)
    lines: list[str] = []
    for peer, goal in GOALS.items():
        gains = {
            one["data"]: against(one, ONE, peer) if peer in one["readers"] else None
            for one in found
        }
        lines += worst_bar(f"{ONE}: speed-up over {peer}, least", gains, goal)
    return ["Reading svmlight text into a CSR matrix.", "\n".join(lines)]


def draw(records: Records, path: Path) -> None:
    """A row for each file."""
    rows = [
        (one["data"], {name: fit["seconds"] for name, fit in one["readers"].items()})
        for one in records.of("reading", NAMES)
    ]
    peers = (PLAIN, SKLEARN, PYTHON)
    dots(path, {"Reading svmlight text": rows}, "seconds of reading", peers)


def results(records: list[dict]) -> list[str]:
    """Seconds of all readers."""
    rows = [(one, name) for one in records for name in one["readers"]]
    return [
        "scikit-learn's `dump_svmlight_file` wrote the files. They are in the cache of "
        "the operating system. `polymargin` is all of `polymargin.load_data`. "
        f"`{PLAIN}` is `benchmarks/contests/plain_reader.c`, which reads as "
        "LIBLINEAR's `train` does, but without its checks: packages of LIBLINEAR come "
        "without that reader. `liblinear-official, Python` is its "
        "`svm_read_problem(..., return_scipy=True)`. polymargin and scikit-learn read "
        "the same arrays from every file, bit by bit.",
        table_of(
            rows,
            {
                "data set": lambda row: row[0]["data"],
                "rows": lambda row: f"{row[0]['rows']:,}",
                "MB": lambda row: digits(row[0]["bytes"] / 1e6),
                "reader": lambda row: row[1],
                "s": lambda row: digits(row[0]["readers"][row[1]]["seconds"]),
                "MB/s": lambda row: digits(
                    row[0]["bytes"] / 1e6 / row[0]["readers"][row[1]]["seconds"]
                ),
                "scikit-learn / it": lambda row: times(against(*row, SKLEARN)),
            },
        ),
    ]


NAMES, MORE = ("news20_bydate", "usps", "letter"), ("mnist",)
CONTEST = Contest(
    "reading",
    "Reading files",
    {"reading": Table("", measure, NAMES, results, MORE)},
    verdict,
    draw,
    packages=("liblinear-official",),
    repeats=3,
)
