"""Multi-class support vector machines, fast and with a certificate of accuracy."""

from ._config import show_config
from ._version import __version__
from .comparison import compare
from .kernel_svm import KernelSVM
from .linear import LinearSVM
from .maxent import MaxEnt
from .online_svm import OnlineSVM
from .paths import path
from .tuning import tune

__all__ = [
    "KernelSVM",
    "LinearSVM",
    "MaxEnt",
    "OnlineSVM",
    "__version__",
    "compare",
    "path",
    "show_config",
    "tune",
]
