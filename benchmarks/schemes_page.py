"""Tables 5.3 to 5.7 of the thesis as Markdown: here, and in brackets there."""

from collections.abc import Callable

from . import schemes_paper as paper
from .agreement import verdicts
from .markdown import NONE, digits, markdown_table
from .schemes_run import SEARCH_SECONDS


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _exponent(value: int | None) -> str:
    return NONE if value is None else f"2^{value}"


# Title, key of a record, factor to the unit of the paper, its numbers, their form.
TABLES: tuple[tuple[str, str, float, dict, Callable], ...] = (
    (
        "Table 5.3: accuracy in cross-validation, percent",
        *("cross_validation", 100.0, paper.CROSS_VALIDATION, _percent),
    ),
    ("Table 5.4: test accuracy, percent", "test", 100.0, paper.TEST, _percent),
    ("Table 5.5: best C", "exponent", 1, paper.BEST_C, _exponent),
    ("Table 5.6: seconds to train", "training", 1.0, paper.TRAINING, digits),
    ("Table 5.7: seconds to predict", "testing", 1.0, paper.TESTING, digits),
)


def render(records: list[dict]) -> str:
    """The section of the page."""
    text = (
        "Logistic regression (LR), squared-hinge (L2) and hinge (L1) SVM, each as "
        "one-vs-all and one-vs-one, Crammer-Singer (CS), maximum entropy on full (ME) "
        "and reduced (ME-2) feature vectors, all by polymargin, without intercept. C "
        "among 2^-5 to 2^3 by cross-validation on the training part "
        "(`tol=1e-2` there, `tol=1e-3` for the model whose times and test accuracy are "
        "shown), float32 rows, one thread. In brackets the number of the thesis, a "
        "dash where the scan is not legible or has none; its programs (LIBLINEAR, and "
        "one for maximum entropy), its computer (2.5 GHz, before 2012) and some of its "
        "data sets are others, so compare orders, not seconds. Scaling: features of "
        "the UCI and StatLog sets to [-1, 1] by their training part."
    )
    parts = [text, _data_table(records)]
    for title, key, factor, theirs, form in TABLES:
        parts += [f"**{title}**", _table(records, key, factor, theirs, form)]
    limited = _limited(records)
    if limited:
        parts.append(limited)
    parts += ["### Where the orders agree", verdicts(records)]
    return "\n\n".join(parts)


def _data_table(records: list[dict]) -> str:
    header = ["data set", "n", "test", "d", "k", "folds", "there n", "there test"]
    rows = []
    for record in records:
        shape = record["shape"]
        n, test = paper.SIZES.get(record["data"], (None, None))
        row = [record["data"], f"{shape['n']:,}", f"{record['test_rows']:,}"]
        row += [f"{shape['d']:,}", str(shape["k"]), str(record["folds"])]
        row += [NONE if size is None else f"{size:,}" for size in (n, test)]
        rows.append([*row, record["note"]])
    return markdown_table([*header, "note"], rows)


def _table(records: list[dict], key: str, factor, theirs: dict, form: Callable) -> str:
    rows = []
    for record in records:
        their_row = theirs.get(record["data"], (None,) * len(paper.METHODS))
        row = [record["data"]]
        for method, their in zip(paper.METHODS, their_row, strict=True):
            entry = record["methods"].get(method)
            own = form(factor * entry[key]) if entry else NONE
            row.append(f"{own} ({form(their)})")
        rows.append(row)
    return markdown_table(["data set", *paper.METHODS], rows)


def _limited(records: list[dict]) -> str:
    """Say which fits were cut short."""
    found = [
        f"{record['data']} {method} ({entry['limited']})"
        for record in records
        for method, entry in record["methods"].items()
        if entry["limited"]
    ]
    if not found:
        return ""
    return (
        f"Fits of the cross-validation that were stopped after {SEARCH_SECONDS:g} s, "
        f"before their tolerance: {', '.join(found)}."
    )
