"""The support patterns of an online driver: points here, variables in the core.

Patterns live at places, small numbers that are used again when one leaves.
"""

import numpy as np
import scipy.sparse as sp

from ...access.support_patterns import PatternStore

ARRIVALS = 256  # examples of a chunk
_GROWTH = 1.5  # of the number of places, when there are too few


class LearnedPatterns:
    """Places with a point, an example and the variables of a pattern.

    Parameters
    ----------
    core : Online32 or Online64
        Has the variables.
    store : PatternStore
        Has the points.
    n_classes : int
    budget : int or None
        Most support patterns; there is no room for many more.
    """

    def __init__(self, core, store: PatternStore, n_classes: int, budget: int | None):
        self.core, self.store = core, store
        self.n_classes, self.budget = n_classes, budget
        self.examples = np.empty(0, dtype=np.int64)  # by place: which example it is

    def take_places(self, points, examples) -> np.ndarray:
        """Put points at free places, and say which."""
        needed = self.core.size + len(points)
        if needed > len(self.store):
            room = max(needed, int(_GROWTH * len(self.store)))
            if self.budget is not None:
                room = min(room, max(needed, self.budget + ARRIVALS))
            self.store.grow(room)
            self.examples = np.pad(self.examples, (0, room - len(self.examples)))
            self.core.grow(room)
        places = self.core.free(len(points))
        self.store.put(places, points)
        self.examples[places] = examples
        return places

    def known_places(self, examples) -> tuple[np.ndarray, np.ndarray]:
        """Return which examples are no support patterns, and where the others are."""
        places = self.core.patterns()[0]
        _, again, at = np.intersect1d(
            examples, self.examples[places], return_indices=True
        )
        arrive = np.delete(np.arange(len(examples)), again)
        return arrive, places[at[np.argsort(again)]]

    def export(self) -> dict:
        """Return all that `replace` takes."""
        places, labels, loss_weights, curvatures = self.core.patterns()
        return {
            "points": self.store.take(places),
            "labels": labels,
            "loss_weights": loss_weights,
            "curvatures": curvatures,
            "examples": self.examples[places],
            "coefficients": self.coefficients(),
            "gradients": self.gradients(),
        }

    def replace(
        self,
        points,
        labels,
        loss_weights,
        curvatures,
        examples,
        coefficients: sp.csr_array,
        gradients: sp.csr_array,
    ) -> None:
        """Let these be the support patterns, and no others."""
        none = np.empty(0, dtype=np.int32), np.empty(0)
        starts = np.zeros(self.n_classes + 1, dtype=np.int64)
        ints, floats = none
        self.core.set_patterns(ints, ints, floats, floats, starts, ints, floats, floats)
        places = self.take_places(points, examples)
        by_class = coefficients.tocsc()
        self.core.set_patterns(
            places,
            labels.astype(np.int32),
            loss_weights.astype(np.float64),
            curvatures,
            by_class.indptr.astype(np.int64),
            places[by_class.indices],
            by_class.data.astype(np.float64),
            gradients.tocsc().data,
        )

    def coefficients(self) -> sp.csr_array:
        """Return beta, a row for each support pattern."""
        return self._by_pattern(2)

    def gradients(self) -> sp.csr_array:
        """Return the stored gradients, where `coefficients` are."""
        return self._by_pattern(3)

    def _by_pattern(self, which: int) -> sp.csr_array:
        columns = self.core.columns()
        places = self.core.patterns()[0]
        row_of = np.empty(self.core.places, dtype=np.int64)
        row_of[places] = np.arange(len(places))
        values = columns[which], row_of[columns[1]], columns[0]
        return sp.csc_array(values, shape=(len(places), self.n_classes)).tocsr()


def patterns_of_classes(known: dict, places: np.ndarray, n_classes: int) -> dict:
    """Return what `LearnedPatterns.replace` takes, after classes have come or gone.

    The patterns of a class that has gone go with it. What others had against it goes,
    and as much of their own coefficient, so that they sum to zero as before; a pattern
    with nothing left goes.

    Parameters
    ----------
    known : dict
        What `LearnedPatterns.export` returns.
    places : ndarray of int
        Where each class is now; -1 if it has gone.
    n_classes : int
        How many there are now.
    """
    labels = places[known["labels"]]
    coefficients = known["coefficients"].tocoo()
    gone = places[coefficients.col] < 0
    values = coefficients.data.copy()
    own = coefficients.col == known["labels"][coefficients.row]
    lost = np.bincount(coefficients.row[gone], values[gone], len(labels))
    values[own] += lost[coefficients.row[own]]
    others = np.bincount(coefficients.row[~own & ~gone], minlength=len(labels))
    kept = np.flatnonzero((labels >= 0) & (others > 0))
    row_of = np.full(len(labels), -1)
    row_of[kept] = np.arange(len(kept))
    entries = ~gone & (row_of[coefficients.row] >= 0)
    at = row_of[coefficients.row[entries]], places[coefficients.col[entries]]
    gradients = known["gradients"].tocoo()
    return {
        "points": known["points"].take(kept),
        "labels": labels[kept],
        **{
            name: known[name][kept]
            for name in ("loss_weights", "curvatures", "examples")
        },
        "coefficients": _matrix(values[entries], at, len(kept), n_classes),
        "gradients": _matrix(gradients.data[entries], at, len(kept), n_classes),
    }


def _matrix(values, at, n_rows: int, n_columns: int) -> sp.csr_array:
    matrix = sp.csr_array((values, at), shape=(n_rows, n_columns))
    matrix.sort_indices()
    return matrix
