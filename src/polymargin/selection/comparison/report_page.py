"""The HTML report: its sections, each with its plots and tables."""

from collections.abc import Sequence
from html import escape

from . import figures
from .html_page import figure, html_page, section
from .summary import Summary
from .tables import Table
from .verdicts import Tests

# Sections in their order: key, heading, keys of the tables in it.
_SECTIONS = (
    ("cost", "Mean cost", ("cost",)),
    ("accuracy", "Accuracy", ("accuracy", "beside")),
    ("significance", "Significance", ("pairs", "splits")),
    ("time", "Training time", ("time",)),
    ("convergence", "Convergence", ()),
    ("scaling", "Scaling with the number of classes", ()),
    ("parameters", "Best parameters", ("parameters",)),
    ("troubles", "Fits in trouble", ("troubles",)),
    ("datasets", "Data sets", ("datasets",)),
    ("machines", "Machines", ("machines",)),
    ("environment", "Where it ran", ("environment",)),
)
_PLOTS_MISSING = (
    "The plots (critical differences, convergence, scaling) are missing because "
    "matplotlib is not installed: run pip install 'polymargin[report]', then the same "
    "comparison again, which only draws them."
)


def title(summary: Summary) -> str:
    """Return the heading of a report."""
    machines, datasets = len(summary.machines), len(summary.datasets)
    return (
        f"{machines} machine{'s' if machines > 1 else ''} on {datasets} data "
        f"set{'s' if datasets > 1 else ''}"
    )


def protocol_text(summary: Summary) -> str:
    """Return how it was done, in words."""
    protocol, settings = summary.protocol, summary.settings
    words = f"Protocol “{protocol.name}”"
    if protocol.source:
        words += f": {protocol.source}"
    grids = "; ".join(
        f"{name} from {', '.join(f'{value:g}' for value in values)}"
        for name, values in protocol.grid.items()
    )
    facts = [
        f"{protocol.repeats} split{'s' if protocol.repeats > 1 else ''}",
        grids,
        f"rows prepared: {settings['prepare']}",
        f"seed {settings['seed']}",
    ]
    return f"{words}. In this run: {'; '.join(filter(None, facts))}."


def render(summary: Summary, tests: Tests, tables: Sequence[Table]) -> str:
    """Return the whole page.

    Parameters
    ----------
    summary : Summary
    tests : Tests
    tables : sequence of Table

    Returns
    -------
    html : str
    """
    by_key = {table.key: table for table in tables}
    plots = figures.all_figures(summary, tests) if figures.available() else []
    sections = []
    for key, heading, names in _SECTIONS:
        parts = []
        if key == "significance":
            parts.append(f"<p>{escape(tests.sentence)}</p>")
        drawn = [plot for plot in plots if plot.section == key]
        if drawn:
            wide = " wide" if key == "significance" else ""
            shown = "".join(figure(plot.svg, plot.caption) for plot in drawn)
            parts.append(f'<div class="plots{wide}">\n{shown}</div>')
        for name in names:
            if name in by_key:
                if len(names) > 1:
                    parts.append(f"<h3>{escape(by_key[name].title)}</h3>")
                parts.append(by_key[name].as_html())
        if parts:
            sections.append(section(key, heading, "\n".join(parts)))
    header = [f"<p>{escape(protocol_text(summary))}</p>"]
    if not figures.available():
        header.append(f'<p class="missing">{_PLOTS_MISSING}</p>')
    when = summary.sessions[-1]["date"] if summary.sessions else ""
    return html_page(
        "polymargin compare",
        title(summary),
        header,
        sections,
        f"Made by polymargin compare, {escape(when)}. Every fit is in fits.jsonl and "
        f"results.csv beside this page.",
    )
