"""Table 4.1 of a thesis: weights of a feature and a class that occur together."""

import numpy as np

from ..harness.contest import Run
from ..harness.data import load
from ..harness.markdown import NONE, data_name, listed, percent, table_of

NAME = "003-4.1"
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
    shown = [np.asarray((X[y == label] != 0).sum(axis=0)) for label in np.unique(y)]
    return sum(int(np.count_nonzero(row)) for row in shown)


def measure(name: str, run: Run) -> dict:
    """The record of a data set, its features as in the file."""
    data = load(name, scaled=False)
    full = data.X.shape[1] * data.n_classes
    return {"shape": data.shape, "full": full, "kept": count(data.X, data.y)}


def tables(records: list[dict]) -> list[str]:
    """The table, and where many weights are saved, here and there."""

    def saved(record: dict) -> str:
        text = percent(record["kept"] / record["full"])
        full, kept = THEIRS.get(record["data"], (0, 0))
        return f"{text} ({percent(kept / full)})" if full else text

    def theirs(at: int):
        def cell(record: dict) -> str:
            there = THEIRS.get(record["data"])
            return f"{there[at]:,}" if there else NONE

        return cell

    here = {one["data"]: (one["full"], one["kept"]) for one in records}
    there = {name: THEIRS[name] for name in here if name in THEIRS}
    saving = [
        listed(name for name, (full, kept) in pairs.items() if kept < full / 2)
        for pairs in (here, there)
    ]
    return [
        "Weights of a feature and a class, and those of them that occur together in a "
        'training row (`features="reduced"`); features as in the files, clinc150 in '
        "the place of SECTOR and reuters_r52 in that of RCV1. In brackets the share in "
        "the thesis.",
        table_of(
            records,
            {
                "data set": data_name,
                "weights": lambda record: f"{record['full']:,}",
                "reduced": lambda record: f"{record['kept']:,}",
                "share": saved,
                "there": theirs(0),
                "reduced there": theirs(1),
            },
        ),
        f"More than half of the weights are saved here on {saving[0]}; there on "
        f"{saving[1]}.",
    ]
