"""show_config prints what it returns."""

import os
import subprocess
import sys

import polymargin


def test_show_config(capsys):
    config = polymargin.show_config()
    printed = dict(
        line.split(maxsplit=1)
        if not line.startswith(("instruction", "vector"))
        else (" ".join(line.split()[:2]), " ".join(line.split()[2:]))
        for line in capsys.readouterr().out.splitlines()
    )
    assert printed == {name: str(value) for name, value in config.items()}
    assert config["polymargin"] == polymargin.__version__
    assert config["instruction set"] in config["available"].split(", ")
    assert config["vector bytes"] in (16, 32, 64)
    assert config["compiler"].split()[0] in ("gcc", "clang")
    assert 1 <= config["threads"] <= os.cpu_count()


def test_public_names():
    estimators = {"LinearSVM", "MaxEnt", "KernelSVM", "OnlineSVM"}
    functions = {"path", "tune", "compare", "load", "save", "load_data", "save_data"}
    assert set(polymargin.__all__) >= {
        *estimators,
        *functions,
        "__version__",
        "show_config",
    }
    for name in {*polymargin.__all__} - {"__version__"}:
        public = getattr(polymargin, name)
        assert callable(public) and public.__doc__, name


def test_dir_is_what_is_public():
    names = dir(polymargin)
    assert set(names) == {*polymargin.__all__, *polymargin._MODULES}
    for name in polymargin._MODULES:
        module = getattr(polymargin, name)
        assert all(hasattr(module, public) for public in module.__all__)


def test_import_is_lazy():
    """What is not asked for is not imported: `polymargin --help` answers at once."""
    script = "import sys, polymargin; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(found.stdout.split())
    assert loaded.isdisjoint({"numpy", "scipy", "sklearn", "polymargin.estimators"})
