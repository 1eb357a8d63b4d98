"""The tables as Markdown, from their records alone."""

from collections.abc import Callable, Sequence
from functools import partial

from .contests import CONTESTS
from .markdown import (
    NONE,
    bar,
    digits,
    markdown_table,
    megabytes,
    percent,
    ratio,
    share,
    times,
)
from .render_costs import crammer_singer_tables
from .render_speed import speed_tables
from .tables import DEFAULT_VARIANT, VARIANTS

BAR_WW = 4.0  # what was set out to be reached for Weston-Watkins


def _timed(entry: dict) -> str:
    if entry.get("seconds") is None:
        return "not reached" if entry else NONE
    return f"{digits(entry['seconds'])} ({entry['spread']:.2f})"


def _table_2(records: list[dict]) -> str:
    header = ["variant", *(record["data"] for record in records)]
    rows = [
        [variant, *(_effect(record, variant) for record in records)]
        for variant in VARIANTS
    ]
    text = (
        "Crammer-Singer to within 0.1 % of the optimum. First row: seconds and, in "
        "brackets, epochs. Other rows: time as a multiple of it, and epochs. Read off "
        "the histories of runs, so without validation and certificates. Shrinking "
        "matters to acf with more than 64 classes only. Where 0.1 % was not reached: "
        "how far off the run ended, and why (max_time: 20 times as long as the default "
        "and at least 10 s; precision: no step moves any more, as inexact solvers of "
        "the restricted problem leave it)."
    )
    return f"{text}\n\n{markdown_table(header, rows)}"


def _effect(record: dict, variant: str) -> str:
    entry = record["variants"].get(variant)
    if not entry:
        return NONE
    if entry["seconds"] is None:
        return f"{percent(entry['off'])} off ({entry['status']})"
    default = record["variants"][DEFAULT_VARIANT]["seconds"]
    if variant == DEFAULT_VARIANT or default is None:
        return f"{digits(entry['seconds'])} s ({entry['epochs']})"
    return f"{times(entry['seconds'] / default)} ({entry['epochs']})"


def _table_3(records: list[dict]) -> str:
    names = ("Shark", "Walrus")
    header = ["data set", "polymargin s", "epochs", "gap", "accuracy"]
    header += [f"{name} s (gap)" for name in names] + ["ratio to the better"]
    rows, ratios = [], {}
    for record in records:
        references = record["references"]
        row = [record["data"], _timed(record), str(record["epochs"])]
        row += [percent(record["gap"]), share(record["accuracy"])]
        row += [_reference(references.get(name)) for name in names]
        better = min((time for time, _ in references.values()), default=None)
        gain = ratio(better, record["seconds"])
        if gain is not None:
            ratios[record["data"]] = gain
        rows.append([*row, times(gain)])
    text = (
        "Weston-Watkins, C = 1, no intercept, one thread, to a relative gap of 0.1 %. "
        "The figures of Shark's linear solver and of Walrus were measured once on a "
        "machine of this kind, training only, and are not measured by this harness. "
        "The better of the two is the quicker, whatever its gap; Walrus cannot do "
        "clinc150, whose empty rows give it NaN (its epochs take 70 ms there)."
    )
    parts = [text, markdown_table(header, rows)]
    if ratios:
        worst = min(ratios, key=ratios.__getitem__)
        parts.append(bar(f"smallest ratio ({worst})", ratios[worst], BAR_WW))
    return "\n\n".join(parts)


def _reference(entry: Sequence[float] | None) -> str:
    return NONE if entry is None else f"{digits(entry[0])} ({percent(entry[1])})"


def _table_4(records: list[dict]) -> str:
    header = ["k", "n", "d", "non-zeros", "seconds", "epochs", "gap", "accuracy"]
    header += ["data MB", "W MB", "dense duals MB", "peak MB"]
    rows = []
    for record in records:
        shape = record["shape"]
        n, d, k = (shape[size] for size in ("n", "d", "k"))
        row = [f"{value:,}" for value in (k, n, d, shape["nnz"])]
        row += [digits(record["seconds"]), str(record["epochs"])]
        row += [percent(record["gap"]), share(record["accuracy"])]
        row += [megabytes(record["data_bytes"]), megabytes(4 * d * k)]
        row += [megabytes(4 * n * k), megabytes(record["peak_bytes"])]
        rows.append(row)
    text = (
        "Generated sparse rows, Crammer-Singer at the default `tol=1e-3`, float32. "
        "Peak: memory of training above the process with the data loaded; it holds W "
        "and the non-zero duals. Dense duals are what n times k numbers would take."
    )
    return f"{text}\n\n{markdown_table(header, rows)}"


def _table_5(records: list[dict]) -> str:
    rows = []
    for record in records:
        one, two = record["n_jobs"]["n_jobs=1"], record["n_jobs"]["n_jobs=2"]
        gain = times(one["seconds"] / two["seconds"])
        same = "yes" if record["identical"] else "NO"
        rows.append([record["data"], _timed(one), _timed(two), gain, same])
    header = ["data set", "n_jobs=1 s", "n_jobs=2 s", "ratio", "same model"]
    text = "Crammer-Singer at the default `tol=1e-3`; models compared bit by bit."
    return f"{text}\n\n{markdown_table(header, rows)}"


TITLES: dict[int, tuple[str, Callable[[list[dict]], str]]] = {
    1: ("Time to 0.1 % of the optimum", crammer_singer_tables),
    2: ("What the parts contribute", _table_2),
    3: ("Weston-Watkins", _table_3),
    4: ("Many classes", _table_4),
    5: ("Threads", _table_5),
    **{
        number: (contest.words, partial(speed_tables, contest))
        for number, contest in CONTESTS.items()
        if number > 1
    },
}
