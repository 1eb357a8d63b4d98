"""What a run leaves behind: a line of JSON per result, and the optima."""

import json
import os
from pathlib import Path


class Results:
    """Results by table and data set, in a JSON-lines file that only grows.

    The last line of a table and data set counts. A broken line, as an interrupted run
    may leave it, is skipped.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    """

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "results.jsonl"
        self._records: dict[tuple[int | str, str], dict] = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            record = json.loads(line)
            self._records[record["table"], record["data"]] = record
        except (ValueError, KeyError):
            return

    def __contains__(self, key: tuple[int | str, str]) -> bool:
        return key in self._records

    def get(self, table: int | str, data: str) -> dict | None:
        """Return the record of a table and data set, if there is one."""
        return self._records.get((table, data))

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

    def of_table(self, table: int | str) -> list[dict]:
        """Return the records of a table in the order they were first measured."""
        return [
            record for (number, _), record in self._records.items() if number == table
        ]


class Optima:
    """Optimal objectives by data set and machine, kept between runs.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path):
        self.path = folder / "optima.json"
        text = self.path.read_text() if self.path.exists() else "{}"
        self._values: dict[str, dict] = json.loads(text)

    def get(self, key: str) -> dict | None:
        """Return what is known under a key."""
        return self._values.get(key)

    def put(self, key: str, value: dict) -> None:
        """Keep a value."""
        self._values[key] = value
        write_aside(self.path, json.dumps(self._values, indent=1))


def write_aside(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.part")
    aside.write_text(text)
    os.replace(aside, path)
