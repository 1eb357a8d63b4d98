"""Numbers of a table by line and machine, here and in the paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from ..agreement import standard_error
from ..convergence_run import NEAR
from .configuration import Configuration

LEVELS = (0.1, 0.01, 0.001)  # of the relative difference of the dual objective


@dataclass(frozen=True)
class Value:
    """A number, its standard deviation over splits and how many there were."""

    value: float
    spread: float = 0.0
    splits: int = 1

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.spread / np.sqrt(self.splits)


@dataclass(frozen=True)
class Line:
    """A line of a table: its name, and values by machine here and there."""

    name: str
    here: Mapping[str, Value]
    there: Mapping[str, Value]


@dataclass(frozen=True)
class Quantity:
    """What is compared: how it is called, which way is better, and how it is found."""

    words: str
    larger_is_better: bool
    lines: Callable[[Configuration, dict], list[Line]]


def summed_up(values: list[float], how: str) -> Value:
    """The mean and standard deviation, or the median without one."""
    if how == "median":
        return Value(float(np.median(values)), 0.0, len(values))
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Value(float(np.mean(values)), spread, len(values))


def of_fits(name: str, key: str, unit: float):
    """Values of fits: a line for each number of passes."""

    def lines(configuration: Configuration, record: dict) -> list[Line]:
        entry = configuration.entry(record["data"])
        protocol = configuration.protocol_of(entry)
        found = []
        for line in record["lines"]:
            passes = line["passes"]
            here = {
                machine: summed_up([unit * v for v in fits[key]], protocol.summary)
                for machine, fits in line["machines"].items()
            }
            theirs = configuration.paper_says(name, entry.name, passes)
            there = {
                machine: Value(value, spread or 0.0, 10 if spread else 1)
                for machine, (value, spread) in theirs.items()
            }
            words = entry.name
            if len(protocol.passes) > 1:
                words += f", {passes} pass{'es' if passes > 1 else ''}"
            found.append(Line(words, here, there))
        return found

    return lines


def of_curves(measure: Callable[[dict, dict], Value]):
    """Values of curves, which the papers show in figures only."""

    def lines(configuration: Configuration, record: dict) -> list[Line]:
        here = {
            machine: measure(curve, record)
            for machine, curve in record["curves"].items()
        }
        return [Line(record["data"], here, {})]

    return lines


def seconds_to(level: float):
    """Seconds until the relative difference is at most `level`; infinite if never."""

    def measure(curve: dict, record: dict) -> Value:
        difference = np.asarray(curve["difference"])
        hits = np.flatnonzero(difference <= level)
        return Value(curve["curve_seconds"][hits[0]] if len(hits) else inf)

    return measure


def final_accuracy(curve: dict, record: dict) -> Value:
    """Test accuracy at the end, in percent, with the error of a share."""
    share = curve["accuracy"][-1]
    return Value(100 * share, 100 * standard_error(share, record["shape"]["n"] // 5))


def seconds_to_accuracy(curve: dict, record: dict) -> Value:
    """Seconds until the accuracy is near the machine's final one, for good."""
    accuracy = np.asarray(curve["accuracy"])
    below = np.flatnonzero(accuracy < accuracy[-1] - NEAR)
    return Value(curve["accuracy_seconds"][below[-1] + 1 if len(below) else 0])


QUANTITIES: dict[str, Quantity] = {
    "accuracy": Quantity(
        "test accuracy, percent", True, of_fits("accuracy", "accuracy", 100.0)
    ),
    "seconds": Quantity(
        "seconds to train", False, of_fits("seconds", "train_seconds", 1.0)
    ),
    "final accuracy": Quantity("final accuracy", True, of_curves(final_accuracy)),
    "seconds to accuracy": Quantity(
        f"seconds to within {100 * NEAR:g} points of its final accuracy",
        False,
        of_curves(seconds_to_accuracy),
    ),
    **{
        f"seconds to {level:g}": Quantity(
            f"seconds to a relative difference of {level:g}",
            False,
            of_curves(seconds_to(level)),
        )
        for level in LEVELS
    },
}
