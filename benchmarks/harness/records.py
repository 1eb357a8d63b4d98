"""What a run leaves behind: a JSON line for each measurement, with its stamp."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from polymargin.selection.comparison import environment as comparison

from .process import ROOT

FOLDER = ROOT / "benchmarks" / "records"
SCRATCH = ROOT / "build" / "bench"  # optima, splits done, records of trials
DIRTY = "-dirty"


class Records:
    """Measurements by table and data set, in a JSON-lines file that only grows.

    The last line of a table and data set counts. A broken line, as an interrupted run
    may leave it, is skipped.
    """

    def __init__(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._records: dict[tuple[str, str], dict] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            record = json.loads(line)
            self._records[record["table"], record["data"]] = record
        except (ValueError, KeyError):
            return

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._records

    def get(self, table: str, data: str) -> dict | None:
        """Return the record of a table and data set, if there is one."""
        return self._records.get((table, data))

    def of(self, table: str, order: Sequence[str] = ()) -> list[dict]:
        """Return the records of a table: those in `order` first, then as measured."""
        found = [one for (name, _), one in self._records.items() if name == table]
        place = {name: at for at, name in enumerate(order)}
        return sorted(found, key=lambda one: place.get(one["data"], len(place)))

    def add(self, record: dict) -> None:
        """Append a record with the keys "table" and "data"."""
        line = json.dumps(record)
        with self.path.open("a") as file:
            file.write(f"\n{line}" if self._ends_amid_line() else line)
            file.write("\n")
        self._take(line)

    def _ends_amid_line(self) -> bool:
        text = self.path.read_bytes() if self.path.exists() else b""
        return bool(text) and not text.endswith(b"\n")


def write_aside(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.part")
    aside.write_text(text)
    os.replace(aside, path)


def stamp(command: str, packages: Sequence[str] = ()) -> dict[str, str]:
    """Describe the command, the date, the machine, the versions and the commit.

    Parameters
    ----------
    command : str
    packages : sequence of str
        Those whose versions matter, beside polymargin's own; or "java".
    """
    here = comparison.environment()
    versions = {one: _java() if one == "java" else _version(one) for one in packages}
    return {
        "date": here["date"],
        "command": command,
        **here,
        "commit": commit(),
        **versions,
        "load": f"{os.getloadavg()[0]:.1f}",
    }


@cache
def commit() -> str:
    """The commit of the sources, marked if tracked files other than pages differ."""

    def git(*words: str) -> str:
        run = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    try:
        name = git("rev-parse", "--short", "HEAD")
        others = (".", ":!benchmarks/records", ":!docs")
        changed = git("status", "--porcelain", "--untracked-files=no", "--", *others)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name + (DIRTY if changed else "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _java() -> str:
    try:
        run = subprocess.run(["java", "-version"], capture_output=True, text=True)
    except OSError:
        return "not installed"
    return run.stderr.splitlines()[0] if run.stderr else "unknown"


def command_line(arguments: Sequence[str] | None) -> str:
    """The command as a reader would type it."""
    words = sys.argv[1:] if arguments is None else arguments
    return " ".join(["python -m benchmarks", *words])
