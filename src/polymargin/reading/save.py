"""Rows and labels into files: svmlight text, CSV, TSV, npz."""

import bz2
import gzip
import lzma
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from .aside import written_aside

FORMATS = ("svmlight", "csv", "tsv", "npz")
_PACK = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def save_data(
    X, y, path: str | os.PathLike, *, format: str = "auto", feature_names=None
):
    """Write rows and labels (to be completed)."""
    path = Path(path)
    with written_aside(path) as file:
        if path.suffix == ".npz":
            if sp.issparse(X):
                np.savez(
                    file,
                    data=X.data,
                    indices=X.indices,
                    indptr=X.indptr,
                    shape=X.shape,
                    y=y,
                )
            else:
                np.savez(file, X=X, y=y)
        else:
            from sklearn.datasets import dump_svmlight_file

            dump_svmlight_file(X, y, file, zero_based=False)
