"""Time that goes on when it is looked at: tests of limits that need no seconds."""

import importlib


class CountedTime:
    """A clock that is a second later whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def count_time(monkeypatch, *modules: str) -> CountedTime:
    """Let modules of the package that know `perf_counter` have counted time."""
    clock = CountedTime()
    for name in modules:
        module = importlib.import_module(f"polymargin.{name}")
        monkeypatch.setattr(module, "perf_counter", clock)
    return clock
