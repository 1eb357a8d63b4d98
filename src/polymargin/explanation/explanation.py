"""What was found out about a model or a row: as text, and for programs."""

from dataclasses import asdict, dataclass, field
from typing import Any

from .pictures import page, plot
from .text_bars import bars, name_of

_MOST = 20  # classes on a page


@dataclass(frozen=True)
class RowExplanation:
    """Why a row is of its class, and not of another.

    Attributes
    ----------
    row : int
    label, against : label
        The class that is predicted, and the one that it is compared to.
    lead : float
        By how much the score of the class is before that of the other.
    features : list of str or int
        Those that decide, the largest contributions first.
    values, contributions : list of float
        What the machine sees, perhaps scaled, and what that adds to the lead.
    cells : list
        What stands in the table for features that are columns of it; None for others,
        and where it is missing.
    intercept : float or None
        What the intercepts contribute; None for a machine with a kernel, whose
        contributions do not add up.
    others : float
        What all other features contribute together.
    """

    row: int
    label: object
    against: object
    lead: float
    features: list[Any]
    values: list[float]
    cells: list[Any]
    contributions: list[float]
    intercept: float | None
    others: float

    def shown(self) -> list[str]:
        """Return values as people know them: those of the table, if it has them."""
        pairs = zip(self.values, self.cells, strict=True)
        found = [value if cell is None else cell for value, cell in pairs]
        return [f"{one:.4g}" if isinstance(one, float) else str(one) for one in found]

    def lines(self) -> list[str]:
        """Return it as text."""
        title = f"row {self.row} is {self.label} rather than {self.against}, by "
        parts = zip(self.features, self.shown(), self.contributions, strict=True)
        rows = [(name_of(feature), value, part) for feature, value, part in parts]
        if self.intercept is not None:
            if self.others:
                rows.append(("all other features", "", self.others))
            rows.append(("intercept", "", self.intercept))
        return [f"{title}{self.lead:.4g}", *bars(rows)]


@dataclass(frozen=True)
class Explanation:
    """What `explain` returns; `str` is a page to read.

    Attributes
    ----------
    labels : list
        The classes.
    classes : list of dict
        For every class its most telling "features" with their "weights"; for linear
        machines.
    importance : list of dict
        Columns whose shuffling costs most: "column", "importance" (accuracy that is
        lost, in the mean) and "deviation".
    row : RowExplanation or None
    """

    labels: list[Any]
    classes: list[dict[str, Any]] = field(default_factory=list)
    importance: list[dict[str, Any]] = field(default_factory=list)
    row: RowExplanation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            "labels": self.labels,
            "classes": self.classes,
            "importance": self.importance,
            "row": None if self.row is None else _plain(asdict(self.row)),
        }

    def __str__(self) -> str:
        lines = [] if self.row is None else self.row.lines()
        found = self.importance
        if found:
            lines += ["accuracy that is lost when a column is shuffled"]
            lines += bars(
                [(name_of(one["column"]), "", one["importance"]) for one in found],
                spreads=[one["deviation"] for one in found],
            )
        for about in self.classes[:_MOST]:
            lines += ["", f"what speaks for {about['label']}, or against it"]
            pairs = zip(about["features"], about["weights"], strict=True)
            lines += bars([(name_of(at), "", weight) for at, weight in pairs])
        if len(self.classes) > _MOST:
            lines += ["", f"... and {len(self.classes) - _MOST:,} more classes"]
        return "\n".join(lines).lstrip("\n")

    def plot(self, figure: Any = None) -> Any:
        """Draw it; needs matplotlib.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, or None, default=None
            To draw into; None makes one.

        Returns
        -------
        figure : matplotlib Figure or SubFigure
        """
        return plot(self, figure)

    def _repr_html_(self) -> str:
        return page(self)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with cells that JSON can hold."""
    kinds = str | int | float | None
    cells = [one if isinstance(one, kinds) else str(one) for one in row["cells"]]
    return row | {"cells": cells}
