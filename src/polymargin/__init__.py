"""Multi-class support vector machines, fast and with a certificate of accuracy."""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:  # what `__getattr__` imports
    from ._config import show_config
    from .access.row_store.store import RowStore, open_rows
    from .estimators.kernel_svm import KernelSVM
    from .estimators.label_pairs import label_pairs
    from .estimators.linear_svm import LinearSVM
    from .estimators.maxent import MaxEnt
    from .estimators.online_svm import OnlineSVM
    from .estimators.pruning import prune
    from .explanation.explain import explain
    from .files.conversion.conversion import convert
    from .files.data import load_data, save_data
    from .files.models import load, save
    from .files.models.inspection import describe
    from .files.models.liblinear import export_liblinear, import_liblinear
    from .files.models.onnx_converters import register_onnx_converters
    from .files.models.onnx_graph import export_onnx
    from .machine.costs import mean_cost, tree_distance
    from .selection.comparison import compare
    from .selection.path import path
    from .selection.tabular import tabular
    from .selection.tune import tune
    from .selection.tuned_svm import TunedSVM

# Where a name is, which is imported when it is first asked for: `polymargin --help`
# needs none of them.
_HOMES = {
    "KernelSVM": ".estimators.kernel_svm",
    "LinearSVM": ".estimators.linear_svm",
    "MaxEnt": ".estimators.maxent",
    "OnlineSVM": ".estimators.online_svm",
    "RowStore": ".access.row_store.store",
    "TunedSVM": ".selection.tuned_svm",
    "compare": ".selection.comparison",
    "convert": ".files.conversion.conversion",
    "describe": ".files.models.inspection",
    "explain": ".explanation.explain",
    "export_liblinear": ".files.models.liblinear",
    "export_onnx": ".files.models.onnx_graph",
    "import_liblinear": ".files.models.liblinear",
    "label_pairs": ".estimators.label_pairs",
    "load": ".files.models",
    "load_data": ".files.data",
    "mean_cost": ".machine.costs",
    "open_rows": ".access.row_store.store",
    "path": ".selection.path",
    "prune": ".estimators.pruning",
    "register_onnx_converters": ".files.models.onnx_converters",
    "save": ".files.models",
    "save_data": ".files.data",
    "show_config": "._config",
    "tabular": ".selection.tabular",
    "tree_distance": ".machine.costs",
    "tune": ".selection.tune",
}
_MODULES = ("comparison", "dask", "models", "protocols", "significance")

__all__ = [
    "KernelSVM",
    "LinearSVM",
    "MaxEnt",
    "OnlineSVM",
    "RowStore",
    "TunedSVM",
    "__version__",
    "compare",
    "convert",
    "describe",
    "explain",
    "export_liblinear",
    "export_onnx",
    "import_liblinear",
    "label_pairs",
    "load",
    "load_data",
    "mean_cost",
    "open_rows",
    "path",
    "prune",
    "register_onnx_converters",
    "save",
    "save_data",
    "show_config",
    "tabular",
    "tree_distance",
    "tune",
]


if not TYPE_CHECKING:  # or no name would be wrong

    def __getattr__(name: str):
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
