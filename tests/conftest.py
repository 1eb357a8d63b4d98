"""A fit that ends before its tolerance is an error unless a test expects it."""

import ctypes
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# The helpers beside the tests (problems.py, reference.py) are imported by name.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config):
    config.addinivalue_line(
        "filterwarnings", "error::sklearn.exceptions.ConvergenceWarning"
    )


@pytest.fixture(autouse=True)
def _seeded_peers():
    """LIBLINEAR draws from the C library: no test depends on what others drew."""
    if sys.platform == "linux":
        ctypes.CDLL(None).srand(1)


@pytest.fixture
def run_python():
    """Run a script in a fresh interpreter and return what it printed."""

    def run(script, *arguments, env=None, check=True, input=None):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
            capture_output=True,
            text=True,
            env=env,
            input=input,
            timeout=120,
        )
        if check:
            assert done.returncode == 0, done.stderr
            return done.stdout
        return done

    return run


@pytest.fixture
def helpers_on_path():
    """An environment in which a fresh interpreter finds the helpers of the tests."""
    here = str(Path(__file__).parent)
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}
