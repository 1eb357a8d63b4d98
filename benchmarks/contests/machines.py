"""Which kernel machine predicts best: C and gamma are chosen for each by itself.

Accuracy on ten random splits of small data sets, with the tests over data sets that
`polymargin compare` has.
"""

from dataclasses import replace

import numpy as np

from polymargin import compare
from polymargin.protocols import PROTOCOLS, powers_of_two
from polymargin.selection.significance import compare_all_pairs, friedman

from ..harness.contest import Contest, Page, Run, Table
from ..harness.data import pooled
from ..harness.markdown import digits, listed, percent, table_of
from ..harness.records import Records

MACHINES = ("ww", "cs", "llw", "ovr", "ovo")
DEFAULT = "ww"
NAMES = ("wine", "iris", "glass", "vehicle", "vowel", "soybean_onehot")
# Of the KEEL repository, as files that were made from its tables.
KEEL = tuple(
    f"keel_{name}"
    for name in (
        *("automobile", "balance", "cleveland", "dermatology", "hayes-roth"),
        *("lymphography", "movement_libras", "newthyroid", "tae", "zoo", "flare"),
        "contraceptive",
    )
)
PROTOCOL = replace(
    PROTOCOLS["nested"],
    folds=3,
    grid={"C": powers_of_two(-2, 10, 3), "gamma": powers_of_two(-11, 1, 3)},
    refinements=0,
    summary="mean",
)


def measure(name: str, run: Run) -> dict:
    """The record of a data set: accuracies of all machines, split by split."""
    X, y = pooled(name)
    report = compare(
        [(name, X, y)],
        {machine: f"kernel-{machine}" for machine in MACHINES},
        replace(PROTOCOL, repeats=max(run.seeds, 1)),
        run.scratch / name,
        prepare="standard",
        convergence=False,
        scaling=False,
        verbose=False,
    )
    found = report.summary

    def values(machine: str, what: str) -> list[float]:
        return found.values(found.lines[0], machine, what).tolist()

    return {
        "shape": {"n": len(y), "d": X.shape[1], "k": len(np.unique(y))},
        "fits": {
            machine: {
                "accuracy": values(machine, "accuracy"),
                "search_seconds": sum(values(machine, "search_seconds")),
            }
            for machine in MACHINES
        },
    }


def means(records: list[dict]) -> np.ndarray:
    """Mean accuracy, data sets x machines."""
    return np.array(
        [
            [np.mean(one["fits"][machine]["accuracy"]) for machine in MACHINES]
            for one in records
        ]
    )


def sections(records: Records) -> list[str]:
    """Accuracies, ranks and tests."""
    found = records.of("machines", (*NAMES, *KEEL))
    scores = means(found)
    columns = {
        "data set": lambda record: record["data"],
        "rows": lambda record: str(record["shape"]["n"]),
        "classes": lambda record: str(record["shape"]["k"]),
    }
    for machine in MACHINES:
        columns[machine] = lambda record, machine=machine: percent(
            float(np.mean(record["fits"][machine]["accuracy"]))
        )
    return [
        f"Test accuracy, mean of {len(found[0]['fits'][DEFAULT]['accuracy'])} random "
        "stratified splits of 80 and 20 %, Gaussian kernel on features scaled to "
        "variance 1. C (2^-2 to 2^10) and gamma (2^-11 to 2) are chosen for every "
        "machine and split by 3-fold cross-validation on the training rows.",
        table_of(found, columns),
        *(tests(scores) if len(found) > 1 else ()),
        "Seconds of all searches and fits, of processes that shared the machine with "
        "others: " + listed(f"{one} {digits(of)}" for one, of in seconds(found)) + ".",
    ]


def seconds(found: list[dict]) -> list[tuple[str, float]]:
    """What the searches of each machine have taken."""
    return [
        (machine, sum(one["fits"][machine]["search_seconds"] for one in found))
        for machine in MACHINES
    ]


def tests(scores: np.ndarray) -> list[str]:
    """Friedman's test, and all pairs."""
    overall = friedman(scores)
    ranks = listed(
        f"{name} {rank:.2f}" for name, rank in zip(MACHINES, overall.ranks, strict=True)
    )
    pairs = compare_all_pairs(scores, names=MACHINES)
    return [
        f"Average ranks: {ranks} (1 is best). Friedman's test in Iman and "
        f"Davenport's form: p = {overall.p:.3g}. All pairs, adjusted by Bergmann and "
        "Hommel:",
        table_of(
            pairs,
            {
                "pair": lambda pair: f"{pair.first}, {pair.second}",
                "mean difference, points": lambda pair: (
                    f"{difference(scores, pair):+.2f}"
                ),
                "p": lambda pair: f"{pair.p:.3g}",
                "adjusted p": lambda pair: f"{pair.adjusted_p:.3g}",
            },
        ),
    ]


def difference(scores: np.ndarray, pair) -> float:
    """By how many points the first of a pair is ahead, in the mean."""
    first, second = MACHINES.index(pair.first), MACHINES.index(pair.second)
    return float(100 * np.mean(scores[:, first] - scores[:, second]))


CONTEST = Contest(
    "machines",
    "Which kernel machine",
    {},
    seeds=10,
    pages=(
        Page(
            "which-kernel-machine.md",
            "Which kernel machine: accuracies",
            {"machines": Table("", measure, NAMES, None, KEEL)},
            sections,
        ),
    ),
)
