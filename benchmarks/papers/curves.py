"""Tables and figures of curves: what was followed, drawn like the papers draw it."""

from collections.abc import Mapping, Sequence
from math import isinf
from pathlib import Path

from ..harness.figure import saved_figure
from ..harness.markdown import NONE, digits, markdown_table
from .claims import FAILS, HOLDS, PARTLY
from .following import Method, final_accuracy, median_to, median_to_accuracy

LEVELS = (0.1, 0.01, 0.001)  # of the relative difference of the dual objective
# Medians that are closer than this share are a tie.
TIE = {"loops": 0.05, "seconds": 0.1}
WORDS = {
    "loops": "effective loops (derivatives evaluated, over k l)",
    "seconds": "seconds (processor time of the visits alone)",
}


def cell(value: float) -> str:
    """A number, or that it was not reached."""
    return NONE if isinf(value) else digits(value)


def curve_table(records: list[dict], axis: str) -> str:
    """How much until the difference is small, and until the accuracy is final."""
    rows = []
    for record in records:
        for method, curves in record["curves"].items():
            numbers = [median_to(curves, level, axis) for level in LEVELS]
            rows.append(
                [
                    record["data"],
                    method,
                    *map(cell, numbers),
                    cell(median_to_accuracy(curves, axis)),
                    f"{100 * final_accuracy(curves):.2f}",
                ]
            )
    header = ["data set", "method", *(f"to {level:g}" for level in LEVELS)]
    header += ["to accuracy", "accuracy, %"]
    title = f"**Medians over seeds, in {WORDS[axis]}**"
    return f"{title}\n\n{markdown_table(header, rows)}"


EXPLAINED = (
    "To 0.1, 0.01 and 0.001: until the relative difference of the dual objective from "
    "its optimum, one for all methods and certified, stays that small; to accuracy: "
    "until the test accuracy stays within 0.5 points of the last. A dash: not reached. "
    "Looks at the model are not counted, and no method computes a certificate."
)


def ahead(first: float, second: float, axis: str) -> int:
    """1 if the first needs less, -1 if the second does, 0 if they are close."""
    if first == second or (isinf(first) and isinf(second)):
        return 0
    if min(first, second) >= (1 - TIE[axis]) * max(first, second):
        return 0
    return 1 if first < second else -1


def outcomes(
    records: list[dict], first: str, second: str, axis: str, level: float | None
) -> dict[str, int]:
    """Who is ahead on every data set, to a level or (None) to the final accuracy."""
    found = {}
    for record in records:
        curves = record["curves"]
        if first not in curves or second not in curves:
            continue
        one, other = (
            median_to_accuracy(curves[name], axis)
            if level is None
            else median_to(curves[name], level, axis)
            for name in (first, second)
        )
        found[record["data"]] = ahead(one, other, axis)
    return found


def verdict_of(found: Mapping[str, int]) -> str:
    """All ahead: holds; some: in part."""
    wins = sum(value > 0 for value in found.values())
    return HOLDS if wins == len(found) else PARTLY if wins else FAILS


def counted(found: Mapping[str, int]) -> str:
    """How often ahead, behind, tied, with names."""
    parts = []
    for outcome, word in ((1, "ahead on"), (-1, "behind on"), (0, "level on")):
        names = [name for name, value in found.items() if value == outcome]
        if names:
            parts.append(f"{word} {', '.join(names)}")
    return "; ".join(parts)


def draw_curves(
    path: Path,
    records: list[dict],
    methods: Mapping[str, Method],
    axis: str,
    label: str,
    shown: Sequence[str] = ("difference", "accuracy"),
) -> None:
    """A row of panels for each data set: difference and accuracy, as in the papers."""
    size = (4.6 * len(shown), 2.6 * len(records))
    with saved_figure(path, len(records), len(shown), size) as (_, rows):
        for panels, record in zip(rows, records, strict=True):
            for panel, kind in zip(panels, shown, strict=True):
                highest = 0.0
                for name, curves in record["curves"].items():
                    method, curve = methods[name], curves[0]
                    values = curve[kind]
                    if kind == "accuracy":
                        values = [100 * value for value in values]
                        highest = max(highest, *values)
                    panel.plot(
                        curve[axis],
                        values,
                        color=method.colour,
                        linestyle=method.line,
                        label=name,
                        lw=1.5,
                    )
                if kind == "difference":
                    floor = max(1e-5, record["optimum"]["gap"] / 2)
                    panel.set(yscale="log", ylim=(floor, 2))
                    panel.set_ylabel("relative difference")
                else:
                    panel.set(ylim=(highest - 12, highest + 1))
                    panel.set_ylabel("test accuracy, %")
                panel.set(xscale="log", xlabel=label)
                panel.set_title(record["data"], fontsize=10)
                panel.grid(alpha=0.25)
                panel.spines[["top", "right"]].set_visible(False)
        rows[0][0].legend(frameon=False, fontsize=8)
