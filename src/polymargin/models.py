"""Models in files; see `polymargin.files.models`."""

from .files.models import ModelFileError, load, read_metadata, save

__all__ = ["ModelFileError", "load", "read_metadata", "save"]
