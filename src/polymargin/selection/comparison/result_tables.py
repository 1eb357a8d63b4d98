"""The tables of a report: accuracy, times, parameters, data sets."""

from collections import Counter

import numpy as np

from ..protocols import Protocol
from .scores import Score
from .summary import Summary
from .tables import NONE, WORSE, Cell, Table, digits
from .verdicts import Tests, worse_than_best


def score_table(summary: Summary, tests: Tests) -> Table:
    """What machines are judged by: the best of each line bold, those worse marked."""
    score = summary.score
    scores = np.round(
        score.scale * summary.table(score.key), 2 if score.scale > 1 else 4
    )
    lines, marked = [], False
    for line, values in zip(summary.lines, scores, strict=True):
        p = worse_than_best(summary, line)
        cells = [Cell(summary.line_name(line))]
        for machine, value in zip(summary.machines, values, strict=True):
            if np.isnan(value):
                cells.append(Cell(NONE))
                continue
            worse = p.get(machine, 1.0) < summary.protocol.level
            marked |= worse
            best = score.sign * value == np.nanmax(score.sign * values)
            spread = _spread(summary, line, machine)
            cells.append(Cell(_score_digits(score, value), best, worse, spread))
        lines.append(cells)
    if tests.ranks is not None:
        best = tests.ranks.min()
        ranks = [Cell(f"{rank:.2f}", rank == best) for rank in tests.ranks]
        lines.append([Cell("average rank"), *ranks])
    spread = " and standard deviation" if summary.protocol.summary == "mean" else ""
    how = _summed_up(summary, spread)
    caption = f"{score.caption}, {how}; the best in bold."
    if marked:
        caption += (
            f" {WORSE} worse than the best (Wilcoxon's signed-rank test over the "
            f"splits, p < {summary.protocol.level:g})."
        )
    header = ("data set", *summary.machines)
    return Table(score.key, score.title, header, lines, caption)


def beside_table(summary: Summary) -> Table | None:
    """Test accuracy, where machines are judged by something else."""
    if summary.score.key == "accuracy":
        return None
    lines = [
        [
            Cell(summary.line_name(line)),
            *(Cell(NONE if np.isnan(v) else f"{100 * v:.2f}") for v in values),
        ]
        for line, values in zip(summary.lines, summary.table("accuracy"), strict=True)
    ]
    caption = f"Test accuracy in percent, {_summed_up(summary)}."
    return Table("beside", "Accuracy", ("data set", *summary.machines), lines, caption)


def time_table(summary: Summary) -> Table:
    """Seconds to train with the chosen parameters, and in brackets to choose them."""
    train, search = summary.table("train_seconds"), summary.table("search_seconds")
    lines = []
    for line, seconds, searched in zip(summary.lines, train, search, strict=True):
        cells = [Cell(summary.line_name(line))]
        for value, other in zip(seconds, searched, strict=True):
            if np.isnan(value):
                cells.append(Cell(NONE))
                continue
            note = f"({digits(other)})" if summary.protocol.grid else ""
            fastest = value == np.nanmin(seconds)
            cells.append(Cell(digits(value), fastest, note=note))
        lines.append(cells)
    caption = f"Seconds of one training, {_summed_up(summary)}; the fastest in bold."
    if summary.protocol.grid:
        caption += " In brackets: seconds of the search for parameters before it."
    if len({(s["processor"], s["cores"]) for s in summary.sessions}) > 1:
        caption += " Run on more than one machine: these times cannot be compared."
    return Table(
        "time", "Training time", ("data set", *summary.machines), lines, caption
    )


