"""Pieces of Markdown: tables, numbers with their units, bars reached or missed."""

from collections.abc import Iterable, Sequence

NONE = "-"  # a value that is not there


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = True
) -> str:
    """A Markdown table; all columns but the first are numbers, or none is."""
    rule = ["---", *["---:" if numbers else "---"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


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


def bar(what: str, value: float, goal: float | None, at_least: bool = True) -> str:
    """A sentence that says whether a bar was reached, and by how much not.

    Without a goal it only says the value.
    """
    if goal is None:
        return f"- {what}: {value:.2f}."
    word = "at least" if at_least else "at most"
    met = value >= goal if at_least else value <= goal
    miss = "" if met else f" by a factor of {max(value / goal, goal / value):.2f}"
    return (
        f"- {what}: {value:.2f}, to reach {word} {goal:g}: "
        f"**{'reached' if met else 'missed'}**{miss}."
    )
