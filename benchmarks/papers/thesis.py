"""The page of a thesis on multi-class schemes: its tables, judged and drawn."""

from pathlib import Path

from ..harness.contest import Table
from ..harness.figure import saved_figure
from ..harness.markdown import digits, markdown_table
from ..harness.records import Records
from . import reduced
from .claims import FAILS, HOLDS, PARTLY, Claim, PaperPage
from .quantities import standard_error
from .schemes import CONFIGURATION, LOSSES, METHODS, SETUPS, measure, tables

FIGURE = "papers-schemes.png"
TIE = 0.1  # seconds that differ by less than this share are a tie
# Table, what a record calls it, rows of which its accuracies are shares.
KINDS = {
    "cross-validation": ("cross_validation", 0),
    "test": ("test", 1),
    "training": ("training", None),
    "testing": ("testing", None),
}


def printed_tables(records: list[dict]) -> list[str]:
    """Methods as the thesis prints them, beside ours and its own numbers."""
    shown = [record for record in records if "printed" in record]
    if not shown:
        return []
    theirs = {"CS": 6, "ME": 7, "ME-2": 8}
    rows, stops = [], []
    for record in shown:
        there = {
            key: CONFIGURATION.theirs[key].get(record["data"])
            for key in ("cross-validation", "training")
        }
        for method, entry in record["printed"].items():
            own = method.split(",")[0]
            ours = record["methods"][own]
            said = {
                key: f" ({row[theirs[own]]:g})" if row else ""
                for key, row in there.items()
            }
            rows.append(
                [
                    record["data"],
                    method,
                    f"{100 * entry['cross_validation']:.1f}{said['cross-validation']}",
                    f"{100 * ours['cross_validation']:.1f}",
                    f"{digits(entry['training'])}{said['training']}",
                    digits(ours["training"]),
                ]
            )
        for method, entry in record["stopped by (5.1)"].items():
            ours = record["methods"][method]
            stops.append(
                [
                    record["data"],
                    method,
                    str(entry["rounds"]),
                    digits(entry["seconds"]),
                    f"{100 * entry['test']:.1f}",
                    f"{100 * ours['test']:.1f}",
                ]
            )
    header = ["data set", "method", "cross-validation, %", "ours", "seconds", "ours"]
    stop_header = ["data set", "method", "rounds", "seconds", "test, %", "ours, %"]
    return [
        "### As printed",
        "Crammer-Singer with shrunk variables, (3.9): the thesis does not say when "
        "they are shrunk; here visits between full rounds see only those not zero "
        '(`shrinking="classes"`). Maximum entropy by algorithm 3, two variables at a '
        'time (`restricted="pairs", order="cyclic"`). In brackets the thesis.',
        markdown_table(header, rows),
        "Algorithm 3 stopped by (5.1) at 0.1, at the C chosen above, and the test "
        "accuracy of our model, which has a certificate:",
        markdown_table(stop_header, stops),
        "### One-vs-one and one-vs-all with the stopping of LIBLINEAR",
        "Seconds of one-vs-one over one-vs-all at a gap of 0.1 %, and where nothing "
        "violates by more than 0.1, as the thesis trained; in brackets the thesis.",
        markdown_table(
            ["data set", "LR", "LR, loose", "L2", "L2, loose", "L1", "L1, loose"],
            [[record["data"], *_pair_ratios(record)] for record in shown],
        ),
    ]


def _pair_ratios(record: dict) -> list[str]:
    there = CONFIGURATION.theirs["training"].get(record["data"])
    cells = []
    for at, loss in enumerate(LOSSES):
        for key in ("methods", "loose"):
            pairs, rest = (
                record[key][f"{loss} {kind}"]["training"] for kind in ("1-1", "1-all")
            )
            text = f"{pairs / max(rest, 1e-9):.2f}"
            if key == "methods" and there and there[2 * at] > 0:
                text += f" ({there[2 * at + 1] / there[2 * at]:.2f})"
            cells.append(text)
    return cells


def outcome(first: float, second: float, rows: int | None) -> int:
    """1 if the first is better: a higher accuracy, or fewer seconds; 0 for a tie."""
    if rows is None:
        close = abs(first - second) <= TIE * max(first, second)
        return 0 if close else 1 if first < second else -1
    error = standard_error(max(first, second), rows)
    return 0 if abs(first - second) <= error else 1 if first > second else -1


def pairs_of(first: str, second: str) -> list[tuple[str, str]]:
    """Columns that are compared: for each loss, or once."""
    losses = LOSSES if "{}" in first else ("",)
    return [(first.format(one), second.format(one)) for one in losses]


