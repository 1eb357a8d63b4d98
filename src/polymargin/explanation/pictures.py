"""Explanations as plots and as HTML: bars to the right for, to the left against."""

from html import escape
from typing import Any

from .text_bars import name_of, shortened

_FOR, _AGAINST = "#2a6fbb", "#c4553b"
_MOST = 12  # classes in a picture
_COLUMNS = 3
_WIDEST = 34  # letters of a name


def panels(explanation) -> list[tuple[str, list[tuple[str, float]]]]:
    """Return titles, each with names and numbers, of an `Explanation`."""
    found = []
    row = explanation.row
    if row is not None:
        pairs = [
            (f"{name_of(feature)} = {value}", part)
            for feature, value, part in zip(
                row.features, row.shown(), row.contributions, strict=True
            )
        ]
        if row.intercept is not None:
            if row.others:
                pairs.append(("all other features", row.others))
            pairs.append(("intercept", row.intercept))
        title = f"row {row.row}: {row.label} rather than {row.against}, {row.lead:+.3g}"
        found.append((title, pairs))
    if explanation.importance:
        pairs = [
            (name_of(one["column"]), one["importance"])
            for one in explanation.importance
        ]
        found.append(("accuracy lost when shuffled", pairs))
    for about in explanation.classes[:_MOST]:
        names = map(name_of, about["features"])
        found.append(
            (str(about["label"]), list(zip(names, about["weights"], strict=True)))
        )
    return found


def plot(explanation: Any, figure: Any = None) -> Any:
    """Draw the panels; see `Explanation.plot`."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "plot needs matplotlib; run pip install 'polymargin[report]'."
        ) from None
    parts = panels(explanation)
    columns = min(_COLUMNS, len(parts))
    rows = -(-len(parts) // columns)
    if figure is None:
        longest = max(len(pairs) for _, pairs in parts)
        size = (max(6.0, 4.2 * columns), rows * (0.9 + 0.26 * longest))
        figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes[len(parts) :]:
        ax.set_axis_off()
    for ax, (title, pairs) in zip(axes, parts, strict=False):
        numbers = [number for _, number in pairs]
        colours = [_FOR if number > 0 else _AGAINST for number in numbers]
        ax.barh(range(len(pairs)), numbers, color=colours)
        ax.set_yticks(
            range(len(pairs)), [shortened(name, _WIDEST) for name, _ in pairs]
        )
        ax.invert_yaxis()
        ax.axvline(0, color="0.3", linewidth=0.8)
        ax.set_title(title, fontsize="medium")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(left=False)
    return figure


def page(explanation) -> str:
    """Return the panels as tables of HTML, with bars that are cells."""
    return "".join(table(title, pairs) for title, pairs in panels(explanation))


def table(title: str, pairs: list[tuple[str, float]]) -> str:
    """Return one panel as HTML."""
    longest = max((abs(number) for _, number in pairs), default=0.0) or 1.0
    rows = "".join(
        f'<tr><td style="text-align:left">{escape(name)}</td>'
        f'<td style="text-align:right">{number:+.4g}</td>'
        f'<td style="text-align:left;width:10em"><div style="height:.8em;'
        f"width:{100 * abs(number) / longest:.0f}%;"
        f'background:{_FOR if number > 0 else _AGAINST}"></div></td></tr>'
        for name, number in pairs
    )
    return (
        f'<table style="display:inline-table;margin:0 1em 1em 0">'
        f'<caption style="text-align:left">{escape(title)}</caption>{rows}</table>'
    )