def parameters_table(summary: Summary) -> Table | None:
    """What the search chose most often, and how often."""
    if not summary.protocol.grid:
        return None
    lines = []
    for line in summary.lines:
        cells = [Cell(summary.line_name(line))]
        for machine in summary.machines:
            chosen = summary.values(line, machine, "parameters")
            words = Counter(_in_words(point, summary.protocol) for point in chosen)
            if not words:
                cells.append(Cell(NONE))
                continue
            text, count = words.most_common(1)[0]
            many = f"({count} of {len(chosen)})" if len(chosen) > 1 else ""
            cells.append(Cell(text or "none", note=many))
        lines.append(cells)
    return Table(
        "parameters",
        "Best parameters",
        ("data set", *summary.machines),
        lines,
        "Chosen most often, and in how many of the splits.",
        numbers=False,
    )


def datasets_table(summary: Summary) -> Table:
    """Sizes of the data sets."""
    lines = [
        [
            Cell(name),
            Cell(f"{facts['rows']:,}"),
            Cell(f"{facts['features']:,}"),
            Cell(f"{facts['classes']:,}"),
            Cell(f"{100 * facts['density']:.3g} %"),
        ]
        for name, facts in summary.settings["datasets"].items()
    ]
    header = ("data set", "rows", "features", "classes", "nonzero")
    return Table("datasets", "Data sets", header, lines)


def machines_table(summary: Summary) -> Table:
    """What the names of the machines stand for."""
    lines = [
        [Cell(name), Cell(text)] for name, text in summary.settings["machines"].items()
    ]
    return Table("machines", "Machines", ("machine", "estimator"), lines, numbers=False)


def troubles_table(summary: Summary) -> Table | None:
    """Fits that failed, and fits that ended early, one line for each kind."""
    found: dict[tuple[str, str, str], int] = {}
    for row in summary.failures:
        key = row["dataset"], row["machine"], f"failed: {row['error']}"
        found[key] = found.get(key, 0) + 1
    early = [row for row in summary.fits if "warning" in row]
    texts = {(row["dataset"], row["machine"]): row["warning"] for row in early}
    for row in early:
        pair = row["dataset"], row["machine"]
        found[(*pair, texts[pair])] = found.get((*pair, texts[pair]), 0) + 1
    if not found:
        return None
    lines = [
        [Cell(dataset), Cell(machine), Cell(str(count)), Cell(text)]
        for (dataset, machine, text), count in found.items()
    ]
    header = ("data set", "machine", "fits", "what happened")
    return Table("troubles", "Fits in trouble", header, lines, numbers=False)


def environment_table(summary: Summary) -> Table:
    """The machine and the versions it ran on; several, if it went on elsewhere."""
    names = list(dict.fromkeys(name for s in summary.sessions for name in s))
    lines = []
    for name in names:
        values = dict.fromkeys(session.get(name, NONE) for session in summary.sessions)
        lines.append([Cell(name), Cell("; ".join(values))])
    return Table("environment", "Where it ran", ("what", "value"), lines, numbers=False)


def _spread(summary: Summary, line: tuple, machine: str) -> str:
    """The standard deviation over the splits, beside a mean."""
    values = summary.gains(line, machine)
    if summary.protocol.summary == "median" or len(values) < 2:
        return ""
    score = summary.score
    return f"± {_score_digits(score, score.scale * values.std(ddof=1))}"


def _score_digits(score: Score, value: float) -> str:
    return f"{value:.2f}" if score.scale > 1 else f"{value:.4f}"


def _summed_up(summary: Summary, spread: str = "") -> str:
    protocol = summary.protocol
    if protocol.repeats == 1:
        return "of one split"
    return f"{protocol.summary}{spread} over {protocol.repeats} splits"


def _in_words(point: dict, protocol: Protocol) -> str:
    values = [value for values in protocol.grid.values() for value in values]
    powers = all(np.log2(value).is_integer() for value in values)

    def number(value: float) -> str:
        if not powers:
            return f"{value:g}"
        power = np.log2(value)
        return f"2^{power:.0f}" if power.is_integer() else f"2^{power:.2g}"

    return ", ".join(
        f"{name.rpartition('__')[2]} = {number(value)}" for name, value in point.items()
    )
