"""What `train` or `evaluate` have found as a page of HTML, for ``--html``."""

from html import escape

from ..selection.comparison.figures import available
from ..selection.comparison.html_page import figure, html_page, section
from .report_figures import (
    calibration_figure,
    comparison_figure,
    confusion_figure,
    recall_figure,
)

_NO_PLOTS = (
    '<p class="missing">There are no plots because matplotlib is not installed: run '
    "pip install 'polymargin[report]'.</p>"
)


def report_page(found: dict, command: str) -> str:
    """Return the page.

    Parameters
    ----------
    found : dict
        What ``--json`` prints.
    command : {"train", "evaluate"}
    """
    evaluation = _evaluation(found)
    sections = []
    if evaluation is not None:
        sections.append(section("accuracy", "Accuracy", _accuracy(evaluation)))
    if "machine" in found and isinstance(found["machine"], dict):
        sections.append(section("machine", "Machine", _machine(found)))
    if found.get("columns"):
        sections.append(section("columns", "Columns", _columns(found["columns"])))
    header = [f"<p>{escape(_headline(found, evaluation))}</p>"]
    if not available():
        header.append(_NO_PLOTS)
    return html_page(
        f"polymargin {command}",
        found["data"],
        header,
        sections,
        f"Made by polymargin {command}; <code>--json</code> has the same numbers.",
    )


def _evaluation(found: dict) -> dict | None:
    """Of a held-out file, else of folds, else what `evaluate` has found itself."""
    heldout, folds = found.get("heldout"), found.get("cross_validation")
    if heldout is not None and "confusion" in heldout:
        return heldout
    if folds is not None:
        return folds["evaluation"]
    return found if "confusion" in found else None


def _headline(found: dict, evaluation: dict | None) -> str:
    words = []
    if "rows" in found:
        label = f" in column “{found['label']}”" if found.get("label") else ""
        words.append(
            f"{found['rows']:,} rows, {found['features']:,} columns, "
            f"{found['classes']:,} classes{label}."
        )
    if evaluation is not None:
        of = "the rows"
        if found.get("heldout"):
            of += f" of {found['heldout']['data']}"
        elif "cross_validation" in found:
            of += ", each held out in cross-validation,"
        low, high = evaluation["interval"]
        words.append(
            f"{evaluation['accuracy']:.1%} of {of} are predicted right (with 95 % "
            f"confidence {low:.1%} to {high:.1%}); the most frequent label alone would "
            f"reach {evaluation['baseline']:.1%}."
        )
    if "model" in found:
        words.append(f"The model is in {found['model']}.")
    return " ".join(words)


def _accuracy(evaluation: dict) -> str:
    plots = (recall_figure, confusion_figure, calibration_figure) * available()
    parts = [_plots([plot(evaluation, at) for at, plot in enumerate(plots)])]
    counts = [sum(row) for row in evaluation["confusion"]]
    rows = [
        [str(label), f"{count:,}", _percent(precision), _percent(recall)]
        for label, count, precision, recall in zip(
            evaluation["labels"],
            counts,
            evaluation["precision"],
            evaluation["recall"],
            strict=True,
        )
    ]
    parts.append(_table(["label", "rows", "precision", "recall"], rows, "numbers"))
    parts.append(f"<p>Balanced accuracy {evaluation['balanced_accuracy']:.2%}.</p>")
    if evaluation.get("calibration"):
        found = evaluation["calibration"]
        parts.append(
            f"<p>Calibration: a probability of {found['probability']:.1%} in the mean, "
            f"and {found['right']:.1%} are right; by tenths they differ by "
            f"{found['error']:.1%}.</p>"
        )
    return "\n".join(parts)


def _machine(found: dict) -> str:
    machine = found["machine"]
    rows = [
        [name, _text(value)] for name, value in machine.items() if value is not None
    ]
    if found.get("dual_gap") is not None:
        rows.append(["duality gap", f"{found['dual_gap']:.1e} ({found['status']})"])
    parts = [_table(["parameter", "value"], rows, "words")]
    comparison = found.get("comparison")
    if comparison and comparison["trials"]:
        drawn = comparison_figure(comparison, 10) if available() else None
        parts.insert(0, _plots([drawn]))
        ended = "" if comparison["complete"] else ", until the budget was spent"
        parts.append(
            f"<p>{len(comparison['trials'])} settings were compared in "
            f"{comparison['seconds']:.1f} seconds{ended}.</p>"
        )
    return "\n".join(parts)


def _columns(columns: list[dict]) -> str:
    rows = [[str(one["name"]), one["kind"], one["what"]] for one in columns]
    return _table(["column", "kind", "what is made of it"], rows, "words")


def _plots(drawn: list) -> str:
    shown = "".join(figure(*one) for one in drawn if one is not None)
    return f'<div class="plots">\n{shown}</div>' if shown else ""


def _table(head: list[str], rows: list[list[str]], kind: str) -> str:
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in others)
        + "</tr>"
        for first, *others in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table class="{kind}">\n<thead><tr>{top}'
        f"</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _text(value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
