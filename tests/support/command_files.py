"""Files for the tests of the command line, and ways to run it."""

import json
import os
import subprocess
import sys

import numpy as np
from patience import HANGS
from sklearn.datasets import dump_svmlight_file, load_digits, load_iris

from polymargin.command import main


def digits():
    """Training rows, their labels, test rows, their labels."""
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16, y[:400], X[400:600] / 16, y[400:600]


def write_digits(folder):
    """Write digits.svm and digits.t.svm, with features counted from 1."""
    X, y, X_test, y_test = digits()
    dump_svmlight_file(X, y, str(folder / "digits.svm"), zero_based=False)
    dump_svmlight_file(X_test, y_test, str(folder / "digits.t.svm"), zero_based=False)


def write_iris(path):
    """Write iris as CSV with names of features and of species."""
    data = load_iris()
    names = data.target_names[data.target]
    lines = ["length,width,petal_length,petal_width,species"]
    lines += [
        ",".join([*map(str, row), name])
        for row, name in zip(data.data.tolist(), names, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return data.data, names


def write_text(path, n=300, k=4):
    """Write sparse rows such as those of texts, of which three words give away k."""
    rng = np.random.default_rng(0)
    lines = []
    for i in range(n):
        words = set(rng.choice(2000, size=15, replace=False)) | {2000 + i % k}
        pairs = " ".join(f"{word + 1}:1" for word in sorted(words))
        lines.append(f"{i % k} {pairs}")
    path.write_text("\n".join(lines) + "\n")


def run_json(capsys, *words, status=0):
    """Run a command in this process and return the object that it prints."""
    assert main([*map(str, words), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def command(*words, first=""):
    """The words that start the command in a process of its own, after some Python."""
    # Whoever runs the tests in the background may ignore Ctrl-C, and children too.
    script = (
        "import signal, sys; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"exec({first!r}); "
        "from polymargin.command import main; sys.exit(main())"
    )
    return [sys.executable, "-c", script, *map(str, words)]


def start(*words, first="", **options):
    """Start the command in a process of its own."""
    options = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "start_new_session": True,
        "env": os.environ | {"COLUMNS": "100"},
    } | options
    return subprocess.Popen(command(*words, first=first), **options)


def run(*words, input=None, **options):
    """Run the command in a process of its own; return status, output, errors."""
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    process = start(*words, stdin=stdin, **options)
    out, err = process.communicate(input, timeout=HANGS)
    return process.returncode, out, err
