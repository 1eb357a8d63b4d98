"""A folder of ours inside one of the user's: made here, marked, and all we ever touch.

States of old rounds are deleted, so it must be certain that they are ours: nothing
outside of this folder is read, written or deleted, and a folder of its name that has no
mark is refused.
"""

import re
import shutil
from pathlib import Path

from ..files.atomic_folder import NEW, open_atomic_folder

NAME = "polymargin-checkpoint"
MARK = "made-by-polymargin.txt"
_TEXT = """\
polymargin made this folder for checkpoint=... and deletes folders named round-<number>
in it. Keep nothing of yours here; delete all of it to begin a run anew.
"""
_ROUND = re.compile(r"round-\d{6,}")


def own_folder(folder: Path) -> Path:
    """Return our folder inside `folder`, made and marked if there is none.

    Raises
    ------
    ValueError
        If there is something else of its name.
    """
    own = folder / NAME
    if not own.is_symlink() and not own.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with open_atomic_folder(own) as work:
            (work / NEW / MARK).write_text(_TEXT, encoding="utf-8")
    if not (own / MARK).is_file():
        raise ValueError(
            f"checkpoint={str(folder)!r} has {NAME!r} in it that polymargin did not "
            f"make; give another folder, or move it away."
        )
    return own


def round_folder(own: Path, number: int) -> Path:
    """Return the folder of a round, made if it is not there."""
    folder = own / f"round-{number:06d}"
    folder.mkdir(exist_ok=True)
    return folder


def delete_other_rounds(own: Path, kept: Path) -> None:
    """Delete the folders of all rounds but one."""
    for other in own.iterdir():
        if _ROUND.fullmatch(other.name) and other != kept:
            shutil.rmtree(other, ignore_errors=True)
