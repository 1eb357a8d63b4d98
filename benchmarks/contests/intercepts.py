"""What an intercept is worth to one-vs-one machines with a kernel.

SVC has a free one. Ours has none, or one that is penalised. Only accuracies are
recorded, so it may run beside other work.
"""

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from polymargin import KernelSVM

from ..harness.contest import Run, Table
from ..harness.data import choose_rows, pooled
from ..harness.markdown import SIZES, data_name, table_of
from ..harness.timing import progress

KERNELS = ("linear", "poly", "rbf")
CS = (0.1, 1.0, 10.0)
LARGEST = 1000  # rows; of more, so many at random
LIMITS = {"SVC": {"max_iter": 200_000}, "ours": {"max_time": 30.0, "random_state": 0}}


def build(entrant: str, kernel: str, C: float):
    """Make an estimator: SVC, or ours with or without an intercept."""
    if entrant == "SVC":
        return SVC(C=C, kernel=kernel, **LIMITS["SVC"])
    with_one = entrant == "with"
    return KernelSVM(C=C, kernel=kernel, fit_intercept=with_one, **LIMITS["ours"])


ENTRANTS = ("SVC", "without", "with")


def measure(name: str, run: Run) -> dict:
    """The record of a data set: accuracies by kernel, entrant, split and C."""
    X, y = pooled(name)
    chosen = choose_rows(len(y), LARGEST)
    X, y = X[chosen].astype(np.float64), y[chosen]
    found: dict[str, dict[str, list]] = {}
    for kernel in KERNELS:
        progress(f"{name}: intercepts, {kernel} kernel")
        found[kernel] = {entrant: [] for entrant in ENTRANTS}
        for seed in range(run.seeds):
            parts = train_test_split(X, y, test_size=0.4, random_state=seed)
            scaler = StandardScaler().fit(parts[0])
            train, test = (scaler.transform(part) for part in parts[:2])
            for entrant in ENTRANTS:
                found[kernel][entrant].append(
                    [
                        build(entrant, kernel, C)
                        .fit(train, parts[2])
                        .score(test, parts[3])
                        for C in CS
                    ]
                )
    n, d = X.shape
    return {"shape": {"n": n, "d": d, "k": len(np.unique(y))}, "intercepts": found}


def gain(record: dict, kernel: str, entrant: str) -> float:
    """Points above SVC, in the mean over splits and values of C."""
    found = record["intercepts"][kernel]
    return 100 * float(np.mean(found[entrant]) - np.mean(found["SVC"]))


def body(records: list[dict]) -> list[str]:
    """Points above SVC, for each kernel and data set, and in the mean."""
    columns = {"data set": data_name, **SIZES}
    told = []
    for kernel in KERNELS:
        for entrant in ENTRANTS[1:]:
            columns[f"{kernel}, {entrant}"] = (
                lambda record, kernel=kernel, entrant=entrant: (
                    f"{gain(record, kernel, entrant):+.1f}"
                )
            )
        means = (
            np.mean([gain(one, kernel, entrant) for one in records])
            for entrant in ENTRANTS[1:]
        )
        told.append("{} {:+.1f} without, {:+.1f} with one".format(kernel, *means))
    splits = len(records[0]["intercepts"][KERNELS[0]]["SVC"])
    return [
        f"`KernelSVM()` with and without a penalised intercept: points of test "
        f"accuracy above SVC, which has a free one; mean over C = "
        f"{', '.join(f'{C:g}' for C in CS)} and {splits} random splits of at most "
        f"{LARGEST:,} rows, scaled to variance 1. In the mean: {'; '.join(told)}.",
        table_of(records, columns),
    ]


def table(names: tuple[str, ...]) -> Table:
    """The table of these data sets."""
    return Table("Intercepts of kernel machines", measure, names, body)
