"""Dependencies run one way: all imports of the package are read, also in functions, and
all includes of the core.

The order is that of the design: what is solved and where rows come from know nothing of
who trains, and nobody below knows the estimators.
"""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import polymargin

SOURCES = Path(polymargin.__file__).parent

# What each folder may import beside itself. Modules beside the folders are a folder of
# their own: "" has what needs nothing, the doorways are on top of all.
BASE = ("", "base")
MAY_IMPORT = {
    "": (),
    "base": BASE,
    "access": BASE,
    "machine": BASE,
    "certify": (*BASE, "access", "machine"),
}
UPWARDS = "prediction driver estimators tables explanation files selection dask"
for name in UPWARDS.split():
    MAY_IMPORT[name] = (*BASE, *list(MAY_IMPORT)[2:])
MAY_IMPORT["command"] = (*BASE, *list(MAY_IMPORT)[2:], "doorway")
MAY_IMPORT["doorway"] = tuple(MAY_IMPORT)

COMPILED = {"_cpu", "_reading"}
DOORWAYS = {"__init__", "__main__", "models", "comparison", "protocols", "significance"}
# Families of drivers that know of each other only through driver/*.py.
FAMILIES = ("linear", "kernel", "online")

# Steps in the wrong direction that are still to go: (module, what it imports).
KNOWN: set[tuple[str, str]] = set()


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)


MODULES = {module_of(path): path for path in sorted(SOURCES.rglob("*.py"))}


def folder_of(module: str) -> str:
    """The layer that a module belongs to."""
    first, _, rest = module.partition(".")
    if first in DOORWAYS and not rest:
        return "doorway"
    return first if first in MAY_IMPORT else ""


@cache
def imports_of(module: str) -> set[str]:
    """Modules of the package that a module imports, at its head or anywhere else."""
    path = MODULES[module]
    package = list(path.relative_to(SOURCES).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) - node.level + 1]
            target = [*above, *(node.module.split(".") if node.module else [])]
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            whole = (node.module or "").split(".")
            target, names = whole[1:], [alias.name for alias in node.names]
            if whole[0] != "polymargin":
                continue
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "polymargin":
                    found.add(".".join(alias.name.split(".")[1:]) or "__init__")
            continue
        else:
            continue
        for name in names:
            if not target and name in COMPILED:
                continue
            inner = ".".join([*target, name])
            outer = ".".join(target) or "__init__"
            found.add(inner if inner in MODULES else outer)
    return {name for name in found if name in MODULES} - {module}


def family_of(module: str) -> str | None:
    parts = module.split(".")
    return (
        parts[1]
        if parts[0] == "driver" and parts[1:2] and parts[1] in FAMILIES
        else None
    )


def test_the_reader_sees_imports():
    assert "driver.loop" in imports_of("driver.epochs")
    assert "machine.registry" in imports_of("machine.problem")
    assert "estimators.linear_svm" in imports_of("__init__")
    assert folder_of("driver.linear.dual") == "driver"
    assert folder_of("models") == "doorway" and folder_of("_core") == ""


def wrong_steps(module: str) -> set[tuple[str, str]]:
    folder, family = folder_of(module), family_of(module)
    allowed = {folder, *MAY_IMPORT[folder]}
    return {
        (module, other)
        for other in imports_of(module)
        if folder_of(other) not in allowed
        or (family is not None and family_of(other) not in (None, family))
    }


def test_no_step_in_the_wrong_direction():
    wrong = set().union(*map(wrong_steps, MODULES))
    assert wrong - KNOWN == set()
    assert KNOWN - wrong == set()  # have gone


def test_no_cycle():
    """No module imports itself by way of others."""
    done, path = set(), []

    def visit(module):
        if module in path:
            pytest.fail(
                "a cycle: " + " -> ".join([*path[path.index(module) :], module])
            )
        if module not in done:
            path.append(module)
            for other in sorted(imports_of(module)):
                visit(other)
            done.add(path.pop())

    for module in MODULES:
        visit(module)


def test_drivers_know_no_estimator():
    for path in (SOURCES / "driver").rglob("*.py"):
        assert "estimator" not in path.read_text(), path


HEADERS = Path(__file__).parents[1] / "core" / "include" / "polymargin"

# What the headers of each folder of the core may include beside their own folder.
MAY_INCLUDE = {
    "base": (),
    "restricted": ("base",),
    "access": ("base",),
    "machine": ("base", "restricted", "access"),
    "certify": ("base", "restricted", "access", "machine"),
    "driver": ("base", "restricted", "access", "machine", "certify"),
    "reading": ("base",),
}


def includes_of(header: Path) -> list[str]:
    """Headers of the core that a header includes, as paths below polymargin/."""
    found = re.findall(r'#include "polymargin/(.+)"', header.read_text())
    for name in found:
        assert (HEADERS / name).is_file(), f"{header} includes {name}"
    return found


def test_cpp_includes_run_one_way():
    includes = {
        str(header.relative_to(HEADERS)): includes_of(header)
        for header in sorted(HEADERS.rglob("*.hpp"))
    }
    assert "machine/machine.hpp" in includes["machine/workspace.hpp"]
    wrong = []
    for header, others in includes.items():
        folder, family = header.split("/")[0], header.split("/")[1:-1]
        for other in others:
            allowed = other.split("/")[0] in (folder, *MAY_INCLUDE[folder])
            # linear/, kernel/ and online/ know of each other only through driver/*.hpp
            apart = folder == "driver" and other.startswith("driver/")
            if not allowed or (apart and other.split("/")[1:-1] not in ([], family)):
                wrong.append(f"{header} -> {other}")
    assert not wrong
    sorter = TopologicalSorter(includes)
    sorter.prepare()  # raises CycleError
