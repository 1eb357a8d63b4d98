"""Learn from a text file chunk by chunk, in memory that does not grow with it.

``python examples/stream.py`` writes a file of noisy digits to a temporary folder and
learns from it; ``python examples/stream.py file.svm`` or ``file.csv`` takes your own:
svmlight text, or CSV with the label in the first column (``--label-column`` for
another). The file is read twice: once for its labels and a held-out sample, which stays
in memory, and once to learn from the rest.
"""

import argparse
import csv
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

from polymargin import OnlineSVM


class Svmlight:
    """Lines such as ``3 1:0.5 17:2``."""

    def __init__(self):
        self.largest = 0

    def is_header(self, line: str) -> bool:
        """Say that there is none."""
        return False

    def look(self, line: str) -> str:
        """Return the label of a line, and remember how many features there are."""
        label, *pairs = line.split("#")[0].split()
        if pairs:
            self.largest = max(self.largest, int(pairs[-1].split(":")[0]))
        return label

    def parse(self, lines: list[str]) -> tuple[sp.csr_matrix, np.ndarray]:
        """Return rows and labels."""
        labels, columns, values, ends = [], [], [], [0]
        for line in lines:
            label, *pairs = line.split("#")[0].split()
            labels.append(label)
            for pair in pairs:
                column, value = pair.split(":")
                columns.append(int(column))
                values.append(float(value))
            ends.append(len(columns))
        shape = len(lines), self.largest + 1
        parts = np.array(values, np.float32), columns, ends
        return sp.csr_matrix(parts, shape=shape), np.array(labels)


