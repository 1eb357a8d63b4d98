"""What the Dask estimators share: from a collection to a certified model."""

import inspect
import os
from collections.abc import Sequence

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.callback import with_callbacks
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ..driver import Stopping
from ..machine import block_shape
from ..problem import class_weights_of_parts
from ..progress import EpochReporter, warn_unless_converged
from . import warm
from .adaptation import Pace, first_sigma
from .answers import DaskAnswers
from .checkpoint import Checkpoint
from .collections import delayed_blocks, feature_names
from .labels import join_labels, only_width
from .partition import (
    Summary,
    add_extents,
    extent_of,
    make_partition,
    mean_square,
    summarise,
)
from .progress import Round, Size
from .rounds import Rounds
from .tasks import Tasks, client_for
from .units import features_in_units, in_units

# What an estimator here has and its local twin has not.
OWN_PARAMETERS = ("client", "checkpoint", "traffic")
# What does not change the run, only its end and its looks.
_FREE_PARAMETERS = {"tol", "violation_tol", "max_iter", "max_time", "n_jobs", "verbose"}
_FREE_PARAMETERS |= {"history", "warm_start", "random_state"}
_MACHINES = ("cs", "ww", "llw", "ovr", "maxent")


def _takes_no_chunks(estimator) -> bool:
    raise AttributeError(
        f"{type(estimator).__name__} has no partial_fit, because it needs the rows of "
        f"all partitions in every round; call fit, or partial_fit of to_local()."
    )


