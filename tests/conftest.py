"""A fit that ends before its tolerance is an error unless a test expects it."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

# The helpers in support/ (problems.py, reference.py) are imported by name.
sys.path.insert(0, str(Path(__file__).parent / "support"))


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
def interrupt_python(helpers_on_path):
    """Interrupt a script some seconds after it has printed "ready".

    Returns the seconds until its first word, the time at which it was stopped, and the
    other words that it printed.
    """
    if os.name != "posix":
        pytest.skip("signals as on POSIX")

    # Whoever runs the tests in the background may ignore the signal, and children too.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

    def interrupt(script, *arguments, after):
        script = listen + textwrap.dedent(script)
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=helpers_on_path,
            start_new_session=True,
        )
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            time.sleep(after)
            assert process.poll() is None, process.stderr.read()
            sent = time.time()
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 0, err
        stopped, *words = out.split()
        return float(stopped) - sent, words

    return interrupt


@pytest.fixture
def helpers_on_path():
    """An environment in which a fresh interpreter finds the helpers of the tests."""
    here = str(Path(__file__).parent / "support")
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}


@pytest.fixture(scope="session")
def cluster():
    """Two workers that are processes, for all tests that do not need their own."""
    from dask_cluster import small_cluster

    # Workers import functions of tests by the names that pytest gives their modules.
    root = str(Path(__file__).parents[1])
    if root not in sys.path:
        sys.path.append(root)
    with small_cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client, the current one too; the test must leave nothing on the cluster."""
    from dask_cluster import assert_nothing_left, connect

    with connect(cluster) as client, client.as_current():
        client.wait_for_workers(2)  # a test may have killed one
        client.run(exec, "import polymargin.dask")  # takes seconds
        yield client
        assert_nothing_left(client)
