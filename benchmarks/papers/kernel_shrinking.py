"""What shrinking of single variables could save beside that of whole examples.

The paper shrinks on both levels. Ours leaves out whole examples: the variables of one
lie side by side in vectors, so a single one costs nothing unless its whole vector could
be left out. Here is how often that is, at the end of a training of Weston-Watkins.
"""

import numpy as np

import polymargin

from ..harness.contest import Run
from ..harness.markdown import percent, table_of
from .decomposition import VIOLATION, parameters
from .kernel_data import parts_of, sizes_of, splits

LANES = 8  # float64 numbers of a vector of AVX-512
FIT_SECONDS = 20.0
DATA = tuple(
    f"{name}, unit variance"
    for name in ("glass", "soybean", "vehicle", "segment", "satimage", "optdigits")
)


def settled_variables(
    scores: np.ndarray, duals: np.ndarray, labels: np.ndarray, C: float, least: float
) -> np.ndarray:
    """Which variables of Weston-Watkins stay at their bound if gradients hardly move.

    A label's own is none, and always settled.
    """
    rows = np.arange(len(labels))
    gradients = 1 - scores[rows, labels][:, None] + scores
    at_zero, at_bound = duals <= 0, duals >= C * (1 - 1e-12)
    settled = (at_zero & (gradients < -least)) | (at_bound & (gradients > least))
    settled[rows, labels] = True
    return settled


def shares(settled: np.ndarray) -> dict[str, float]:
    """Of examples that are settled, and of what is settled in the others."""
    whole = settled.all(axis=1)
    others = settled[~whole]
    padding = -others.shape[1] % LANES
    packs = np.pad(others, ((0, 0), (0, padding)), constant_values=True)
    packs = packs.reshape(len(others), -1, LANES).all(axis=2)
    none = len(others) == 0
    return {
        "examples": float(whole.mean()),
        "variables": 1.0 if none else float(others.mean()),
        "packs": 1.0 if none else float(packs.mean()),
    }


def measure(key: str, run: Run) -> dict:
    """The record of a data set: shares at the end of a training."""
    name, _ = parts_of(key)
    (split,) = splits(key, 1)
    params = parameters(name, "WW S2DO")
    model = polymargin.KernelSVM(
        **params, max_iter=2**62, max_time=FIT_SECONDS, n_jobs=1
    ).fit(split.X, split.y)
    labels = np.searchsorted(model.classes_, split.y)
    coefficients = np.zeros((len(labels), len(model.classes_)))
    coefficients[model.support_] = model.dual_coef_
    settled = settled_variables(
        model.decision_function(split.X), -coefficients, labels, params["C"], VIOLATION
    )
    return sizes_of(split) | {"shares": shares(settled), "status": model.status_}


def body(records: list[dict]) -> list[str]:
    """The table, and what follows."""

    def share(name: str):
        return lambda record: percent(record["shares"][name])

    return [
        "The paper shrinks single variables and whole examples. Ours leaves out whole "
        "examples only: the variables of an example lie side by side, and eight of "
        "them are one vector, so only a whole vector less is less to do. At the end of "
        "a training of WW, where shrinking matters most:",
        table_of(
            records,
            {
                "data set": lambda record: parts_of(record["data"])[0],
                "classes": lambda record: str(record["shape"]["k"]),
                "examples settled": share("examples"),
                "of the others: variables settled": share("variables"),
                "vectors settled": share("packs"),
            },
        ),
        "The last column is what shrinking of single variables could save here at "
        "most. With up to eight classes it is nothing, by construction: an example "
        "that is left has one vector. With more classes it would save a good part of "
        "the scans, and is not built.",
    ]