class DaskTraining(DaskAnswers):
    """What is in front of a local estimator's class: `fit` on partitions."""

    _own_constraints: dict = {
        "client": "no_validation",
        "checkpoint": [str, os.PathLike, None],
        "traffic": [StrOptions({"same", "float32"})],
    }
    # Values that a parameter of the twin may have here, the first to be recommended.
    _only: dict = {}

    def __init_subclass__(cls, **arguments):
        """Show the parameters of the twin in the place of ``**parameters``."""
        super().__init_subclass__(**arguments)
        own = inspect.signature(cls.__init__)
        twins = inspect.signature(cls._twin.__init__).parameters
        places = {p.name: p for p in own.parameters.values() if p.kind != p.VAR_KEYWORD}
        if len(places) < len(own.parameters):
            places |= {n: p for n, p in twins.items() if n not in places}
            cls.__init__.__signature__ = own.replace(parameters=list(places.values()))

    def __sklearn_clone__(self):
        """Clone with the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        parameters = {
            name: clone(value, safe=False) for name, value in parameters.items()
        }
        return type(self)(**parameters, client=client)

    def __getstate__(self):
        return super().__getstate__() | {"client": None}  # clients stay at home

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Train on all partitions together.

        Parameters
        ----------
        X : Dask array or data frame, or list of Delayed
            All features in one chunk, rows in any; blocks of an array may be sparse.
            Delayed objects are tuples (X, y) or (X, y, weights), one for each
            partition. A partition may have no rows, or those of one class.

        y : Dask array or series, or None
            Labels, divided as X is; None with delayed partitions.

        sample_weight : Dask array or series, or None, default=None
            Multiplies C for each row; divided as X is.

        Returns
        -------
        self : estimator

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; the model of the last round is in the estimator.
        """
        machine = self._machine()
        self._check_possible(machine)
        blocks = delayed_blocks(X, y, sample_weight)
        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)
        self._reporter = EpochReporter(self, context, data, dict, task_name="round")
        try:
            with client_for(self.client) as client:
                tasks = Tasks(client)
                try:
                    self._fit(tasks, machine, blocks, feature_names(X))
                finally:
                    tasks.release()
        finally:
            del self._reporter
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                name: getattr(self, name) for name in self._model_attributes
            },
            **data,
        )
        if self.status_ == "interrupted":
            raise KeyboardInterrupt
        warn_unless_converged(self, "rounds")
        return self

    @available_if(_takes_no_chunks)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Not available: every round needs all partitions."""

    def _check_possible(self, machine) -> None:
        if machine.name not in _MACHINES:
            raise ValueError(
                f"machine={machine.name!r} is not trained on partitions; choose one of "
                f"{', '.join(_MACHINES[:-1])}."
            )
        for name, possible in self._only.items():
            if getattr(self, name) not in possible:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is not possible on partitions; "
                    f"choose {possible[0]!r}."
                )

    def _fit(self, tasks: Tasks, machine, blocks, names) -> None:
        blocks = tasks.compute(blocks)
        summaries = tasks.gather(tasks.each(summarise, blocks), blocks)
        self.classes_, counts = join_labels(summaries)
        self._know_features(only_width(summaries), names)
        by_class = class_weights_of_parts(self.class_weight, self.classes_, counts)
        dtype = np.result_type(*[s.dtype for s in summaries if s.n_rows])
        seed = int(check_random_state(self.random_state).randint(2**31))
        checkpoint = self._checkpoint(summaries, seed)
        blocks, n_features, nonzeros = self._features(tasks, blocks, summaries, seed)
        settings = self._settings()
        partitions = tasks.each(
            make_partition,
            blocks,
            settings=settings,
            machine=machine,
            classes=self.classes_,
            by_class=by_class,
            dtype=dtype,
        )
        tasks.finish(partitions, partitions)
        extents = tasks.add_up(tasks.each(extent_of, partitions), add_extents)
        extent = tasks.one(add_extents, extents)
        [square] = tasks.gather([tasks.one(mean_square, extent)])
        n_columns, _ = block_shape(machine.name, np.zeros(0), len(self.classes_))
        constant = settings.fit_intercept
        n_rows = [summary.n_rows for summary in summaries]
        size = Size(
            n_features + constant,
            n_columns,
            max(np.add(nonzeros, np.multiply(n_rows, constant)).tolist()),
            sum(rows > 0 for rows in n_rows),
            dtype,
            np.dtype(np.float32) if self.traffic == "float32" else dtype,
        )
        features = tasks.one(features_in_units, extent, size.parts)
        partitions = tasks.each(in_units, partitions, [features] * len(partitions))
        tasks.finish(partitions, partitions)
        limits = self.tol, self._violation_tol(), self.max_iter, self.max_time
        rounds = Rounds(
            tasks,
            partitions,
            size,
            Pace(first_sigma(size.parts, square), size.parts),
            features,
            seed,
            Stopping(*limits),
            self,
            checkpoint,
        )
        self._reporter.model = lambda: self._model(rounds.best().astype(dtype))
        if self.warm_start:
            last = getattr(self, "_kept", None)
            warm.start(tasks, rounds, self.classes_, last)
        self.__dict__.pop("_kept", None)
        status, certificate, weights = rounds.run()
        if self.warm_start and status != "interrupted":
            self._kept = warm.keep(tasks, rounds, self.classes_)
        self._keep_run(status, certificate, rounds.progress.history)
        self.__dict__.update(self._model(weights.astype(dtype)))

    def _features(self, tasks: Tasks, blocks, summaries: Sequence[Summary], seed: int):
        """Return blocks to train on, their features, and the non-zeros of each."""
        return blocks, self.n_features_in_, [summary.nonzeros for summary in summaries]

    def _settings(self):
        """Return the linear estimator that drivers take their parameters from."""
        return self._twin(**self._twin_parameters())

    def _twin_parameters(self) -> dict:
        parameters = self.get_params(deep=False)
        return {
            name: value
            for name, value in parameters.items()
            if name not in OWN_PARAMETERS
        }

    def _know_features(self, n_features: int, names) -> None:
        self.n_features_in_ = n_features
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _checkpoint(self, summaries, seed: int) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = {
            name: repr(value)
            for name, value in self._twin_parameters().items()
            if name not in _FREE_PARAMETERS
        }
        data = [[s.n_rows, s.n_features, s.checksum] for s in summaries]
        fit = {**parameters, "traffic": self.traffic, "data": data}
        # Who gives no seed wants to go on from what is there.
        fit["random_state"] = None if self.random_state is None else seed
        return Checkpoint(self.checkpoint, fit)

    def _begin_round(self) -> None:
        self._reporter.begin()

    def _end_round(self, done: Round) -> bool:
        """Tell the user and callbacks about a round; say whether to stop."""
        return self._reporter.end(done)

    def _keep_run(self, status, certificate, history: list[Round]) -> None:
        self.solver_ = "dual"
        self.status_ = status
        self.n_iter_ = len(history)
        self.objective_ = certificate.primal
        self.dual_objective_ = certificate.dual
        self.dual_gap_ = certificate.gap
        self.violation_ = certificate.violation
        self.history_ = {
            name: np.asarray([getattr(done, name) for done in history])
            for name in Round.__dataclass_fields__
        }
