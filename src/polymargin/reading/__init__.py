"""Data from files: svmlight text, tables, npz and Parquet, compressed or not."""

from .data import Data
from .load import FORMATS, load_data
from .save import save_data

__all__ = ["FORMATS", "Data", "load_data", "save_data"]
