"""Data sets as people have them: rows of cells, words as words, missing cells empty."""

import csv
import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from .data import pooled

TEXT, CANCER = "text", "breast_cancer"
# Codes of a category in the arrays; the file gets words for them.
WORDS = {"car_ordinal": "car", "soybean": "soybean"}
_PACKAGES = (
    "fft integrate interpolate linalg ndimage optimize signal sparse special stats"
)
_MISSING = -1  # in soybean


@dataclass(frozen=True)
class RawTable:
    """Names of columns, rows of cells, and labels."""

    names: list[str]
    rows: list[list[str]]
    labels: np.ndarray

    def write(self, path: Path, chosen: np.ndarray) -> None:
        """Write some of the rows as CSV, the label last."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*self.names, "class"])
            writer.writerows([*self.rows[at], self.labels[at]] for at in chosen)


def raw_table(name: str) -> RawTable:
    """Return a data set by name, as it would come in a file."""
    if name == TEXT:
        return _paragraphs()
    if name == CANCER:
        data = load_breast_cancer()
        return _of_numbers(data.data, data.target)
    X, y = pooled(name)
    return _of_words(X, y) if name in WORDS else _of_numbers(X, y)


def _of_numbers(X, y) -> RawTable:
    rows = [[f"{value:.9g}" for value in row] for row in X.tolist()]
    return RawTable([f"f{at}" for at in range(X.shape[1])], rows, _classes(y))


def _of_words(X, y) -> RawTable:
    rows = [
        ["" if code == _MISSING else f"value{code:g}" for code in row]
        for row in X.tolist()
    ]
    return RawTable([f"f{at}" for at in range(X.shape[1])], rows, _classes(y))


def _paragraphs() -> RawTable:
    """Paragraphs of SciPy's documentation, and the package that they are of."""
    found = {}
    for package in _PACKAGES.split():
        module = importlib.import_module(f"scipy.{package}")
        texts = sorted({inspect.getdoc(vars(module)[n]) or "" for n in module.__all__})
        for text in texts:
            for part in text.split("\nExamples\n")[0].split("\n\n"):
                if len(part) >= 80:
                    found.setdefault(part, package)
    labels = np.array(list(found.values()))
    return RawTable(["paragraph"], [[part] for part in found], labels)


def _classes(y) -> np.ndarray:
    return np.array([f"c{label}" for label in np.asarray(y).tolist()])
