"""How long it takes to read svmlight text: ``python -m benchmarks.reading --help``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.datasets import dump_svmlight_file

from .data import load
from .markdown import bar, digits, markdown_table, times
from .measure import interleave, progress, spread
from .one_table import OneTable
from .page import machines
from .readers import OURS, PLAIN, SKLEARN, readers, same_arrays

TABLE = "reading"
DATA = ("news20_bydate", "mnist", "letter")
REPEATS = 5
GOALS = {SKLEARN: 5.0, PLAIN: 1.0}  # how often as fast one thread is to be


def measure(name: str) -> dict:
    """The record of a data set, which is written to a file and read again."""
    data = load(name, scaled=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.svm"
        progress(f"{name}: writing {path.name}")
        dump_svmlight_file(data.X, data.y, str(path), zero_based=False)
        if not same_arrays(path):
            raise RuntimeError(f"{name} is read otherwise than by scikit-learn")
        runs = interleave(name, readers(path, path.parent), REPEATS)
        size = path.stat().st_size
    return {
        "rows": data.X.shape[0],
        "bytes": size,
        "readers": {reader: spread(seconds) for reader, seconds in runs.items()},
    }


def render(records: list[dict]) -> str:
    """The whole page."""
    parts = [
        "# Reading svmlight text",
        "Written by `make bench-reading`.",
        *machines(records),
        "## Results",
        "Files as `sklearn.datasets.dump_svmlight_file` writes them (up to 16 digits a "
        "number), in the cache of the operating system. `polymargin` is "
        "`polymargin.load_data`, all of it: reading, parsing, labels, the CSR matrix. "
        f"`{PLAIN}` is a small program of ours, `benchmarks/plain_reader.c`, which "
        "reads as LIBLINEAR's `train` does (fgets, strtok, strtol and strtod, two "
        "passes), without its checks, as the packages of LIBLINEAR come without that "
        "reader; its time is what it measures itself. `liblinear-official, Python` is "
        "`svm_read_problem(..., return_scipy=True)` of that package. Minimum of "
        f"{REPEATS} runs in turns; float64. Before, every file is read by polymargin "
        "and scikit-learn and found to give the same arrays bit by bit.",
        _table(records),
        "## Bars",
        "\n".join(_bars(records)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(records: list[dict]) -> str:
    header = ["data set", "rows", "MB", "reader", "s", "MB/s", "scikit-learn / it"]
    rows = []
    for record in records:
        size, entrants = record["bytes"] / 1e6, record["readers"]
        slow = entrants[SKLEARN]["seconds"]
        for reader, entry in entrants.items():
            seconds = entry["seconds"]
            numbers = [digits(seconds), digits(size / seconds), times(slow / seconds)]
            shape = [f"{record['rows']:,}", digits(size)]
            rows.append([record["data"], *shape, reader, *numbers])
    return markdown_table(header, rows)


def _bars(records: list[dict]) -> list[str]:
    lines = []
    one = next(iter(OURS))
    for peer, goal in GOALS.items():
        for record in records:
            entrants = record["readers"]
            if peer in entrants:
                value = entrants[peer]["seconds"] / entrants[one]["seconds"]
                what = f"{record['data']}, time of {peer} by that of {one}"
                lines.append(bar(what, value, goal))
    return lines


main = OneTable(TABLE, DATA, measure, render, peers=["liblinear-official"]).main

if __name__ == "__main__":
    sys.exit(main())
