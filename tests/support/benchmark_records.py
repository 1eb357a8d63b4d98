"""Made-up records of benchmarks, and a run of a contest in a folder of its own."""

from benchmarks.harness.command import main
from benchmarks.harness.contest import Run
from benchmarks.harness.records import Records

STAMP = {
    "date": "today",
    "command": "python -m benchmarks",
    "processor": "abacus",
    "commit": "abc1234",
    "instruction set": "beads",
}


def record(table, data, **facts):
    """A record with a stamp."""
    return {"table": table, "data": data, "environment": STAMP, **facts}


def filled(folder, contest, *records):
    """The records of a contest in a folder, filled with some."""
    store = Records(folder / f"{contest}.jsonl")
    for one in records:
        store.add(one)
    return store


def run_in(folder, repeats=1, seeds=1):
    """What a measurement is given."""
    return Run(repeats, seeds, Records(folder / "records.jsonl"), folder / "scratch")


def command(folder, *words):
    """Run ``python -m benchmarks`` with records and pages in a folder."""
    return main([*words, "--records", str(folder), "--docs", str(folder / "docs")])


def page_of(folder, contest, file, *records):
    """The page that a contest renders from records."""
    filled(folder, contest, *records)
    assert command(folder, contest, "--render") == 0
    return (folder / "docs" / file).read_text()
