"""Table 4.1 of a thesis: ``python -m benchmarks.reduced --help``.

How many weights of a feature and a class there are, and how many of them occur
together in a row.
"""

import sys

import numpy as np

from .data import load
from .markdown import markdown_table, percent
from .one_table import OneTable
from .page import runs

PAGE = "papers-reduced.md"
# Weights on full and on reduced features in the thesis, by our data sets.
THEIRS = {
    "news20_bydate": (1_241_220, 210_981),
    "covtype": (378, 239),
    "mnist": (7_800, 5_777),
    "reuters_r52": (2_503_508, 478_263),  # RCV1
    "clinc150": (5_795_685, 299_454),  # SECTOR
    "iris": (12, 12),
    "wine": (39, 39),
    "glass": (54, 54),
    "vowel": (110, 110),
    "segment": (133, 126),
    "dna": (540, 535),
    "satimage": (216, 216),
    "letter": (416, 416),
    "shuttle": (63, 63),
}


def count(X, y: np.ndarray) -> int:
    """How many pairs of a feature and a class have a row that shows both."""
    kept = 0
    for label in np.unique(y):
        rows = X[y == label]
        kept += int(np.count_nonzero(np.asarray((rows != 0).sum(axis=0)).ravel()))
    return kept


def measure(name: str) -> dict:
    """The record of a data set, its features as in the file."""
    data = load(name, scaled=False)
    full = data.X.shape[1] * data.n_classes
    return {"shape": data.shape, "full": full, "kept": count(data.X, data.y)}


def render(records: list[dict]) -> str:
    """The whole page."""
    header = ["data set", "weights", "reduced", "share", "there", "reduced there"]
    rows = []
    for record in records:
        full, kept = record["full"], record["kept"]
        there = THEIRS.get(record["data"])
        theirs = [f"{value:,}" for value in there] if there else ["-", "-"]
        share = percent(kept / full)
        if there:
            share += f" ({percent(there[1] / there[0])})"
        rows.append([record["data"], f"{full:,}", f"{kept:,}", share, *theirs])
    parts = [
        "# Weights on reduced features",
        "Written by `python -m benchmarks.papers --tables 003-4.1`.",
        runs(records),
        "Weights of a feature and a class, and those of them that occur together in a "
        'training row (`features="reduced"`); features as in the files, clinc150 in '
        "the place of SECTOR and reuters_r52 in that of RCV1. In brackets the share in "
        "the thesis.",
        markdown_table(header, rows),
        _verdict(records),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(records: list[dict]) -> str:
    """Where many weights are saved, here and there."""

    def saving(pairs: dict[str, tuple[int, int]]) -> str:
        names = [name for name, (full, kept) in pairs.items() if kept < full / 2]
        return ", ".join(names) or "none"

    here = {r["data"]: (r["full"], r["kept"]) for r in records}
    there = {name: THEIRS[name] for name in here if name in THEIRS}
    return (
        f"More than half of the weights are saved here on {saving(here)}; there on "
        f"{saving(there)}."
    )


main = OneTable("reduced", tuple(THEIRS), measure, render, PAGE).main

if __name__ == "__main__":
    sys.exit(main())
