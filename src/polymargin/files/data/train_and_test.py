"""Files that hold training rows and test rows, or that belong together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from .data import Data, as_numbers
from .label_rule import simplest_labels
from .limits import check_features, unpacked_bytes
from .load import load_written
from .npz import has_part, read_npz
from .sources import name_of, read_bytes


def load_parts(source, *, dtype=np.float64, n_jobs: int | None = None) -> list[Data]:
    """Read training rows, and test rows if they come with them.

    Parameters
    ----------
    source : str or Path
        An ``.npz`` file, perhaps with X_test and y_test, or test_data, ... and y_test;
        or another one that `load_data` reads, with the test rows in a file of the same
        name and ``.t`` if there is one.
    dtype, n_jobs
        As in `load_data`.

    Returns
    -------
    parts : list of Data
        One, or two with the same number of features.
    """
    path, name = Path(source), name_of(source)
    if _is_npz(path):
        limit = unpacked_bytes(None)
        content = read_bytes(path, limit)
        parts = [as_numbers(read_npz(content, name, limit=limit), name, dtype)]
        if has_part(content, "test"):
            test = read_npz(content, name, limit=limit, part="test")
            parts.append(as_numbers(test, name, dtype))
        for part in parts:
            check_features(part, None, name)
        return _labelled_alike(parts)
    test = path.with_name(path.name + ".t")
    both = [path, test] if test.is_file() else [path]
    return load_together(both, dtype=dtype, n_jobs=n_jobs)


def _is_npz(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix.lower() == ".npz" or file.read(4) == b"PK\x03\x04"


def load_together(sources: Sequence, **options) -> list[Data]:
    """Read files of the same kind of rows.

    Their labels are numbers if all of them are. In svmlight text, indices begin at 0 in
    all of them if they do in one, and all have as many features as the one that has
    most.

    Parameters
    ----------
    sources : sequence of str, Path, bytes or binary stream
    **options
        Of `load_data`.

    Returns
    -------
    parts : list of Data
    """
    parts = [load_written(source, **options) for source in sources]
    if any(part.zero_based for part in parts):
        parts = [
            load_written(source, **(options | {"zero_based": True}))
            if part.zero_based is False
            else part
            for source, part in zip(sources, parts, strict=True)
        ]
    width = max(part.X.shape[1] for part in parts)
    for part in parts:
        if sp.issparse(part.X):
            part.X.resize(part.X.shape[0], width)
    return _labelled_alike(parts)


def _labelled_alike(parts: list[Data]) -> list[Data]:
    """Apply the rule for labels to all parts together: they are of one problem."""
    labels = [part.y for part in parts if part.y is not None]
    if not labels:
        return parts
    ends = np.cumsum([len(y) for y in labels])[:-1]
    labels = iter(np.split(simplest_labels(np.concatenate(labels)), ends))
    return [part if part.y is None else replace(part, y=next(labels)) for part in parts]
