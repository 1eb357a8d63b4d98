"""Row stores that are replaced: one of the two is always there, whatever happens."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from polymargin import convert, open_rows
from polymargin.files import atomic_folder
from polymargin.files.atomic_folder import NEW, open_atomic_folder

OLD, OTHER = b"1 1:1\n2 2:1\n", b"3 1:1\n4 2:1\n5 3:1\n"
SCRIPT = """
    import os, signal, sys
    from polymargin import convert
    from polymargin.files import atomic_folder

    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    where, target = sys.argv[1:]
    if where == "read":
        convert(b"3 1:1\\n4 2:1\\n5 3:1\\n", target, overwrite=True, watch=die)
    if where == "between renames":
        atomic_folder._exchange = lambda *_: False
        rename = os.rename
        calls = []
        def second(*names):
            calls.append(names)
            if len(calls) == 2:
                die()
            rename(*names)
        os.rename = second
    if where == "exchanged":
        atomic_folder.shutil.rmtree = die
    convert(b"3 1:1\\n4 2:1\\n5 3:1\\n", target, overwrite=True)
"""


def labels_of(path) -> list:
    return open_rows(path).classes.tolist()


@pytest.fixture
def target(tmp_path):
    convert(OLD, tmp_path / "a.rows")
    return tmp_path / "a.rows"


def test_replaced(target):
    convert(OTHER, target, overwrite=True)
    assert labels_of(target) == [3, 4, 5]
    assert [path.name for path in target.parent.iterdir()] == ["a.rows"]


def test_replaced_without_an_exchange(target, monkeypatch):
    monkeypatch.setattr(atomic_folder, "_exchange", lambda *_: False)
    convert(OTHER, target, overwrite=True)
    assert labels_of(target) == [3, 4, 5]
    assert [path.name for path in target.parent.iterdir()] == ["a.rows"]


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_exchange(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not atomic_folder._exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot")
    assert (tmp_path / "a" / "b").exists()
    assert (tmp_path / "b" / "a").exists()


@pytest.mark.parametrize("exchanges", [True, False])
def test_failure_at_the_end(target, monkeypatch, exchanges):
    """What was there stays, also if the last step fails."""
    rename = os.rename

    def fails(first, second):
        if str(first).endswith(NEW):
            raise OSError(28, "No space left on device")
        rename(first, second)

    if exchanges:
        monkeypatch.setattr(atomic_folder, "_exchange", fails)
    else:
        monkeypatch.setattr(atomic_folder, "_exchange", lambda *_: False)
        monkeypatch.setattr(os, "rename", fails)
    with pytest.raises(OSError, match="No space") as caught:
        convert(OTHER, target, overwrite=True)
    assert caught.value.filename == str(target)
    assert labels_of(target) == [1, 2]
    assert [path.name for path in target.parent.iterdir()] == ["a.rows"]


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize(
    ("where", "left"),
    [("read", [1, 2]), ("between renames", None), ("exchanged", [3, 4, 5])],
)
def test_killed(target, where, left):
    """Nothing is lost, and the next one takes away what is left."""
    script = textwrap.dedent(SCRIPT)
    ended = subprocess.run(
        [sys.executable, "-c", script, where, str(target)], check=False
    )
    assert ended.returncode == -signal.SIGKILL
    names = {path.name for path in target.parent.iterdir()}
    assert len(names) >= 1
    if left is not None:
        assert labels_of(target) == left
    atomic_folder.clean_up(target)
    assert [path.name for path in target.parent.iterdir()] == ["a.rows"]
    assert labels_of(target) in ([1, 2], [3, 4, 5])
    convert(OTHER, target, overwrite=True)
    assert labels_of(target) == [3, 4, 5]


def test_others_at_work_are_left_alone(target):
    with open_atomic_folder(target) as folder:
        convert(OTHER, target, overwrite=True)
        assert folder.exists()
        np.save(folder / NEW / "x.npy", np.ones(1))
    assert (target / "x.npy").exists()


def test_folders_of_users_are_left_alone(target):
    mine = target.with_name(".a.rows.0123abcd.tmp")
    mine.mkdir()
    (mine / "thesis.tex").touch()
    convert(OTHER, target, overwrite=True)
    assert (mine / "thesis.tex").exists()


def test_all_files_are_on_the_disk(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def watched(descriptor):
        synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    if not os.path.exists("/proc/self/fd"):
        pytest.skip("no /proc")
    monkeypatch.setattr(os, "fsync", watched)
    convert(OLD, tmp_path / "a.rows")
    assert {path.name for path in (tmp_path / "a.rows").iterdir()} <= set(synced)
    assert "header.json" in synced
