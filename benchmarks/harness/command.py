"""The command line: ``python -m benchmarks --help``."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from .contest import Contest, Run
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
from .timing import progress

CONTESTS = {
    name: f"benchmarks.contests.{name}"
    for name in (
        *("linear", "kernel", "nystroem", "online"),
        *("newton", "paths", "tables", "reading", "disk", "scale"),
    )
} | {"papers": "benchmarks.papers"}
BEFORE_AFTER = "before-after"


def find(name: str) -> Contest:
    """The contest of a name."""
    return import_module(CONTESTS[name]).CONTEST


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Or: python -m benchmarks {BEFORE_AFTER} --help",
    )
    parser.add_argument("contest", nargs="?", choices=list(CONTESTS), metavar="CONTEST")
    add = parser.add_argument
    add("--list", action="store_true", help="show contests, tables and data sets")
    add("--render", action="store_true", help="measure nothing, write the pages")
    add("--resume", action="store_true", help="leave out what is measured already")
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
    if options.contest is None and not options.list:
        parser.error(f"name a contest among {', '.join(CONTESTS)}, or give --list")
    for name in ("repeats", "seeds"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    return options


def listing(names: Sequence[str]) -> str:
    """Contests with their tables and data sets, for a terminal."""
    lines = []
    for name in names:
        contest = find(name)
        lines.append(f"{name}: {contest.about}")
        for page in contest.pages:
            lines.append(f"  docs/{page.file}")
            for number, table in page.tables.items():
                title = f"{table.title}: " if table.title else ""
                names = dict.fromkeys(name.split(", ")[0] for name in table.data)
                lines.append(f"    --tables {number:14}{title}{', '.join(names)}")
    return "\n".join(lines)


def measure(contest: Contest, options, records: Records, arguments) -> None:
    """Measure what is planned."""
    unknown = set(options.tables or ()) - set(contest.tables)
    if unknown:
        raise ValueError(
            f"--tables {', '.join(sorted(unknown))} is not known; choose among "
            f"{', '.join(contest.tables)}."
        )
    data = options.data or (contest.quick if options.quick else None)
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
        if options.resume and (table, name) in records:
            progress(f"{table}, {name}: measured already")
            continue
        progress(f"table {table}, {name}")
        described = stamp(command_line(arguments), contest.packages)
        found = contest.tables[table].measure(name, run)
        key = {"table": table, "data": name, "environment": described}
        records.add(key | found)


def write_pages(contest: Contest, records: Records, folder: Path) -> None:
    """Write those pages of a contest that there are records for."""
    for page in contest.pages:
        shown = page.records(records)
        if not shown:
            continue
        refuse_uncommitted(shown)
        write_aside(folder / page.file, page.render(contest.name, records))
        if page.draw is not None:
            page.draw(records, folder)
        progress(f"wrote {page.file}")


def run(options: argparse.Namespace, arguments) -> None:
    """Carry out what the command line says."""
    if options.list:
        print(listing([options.contest] if options.contest else list(CONTESTS)))
        return
    contest = find(options.contest)
    path = options.records / f"{contest.name}.jsonl"
    if options.quick:
        path = SCRATCH / "trial" / path.name
        path.unlink(missing_ok=True)
    records = Records(path)
    if not options.render:
        with threadpool_limits(limits=1):
            measure(contest, options, records, arguments)
    if options.quick:
        for page in contest.pages:
            if page.records(records):
                print(page.render(contest.name, records))
    else:
        write_pages(contest, records, options.docs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a contest; returns the exit status. What fails is said in one line."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [BEFORE_AFTER]:
        from .before_after import main as compare

        return compare(words[1:])
    options = parse(words)
    try:
        run(options, words)
    except (FileNotFoundError, ImportError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: continue with --resume", file=sys.stderr)
        return 130
    return 0
