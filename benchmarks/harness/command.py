"""The command line: ``python -m benchmarks --help``."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from .contest import Contest, Run, records_of
from .page import refuse_uncommitted
from .process import ROOT
from .records import (
    DIRTY,
    FOLDER,
    SCRATCH,
    Records,
    command_line,
    commit,
    stamp,
    write_aside,
)
from .sheet import SHEETS, section, write_sheet
from .timing import progress

# In the order of importance: what is measured first if all are.
CONTESTS = {
    name: f"benchmarks.contests.{name}"
    for name in (
        *("newton", "linear", "kernel", "tables", "online", "threads"),
        *("classes", "disk", "nystroem", "paths", "reading", "partitions"),
        "machines",
    )
} | {"papers": "benchmarks.papers"}
ALL, BEFORE_AFTER = "all", "before-after"
FAILURES = (FileNotFoundError, ImportError, RuntimeError, ValueError)


def find(name: str) -> Contest:
    """The contest of a name."""
    return import_module(CONTESTS[name]).CONTEST


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Or: python -m benchmarks {BEFORE_AFTER} --help",
    )
    known = [*CONTESTS, ALL]
    parser.add_argument("contest", nargs="?", choices=known, metavar="CONTEST")
    add = parser.add_argument
    add("--list", action="store_true", help="show contests, tables and data sets")
    add("--render", action="store_true", help="measure nothing, write the pages")
    add(
        "--resume",
        action="store_true",
        help="leave out what this commit was measured with already",
    )
    add("--tables", nargs="+", metavar="TABLE", help="which tables (all)")
    add("--data", nargs="+", metavar="NAME", help='data sets (all), or "digits"')
    add("--repeats", type=int, help="timed runs of each fit")
    add("--seeds", type=int, help="seeds, or orders of the rows")
    add(
        "--quick",
        action="store_true",
        help="a trial: few data, one run, its page to the terminal, no records kept",
    )
    add("--records", type=Path, default=FOLDER, help="folder (benchmarks/records)")
    add("--docs", type=Path, default=ROOT / "docs", help="folder of the pages (docs)")
    options = parser.parse_args(arguments)
    if options.contest is None and not (options.list or options.render):
        parser.error(f"name a contest among {', '.join(known)}, or give --list")
    for name in ("repeats", "seeds"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    return options


def listing(names: Sequence[str]) -> str:
    """Contests with their tables and data sets, for a terminal."""
    lines = []
    for name in names:
        contest = find(name)
        lines.append(f"{name}: {contest.title}")
        for number, table in contest.all_tables.items():
            names = dict.fromkeys(name.split(", ")[0] for name in table.data)
            lines.append(f"    --tables {number:14}{', '.join(names)}")
    return "\n".join(lines)


def measure(contest: Contest, options, records: Records, arguments) -> None:
    """Measure what is planned."""
    unknown = set(options.tables or ()) - set(contest.all_tables)
    if unknown:
        raise ValueError(
            f"--tables {', '.join(sorted(unknown))} is not known; choose among "
            f"{', '.join(contest.all_tables)}."
        )
    data = options.data or (contest.trial if options.quick else None)
    plan = list(contest.planned(options.tables, data))
    if not plan:
        raise ValueError(f"--data {' '.join(data or ())} is in none of these tables.")
    if commit().endswith(DIRTY) and not options.quick:
        progress("There are uncommitted changes: what is measured now goes on no page.")
    one = 1 if options.quick else None
    run = Run(
        options.repeats or one or contest.repeats,
        options.seeds or one or contest.seeds,
        records,
        SCRATCH / contest.name,
    )
    for table, name in plan:
        if options.resume and measured_now(records.get(table, name)):
            progress(f"{table}, {name}: measured already")
            continue
        progress(f"table {table}, {name}")
        described = stamp(command_line(arguments), contest.packages)
        found = contest.all_tables[table].measure(name, run)
        key = {"table": table, "data": name, "environment": described}
        records.add(key | found)


def measured_now(record: dict | None) -> bool:
    """Whether a record is of the sources as they are."""
    here = commit()
    same = record is not None and record["environment"].get("commit") == here
    return same and not here.endswith(DIRTY)


def write_pages(contests: Sequence[str], records: Path, docs: Path) -> None:
    """Write the pages that show some contests, from a folder of records."""
    for name in contests:
        contest = find(name)
        known = Records(records / f"{name}.jsonl")
        for page in contest.pages:
            shown = records_of(page.tables, known)
            if not shown:
                continue
            refuse_uncommitted(shown)
            write_aside(docs / page.file, page.render(name, known))
            if page.draw is not None:
                page.draw(known, docs)
            progress(f"wrote {page.file}")
    for sheet in SHEETS:
        if set(sheet.contests) & set(contests):
            write_sheet(sheet, find, records, docs)


def trial(contest: Contest, options, arguments) -> None:
    """Measure little and keep no records; the page goes to the terminal.

    A trial that was broken off goes on with ``--resume``.
    """
    path = SCRATCH / "trial" / f"{contest.name}.jsonl"
    if not options.resume:
        path.unlink(missing_ok=True)
    records = Records(path)
    measure(contest, options, records, arguments)
    for page in contest.pages:
        if records_of(page.tables, records):
            print(page.render(contest.name, records))
    if contest.tables:
        parts = section(contest, records, SCRATCH / "trial")
        print("\n\n".join([*parts, *contest.tables_text(records, "###")]))


def carry_out(name: str, options, arguments) -> None:
    """Measure a contest, and write its page."""
    if options.quick:
        trial(find(name), options, arguments)
        return
    records = Records(options.records / f"{name}.jsonl")
    measure(find(name), options, records, arguments)
    write_pages([name], options.records, options.docs)


def run(options: argparse.Namespace, arguments) -> None:
    """Carry out what the command line says."""
    names = [name for name in CONTESTS if name != "papers"]
    if options.contest not in (None, ALL):
        names = [options.contest]
    if options.list:
        print(listing(names))
        return
    if options.render:
        write_pages(names, options.records, options.docs)
        return
    failed = []
    for name in names:
        try:
            with threadpool_limits(limits=1):
                carry_out(name, options, arguments)
        except FAILURES as error:  # the others need not suffer
            if len(names) == 1:
                raise
            failed.append(f"{name} ({error})")
    if failed:
        raise RuntimeError(f"not measured: {'; '.join(failed)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a contest; returns the exit status. What fails is said in one line."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [BEFORE_AFTER]:
        from .before_after import main as compare

        return compare(words[1:])
    options = parse(words)
    try:
        run(options, words)
    except FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: continue with --resume", file=sys.stderr)
        return 130
    return 0
