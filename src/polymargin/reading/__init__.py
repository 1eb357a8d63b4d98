"""Data from files: svmlight text, tables, npz and Parquet, compressed or not."""

from .data import Data
from .load import FORMATS, load_data
from .parts import load_parts
from .save import save_data

__all__ = ["FORMATS", "Data", "load_data", "load_parts", "save_data"]
