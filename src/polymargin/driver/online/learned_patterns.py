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
