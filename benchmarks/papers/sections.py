"""Tables of the page: ours, and in brackets what the paper has."""

from collections import Counter
from collections.abc import Callable
from math import isinf

import numpy as np

from polymargin.selection.significance import wilcoxon

from ..harness.markdown import NONE, digits, listed, markdown_table
from .configuration import Configuration
from .quantities import LEVELS, QUANTITIES, quantity_table

LEVEL = 0.01  # of significance, that of 000
Section = Callable[[Configuration, list[dict]], list[str]]


def p_section(configuration: Configuration, records: list[dict]) -> list[str]:
    """p-values of the first machine against the others, over the splits."""
    first, *others = configuration.columns
    rows: list[list[str]] = []
    found: dict[str, tuple[list[str], list[str]]] = {m: ([], []) for m in others}
    for record in records:
        machines = record["lines"][0]["machines"]
        theirs = configuration.paper_says("p", record["data"])
        row = [record["data"]]
        for other in others:
            pair = wilcoxon(machines[first]["accuracy"], machines[other]["accuracy"])
            row.append(f"{pair.p:.2g} ({theirs[other][0]:.2g})")
            for side, p in enumerate((pair.p, theirs[other][0])):
                if p <= LEVEL:
                    found[other][side].append(record["data"])
        rows.append(row)
    title = f"p-values of {first} against the others (Wilcoxon's signed-rank test)"
    said = " ".join(
        f"{first} and {other} differ at the level {LEVEL:g} here on {listed(here)}; "
        f"in the paper on {listed(there)}."
        for other, (here, there) in found.items()
    )
    return [_titled(title, ["data set", *others], rows), said]


def C_section(configuration: Configuration, records: list[dict]) -> list[str]:
    """The C that was chosen most often, and in how many splits."""
    rows = []
    for record in records:
        row = [record["data"]]
        for fits in record["lines"][0]["machines"].values():
            counts = Counter(point["C"] for point in fits["parameters"])
            C, count = counts.most_common(1)[0]
            row.append(f"{C:g} ({count} of {counts.total()})")
        rows.append(row)
    title = "C chosen most often, and in how many splits"
    return [_titled(title, ["data set", *configuration.columns], rows)]


def convergence_section(configuration: Configuration, records: list[dict]) -> list[str]:
    """Seconds to differences of the dual objective and to the final accuracy."""
    names = [f"seconds to {level:g}" for level in LEVELS]
    names += ["seconds to accuracy", "final accuracy"]
    rows = []
    for record in records:
        found = [QUANTITIES[n].lines(configuration, record)[0].here for n in names]
        for machine in record["curves"]:
            cells = [_seconds(values[machine].value) for values in found]
            rows.append([record["data"], machine, *cells])
    title = (
        "Seconds until the relative difference of the dual objective is at most 0.1, "
        "0.01 and 0.001, and until the test accuracy is no more than 0.5 points below "
        "the machine's final one for good; final accuracy, percent"
    )
    dash = (
        "The difference is from the best value of the same run, which ends at a gap of "
        "1e-5 or after 20 times the training time (at least 3 seconds, looks "
        "included). A dash: not reached, or not to be told from the gap at the end."
    )
    header = ["data set", "machine", *(f"to {level:g}" for level in LEVELS)]
    return [_titled(title, [*header, "to accuracy", "accuracy"], rows), dash]


def scaling_section(configuration: Configuration, records: list[dict]) -> list[str]:
    """Seconds against the number of classes, and the power that fits them best."""
    parts, said = [], []
    for record in records:
        series = record["scaling"]
        classes = next(iter(series.values()))["classes"]
        powers = {
            machine: np.polyfit(np.log(classes), np.log(found["seconds"]), 1)[0]
            for machine, found in series.items()
        }
        rows = [
            [machine, *map(digits, found["seconds"]), f"{powers[machine]:.2f}"]
            for machine, found in series.items()
        ]
        title = f"{record['data']}: seconds to train, by the number of classes"
        header = ["solver", *(str(k) for k in classes), "power of k"]
        parts.append(_titled(title, header, rows))
        low, high = min(powers.values()), max(powers.values())
        said.append(f"{low:.2f} to {high:.2f} on {record['data']}")
    parts.append(
        "The paper finds that all grow about linearly with k. Here time grows as k to "
        f"the power of {', '.join(said)}."
    )
    return parts


def _titled(title: str, header: list[str], rows: list[list[str]]) -> str:
    return f"**{title}**\n\n{markdown_table(header, rows)}"


def _seconds(value: float) -> str:
    return NONE if isinf(value) else digits(value)


SECTIONS: dict[str, Section] = {
    "p": p_section,
    "C": C_section,
    "convergence": convergence_section,
    "scaling": scaling_section,
}


def section(configuration: Configuration, records: list[dict], name: str) -> list[str]:
    """A table of its own kind, or that of a quantity."""
    if name in SECTIONS:
        return SECTIONS[name](configuration, records)
    return [quantity_table(configuration, records, name)]
