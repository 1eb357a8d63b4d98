"""The HTML report: one file, no network, no script, for screen, phone and paper."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from . import figures
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
    sections, links = [], []
    for key, heading, names in _SECTIONS:
        parts = []
        if key == "significance":
            parts.append(f"<p>{escape(tests.sentence)}</p>")
        drawn = [plot for plot in plots if plot.section == key]
        if drawn:
            wide = " wide" if key == "significance" else ""
            parts.append(
                f'<div class="plots{wide}">\n{"".join(map(_figure, drawn))}</div>'
            )
        for name in names:
            if name in by_key:
                if len(names) > 1:
                    parts.append(f"<h3>{escape(by_key[name].title)}</h3>")
                parts.append(by_key[name].as_html())
        if parts:
            body = "\n".join(parts)
            sections.append(
                f'<section id="{key}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>'
            )
            links.append(f'<a href="#{key}">{escape(heading)}</a>')
    missing = "" if figures.available() else f'<p class="missing">{_PLOTS_MISSING}</p>'
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    heading = escape(title(summary))
    when = summary.sessions[-1]["date"] if summary.sessions else ""
    body = "\n\n".join(sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="polymargin compare">
<title>{heading}</title>
<style>
{style}</style>
</head>
<body>
<header>
<p class="brand">polymargin compare</p>
<h1>{heading}</h1>
<p>{escape(protocol_text(summary))}</p>
<nav aria-label="Sections">{" ".join(links)}</nav>
{missing}
</header>
<main>
{body}
</main>
<footer><p>Made by polymargin compare, {escape(when)}. Every fit is in fits.jsonl and
results.csv beside this page.</p></footer>
</body>
</html>
"""


def _figure(plot: figures.Figure) -> str:
    caption = escape(plot.caption)
    return f"<figure>\n{plot.svg}\n<figcaption>{caption}</figcaption>\n</figure>\n"
