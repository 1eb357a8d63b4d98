"""The version, which pyproject.toml states."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("polymargin")
except PackageNotFoundError:  # read from the sources, as for the reference
    __version__ = "0+unknown"
