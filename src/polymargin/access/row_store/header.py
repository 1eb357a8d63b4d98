"""The header of a row store: JSON that is checked before anything is believed."""

import json
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from ..._version import __version__
from ...base.finite import are_weights
from .segment_layout import Segment, SegmentLayout

FORMAT, VERSION = "polymargin rows", 1
NAME = "header.json"
_LONGEST = 2**30  # bytes of a header
_REALS = {"float32": np.dtype("<f4"), "float64": np.dtype("<f8")}
_INDICES = {"int32": np.dtype("<i4"), "int64": np.dtype("<i8")}
_LABELS = {"bool": bool, "int64": int, "uint64": int, "float64": float, "str": str}


@dataclass(frozen=True, eq=False)
class Header:
    """What is known of a store.

    Attributes
    ----------
    layout : SegmentLayout
    classes : ndarray or None
        The labels in order; None if rows have none.
    class_counts, class_weights : ndarray or None
        Rows of each class, and the sums of their weights.
    segments : list of Segment
        The files of the store.
    nonzeros : int
        Values that are not zero, of all rows.
    feature_names : list of str or None
    zero_based : bool or None
        As in `load_data`.
    """

    layout: SegmentLayout
    classes: np.ndarray | None
    class_counts: np.ndarray | None
    class_weights: np.ndarray | None
    segments: list[Segment]
    nonzeros: int
    feature_names: list[str] | None = None
    zero_based: bool | None = None

    @property
    def n_rows(self) -> int:
        return sum(segment.rows for segment in self.segments)

    def write(self, path: Path) -> None:
        layout, classes = self.layout, None
        if self.classes is not None:
            kind = "str" if self.classes.dtype.kind == "U" else self.classes.dtype.name
            classes = {
                "type": kind,
                "labels": self.classes.tolist(),
                "rows": self.class_counts.tolist(),
                "weights": self.class_weights.tolist(),
            }
        content = {
            "format": FORMAT,
            "version": VERSION,
            "polymargin": __version__,
            "rows": self.n_rows,
            "features": layout.n_features,
            "nonzeros": self.nonzeros,
            "layout": "csr" if layout.sparse else "dense",
            "dtype": layout.dtype.name,
            "index": layout.index.name,
            "weighted": layout.weighted,
            "classes": classes,
            "feature_names": self.feature_names,
            "zero_based": self.zero_based,
            "blocks": [list(segment) for segment in self.segments],
        }
        content["checksum"] = _checksum(content)
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _checksum(content: dict) -> int:
    return crc32(json.dumps(content, sort_keys=True).encode())


class _Damaged(Exception):
    """What is wrong with a header, in words."""


def read_header(folder: Path) -> Header:
    """Read and check a header; one sentence says what is wrong with it."""
    path = folder / NAME
    if not path.is_file():
        raise ValueError(
            f"{folder} is no row store, it has no {NAME}; make one with "
            f"polymargin.convert."
        )
    try:
        if path.stat().st_size > _LONGEST:
            raise _Damaged("it is too long")
        content = json.loads(path.read_bytes())
        return _header_of(content)
    except (ValueError, RecursionError, OverflowError, TypeError, KeyError) as error:
        reason = f"its header cannot be read ({type(error).__name__})"
        raise ValueError(_sentence(folder, reason)) from error
    except _Damaged as error:
        raise ValueError(_sentence(folder, f"of its header {error}")) from None


def _sentence(folder: Path, reason: str) -> str:
    return f"{folder} is a damaged row store: {reason}; convert the data again."


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise _Damaged(what)


def _is_count(value, least: int = 0) -> bool:
    return type(value) is int and least <= value < 2**62


def _header_of(content) -> Header:
    _need(isinstance(content, dict), "it is no object")
    _need(content.get("format") == FORMAT, "the format is another")
    if content.get("version") != VERSION:
        raise _Damaged(
            f"the version is {content.get('version')!r}, but this polymargin reads "
            f"version {VERSION}"
        )
    _need(content.pop("checksum", None) == _checksum(content), "the checksum is wrong")
    rows, features = content["rows"], content["features"]
    _need(_is_count(rows, 1) and _is_count(features, 1), "sizes are wrong")
    _need(_is_count(content["nonzeros"]), "sizes are wrong")
    _need(content["layout"] in ("csr", "dense"), "the layout is not known")
    _need(content["dtype"] in _REALS, "dtype is not known")
    _need(content["index"] in _INDICES, "index is not known")
    _need(type(content["weighted"]) is bool, "weighted is not true or false")
    _need(content["zero_based"] in (None, True, False), "zero_based is wrong")
    segments = content["blocks"]
    _need(
        isinstance(segments, list)
        and all(
            isinstance(found, list) and len(found) == 3 and all(map(_is_count, found))
            for found in segments
        ),
        "blocks are wrong",
    )
    segments = [Segment(*found) for found in segments]
    added = sum(segment.rows for segment in segments)
    _need(added == rows, "the rows of blocks do not add up")
    names = content["feature_names"]
    if names is not None:
        words = isinstance(names, list) and all(isinstance(name, str) for name in names)
        _need(words and len(names) == features, "feature_names are wrong")
    layout = SegmentLayout(
        content["layout"] == "csr",
        _REALS[content["dtype"]],
        _INDICES[content["index"]],
        features,
        content["classes"] is not None,
        content["weighted"],
    )
    return Header(
        layout,
        *_classes(content["classes"], rows),
        segments,
        content["nonzeros"],
        names,
        content["zero_based"],
    )


def _classes(classes, rows: int) -> tuple:
    if classes is None:
        return None, None, None
    kind, labels = classes["type"], classes["labels"]
    counts, weights = classes["rows"], classes["weights"]
    _need(kind in _LABELS, "the type of the labels is not known")
    lists = all(isinstance(values, list) for values in (labels, counts, weights))
    _need(lists and len(labels) == len(counts) == len(weights) > 0, "classes are wrong")
    _need(all(type(label) is _LABELS[kind] for label in labels), "labels are wrong")
    _need(all(map(_is_count, counts)) and sum(counts) == rows, "classes are wrong")
    array = np.array(labels, dtype=str if kind == "str" else kind)
    _need(bool(np.all(array[1:] > array[:-1])), "labels are not in order")
    weights = np.array(weights, dtype=float)
    _need(are_weights(weights), "weights are wrong")
    return array, np.array(counts, dtype=np.int64), weights
