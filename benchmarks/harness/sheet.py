"""Two pages for all contests: figures and verdicts first, tables behind.

A page shows what there are records for, wherever they were measured, and says where.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .contest import Contest, records_of
from .page import machines, refuse_uncommitted
from .records import Records, write_aside
from .timing import progress


@dataclass(frozen=True)
class Sheet:
    """A page of docs/ with a section for each of its contests."""

    file: str
    title: str
    intro: str
    contests: tuple[str, ...]


_HOW = (
    "Plots come first, tables below. `make bench-all` measures and keeps a record of "
    "every number in `benchmarks/records`; `python -m benchmarks --render` writes this "
    "page from the records. We report the shortest of several runs, and geometric "
    "means of ratios. "
)
SHEETS = (
    Sheet(
        "benchmarks.md",
        "How fast it is",
        _HOW + "All on one thread, in memory. Threads, many classes and disks are on "
        "[the next page](benchmarks-scale.md), what did not help on "
        "[the one after](benchmark-notes.md).",
        ("newton", "linear", "kernel", "tables", "machines", "online", "reading"),
    ),
    Sheet(
        "benchmarks-scale.md",
        "How it scales",
        _HOW + "[The page before](benchmarks.md) compares programs on one thread, in "
        "memory.",
        ("threads", "classes", "paths", "disk", "nystroem", "partitions"),
    ),
)


def write_sheet(
    sheet: Sheet, find: Callable[[str], Contest], folder: Path, docs: Path
) -> None:
    """Write a page and its figures from the records in a folder, if there are any."""
    shown: list[tuple[Contest, Records]] = []
    everything: list[dict] = []
    for name in sheet.contests:
        contest, records = find(name), Records(folder / f"{name}.jsonl")
        if found := records_of(contest.tables, records):
            everything += found
            shown.append((contest, records))
    if not shown:
        return
    refuse_uncommitted(everything)
    parts = [f"# {sheet.title}", sheet.intro]
    for contest, records in shown:
        parts += section(contest, records, docs)
    parts.append("## The tables")
    for contest, records in shown:
        parts += [f"### {contest.title}", *contest.tables_text(records, "####")]
    parts += machines(everything)
    write_aside(docs / sheet.file, "\n\n".join(filter(None, parts)) + "\n")
    progress(f"wrote {sheet.file}")


def section(contest: Contest, records: Records, docs: Path | None) -> list[str]:
    """What a reader sees first of a contest: its figure, if it is drawn, and verdict.

    Without a folder nothing is drawn.
    """
    parts = [f"## {contest.title}"]
    if contest.draw is not None and docs is not None:
        file = f"benchmarks-{contest.name}.png"
        contest.draw(records, docs / file)
        parts.append(f"![{contest.title}]({file})")
    return [*parts, *contest.verdict(records)]
