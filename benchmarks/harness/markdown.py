"""Pieces of Markdown: tables, numbers with their units, bars reached or missed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

NONE = "-"  # a value that is not there
LIMITED = "†"  # after a fit that the clock stopped


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = True
) -> str:
    """A Markdown table; all columns but the first are numbers, or none is."""
    rule = ["---", *["---:" if numbers else "---"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


def table_of(
    rows: Iterable[Any],
    columns: Mapping[str, Callable[[Any], str]],
    last: Sequence[str] = (),
    numbers: bool = True,
) -> str:
    """A table with a column for each function, called with the rows one by one.

    Parameters
    ----------
    rows : iterable
        What the functions are called with.
    columns : mapping of header to callable
    last : sequence of str
        One more line, such as means.
    numbers : bool
        Whether columns but the first are numbers.
    """
    lines = [[cell(row) for cell in columns.values()] for row in rows]
    return markdown_table([*columns], [*lines, *([last] if last else [])], numbers)


def data_name(record: dict) -> str:
    """The name of the data set of a record."""
    return record["data"]


# Columns of the sizes of a data set.
SIZES = {key: lambda record, key=key: f"{record['shape'][key]:,}" for key in "ndk"}


def digits(value: float | None) -> str:
    """Three digits, or all those before the point."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def times(value: float | None) -> str:
    """A ratio to three digits, as in 4.12x."""
    return NONE if value is None else f"{digits(value)}x"


def megabytes(value: float | None) -> str:
    """Bytes as MB."""
    return NONE if value is None else digits(value / 1e6)


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return NONE if value is None else f"{100 * value:.3g} %"


def share(value: float | None) -> str:
    """A share between 0 and 1, to four places."""
    return NONE if value is None else f"{value:.4f}"


def ratio(slow: float | None, fast: float | None) -> float | None:
    """How often `fast` goes into `slow`, if both are known."""
    return slow / fast if slow is not None and fast else None


def listed(names: Iterable[str]) -> str:
    """Names in a row, or the word none."""
    return ", ".join(names) or "none"


def bar(what: str, value: float, goal: float | None, at_least: bool = True) -> str:
    """A line with a value, its goal, and whether the goal was reached.

    Without a goal it only says the value.
    """
    if goal is None:
        return f"- {what}: **{value:.2f}**."
    word = "at least" if at_least else "at most"
    met = value >= goal if at_least else value <= goal
    return (
        f"- {what}: **{value:.2f}** "
        f"(goal: {word} {goal:g}, {'reached' if met else 'missed'})."
    )


def worst_bar(
    what: str, values: Mapping[str, float | None], goal: float, at_least: bool = True
) -> list[str]:
    """The bar of the worst of those values that there are, which is named."""
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return []
    worst = (min if at_least else max)(known, key=known.__getitem__)
    return [bar(f"{what} ({worst})", known[worst], goal, at_least)]