def here(table: str, first: str, second: str, records: Records) -> list[int]:
    """Outcomes on our data sets."""
    key, at = KINDS[table]
    found = []
    for record in records.of(CONFIGURATION.name, tuple(SETUPS)):
        rows = None
        if at is not None:
            rows = (record["shape"]["n"], record["test_rows"])[at]
        methods = record["methods"]
        for one, other in pairs_of(first, second):
            found.append(outcome(methods[one][key], methods[other][key], rows))
    return found


def there(table: str, first: str, second: str) -> list[int]:
    """Outcomes in the thesis, by the same rule, where its scan is legible."""
    columns, at = list(METHODS), KINDS[table][1]
    unit = 1.0 if at is None else 0.01
    found = []
    for name, row in CONFIGURATION.theirs[table].items():
        rows = None if at is None else CONFIGURATION.theirs["sizes"][name][at]
        for one, other in pairs_of(first, second):
            values = [unit * row[columns.index(column)] for column in (one, other)]
            if all(value == value for value in values):
                found.append(outcome(*values, rows))
    return found


def counted(found: list[int]) -> str:
    return f"{found.count(1)} for, {found.count(-1)} against, {found.count(0)} ties"


def claim(words: str, table: str, first: str, second: str) -> Claim:
    """A claim that the first column is better in a table."""

    def judge(records: Records) -> tuple[str, str] | None:
        found = here(table, first, second, records)
        if not found:
            return None
        wins, losses = found.count(1), found.count(-1)
        verdict = HOLDS if wins > 3 * losses else PARTLY if wins > losses else FAILS
        return counted(found), verdict

    return Claim(words, counted(there(table, first, second)), judge)


CLAIMS = (
    claim(
        "One-vs-one is more accurate than one-vs-all by cross-validation (table 5.3)",
        "cross-validation",
        "{} 1-1",
        "{} 1-all",
    ),
    claim(
        "One-vs-one is more accurate than one-vs-all on the test part (table 5.4)",
        "test",
        "{} 1-1",
        "{} 1-all",
    ),
    claim(
        "One-vs-one trains sooner than one-vs-all (table 5.6)",
        "training",
        "{} 1-1",
        "{} 1-all",
    ),
    claim(
        "One-vs-all predicts sooner than one-vs-one (table 5.7)",
        "testing",
        "{} 1-all",
        "{} 1-1",
    ),
    claim(
        "Crammer-Singer trains sooner than maximum entropy (table 5.6)",
        "training",
        "CS",
        "ME",
    ),
    claim(
        "Maximum entropy trains sooner on full than on reduced features (table 5.6)",
        "training",
        "ME",
        "ME-2",
    ),
)


def draw(records: Records, folder: Path) -> None:
    """Bars of tables 5.4 and 5.6: ours filled, the thesis's as marks."""
    found = records.of(CONFIGURATION.name, tuple(SETUPS))
    if not found:
        return
    size = (11, 2.3 * len(found))
    with saved_figure(folder / FIGURE, len(found), 2, size) as (_, rows):
        for (left, right), record in zip(rows, found, strict=True):
            for panel, table, unit in ((left, "test", 100.0), (right, "training", 1.0)):
                key = KINDS[table][0]
                values = [unit * record["methods"][name][key] for name in METHODS]
                panel.bar([*METHODS], values, color="#0072b2", label="here")
                theirs = CONFIGURATION.theirs[table].get(record["data"])
                if theirs:
                    panel.plot([*METHODS], theirs, "D", color="#d55e00", label="there")
                panel.tick_params(axis="x", labelrotation=40, labelsize=7)
                panel.set_title(record["data"], fontsize=9)
                panel.spines[["top", "right"]].set_visible(False)
            left.set_ylim(max(0, min(left.dataLim.intervaly[1] - 45, 60)), None)
            left.set_ylabel("test accuracy, %")
            right.set(yscale="log", ylabel="seconds to train")
        rows[0][0].legend(frameon=False, fontsize=8)


def body(records: list[dict]) -> list[str]:
    """The figure, the five tables, and the methods as printed."""
    picture = f"![Tables 5.4 and 5.6 as bars]({FIGURE})"
    return [picture, *tables(records), *printed_tables(records)]


PAGE = PaperPage(
    "papers-schemes.md",
    "The thesis: schemes of linear classification",
    {
        CONFIGURATION.name: Table("Tables 5.3 to 5.7", measure, tuple(SETUPS), body),
        reduced.NAME: Table(
            "Table 4.1", reduced.measure, tuple(reduced.THEIRS), reduced.tables
        ),
    },
    draw=draw,
    paper="003",
    claims=CLAIMS,
)
