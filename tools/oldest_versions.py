"""Prints the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def oldest(requirement: str) -> str:
    """Return ``name==1.2.*`` for ``name>=1.2``; three parts are an exact version."""
    name, version = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
    return f"{name}=={version}" + (".*" if version.count(".") < 2 else "")


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    print(*map(oldest, project["dependencies"]), sep="\n")
