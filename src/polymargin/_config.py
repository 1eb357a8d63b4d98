"""What this installation is made of."""

import os
import platform
from importlib.metadata import version

from ._core import available_instruction_sets, core
from ._version import __version__


def show_config() -> dict[str, object]:
    """Print and return the version, instruction set, compiler and threads in use.

    Returns
    -------
    config : dict
        The printed values by name.

    Examples
    --------
    >>> import polymargin
    >>> config = polymargin.show_config()  # doctest: +ELLIPSIS
    polymargin ...
    """
    config: dict[str, object] = {
        "polymargin": __version__,
        "instruction set": core.instruction_set,
        "available": ", ".join(available_instruction_sets()),
        "vector bytes": core.vector_bytes,
        "compiler": core.compiler,
        "threads": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit-learn": version("scikit-learn"),
        "platform": platform.platform(),
    }
    width = max(map(len, config))
    for name, value in config.items():
        print(f"{name:<{width}}  {value}")
    return config
