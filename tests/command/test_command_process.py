"""The command in a process of its own: pipes, full disks, Ctrl-C."""

import json
import os
import resource
import signal
import subprocess
import sys

import pytest
from command_files import digits, run, start, write_digits, write_iris
from patience import HANGS

import polymargin
from polymargin import LinearSVM
from polymargin.command import SUBCOMMANDS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")

# Newton steps would come to an end.
ENDLESS = ["-k", "linear", "--solver", "dual", "-e", "0", "--max-iter", "1000000000"]
ENDLESS += ["-c", "1e4"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_digits(folder)
    write_iris(folder / "iris.csv")
    X, y, _, _ = digits()
    polymargin.save(LinearSVM(random_state=0).fit(X, y), folder / "digits.polymargin")
    return folder


def test_help_is_quick_and_teaches():
    script = """
import sys
from polymargin.command import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    assert stop.code == 0
assert not {"numpy", "scipy", "sklearn"} & set(sys.modules), "too much imported"
"""
    words = [["--help"], ["train", "--help"], ["predict", "--help"]]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for more in words
    ]
    texts = [process.communicate(timeout=HANGS) for process in processes]
    assert [err for _, err in texts] == ["", "", ""]
    assert all(name in texts[0][0] for name in SUBCOMMANDS)
    for out, _ in texts:
        assert "exit status:" in out
    assert "examples:\n  polymargin train table.csv " in texts[1][0]
    assert "polymargin predict new.svm news.polymargin " in texts[2][0]


def test_through_pipes_from_training_to_labels(folder, tmp_path):
    """Standard input, and a model that another process reads."""
    text = (folder / "digits.svm").read_text()
    words = ["train", "-", "-k", "linear", "-v", "0", "--json"]
    status, out, err = run(*words, input=text, cwd=tmp_path)
    assert (status, err) == (0, "")
    assert json.loads(out)["model"] == "model.polymargin"
    text = (folder / "digits.t.svm").read_text()
    words = ["predict", "-", "model.polymargin"]
    status, out, err = run(*words, input=text, cwd=tmp_path)
    X, y, X_test, _ = digits()
    expected = LinearSVM(random_state=0).fit(X, y).predict(X_test)
    assert out.split() == [str(label) for label in expected]
    assert status == 0 and err.startswith("Accuracy = ")


def test_closed_pipe(folder):
    """The reader of the output goes away before it is written."""
    reading, writing = os.pipe()
    os.close(reading)
    words = ["predict", folder / "digits.t.svm", folder / "digits.polymargin"]
    status, _, err = run(*words, stdout=writing)
    os.close(writing)
    assert status == 0
    assert err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_output(folder):
    words = ["predict", folder / "digits.t.svm", folder / "digits.polymargin"]
    with open("/dev/full", "w") as full:
        status, _, err = run(*words, stdout=full)
    assert (status, err) == (1, "polymargin predict: No space left on device.\n")


def test_full_disk(folder, tmp_path):
    """A limit on the size of files is what a test can have of a full disk."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    before = tmp_path / "digits.polymargin"
    before.write_text("the last model")
    words = ["train", folder / "digits.svm", "-k", "linear", "-v", "0", "-q"]
    status, _, err = run(*words, cwd=tmp_path, preexec_fn=limit)
    assert status == 1
    assert err.count("\n") == 1 and "File too large" in err
    assert before.read_text() == "the last model"  # and nothing beside it
    assert list(tmp_path.iterdir()) == [before]


def test_ctrl_c_keeps_the_model(folder, tmp_path):
    words = ["train", folder / "digits.svm", *ENDLESS, "--json"]
    process = start(*words, cwd=tmp_path)
    line = process.stderr.readline()  # progress: training has begun
    assert "epoch" in line and "gap" in line
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert "the model trained so far is in digits.polymargin" in err
    found = json.loads(out)
    assert found["status"] == "interrupted" and found["dual_gap"] is None
    model = polymargin.load(tmp_path / "digits.polymargin")
    _, _, X_test, y_test = digits()
    assert model.score(X_test, y_test) > 0.7


# Tells on a pipe that some epochs have begun: nothing is shown before a fold is done.
TELL_EPOCHS = """
import os
from polymargin.driver.loop import Clock

left, looks = Clock.left, []

def told(clock):
    looks.append(clock)
    if len(looks) == 10:
        os.write({pipe}, b".")
    return left(clock)

Clock.left = told
"""


def test_ctrl_c_in_a_search_on_threads(folder, tmp_path):
    reading, writing = os.pipe()
    process = start(
        *["tune", folder / "digits.svm", *ENDLESS[:-2], "--max-time", "300"],
        *["-j", "2", "-o", "m.polymargin", "--Cs", "1e4"],
        first=TELL_EPOCHS.format(pipe=writing),
        pass_fds=[writing],
        cwd=tmp_path,
    )
    os.close(writing)
    assert os.read(reading, 1) == b"."
    os.close(reading)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out) == (130, "")
    assert err == "polymargin tune: stopped; nothing is written.\n"
    assert list(tmp_path.iterdir()) == []


def test_as_a_module(tmp_path):
    words = [sys.executable, "-m", "polymargin.command", "train", "nowhere.svm"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 1
    assert done.stderr == "polymargin train: nowhere.svm: No such file or directory.\n"
