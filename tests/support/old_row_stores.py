"""Small row stores, and the program that has written them.

    python tests/support/old_row_stores.py 0.1.0

is run once, by the version that is named. The rows of a store are those of `make_rows`,
in an order of its own.
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import polymargin

FOLDER = Path(__file__).parents[1] / "files" / "conversion" / "fixtures"


def make_rows(name: str):
    """Return X, y and weights of the rows of a store."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 5)).round(2)
    y = np.arange(40) % 3
    X[np.arange(40), y] += 1.5
    if name == "dense":
        return X, y, np.ones(40)
    few = sp.csr_array(np.where(np.abs(X) > 1, X, 0).astype(np.float32))
    return few, np.array(["ash", "birch", "cedar"])[y], 0.5 + np.arange(40) % 2


def main() -> None:
    folder = FOLDER / sys.argv[1]
    assert polymargin.__version__ == sys.argv[1]
    folder.mkdir()
    for name, layout in {"dense": "dense", "sparse": "csr"}.items():
        X, y, weights = make_rows(name)
        parts = [slice(at, at + 10) for at in range(0, 40, 10)]
        chunks = ((X[part], y[part], weights[part]) for part in parts)
        target = folder / f"{name}.rows"
        polymargin.convert(chunks, target, layout=layout, block_size=1000)


if __name__ == "__main__":
    main()
