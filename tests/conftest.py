"""A fit that ends before its tolerance is an error unless a test expects it."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread

import pytest

# The helpers in support/ (problems.py, reference.py) are imported by name.
sys.path.insert(0, str(Path(__file__).parent / "support"))

from patience import HANGS

# Whose tests are skipped where they are not installed. `make test` installs them all,
# and says so by POLYMARGIN_TEST_ALL: there a skip would go unnoticed.
PACKAGES = ("clarabel", "dask", "distributed", "hypothesis", "liblinear", "matplotlib")
PACKAGES += ("mkdocs", "onnx", "onnxruntime", "pandas", "polars", "pyarrow")
PACKAGES += ("rich", "safetensors", "skl2onnx", "zstandard")


def pytest_configure(config):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in the background so; tests press Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "filterwarnings", "error::sklearn.exceptions.ConvergenceWarning"
    )
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing and os.environ.get("POLYMARGIN_TEST_ALL"):
        raise pytest.UsageError(
            f"{', '.join(missing)}: not installed, and tests that need them would be "
            f"skipped; install the group `test` of pyproject.toml."
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
            timeout=HANGS,
        )
        if check:
            assert done.returncode == 0, done.stderr
            return done.stdout
        return done

    return run


@pytest.fixture
def interrupt_python(helpers_on_path):
    """Interrupt a script once it has printed "ready"; return the words that it adds."""
    if os.name != "posix":
        pytest.skip("signals as on POSIX")

    # Whoever runs the tests in the background may ignore the signal, and children too.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

    def interrupt(script, *arguments):
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
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=HANGS)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 0, err
        return out.split()

    return interrupt


@pytest.fixture
def interrupted():
    """Call a function until Ctrl-C, which is pressed once `ready` is set.

    Another thread presses it, so that it may come anywhere in what runs by then.
    """
    if os.name != "posix":
        pytest.skip("signals as on POSIX")

    def call(work, ready):
        gone_on = Event()

        def press():
            ready.wait()
            if not gone_on.is_set():
                os.kill(os.getpid(), signal.SIGINT)

        presser = Thread(target=press)
        # Whoever runs the tests in the background may ignore the signal.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            presser.start()
            with pytest.raises(KeyboardInterrupt):
                work()
        finally:
            gone_on.set()
            ready.set()
            presser.join()
            signal.signal(signal.SIGINT, before)

    return call


class FakeClock:
    """Stands still, or goes on by `tick` whenever somebody looks at it."""

    now = tick = 0.0

    def __call__(self):
        self.now += self.tick
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock of the package, for tests to move; the core has its own."""
    fake = FakeClock()
    for name, module in list(sys.modules.items()):
        if name.startswith("polymargin.") and hasattr(module, "perf_counter"):
            monkeypatch.setattr(module, "perf_counter", fake)
    return fake


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
