"""An extension of griffe: docstrings list machines and kernels as the package does.

Classes fill these lists in when they are imported, from registries that need nothing
compiled. The reference is made without importing classes, so it fills them in here.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import griffe

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
from polymargin.access.kernel_registry import lists_kernels
from polymargin.machine.docstrings import lists_machines

DECORATORS = {"lists_kernels": lists_kernels, "lists_machines": lists_machines}


class FilledDocstrings(griffe.Extension):
    """Applies the decorators that write into docstrings."""

    def on_class(self, *, cls: griffe.Class, **_) -> None:
        for decorator in reversed(cls.decorators):
            written = str(decorator.value)
            if cls.docstring is not None and written.startswith(tuple(DECORATORS)):
                stand_in = SimpleNamespace(__doc__=cls.docstring.value)
                eval(written, DECORATORS)(stand_in)
                cls.docstring.value = stand_in.__doc__
