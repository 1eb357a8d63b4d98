"""Multi-class support vector machines, fast and with a certificate of accuracy."""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:  # what `__getattr__` imports
    from ._config import show_config
    from .comparison import compare
    from .kernel_svm import KernelSVM
    from .linear import LinearSVM
    from .maxent import MaxEnt
    from .models import load, save
    from .models.inspection import describe
    from .models.liblinear import export_liblinear, import_liblinear
    from .models.onnx_graph import export_onnx
    from .online_svm import OnlineSVM
    from .paths import path
    from .reading import load_data, save_data
    from .rowstore.conversion import convert
    from .rowstore.store import RowStore, open_rows
    from .tuning import tune

__all__ = [
    "KernelSVM",
    "LinearSVM",
    "MaxEnt",
    "OnlineSVM",
    "RowStore",
    "__version__",
    "compare",
    "convert",
    "describe",
    "export_liblinear",
    "export_onnx",
    "import_liblinear",
    "load",
    "load_data",
    "open_rows",
    "path",
    "save",
    "save_data",
    "show_config",
    "tune",
]

# Imported when they are first asked for: `polymargin --help` needs none of them.
_LATER = {
    "KernelSVM": ".kernel_svm",
    "LinearSVM": ".linear",
    "MaxEnt": ".maxent",
    "OnlineSVM": ".online_svm",
    "RowStore": ".rowstore.store",
    "compare": ".comparison",
    "convert": ".rowstore.conversion",
    "describe": ".models.inspection",
    "export_liblinear": ".models.liblinear",
    "export_onnx": ".models.onnx_graph",
    "import_liblinear": ".models.liblinear",
    "load": ".models",
    "load_data": ".reading",
    "open_rows": ".rowstore.store",
    "path": ".paths",
    "save": ".models",
    "save_data": ".reading",
    "show_config": "._config",
    "tune": ".tuning",
}


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
