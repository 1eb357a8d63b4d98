"""How accurate machines are, each with C, and gamma of a kernel, chosen for it.

`polymargin.compare` does the work: random parts of 60, 20 and 20 % of the rows; the
best of a grid on the second, trained again on the first two, tested on the third. Only
accuracies are recorded, so it may run beside other work.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from polymargin import compare
from polymargin.protocols import PROTOCOLS, powers_of_two
from polymargin.selection.significance import compare_all_pairs, friedman

from ..harness.contest import Contest, Run, Table
from ..harness.data import FALLBACK, choose_rows, pooled
from ..harness.figure import dots
from ..harness.markdown import NONE, SIZES, data_name, table_of
from ..harness.records import Records
from ..harness.timing import progress
from . import intercepts

LINEAR = ("cs", "ww", "llw", "ovr", "ovo", "maxent")
KERNEL = ("kernel-ww", "kernel-cs", "kernel-llw", "kernel-ovr", "kernel-ovo")
GRID = {"C": powers_of_two(-4, 8, 3), "gamma": powers_of_two(-9, -1, 2)}
PROTOCOL = replace(PROTOCOLS["holdout"], grid=GRID)
LARGEST = 1500  # rows; of more, so many at random
SLOW, FEW = "kernel-llw", 1000  # takes minutes a fit on more rows than so many
NAMES = (
    *("wine", "iris", "glass", "vehicle", "vowel", "soybean_onehot", FALLBACK),
    *("car_onehot", "segment", "dna", "abalone", "page_blocks", "satimage"),
    *("optdigits", "letter"),
)
AS_THEY_ARE = ("onehot", "dna")  # zeros and ones need no scaling


def measure(name: str, run: Run) -> dict:
    """The record of a data set: accuracies of all machines on all splits."""
    X, y = pooled(name)
    chosen = choose_rows(len(y), LARGEST)
    X, y = X[chosen], y[chosen]
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= 5])  # a row in each part
    X, y = X[kept], y[kept]
    protocol = replace(PROTOCOL, repeats=run.seeds)
    found: dict[str, list[float]] = {}
    slow = {SLOW} if len(y) > FEW else set()
    for machine in (one for one in (*LINEAR, *KERNEL) if one not in slow):
        progress(f"{name}: {machine}")
        report = compare(
            [(name, X, y)],
            [machine],
            protocol,
            prepare="none" if name.endswith(AS_THEY_ARE) else "standard",
            convergence=False,
            scaling=False,
            verbose=False,
        )
        rows = report.summary.values((name, None), machine, "accuracy")
        found[machine] = rows.tolist()
    n, d = X.shape
    return {"shape": {"n": n, "d": d, "k": len(np.unique(y))}, "accuracies": found}


def mean(record: dict, machine: str) -> float | None:
    """Mean accuracy over the splits."""
    found = record["accuracies"].get(machine)
    return float(np.mean(found)) if found else None


def errors(record: dict, machine: str) -> float | None:
    """Errors in percent; None if there are none, which no scale of logs shows."""
    found = mean(record, machine)
    return None if found in (None, 1.0) else 100 * (1 - found)


def ranks(records: Sequence[dict], machines: Sequence[str]) -> str:
    """Who is ahead over all data sets, and whether that may be luck."""
    scores = [
        [mean(record, machine) for machine in machines]
        for record in records
        if set(machines) <= set(record["accuracies"])
    ]
    if len(scores) < 2:
        return ""
    tested = friedman(scores)
    order = np.argsort(tested.ranks)
    told = ", ".join(f"{machines[at]} {tested.ranks[at]:.1f}" for at in order)
    pairs = [
        f"{pair.first if pair.effect >= 0 else pair.second} before "
        f"{pair.second if pair.effect >= 0 else pair.first} ({pair.adjusted_p:.2g})"
        for pair in compare_all_pairs(scores, names=machines)
        if pair.adjusted_p < 0.05
    ]
    return (
        f"- Average ranks on {len(scores)} sets, 1 is best: {told}. "
        f"Friedman's test: p = {tested.p:.2g}. "
        f"Pairs that differ at the 5 % level: {', '.join(pairs) or 'none'}."
    )


def body(records: list[dict]) -> list[str]:
    """Accuracies of linear machines, then with a kernel."""
    splits = len(records[0]["accuracies"][LINEAR[0]])
    parts = [
        f"Test accuracy in percent, mean of {splits} random splits of at most "
        f"{LARGEST:,} rows. Rows that are held back choose C from {min(GRID['C']):g} "
        f"to {max(GRID['C']):g} and gamma from {min(GRID['gamma']):.2g} to "
        f"{max(GRID['gamma']):g}. Numbers are scaled to variance 1. Hinge loss."
    ]
    for machines in (LINEAR, KERNEL):
        columns = {"data set": data_name, **SIZES}
        for machine in machines:
            columns[machine] = lambda record, machine=machine: percent_of(
                mean(record, machine)
            )
        parts.append(table_of(records, columns))
    return parts


def percent_of(value: float | None) -> str:
    """A share in percent, to a tenth."""
    return NONE if value is None else f"{100 * value:.1f}"


def verdict(records: Records) -> list[str]:
    """Ranks and tests."""
    found = records.of("machines", NAMES)
    fast = tuple(machine for machine in KERNEL if machine != SLOW)
    told = [ranks(found, machines) for machines in (LINEAR, fast, KERNEL)]
    said = "Test errors, with C and gamma chosen for each machine."
    return [said, "\n".join(filter(None, told))]


def draw(records: Records, path: Path) -> None:
    """Errors of each machine, a row for each data set."""
    panels = {"linear": LINEAR, "Gaussian kernel": KERNEL}
    found = records.of("machines", NAMES)
    rows = {
        title: [
            (one["data"], {name: errors(one, name) for name in names}) for one in found
        ]
        for title, names in panels.items()
    }
    dots(path, rows, label="test errors, percent")


CONTEST = Contest(
    "machines",
    "How accurate the machines are",
    {
        "machines": Table("", measure, NAMES, body),
        "intercepts": intercepts.table(NAMES),
    },
    verdict,
    draw,
    packages=("scikit-learn",),
    seeds=5,
)
