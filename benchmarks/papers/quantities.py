"""Numbers of a table by line and column, here and in the paper, and who is ahead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isnan, sqrt

import numpy as np
from scipy.stats import kendalltau

from ..harness.markdown import LIMITED, NONE, digits, listed, markdown_table, times
from ..harness.timing import geometric_mean
from .configuration import Configuration

_FEW = 3
TIES = (
    "One is ahead of another if the difference of their means is larger than its "
    "standard error over the splits, here and there; else they tie. Of single runs the "
    "better one is ahead, and accuracies have the standard error of a share. A fit "
    "that the clock stopped is a lower bound, and decides nothing in its favour."
)


@dataclass(frozen=True)
class Value:
    """A number, its standard deviation over splits, how many; a lower bound or not."""

    value: float
    spread: float = 0.0
    splits: int = 1
    bound: bool = False

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.spread / np.sqrt(self.splits)


@dataclass(frozen=True)
class Line:
    """A line of a table: its name, and values by column here and there."""

    name: str
    here: Mapping[str, Value]
    there: Mapping[str, Value]


@dataclass(frozen=True)
class Quantity:
    """What is compared: how it is called, which way is better, how found and shown."""

    words: str
    larger_is_better: bool
    lines: Callable[[Configuration, dict], list[Line]]
    form: Callable[[float], str] = digits


def standard_error(share: float, n: int) -> float:
    """Of a share of n rows."""
    return sqrt(max(share * (1 - share), 0.0) / n)


def of_fits(name: str, key: str, unit: float):
    """Values of fits of a comparison: a line for each number of passes."""

    def value(values: list[float], how: str) -> Value:
        numbers = unit * np.asarray(values)
        if how == "median":
            return Value(float(np.median(numbers)), 0.0, len(numbers))
        spread = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else 0.0
        return Value(float(np.mean(numbers)), spread, len(numbers))

    def lines(configuration: Configuration, record: dict) -> list[Line]:
        entry = configuration.entry(record["data"])
        protocol = configuration.protocol_of(entry)
        found = []
        for line in record["lines"]:
            passes = line["passes"]
            here = {
                machine: value(fits[key], protocol.summary)
                for machine, fits in line["machines"].items()
            }
            there = {
                machine: Value(number, spread or 0.0, 10 if spread else 1)
                for machine, (number, spread) in configuration.paper_says(
                    name, entry.name, passes
                ).items()
            }
            words = entry.name
            if len(protocol.passes) > 1:
                words += f", {passes} pass{'es' if passes > 1 else ''}"
            found.append(Line(words, here, there))
        return found

    return lines


def of_methods(name: str, key: str, unit: float, rows: int | None):
    """Values of a record's methods; shares of so many rows (0 train, 1 test)."""

    def value(number: float, n: int | None, bound: bool = False) -> Value:
        error = unit * standard_error(number / unit, n) if n else 0.0
        return Value(number, error, bound=bound)

    def lines(configuration: Configuration, record: dict) -> list[Line]:
        data = record["data"]
        here_n = there_n = None
        if rows is not None:
            here_n = (record["shape"]["n"], record["test_rows"])[rows]
            there_n = configuration.theirs["sizes"].get(data, (here_n, here_n))[rows]
        methods = record["methods"]
        here = {
            column: value(unit * entry[key], here_n, bool(entry.get("stopped")))
            for column in configuration.columns_for(name)
            if (entry := methods.get(column) or methods.get(f"{column} block"))
        }
        theirs = configuration.paper_says(name, data)
        there = {
            column: value(own, there_n, doubt == inf)
            for column, (own, doubt) in theirs.items()
        }
        return [Line(data, here, there)]

    return lines


def _count(value: float) -> str:
    """Iterations, in millions if there are many."""
    return f"{value / 1e6:,.1f}M" if value >= 1e6 else f"{value:,.0f}"


# Of records with methods: words, larger is better, key, unit, rows, form.
_METHODS = {
    "cross-validation": (
        "accuracy in cross-validation, percent",
        *(True, "cross_validation", 100.0, 0, "{:.1f}".format),
    ),
    "test": ("test accuracy, percent", True, "test", 100.0, 1, "{:.1f}".format),
    "best C": ("best C", True, "exponent", 1.0, None, "2^{:.0f}".format),
    "training": ("seconds to train", False, "training", 1.0, None, digits),
    "testing": ("seconds to predict", False, "testing", 1.0, None, digits),
    "accuracy by machine": ("test accuracy", True, "accuracy", 1.0, 1, "{:.4f}".format),
    "iterations": ("iterations", False, "iterations", 1.0, None, _count),
    "seconds by method": ("seconds to train", False, "seconds", 1.0, None, digits),
}
QUANTITIES: dict[str, Quantity] = {
    "accuracy": Quantity(
        "test accuracy, percent",
        True,
        of_fits("accuracy", "accuracy", 100.0),
        "{:.2f}".format,
    ),
    "seconds": Quantity(
        "seconds to train", False, of_fits("seconds", "train_seconds", 1.0)
    ),
    **{
        name: Quantity(words, better, of_methods(name, key, unit, rows), form)
        for name, (words, better, key, unit, rows, form) in _METHODS.items()
    },
}


