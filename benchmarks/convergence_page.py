"""Figure 3 of Keerthi et al. as a figure, a table and what follows from it."""

from pathlib import Path

from .convergence_run import (
    DATA,
    LEVELS,
    NEAR,
    final_accuracy,
    seconds_to,
    seconds_to_accuracy,
)
from .markdown import NONE, digits, markdown_table, percent, share

FIGURE = "papers-convergence.png"
# Colour and line of each method; three lines as in the paper, and ours.
STYLES = {
    "SDM": ("#d55e00", "-."),
    "default": ("#000000", "-"),
    "EG": ("#0072b2", "--"),
    "CP": ("#009e73", "-"),
}
DECISIVE = 1e-2  # the difference at which the order of the methods is read


def draw(records: list[dict], path: Path) -> None:
    """Draw a row of two plots for each data set."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, rows = pyplot.subplots(
        len(records), 2, figsize=(9, 2.6 * len(records)), squeeze=False
    )
    for (left, right), record in zip(rows, records, strict=True):
        for method, curve in record["curves"].items():
            colour, line = STYLES[method]
            style = {"color": colour, "linestyle": line, "label": method}
            left.plot(curve["seconds"], curve["difference"], **style)
            right.plot(curve["seconds"], curve["accuracy"], **style)
        final = final_accuracy(record)
        left.set(xscale="log", yscale="log", ylim=(3e-5, 2), title=record["data"])
        left.set_ylabel("relative difference")
        right.set(xscale="log", ylim=(final - 0.15, final + 0.03))
        right.set(ylabel="test accuracy", title=record["data"])
        for axes in (left, right):
            axes.grid(alpha=0.3)
            axes.set_xlabel("training time in seconds")
    rows[0][0].legend(frameon=False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"part-{path.name}")
    figure.savefig(aside, dpi=110)
    aside.replace(path)
    pyplot.close(figure)


def render(records: list[dict], max_seconds: float) -> str:
    """The section of the page; the figure is drawn by `draw`."""
    text = (
        "Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008, section 2.3: "
        "Crammer-Singer with C = 1, no intercept, float64, one thread, one run of each "
        "method. SDM is the sequential dual method as in the paper (fresh "
        'permutations, shrinking, cooling: `solver="dual", order="permuted"`), default '
        "is `LinearSVM()` as it comes, EG `exponentiated_gradient`, CP "
        f"`cutting_plane`. A run ends at a gap of 1e-4 or after {max_seconds:g} s. The "
        "function is the dual objective, as in the paper; looking at the models is not "
        "counted. The data sets are ours: "
        + "; ".join(f"{own} in the place of {theirs}" for own, theirs in DATA.items())
        + "."
    )
    picture = f"![Relative difference and test accuracy against time]({FIGURE})"
    near = (
        "Seconds until the relative difference is at most 0.1, 0.01 and 0.001, and "
        f"until the test accuracy is no more than {100 * NEAR:g} points below the "
        "final one and stays there."
    )
    parts = [text, picture, near, _table(records), _verdicts(records)]
    return "\n\n".join(parts)


def _table(records: list[dict]) -> str:
    header = ["data set", "method", *(f"to {level:g}" for level in LEVELS)]
    header += ["to accuracy", "epochs", "gap at the end", "accuracy at the end"]
    rows = []
    for record in records:
        final = final_accuracy(record)
        for method, curve in record["curves"].items():
            row = [record["data"], method]
            row += [digits(seconds_to(curve, level)) for level in LEVELS]
            row += [digits(seconds_to_accuracy(curve, final)), str(curve["epochs"])]
            row += [percent(curve["gap"])]
            last = curve["accuracy"][-1] if curve["accuracy"] else None
            rows.append([*row, share(last)])
    return markdown_table(header, rows)


def _verdicts(records: list[dict]) -> str:
    """Whether SDM is faster than EG and EG than CP, as the paper finds everywhere."""
    lines = []
    for faster, slower in (("SDM", "EG"), ("EG", "CP"), ("default", "SDM")):
        for what in ("difference", "accuracy"):
            found = {r["data"]: _faster(r, faster, slower, what) for r in records}
            yes = [f"{name} ({gain})" for name, (won, gain) in found.items() if won]
            no = [f"{name} ({gain})" for name, (won, gain) in found.items() if not won]
            goal = f"a difference of {DECISIVE:g}"
            if what == "accuracy":
                goal = "the final accuracy"
            where = f"on {', '.join(yes)}" if yes else "nowhere"
            line = f"- {faster} reaches {goal} sooner than {slower} {where}"
            lines.append(line + (f"; not on {', '.join(no)}." if no else "."))
    paper = (
        "The paper finds SDM much faster than EG and EG much faster than CP on all "
        "five data sets, for either aim, and EG unable to get close on COVER. Here:"
    )
    return "\n".join([paper, "", *lines])


def _faster(record: dict, faster: str, slower: str, what: str) -> tuple[bool, str]:
    """Whether one method is faster than another, and by what factor."""

    def seconds(method: str) -> float | None:
        curve = record["curves"][method]
        if what == "accuracy":
            return seconds_to_accuracy(curve, final_accuracy(record))
        return seconds_to(curve, DECISIVE)

    one, other = seconds(faster), seconds(slower)
    if one is None:
        return False, "never" if other is not None else "neither"
    if other is None:
        return True, f"{slower} never"
    return one < other, f"{digits(other / one) if one else NONE}x"
