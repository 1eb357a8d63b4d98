"""Files that are there in full or not at all, and what is said if they are not."""

import errno
import os
import stat
from pathlib import Path

import pytest

from polymargin import LinearSVM, load, save, save_data
from polymargin.files import atomic
from polymargin.files.atomic import append_whole, open_atomic, write_text_atomic

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def model():
    return LinearSVM(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def mode_of(path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666])
def test_who_may_read_stays(tmp_path, model, mode):
    path = tmp_path / "secret.polymargin"
    path.touch()
    path.chmod(mode)
    save(model, path)
    assert mode_of(path) == mode
    assert load(path).predict([[2.0]]) == [2]


def test_new_files_are_as_the_user_wants_them(tmp_path):
    before = os.umask(0o027)
    try:
        write_text_atomic(tmp_path / "new", "text")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == 0o640


def test_nobody_else_reads_what_is_half_written(tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0o600)
    with open_atomic(path) as file:
        file.write(b"x")
        (unfinished,) = tmp_path.glob(".*.tmp")
        assert mode_of(unfinished) == 0o600


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_full_disk_names_the_file(model):
    for write in (
        lambda: save_data([[1.0]], [1], FULL, format="npz"),
        lambda: save_data([[1.0]] * 10000, [1] * 10000, FULL, format="csv"),
        lambda: save(model, FULL),
    ):
        with pytest.raises(OSError, match="/dev/full") as caught:
            write()
        assert caught.value.errno == errno.ENOSPC
        assert "None" not in str(caught.value)


def test_full_disk_names_the_file_that_was_meant(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(OSError, match="No space") as caught:
        write_text_atomic(tmp_path / "report.html", "text")
    assert caught.value.filename == str(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_errors_of_other_files_stay(tmp_path):
    with (
        pytest.raises(FileNotFoundError) as caught,
        open_atomic(tmp_path / "target"),
        open(tmp_path / "other" / "source"),
    ):
        pass
    assert caught.value.filename == str(tmp_path / "other" / "source")


def test_append_goes_on_after_a_short_write(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(atomic.os, "write", lambda to, what: write(to, what[:3]))
    descriptor = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append_whole(descriptor, b"first line\n")
    append_whole(descriptor, b"second line\n")
    os.close(descriptor)
    assert (tmp_path / "log").read_bytes() == b"first line\nsecond line\n"


def test_append_takes_a_part_back(tmp_path, monkeypatch):
    """The disk is full in the middle of a line: nothing of it stays."""
    write, calls = os.write, []

    def full(to, what):
        calls.append(what)
        if len(calls) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(to, what[:4])

    descriptor = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append_whole(descriptor, b"first line\n")
    monkeypatch.setattr(atomic.os, "write", full)
    with pytest.raises(OSError, match="No space"):
        append_whole(descriptor, b"second line\n")
    os.close(descriptor)
    assert (tmp_path / "log").read_bytes() == b"first line\n"