def all_lines(
    configuration: Configuration, records: list[dict], quantity: str
) -> list[Line]:
    """The lines of all records."""
    found = QUANTITIES[quantity].lines
    return [line for record in records for line in found(configuration, record)]


def quantity_table(configuration: Configuration, records: list[dict], name: str) -> str:
    """A line for each data set, a column for each machine; in brackets the paper's."""
    quantity, columns = QUANTITIES[name], configuration.columns_for(name)

    def number(value: Value | None) -> str:
        if value is None:
            return NONE
        text = quantity.form(value.value) + LIMITED * value.bound
        if value.spread and value.splits > 1:
            text += f" ± {quantity.form(value.spread)}"
        return text

    def cell(line: Line, column: str) -> str:
        own, theirs = number(line.here.get(column)), line.there.get(column)
        return own if theirs is None else f"{own} ({number(theirs)})"

    rows = [
        [line.name, *(cell(line, column) for column in columns)]
        for line in all_lines(configuration, records, name)
    ]
    title = quantity.words[0].upper() + quantity.words[1:]
    return f"**{title}**\n\n{markdown_table(['data set', *columns], rows)}"


def ahead(first: Value, second: Value, larger_is_better: bool) -> int:
    """1 if the first is better, -1 if the second is, 0 if they tie."""
    difference = first.value - second.value
    if first.value == second.value or isnan(difference):
        return 0
    if abs(difference) <= np.hypot(first.error, second.error):
        return 0
    won = (difference > 0) == larger_is_better
    if (first if won else second).bound:
        return 0
    return 1 if won else -1


def leaders(values: Mapping[str, Value], larger_is_better: bool) -> list[str]:
    """The columns that are as good as the best."""
    if not values:
        return []
    sign = 1 if larger_is_better else -1
    best = max(values.values(), key=lambda value: sign * value.value)
    return [
        name
        for name, value in values.items()
        if value.value == best.value
        or abs(best.value - value.value) <= max(best.error, value.error)
    ]


def leaders_table(configuration: Configuration, records: list[dict], name: str) -> str:
    """Who is best here and there, and how alike the orders are (Kendall's tau)."""
    quantity = QUANTITIES[name]
    rows = []
    for line in all_lines(configuration, records, name):
        both = [column for column in line.here if column in line.there]
        tau = float("nan")
        if len(both) > 1:
            sides = ([side[c].value for c in both] for side in (line.here, line.there))
            tau = kendalltau(*sides).statistic
        best = [
            leaders(side, quantity.larger_is_better) for side in (line.here, line.there)
        ]
        named = ["all" if len(b) == len(line.here) > 2 else listed(b) for b in best]
        rows.append([line.name, *named, NONE if isnan(tau) else f"{tau:.2f}"])
    header = ["data set", f"{quantity.words}: best here", "best there", "tau"]
    return markdown_table(header, rows, numbers=False)


def mean_ratio(lines: list[Line], side: str, slow: str, fast: str) -> str:
    """Geometric mean of one column over another, where neither is a bound."""
    sides = [getattr(line, side) for line in lines]
    ratios = [
        values[slow].value / values[fast].value
        for values in sides
        if slow in values and fast in values
        if values[fast].value and not (values[slow].bound or values[fast].bound)
        if 0 < values[slow].value < inf and values[fast].value < inf
    ]
    return times(geometric_mean(ratios))


def verdict(
    configuration: Configuration, records: list[dict], claim: tuple, stated: bool = True
) -> str:
    """One sentence for each side, and where they contradict each other."""
    name, first, second = claim
    quantity = QUANTITIES[name]
    lines = all_lines(configuration, records, name)
    here, there = (
        {
            line.name: ahead(values[first], values[second], quantity.larger_is_better)
            for line in lines
            if first in (values := getattr(line, side)) and second in values
        }
        for side in ("here", "there")
    )
    text = f"- {first} against {second}, {quantity.words}: {_said(here)}"
    if not quantity.larger_is_better:
        factors = [mean_ratio(lines, s, second, first) for s in ("here", "there")]
        text += f"; {second} over {first} {factors[0]} here"
        text += f" and {factors[1]} there" if there else ""
    if not there:
        said = f" The paper says that {first} is ahead." if stated else ""
        return f"{text}.{said}"
    differ = [name for name, found in here.items() if found * there.get(name, 0) < 0]
    return (
        f"{text}. In the paper {_said(there)}. The same verdict on "
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


def verdicts(configuration: Configuration, records: list[dict]) -> str:
    """The sentences about all claims of a table."""
    lines = [verdict(configuration, records, claim) for claim in configuration.claims]
    lines += [verdict(configuration, records, c, False) for c in configuration.looks]
    return "\n".join(lines)
