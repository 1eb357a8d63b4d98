"""Multi-class support vector machines, fast and with a certificate of accuracy."""

from importlib import import_module

from ._config import show_config
from ._version import __version__
from .kernel_svm import KernelSVM
from .linear import LinearSVM
from .maxent import MaxEnt
from .online_svm import OnlineSVM
from .paths import path

__all__ = [
    "KernelSVM",
    "LinearSVM",
    "MaxEnt",
    "OnlineSVM",
    "__version__",
    "compare",
    "describe",
    "export_liblinear",
    "export_onnx",
    "import_liblinear",
    "load",
    "path",
    "save",
    "show_config",
    "tune",
]

# Imported when they are first asked for: they need much that machines do not.
_LATER = {
    "compare": ".comparison",
    "describe": ".models.inspection",
    "export_liblinear": ".models.liblinear",
    "export_onnx": ".models.onnx_graph",
    "import_liblinear": ".models.liblinear",
    "load": ".models",
    "save": ".models",
    "tune": ".tuning",
}


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
