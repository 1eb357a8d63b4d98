"""Tables of the page: ours, and in brackets what the paper has."""

from collections import Counter
from collections.abc import Callable

from polymargin.selection.significance import wilcoxon

from ..harness.markdown import listed, markdown_table
from .configuration import Configuration
from .quantities import quantity_table

LEVEL = 0.01  # of significance, that of Keerthi et al.
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


def _titled(title: str, header: list[str], rows: list[list[str]]) -> str:
    return f"**{title}**\n\n{markdown_table(header, rows)}"


SECTIONS: dict[str, Section] = {
    "p": p_section,
    "C": C_section,
}


def section(configuration: Configuration, records: list[dict], name: str) -> list[str]:
    """A table of its own kind, or that of a quantity."""
    if name in SECTIONS:
        return SECTIONS[name](configuration, records)
    return [quantity_table(configuration, records, name)]
