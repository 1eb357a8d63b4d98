"""Loads the build of the C++ core that suits this processor.

The core is compiled once per instruction set into a module of its own, so that no
code for one processor can leak into another. The environment variable
``POLYMARGIN_INSTRUCTION_SET`` (generic, avx2 or avx512) overrides the choice.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ._cpu import supported_instruction_sets


def available_instruction_sets() -> list[str]:
    """Return the instruction sets that are built and that this processor has."""
    return [
        name
        for name in supported_instruction_sets()
        if find_spec(f"{__package__}._core_{name}") is not None
    ]


def _load() -> Any:
    available = available_instruction_sets()
    chosen = os.environ.get("POLYMARGIN_INSTRUCTION_SET") or available[-1]
    if chosen not in available:
        raise ImportError(
            f"POLYMARGIN_INSTRUCTION_SET={chosen!r} is not available on this "
            f"processor; choose one of {', '.join(available)} or unset it."
        )
    return import_module(f"{__package__}._core_{chosen}")


core = _load()
