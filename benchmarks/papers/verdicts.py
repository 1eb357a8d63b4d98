"""Where a paper and the numbers here agree, computed and said."""

from collections.abc import Mapping

import numpy as np

from ..agreement import listed
from .configuration import Claim, Configuration
from .quantities import QUANTITIES, Line, Quantity, Value

_FEW = 3
TIES = (
    "One is ahead of another if the difference of their means is larger than its "
    "standard error over the splits, here and there; else they tie. Of single runs the "
    "better one is ahead, and accuracies have the standard error of a share."
)


def ahead(first: Value, second: Value, larger_is_better: bool) -> int:
    """1 if the first is better, -1 if the second is, 0 if they tie."""
    if first.value == second.value:
        return 0
    difference = first.value - second.value
    if abs(difference) <= np.hypot(first.error, second.error):
        return 0
    return 1 if (difference > 0) == larger_is_better else -1


def outcomes(
    lines: list[Line], claim: Claim, quantity: Quantity, side: str
) -> dict[str, int]:
    """What became of a claim on every line of a side that has both machines."""
    found = {}
    for line in lines:
        values: Mapping[str, Value] = getattr(line, side)
        if claim.ahead in values and claim.behind in values:
            found[line.name] = ahead(
                values[claim.ahead], values[claim.behind], quantity.larger_is_better
            )
    return found


def verdict(configuration: Configuration, records: list[dict], claim: Claim) -> str:
    """One sentence for each side, and where they contradict each other."""
    quantity = QUANTITIES[claim.quantity]
    lines = [
        line for record in records for line in quantity.lines(configuration, record)
    ]
    here = outcomes(lines, claim, quantity, "here")
    there = outcomes(lines, claim, quantity, "there")
    text = f"- {claim.ahead} against {claim.behind}, {quantity.words}: {_said(here)}."
    if not there:
        said = f" The paper says that {claim.ahead} is ahead." if claim.stated else ""
        return text + said
    differ = [name for name, found in here.items() if found * there.get(name, 0) < 0]
    return (
        f"{text} In the paper {_said(there)}. The same verdict on "
        f"{sum(found == there.get(name) for name, found in here.items())} of "
        f"{len(there)} lines, opposite ones: {listed(differ)}."
    )


def _said(found: dict[str, int]) -> str:
    """How often each outcome came; names of lines only where they are few."""
    parts = []
    for outcome, word in ((1, "ahead on"), (-1, "behind on"), (0, "ties on")):
        names = [name for name, value in found.items() if value == outcome]
        if len(names) == len(found) > 1:
            return f"{word} all {len(found)}"
        if names:
            few = f" ({'; '.join(names)})" if len(names) <= _FEW else ""
            parts.append(f"{word} {len(names)}{few}")
    return ", ".join(parts)


def verdicts(configuration: Configuration, records: list[dict]) -> list[str]:
    """The sentences about all claims of a table."""
    if not configuration.claims:
        return []
    lines = [verdict(configuration, records, claim) for claim in configuration.claims]
    return ["\n".join(lines)]
