"""Data from files: svmlight text, tables, npz and Parquet, compressed or not."""

from .data import Data
from .load import FORMATS, load_data
from .save import save_data
from .train_and_test import load_parts

__all__ = ["FORMATS", "Data", "load_data", "load_parts", "save_data"]
