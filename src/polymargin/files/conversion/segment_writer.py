"""Rows in random order become the segments of a store."""

from collections.abc import Callable, Iterable
from pathlib import Path

import scipy.sparse as sp

from ...access.row_store.header import NAME, Header
from ...access.row_store.segment_layout import (
    Segment,
    SegmentLayout,
    segment_path,
    write_segment,
)
from .coded_rows import CodedRows, stack_rows
from .source_summary import SourceSummary


class SegmentWriter:
    """Collects rows until they fill a segment, and writes it.

    Parameters
    ----------
    folder : Path
    layout : SegmentLayout
    summary : SourceSummary
    segment_size : int
        Most bytes of a segment, which has at least one row.
    """

    def __init__(
        self,
        folder: Path,
        layout: SegmentLayout,
        summary: SourceSummary,
        segment_size: int,
    ):
        self.folder, self.layout, self.summary = folder, layout, summary
        of_a_row = layout.n_features * layout.dtype.itemsize
        if layout.sparse:
            mean = summary.nonzeros / summary.rows
            of_a_row = mean * (layout.dtype.itemsize + layout.index.itemsize) + 8
        self.segment_rows = int(max(segment_size / (of_a_row + 12), 1))
        # Segments of the same size: the last one is no remainder.
        count = -(-summary.rows // self.segment_rows)
        self.segment_rows = -(-summary.rows // count)
        self.classes = None
        if summary.labels is not None:
            *self.classes, self.places = summary.labels.classes()
        self._waiting: list[CodedRows] = []
        self._rows = 0
        self.segments: list[Segment] = []

    def add(self, rows: CodedRows) -> None:
        """Take rows."""
        self._waiting.append(rows)
        self._rows += len(rows)
        if self._rows < self.segment_rows:
            return
        rows = stack_rows(self._waiting)
        full = self._rows // self.segment_rows * self.segment_rows
        for start in range(0, full, self.segment_rows):
            self._write(rows.take(slice(start, start + self.segment_rows)))
        rest = rows.take(slice(full, None))
        self._waiting, self._rows = [rest] if len(rest) else [], len(rest)

    def finish(self) -> None:
        """Write what is left."""
        if self._waiting:
            self._write(stack_rows(self._waiting))
            self._waiting = []

    def _write(self, rows: CodedRows) -> None:
        labels = self.places[rows.codes] if self.layout.labelled else None
        path = segment_path(self.folder, len(self.segments))
        X = self._rows_of(rows.X)
        self.segments.append(write_segment(path, self.layout, X, labels, rows.weights))

    def _rows_of(self, X):
        """The rows in the layout of the store."""
        shape = X.shape[0], self.layout.n_features
        if sp.issparse(X):
            columns = X.indices - X.indices.dtype.type(self.summary.first_column)
            X = sp.csr_array((X.data, columns, X.indptr), shape=shape)
            X.sum_duplicates()
            return X if self.layout.sparse else X.toarray()
        return sp.csr_array(X) if self.layout.sparse else X


def write_store(
    folder: Path,
    shuffled: Iterable[CodedRows],
    summary: SourceSummary,
    kind: str,
    segment_size: int,
    watch: Callable[[int], None],
    feature_names=None,
    zero_based=None,
) -> None:
    """Write segments, and the header when they are there.

    Parameters
    ----------
    folder : Path
        Which exists, and has no segments.
    shuffled : iterable of CodedRows
        All rows, in random order.
    summary : SourceSummary
    kind : {"auto", "csr", "dense"}
    segment_size : int
    watch : callable
        Is told how many rows have been written.
    feature_names, zero_based
        Of the header.
    """
    writer = SegmentWriter(folder, summary.layout(kind), summary, segment_size)
    done = 0
    for rows in shuffled:
        writer.add(rows)
        done += len(rows)
        watch(done)
    writer.finish()
    header = Header(
        writer.layout,
        *(writer.classes or (None, None, None)),
        writer.segments,
        summary.nonzeros,
        feature_names,
        zero_based,
    )
    header.write(folder / NAME)
