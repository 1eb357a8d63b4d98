"""The online driver: examples arrive in chunks, and are learned from one by one.

The steps are C++. The kernel of a chunk with all support patterns, and of its examples
with each other, is computed here by matrix products before the first of them is looked
at; it does not depend on what is learned.
"""

from threading import RLock
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from ..._core import core
from ...access.kernel_base import Kernel
from ...access.kernel_points import finite
from ...access.support_patterns import PatternKernel, PatternStore
from ...base.exclusive import exclusive
from ...machine.registry import Machine
from ...prediction.expansion import Expansion
from ..options import OnlineOptions
from .learned_patterns import LearnedPatterns, patterns_of_classes

_MOST_BYTES = 2.0**62  # that the core can count

# What a kernel value costs, in terms of a sum: so much, and so much more for every
# feature. Measured once (docs/benchmark-notes.md): the schedule of steps depends on it,
# and must be the same everywhere.
_EVALUATION = 4.0
_EVALUATION_OF_FEATURE = 0.02


class OnlineDriver:
    """Learns a machine from one example after the other.

    Parameters
    ----------
    machine : Machine
        Whose row of the registry says that it can be learned `online`.
    kernel : Kernel
    points : Points or Positions
        What examples are like; none of them is used.
    n_classes : int
    options : OnlineOptions
    seed : int
    threads : int
        For kernel values. What is learned does not depend on it.
    """

    def __init__(
        self,
        machine: Machine,
        kernel: Kernel,
        points,
        n_classes: int,
        options: OnlineOptions,
        seed: int,
        threads: int,
    ):
        self._lock = RLock()
        self.machine, self.kernel, self.options = machine, kernel, options
        self.store = PatternStore(points)
        # The core has it too: a ring through the driver would never be collected.
        self._kernel_rows = PatternKernel(kernel, self.store, threads)
        self.n_seen = 0
        self._expansion: Expansion | None = None  # until the patterns change
        self._n_computed = 0
        self._make_core(n_classes, _stored_values(points), seed)

    def _make_core(self, n_classes: int, values_of_row: float, seed: int) -> None:
        options = self.options
        self._n_classes, self._values_of_row = n_classes, values_of_row
        kind = core.Online32 if self.kernel.dtype == np.float32 else core.Online64
        self._core = kind(
            classes=n_classes,
            machine=self.machine.axes(n_classes),
            by_gain=options.selection == "gain",
            hits=options.hits,
            violation=options.violation_tol,
            budget=np.iinfo(np.int64).max if options.budget is None else options.budget,
            wall_clock=options.cost == "time",
            evaluation_cost=_EVALUATION + _EVALUATION_OF_FEATURE * values_of_row,
            weights=options.weights,
            adaptive=options.schedule == "adaptive",
            cache_bytes=min(options.cache_bytes, _MOST_BYTES),
            seed=seed,
            rows=self._kernel_rows,
        )
        self._learned = LearnedPatterns(
            self._core, self.store, n_classes, options.budget
        )

    @exclusive
    def learn(self, points, labels, loss_weights, examples=None, seconds=float("inf")):
        """Learn from a chunk, and say whether all of it was learned from.

        Parameters
        ----------
        points : Points or Positions
        labels : ndarray of int
        loss_weights : ndarray of float
            C_i of each of them.
        examples : ndarray of int or None
            Which they are, if they may come again: a support pattern stays the same,
            and is passed over or stepped on, as the options say.
        seconds : float
            Stop after that time.

        Returns
        -------
        complete : bool
            Not if a signal came or the time was over.
        """
        start = perf_counter()
        self._expansion = None
        if examples is None:
            arrive, again = np.arange(len(points)), np.empty(0, dtype=np.int32)
            examples = np.full(len(points), -1)
        else:
            arrive, again = self._learned.known_places(examples)
        complete = True
        if len(arrive):
            complete = self._process(
                points.take(arrive),
                labels[arrive],
                loss_weights[arrive],
                examples[arrive],
                seconds,
            )
        if complete and not self.options.revisit:
            self.n_seen += len(again)
        elif complete and len(again):
            left = seconds - (perf_counter() - start)
            learned, stopped = self._core.revisit(again, left)
            self.n_seen += learned
            complete = not stopped
        return complete

    def _process(self, points, labels, loss_weights, examples, seconds: float) -> bool:
        start = perf_counter()
        places = self._learned.take_places(points, examples)
        width = max(int(places.max()) + 1, self._core.width)
        values = self._kernel_rows.of(points, width)
        finite(
            values[np.arange(len(places)), places],
            "The kernel of some rows of X with themselves",
        )
        self._n_computed += values.size
        spent = perf_counter() - start
        learned, stopped = self._core.process(
            places,
            labels.astype(np.int32),
            loss_weights.astype(np.float64),
            values,
            spent / len(points),
            seconds - spent,
        )
        self.n_seen += learned
        return not stopped

    @exclusive
    def replace(
        self, points, labels, loss_weights, examples, coefficients: sp.csr_array
    ):
        """Take other support patterns, with their coefficients.

        If their kernel cannot be computed, the old ones stay.
        """
        curvatures = self.kernel.diagonal(points).astype(np.float64)
        before = self._learned.export()
        unknown = sp.csr_array(coefficients, copy=True)
        unknown.data[:] = 0.0
        self._expansion = None
        self._learned.replace(
            points, labels, loss_weights, curvatures, examples, coefficients, unknown
        )
        try:
            self._core.rebuild()
        except BaseException:
            self._learned.replace(**before)
            raise

    @exclusive
    def snapshot(self) -> "OnlineDriver":
        """Return a driver that knows the same, but goes its own way.

        Its cache is empty.
        """
        return OnlineDriver.restore(**self.export())

    @exclusive
    def export(self) -> dict:
        """Return what `restore` takes: all that is known, but for the cache."""
        random, weights, _, *counts = self._core.state()
        nothing_chosen = (-1, -1, -1)  # a choice names a place, and these are others
        return {
            "machine": self.machine,
            "kernel": self.kernel,
            "options": self.options,
            "n_classes": self._n_classes,
            "values_of_row": self._values_of_row,
            "threads": self._kernel_rows.threads,
            "n_seen": self.n_seen,
            "n_computed": self._n_computed,
            "state": (random, weights, nothing_chosen, *counts),
            **self._learned.export(),
        }

    @classmethod
    def restore(
        cls,
        *,
        machine,
        kernel,
        options,
        n_classes,
        values_of_row,
        threads,
        n_seen,
        n_computed,
        state,
        points,
        **patterns,
    ) -> "OnlineDriver":
        """Return a driver that knows what another has exported."""
        driver = cls(machine, kernel, points, n_classes, options, 0, threads)
        driver._make_core(n_classes, values_of_row, 0)
        driver._learned.replace(points, **patterns)
        driver._core.set_state(*state)
        driver.n_seen, driver._n_computed = n_seen, n_computed
        return driver

    @exclusive
    def with_classes(self, places: np.ndarray, n_classes: int) -> "OnlineDriver":
        """Return a driver that knows the same of other classes.

        Parameters
        ----------
        places : ndarray of int
            Where each class is among the others, in ascending order; -1 if it has gone.
        n_classes : int
            How many there are then.
        """
        known = self.export()
        learned = patterns_of_classes(known, places, n_classes)
        driver = OnlineDriver.restore(**known | learned | {"n_classes": n_classes})
        if (places < 0).any():
            driver._core.rebuild()  # gradients of patterns that have changed
        return driver

    @exclusive
    def patterns(self):
        """Return (points, labels, loss_weights, examples) of the support patterns."""
        places, labels, loss_weights, _ = self._core.patterns()
        examples = self._learned.examples[places]
        return self.store.take(places), labels, loss_weights, examples

    @exclusive
    def expansion(self) -> Expansion:
        """Return the model as it is."""
        if self._expansion is None:
            self._expansion = Expansion(
                self.kernel,
                self.store.keep(self._core.patterns()[0]),
                self.coefficients().toarray().astype(self.kernel.dtype),
            )
        return self._expansion

    @exclusive
    def coefficients(self) -> sp.csr_array:
        """Return beta, a row for each support pattern."""
        return self._learned.coefficients()

    @exclusive
    def gradients(self) -> sp.csr_array:
        """Return the stored gradients, where `coefficients` are."""
        return self._learned.gradients()

    @property
    @exclusive
    def dual(self) -> float:
        """The dual objective."""
        return self._core.dual

    @property
    @exclusive
    def half_norm(self) -> float:
        """Half the squared norm of the weights."""
        coefficients = self._core.columns()[2]  # above zero for labels only
        target = self.machine.formulation.other_target(self._n_classes)
        linear = target * coefficients[coefficients > 0].sum()
        return linear - self._core.dual - self._core.penalties

    @property
    @exclusive
    def n_patterns(self) -> int:
        """How many support patterns there are."""
        return self._core.size

    @property
    @exclusive
    def steps(self) -> dict[str, int]:
        """How many steps of each kind have been tried."""
        return dict(zip(("new", "old", "optimize"), self._core.steps, strict=True))

    @property
    @exclusive
    def work(self) -> float:
        """Counted work, in terms of a sum."""
        return self._core.work

    @property
    @exclusive
    def kernel_evaluations(self) -> int:
        """How many values of the kernel have been computed."""
        return self._n_computed + self._core.computed_on_demand

    @property
    @exclusive
    def cached_rows(self) -> int:
        """How many kernel rows are kept."""
        return self._core.cached

    @property
    def interrupted(self) -> bool:
        """Whether a signal came while the core was running."""
        return self._core.interrupted

    @exclusive
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["_core"], state["_lock"], state["_learned"]
        state["_expansion"] = None
        state["_saved"] = {
            "places": self._core.places,
            "examples": self._learned.examples,
            "patterns": self._core.patterns() + self._core.columns(),
            "cache": self._core.cache(),
            "state": self._core.state(),
        }
        return state

    def __setstate__(self, state):
        saved = state.pop("_saved")
        self.__dict__.update(state)
        self._lock = RLock()
        self.store.check()
        self._make_core(self._n_classes, self._values_of_row, 0)
        self._core.grow(saved["places"])
        self._learned.examples = saved["examples"]
        self._core.set_patterns(*saved["patterns"])
        self._core.set_cache(*saved["cache"])
        self._core.set_state(*saved["state"])


def _stored_values(points) -> float:
    """Return how many values a row of points holds, on average."""
    rows = getattr(points, "rows", None)
    if rows is None:  # looked up
        return 0.0
    return rows.nnz / max(rows.shape[0], 1) if sp.issparse(rows) else rows.shape[1]
