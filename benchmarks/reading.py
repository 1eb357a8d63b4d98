"""How long it takes to read svmlight text: ``python -m benchmarks.reading --help``."""

import argparse
import os
import sys
from pathlib import Path

from sklearn.datasets import dump_svmlight_file

from .command import add_common_arguments, guarded
from .data import FALLBACK, FOLDER_VARIABLE, load
from .environment import environment
from .fresh import ROOT
from .markdown import bar, digits, markdown_table, times
from .measure import interleave, progress, spread
from .page import machines
from .readers import OURS, PLAIN, SKLEARN, readers, same_arrays
from .results import Results, write_aside

TABLE = "reading"
DATA = ("news20_bydate", "mnist", "letter")
REPEATS = 5
GOALS = {SKLEARN: 5.0, PLAIN: 1.0}  # how often as fast one thread is to be


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = (*DATA, FALLBACK)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading")
    parser.add_argument(
        "--data",
        nargs="+",
        choices=names,
        metavar="NAME",
        help=f"among {', '.join(names)}",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "docs" / "benchmarks-reading.md",
        help="the page (docs/benchmarks-reading.md)",
    )
    add_common_arguments(parser, "bench-reading")
    return parser.parse_args(arguments)


def measure(name: str, folder: Path) -> dict:
    """The record of a data set, whose file is written if it is not there."""
    path = folder / f"{name}.svm"
    data = load(name, scaled=False)
    if not path.exists():
        progress(f"{name}: writing {path.name}")
        aside = path.with_suffix(".part")
        dump_svmlight_file(data.X, data.y, str(aside), zero_based=False)
        aside.rename(path)
    if not same_arrays(path):
        raise RuntimeError(f"{name} is read otherwise than by scikit-learn")
    runs = interleave(name, readers(path, folder), REPEATS)
    return {
        "rows": data.X.shape[0],
        "bytes": path.stat().st_size,
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


def measure_all(options: argparse.Namespace, results: Results, arguments) -> None:
    """Measure the data sets that are asked for."""
    if not options.data and not os.environ.get(FOLDER_VARIABLE):
        raise FileNotFoundError(
            f"The data sets need the environment variable {FOLDER_VARIABLE}; set it "
            f"to their folder, or try --data {FALLBACK}."
        )
    described = environment(arguments, module="benchmarks.reading")
    for name in options.data or DATA:
        if options.resume and (TABLE, name) in results:
            progress(f"{name}: measured already")
            continue
        record = measure(name, options.folder)
        results.add({"table": TABLE, "data": name, "environment": described, **record})


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = parse(arguments)
    results = Results(options.folder)
    if not options.render:
        failed = guarded(lambda: measure_all(options, results, arguments))
        if failed:
            return failed
    write_aside(options.output, render(results.of_table(TABLE)))
    progress(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
