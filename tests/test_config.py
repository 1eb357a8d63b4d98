"""show_config prints what it returns."""

import os

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
    assert set(polymargin.__all__) >= {
        "LinearSVM",
        "MaxEnt",
        "__version__",
        "show_config",
    }
    for name in polymargin.__all__:
        assert hasattr(polymargin, name)
