"""Row stores of small problems, cut as finely as large ones would be."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from polymargin import convert
from polymargin.driver.linear.stored import driver


def in_chunks(X, y, weights=None, size=37):
    """Chunks of so many rows, as a generator gives them."""
    for start in range(0, X.shape[0], size):
        part = slice(start, start + size)
        chunk = [X[part], None if y is None else y[part]]
        yield tuple(chunk if weights is None else [*chunk, weights[part]])


def make_store(folder, X, y, weights=None, name="a.rows", **options):
    return convert(in_chunks(X, y, weights), folder / name, **options)


def row_keys(X, y=None, weights=None):
    """Rows with what belongs to them, in an order that does not depend on theirs."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    others = [list(part) for part in (y, weights) if part is not None]
    return sorted(
        (tuple(row), *rest) for row, *rest in zip(X.tolist(), *others, strict=True)
    )


@dataclass(frozen=True)
class FixedPlan:
    """Ranges of so many rows, so many of them at once."""

    range_rows: int
    size: int
    state_bytes: float = 1e9
    support: float = 1.0

    def batch_size(self, support, kept):
        return self.size


def cut(monkeypatch, range_rows, size, state_bytes=1e9):
    """Let fits read ranges of so many rows, so many of them at once."""
    plan = FixedPlan(range_rows, size, state_bytes)
    monkeypatch.setattr(driver, "plan_memory", lambda *_: plan)
