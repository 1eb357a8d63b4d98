"""The command on a terminal, and what it shows of its progress."""

import io
import os
import select
import subprocess
import time

import pytest
from command_files import command, digits, write_digits
from patience import HANGS

import polymargin
from polymargin import LinearSVM
from polymargin.command import fit_watch, progress_display
from polymargin.driver.epochs import Epoch

pty = pytest.importorskip("pty")


class Terminal:
    """The command behind a pseudo-terminal, which it believes to be a real one."""

    def __init__(self, *words, cwd):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command(*words),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=os.environ | {"COLUMNS": "120", "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(slave)
        self.text = ""

    def read_until(self, words=None, seconds=HANGS):
        """Read until something is shown, or to the end."""
        end = time.monotonic() + seconds
        while words is None or words not in self.text:
            assert time.monotonic() < end, self.text
            if not select.select([self.master], [], [], 1)[0]:
                continue
            try:
                more = os.read(self.master, 4096)
            except OSError:  # how Linux says that the other side is closed
                more = b""
            if not more:
                assert words is None, self.text
                break
            self.text += more.decode()

    def press_ctrl_c(self):
        os.write(self.master, b"\x03")

    def finish(self):
        self.read_until()
        os.close(self.master)
        return self.process.wait(timeout=HANGS)


def _own_terminal():
    """Make the pseudo-terminal the one whose Ctrl-C reaches the process."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_bar_and_ctrl_c(tmp_path):
    write_digits(tmp_path)
    limits = ["-k", "linear", "-e", "0", "--max-iter", "1000000000", "-c", "1e4"]
    limits += ["--solver", "dual"]  # Newton steps would come to an end
    terminal = Terminal("train", "digits.svm", *limits, cwd=tmp_path)
    try:
        terminal.read_until("gap")
        terminal.press_ctrl_c()
        status = terminal.finish()
    finally:
        terminal.process.kill()
    assert status == 130
    assert "\r[" in terminal.text and "epoch 1, gap" in terminal.text
    assert "stopped by Ctrl-C" in terminal.text
    model = polymargin.load(tmp_path / "digits.polymargin")
    assert model.status_ == "interrupted"
    assert model.predict(digits()[2]).shape == (200,)


def test_bar_to_the_end(tmp_path):
    write_digits(tmp_path)
    terminal = Terminal("train", "digits.svm", "-k", "linear", cwd=tmp_path)
    try:
        assert terminal.finish() == 0
    finally:
        terminal.process.kill()
    assert "of 5 folds" in terminal.text
    # What stays on the screen: bars are written over.
    kept = [line.split("\r\x1b[K")[-1] for line in terminal.text.split("\r\n")]
    assert [line.split()[0] for line in kept if line][:5] == [
        "data",
        "machine",
        "trained",
        "model",
        "accuracy",
    ]


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress_display, "monotonic", lambda: now[0])
    return now


def test_lines_are_rare(clock):
    stream = io.StringIO()
    lines = progress_display.Lines(stream)
    for number in range(1, 81):
        clock[0] += 0.125
        lines.show(number / 80, f"epoch {number}")
    shown = stream.getvalue().splitlines()
    assert len(shown) == 5
    assert shown[0] == " 20 %  epoch 16, about 8 s left"
    assert shown[-1] == "100 %  epoch 80, about 0 s left"


def test_bar(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    bar = progress_display.Bar(stream)
    bar.show(0.0, "epoch 1")
    clock[0] += 4
    bar.show(0.25, "epoch 2")
    bar.show(0.26, "too soon")
    bar.clear()
    text = stream.getvalue()
    assert f"[{'.' * 24}] epoch 1\x1b[K" in text
    assert f"[{'#' * 6}{'.' * 18}] epoch 2, about 12 s left\x1b[K" in text
    assert "too soon" not in text and text.endswith("\r\x1b[K")
    clock[0] += 1
    bar.show(0.5, "a line that is too long for this terminal")
    assert len(stream.getvalue().split("\r")[-1].removesuffix("\x1b[K")) == 59


def test_share_of_a_fit():
    watch = fit_watch.EpochWatch(progress_display.Progress())
    model = LinearSVM(tol=1e-4, max_iter=1000)
    assert watch.share(model, Epoch(1, 0.1, 1.0, 1.0)) == pytest.approx(1 / 1000)
    # The gap falls geometrically: half of the digits is half of the way.
    assert watch.share(model, Epoch(9, 0.1, 1e-2, 1.0)) == pytest.approx(0.5)
    assert watch.share(model, Epoch(900, 0.1, 1e-2, 1.0)) == pytest.approx(0.9)
    assert watch.share(model, Epoch(901, 0.1, 1e-5, 1.0)) == 1.0
    model.set_params(max_time=10.0)
    assert watch.share(model, Epoch(10, 8.0, float("inf"), 1.0)) == pytest.approx(0.8)
