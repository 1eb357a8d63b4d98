"""The results folder: its settings, one line for each fit, and who works in it.

A fit is one line of JSON, synchronised when it is written. What is left of a line that
was not, because the disk is full, is taken away at once; a process that is killed
leaves at most one broken last line, which the next one takes away.
"""

import json
import os
from pathlib import Path

from ...files.atomic import append_whole, naming_file, write_text_atomic

try:
    import fcntl
except ImportError:  # not on Windows: there, nobody is kept out
    fcntl = None

FORMAT = 1
FITS = "fits.jsonl"
_NAMED = ("datasets", "machines")  # settings to which others may be added


class ResultsFolder:
    """Where fits are kept; in memory only if there is no path.

    Parameters
    ----------
    path : str, Path or None

    settings : dict
        Of the comparison. A folder with the fits of other settings is refused; data
        sets and machines may be added to it.

    Attributes
    ----------
    rows : list of dict
        What is known of every fit, in the order they were done.
    """

    def __init__(self, path: str | os.PathLike | None, settings: dict):
        self.path = None if path is None else Path(path)
        self.rows: list[dict] = []
        self._lines = self._lock = None
        if self.path is None:
            return
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(
                f"folder={str(path)!r} is a file; give the name of a folder."
            )
        self.path.mkdir(parents=True, exist_ok=True)
        self._keep_others_out()
        try:
            self._agree(json.loads(json.dumps({"format": FORMAT, **settings})))
            self.rows = self._read()
            self._lines = os.open(
                self.path / FITS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644
            )
        except BaseException:
            self.close()
            raise

    def append(self, row: dict) -> None:
        """Keep a row; it is on the disk when this returns."""
        if self._lines is not None:
            with naming_file(self.path / FITS):
                append_whole(self._lines, (json.dumps(row) + "\n").encode())
        self.rows.append(row)

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder."""
        write_text_atomic(self.path / name, text)

    def close(self) -> None:
        for handle in (self._lines, self._lock):
            if handle is not None:
                os.close(handle)
        self._lines = self._lock = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _keep_others_out(self) -> None:
        if fcntl is None:
            return
        self._lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise BlockingIOError(
                f"folder={str(self.path)!r} is being written by another process; wait "
                f"for it, or give another folder."
            ) from error

    def _agree(self, settings: dict) -> None:
        """Compare settings with those of the folder, and keep them."""
        file = self.path / "settings.json"
        if not file.exists():
            others = [entry for entry in self.path.iterdir() if entry.name != ".lock"]
            if others:
                raise ValueError(
                    f"folder={str(self.path)!r} holds other files "
                    f"({min(others).name}, ...) and no comparison; give an empty one."
                )
            stored = settings
        else:
            try:
                stored = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(
                    f"folder={str(self.path)!r} has a settings.json that is no JSON; "
                    f"give another folder."
                ) from error
            stored.setdefault("score", "accuracy")  # before there were others
            for difference in _differences(stored, settings):
                raise ValueError(
                    f"folder={str(self.path)!r} belongs to another comparison: "
                    f"{difference}; give another folder."
                )
            for name in _NAMED:
                stored[name] |= settings[name]
        write_text_atomic(file, json.dumps(stored, indent=2) + "\n")

    def _read(self) -> list[dict]:
        """Read all fits, and cut off a last line that was not finished."""
        file = self.path / FITS
        if not file.exists():
            return []
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(file, len(whole))
        rows = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise ValueError(
                    f"line {number} of {str(file)!r} is no JSON; delete that line."
                ) from error
        return rows


def _differences(stored: dict, settings: dict):
    """Yield what differs, in words."""
    for name, value in settings.items():
        if name not in _NAMED:
            if stored.get(name) != value:
                yield f"its {name} is {_short(stored.get(name), value)}"
            continue
        for entry, facts in value.items():
            if stored.get(name, {}).get(entry, facts) != facts:
                yield f"its {name[:-1]} {entry!r} is not the same"


def _short(stored, value) -> str:
    """A setting, or only those of its parts that differ."""
    if isinstance(stored, dict) and isinstance(value, dict):
        return "one with " + ", ".join(
            f"{part}={stored[part]!r}, not {value.get(part)!r}"
            for part in stored
            if stored[part] != value.get(part)
        )
    return f"{stored!r}, not {value!r}"