class Csv:
    """Lines such as ``3,0.5,0,2``; a first line without numbers is a header."""

    def __init__(self, label_column: int):
        self.label_column = label_column

    def is_header(self, line: str) -> bool:
        """Say whether a line names the columns: its features are no numbers."""
        try:
            self.parse([line])
        except ValueError:
            return True
        return False

    def look(self, line: str) -> str:
        """Return the label of a line."""
        return next(csv.reader([line]))[self.label_column]

    def parse(self, lines: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and labels."""
        rows = list(csv.reader(lines))
        labels = [row.pop(self.label_column) for row in rows]
        return np.array(rows, dtype=np.float32), np.array(labels)


def examples_of(path: Path, form) -> Iterator[str]:
    """Yield the lines that hold examples, one at a time."""
    with path.open() as file:
        for number, line in enumerate(file):
            if number == 0 and form.is_header(line):
                continue
            if line.strip() and not line.startswith("#"):
                yield line


def survey(path: Path, form, n_held_out: int) -> tuple[list[str], dict[int, str]]:
    """Read the file once.

    Returns
    -------
    classes : list of str
        All labels.
    held_out : dict of int to str
        A random sample of the lines, by number, never more than `n_held_out` of them
        in memory; at most a fifth of the file.
    """
    draw = random.Random(0)
    classes, sample, count = set(), [], 0
    for number, line in enumerate(examples_of(path, form)):
        classes.add(form.look(line))
        count += 1
        if len(sample) < n_held_out:
            sample.append((number, line))
        elif (place := draw.randrange(count)) < n_held_out:
            sample[place] = number, line
    draw.shuffle(sample)
    return sorted(classes), dict(sample[: max(1, count // 5)])


def chunks_of(lines: Iterator[str], size: int) -> Iterator[tuple[list[str], bool]]:
    """Yield lists of `size` lines, and whether a list is the last."""
    chunk = list(islice(lines, size))
    while chunk:
        following = list(islice(lines, size))
        yield chunk, not following
        chunk = following


def learn(path: Path, form, options) -> tuple[OnlineSVM, list[tuple]]:
    """Learn from all lines but those held out, and print how it goes."""
    classes, held_out = survey(path, form, options.held_out)
    X_test, y_test = form.parse(list(held_out.values()))
    model = OnlineSVM(
        C=options.C, gamma=options.gamma, budget=options.budget, random_state=0
    )
    numbered = enumerate(examples_of(path, form))
    stream = (line for number, line in numbered if number not in held_out)
    print(
        f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(classes)} classes, "
        f"{len(y_test):,} examples held out\n\n"
        f"{'examples':>10}{'per second':>12}{'support':>9}"
        f"{'before learning':>17}{'held out':>10}"
    )
    right, tested, seen, seconds, progress = 0, 0, 0, 0.0, []
    chunks = enumerate(chunks_of(stream, options.chunk), 1)
    for number, (lines, last) in chunks:
        X, y = form.parse(lines)
        if seen:  # first tested on, then learned from
            right += np.count_nonzero(model.predict(X) == y)
            tested += len(y)
        start = perf_counter()
        model.partial_fit(X, y, classes=classes)
        seconds += perf_counter() - start
        seen += len(y)
        if number % options.every == 0 or last:
            before = right / tested if tested else float("nan")
            after = model.score(X_test, y_test)
            progress.append((seen, len(model.support_), before, after))
            print(
                f"{seen:>10,}{seen / seconds:>12,.0f}{len(model.support_):>9,}"
                f"{before:>17.4f}{after:>10.4f}",
                flush=True,
            )
    return model, progress


def plot(progress: list[tuple], path: str) -> str:
    """Draw what was printed, if matplotlib is there; returns what to say of it."""
    try:
        import matplotlib
    except ImportError:
        return "There is no plot, for matplotlib is not installed."
    matplotlib.use("Agg")
    from matplotlib import pyplot

    seen, support, online, accuracy = zip(*progress, strict=True)
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    axes.plot(seen, online, color="#d55e00", label="each chunk before learning from it")
    axes.plot(seen, accuracy, color="#0072b2", label="held-out examples")
    axes.set(xlabel="examples", ylabel="accuracy", title="Learning from a stream")
    axes.grid(alpha=0.25)
    axes.legend(loc="lower right")
    right = axes.twinx()
    right.plot(seen, support, color="0.5", linestyle=":")
    right.set_ylabel("support patterns (dotted)", color="0.4")
    right.set_ylim(0, None)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return f"The plot is in {path}."


def write_digits(path: Path, rows: int) -> None:
    """Write svmlight text: digits with noise, a thousand rows in memory at a time."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for first in range(0, rows, 1000):
            chosen = rng.integers(len(y), size=min(1000, rows - first))
            noise = rng.normal(scale=0.2, size=(len(chosen), X.shape[1]))
            for label, row in zip(y[chosen], X[chosen] / 16 + noise, strict=True):
                pairs = (f"{at}:{value:.3f}" for at, value in enumerate(row, 1))
                file.write(f"{label} {' '.join(pairs)}\n")


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="svmlight text or .csv")
    parser.add_argument("--label-column", type=int, default=0, help="of CSV (0)")
    parser.add_argument("--rows", type=int, default=30_000, help="to make (30000)")
    parser.add_argument("--chunk", type=int, default=256, help="rows at a time (256)")
    parser.add_argument("--every", type=int, default=10, help="chunks per line (10)")
    parser.add_argument("--held-out", type=int, default=1000, help="rows (1000)")
    parser.add_argument("--budget", type=int, default=1500, help="patterns (1500)")
    parser.add_argument("--C", type=float, default=1.0, help="weight of losses (1)")
    parser.add_argument("--gamma", type=float, default=None, help="of the kernel")
    parser.add_argument("--output", default="stream.png", help="(stream.png)")
    options = parser.parse_args(arguments)
    if options.file is not None and not options.file.is_file():
        parser.error(f"there is no file {options.file}; give svmlight text or CSV")
    options.gamma = options.gamma or "scale"
    return options


def main(arguments: list[str] | None = None) -> None:
    """Learn, print and plot."""
    options = read_options(arguments)
    with TemporaryDirectory() as folder:
        path = options.file
        if path is None:
            path = Path(folder) / "digits.svm"
            write_digits(path, options.rows)
        is_csv = path.suffix == ".csv"
        form = Csv(options.label_column) if is_csv else Svmlight()
        model, progress = learn(path, form, options)
    print(f"\nWhat it keeps: {len(model.support_):,} support patterns.")
    print(plot(progress, options.output))


if __name__ == "__main__":
    main()
