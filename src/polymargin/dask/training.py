"""What the Dask estimators share: from a collection to a certified model."""

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from ..driver.loop import Reporter, Stopping
from ..driver.options import LinearOptions
from ..estimators.callback_support import fit_method
from ..estimators.reporting import EpochReporter, tell_end
from ..estimators.unchanged_on_error import unchanged_on_error
from ..machine.block_algebra import block_shape
from ..machine.problem import class_weights_of_parts
from ..machine.registry import names_of
from .adaptation import Pace, first_sigma
from .checkpoint import Checkpoint
from .collections import delayed_partitions, feature_names
from .feature_statistics import add_statistics, mean_square, statistics_of
from .feature_units import choose_units, partition_in_units
from .partition import make_partition
from .partition_summary import (
    PartitionSummary,
    common_width,
    join_labels,
    summarise_partition,
)
from .prediction_mixin import DaskPredictionMixin
from .rounds import Rounds
from .run_size import RunSize
from .tasks import Tasks, client_for
from .warm_start import gather_warm_start, start_from

# What an estimator here has and its local twin has not.
OWN_PARAMETERS = ("client", "checkpoint", "traffic")
# What does not change the run, only its end and its looks.
_FREE_PARAMETERS = {"tol", "violation_tol", "max_iter", "max_time", "n_jobs", "verbose"}
_FREE_PARAMETERS |= {"history", "warm_start", "random_state"}
# Values that an option may have here, the first to be recommended.
_POSSIBLE = {
    "solver": ("dual", "auto"),
    "features": ("full",),
    "candidates": (None,),
    "fit_intercept": (True, False),
    "penalty": ("l2",),
    "weight_bounds": (None,),
}


def _takes_no_chunks(estimator) -> bool:
    raise AttributeError(
        f"{type(estimator).__name__} has no partial_fit, because it needs the rows of "
        f"all partitions in every round; call fit, or partial_fit of to_local()."
    )


def _in_units(tasks: Tasks, partitions: list, n_parts: int) -> tuple:
    """Return partitions in units, the pace of the first round, and the features."""
    statistics = tasks.add_up(tasks.each(statistics_of, partitions), add_statistics)
    statistics = tasks.one(add_statistics, statistics)
    [square] = tasks.gather([tasks.one(mean_square, statistics)])
    features = tasks.one(choose_units, statistics, n_parts)
    partitions = tasks.each(
        partition_in_units, partitions, [features] * len(partitions)
    )
    tasks.finish(partitions, partitions)
    return partitions, Pace(first_sigma(n_parts, square), n_parts), features


class DaskTraining(DaskPredictionMixin):
    """What is in front of a local estimator's class: `fit` on partitions."""

    _own_constraints: dict = {
        "client": "no_validation",
        "checkpoint": [str, os.PathLike, None],
        "traffic": [StrOptions({"same", "float32"})],
    }

    def __init_subclass__(cls, **arguments: Any) -> None:
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

    @fit_method
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
        parts = delayed_partitions(X, y, sample_weight)
        data = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, **data)

        def reporter_of(model: Callable[[], dict]) -> Reporter:
            return self._round_reporter(context, data, model)

        with client_for(self.client) as client, unchanged_on_error(self):
            tasks = Tasks(client)
            try:
                self._fit_parts(tasks, machine, parts, feature_names(X), reporter_of)
            finally:
                tasks.release()
        context.call_on_fit_task_end(
            estimator=self,
            reconstruction_attributes=lambda: {
                name: getattr(self, name) for name in self._model_attributes
            },
            **data,
        )
        if self.status_ == "interrupted":
            raise KeyboardInterrupt
        tell_end(self, f"{self.n_iter_} rounds")
        return self

    @available_if(_takes_no_chunks)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Not available: every round needs all partitions."""

    def _check_possible(self, machine) -> None:
        if not machine.formulation.partitions:
            able = names_of(lambda row: row.partitions and row.estimator == "LinearSVM")
            raise ValueError(
                f"machine={machine.name!r} is not trained on partitions; choose one of "
                f"{', '.join(able)}."
            )
        given = vars(self._partition_options())
        for name, possible in _POSSIBLE.items():
            if given[name] not in possible:
                raise ValueError(
                    f"{name}={given[name]!r} is not possible on partitions; "
                    f"choose {possible[0]!r}."
                )

    def _round_reporter(self, context, data: dict, model) -> Reporter:
        """Return who is told about rounds; see `EpochReporter`."""
        return EpochReporter(self, context, data, model, task_name="round")

    def _fit_parts(self, tasks: Tasks, machine, parts, names, reporter_of) -> None:
        parts = tasks.compute(parts)
        summaries = tasks.gather(tasks.each(summarise_partition, parts), parts)
        self.classes_, class_sums = join_labels(summaries)
        self._know_features(common_width(summaries), names)
        dtype = np.result_type(*[s.dtype for s in summaries if s.n_rows])
        seed = int(self._draw_seed())
        checkpoint = self._checkpoint(summaries, seed)
        parts, n_features, nonzeros = self._features(tasks, parts, summaries, seed)
        options = self._partition_options()
        partitions = tasks.each(
            make_partition,
            parts,
            options=options,
            n_jobs=self.n_jobs,
            machine=self._with_costs(machine),
            C=self.C,
            classes=self.classes_,
            by_class=class_weights_of_parts(
                self.class_weight, self.classes_, class_sums
            ),
            dtype=dtype,
        )
        tasks.finish(partitions, partitions)
        size = RunSize.of(
            n_features,
            block_shape(machine, np.zeros(0), len(self.classes_))[0],
            [summary.n_rows for summary in summaries],
            nonzeros,
            has_bias=options.bias != 0,
            dtype=dtype,
            travels=np.dtype(np.float32) if self.traffic == "float32" else dtype,
        )
        partitions, pace, features = _in_units(tasks, partitions, size.parts)
        rounds = Rounds(
            tasks,
            partitions,
            size,
            pace,
            features,
            seed,
            Stopping(self.tol, self._violation_tol(), self.max_iter, self.max_time),
            checkpoint,
        )
        if self.warm_start:
            last = getattr(self, "_last_fit", None)
            start_from(tasks, rounds, self.classes_, last)
        self.__dict__.pop("_last_fit", None)
        run, weights = rounds.run(
            reporter_of(lambda: self._model(rounds.latest.fetch().astype(dtype)))
        )
        if self.warm_start and run.status != "interrupted":
            self._last_fit = gather_warm_start(tasks, rounds, self.classes_)
        self.solver_ = "dual"
        self._set_outcome(run)
        self.__dict__.update(self._model(weights.astype(dtype)))

    def _features(
        self,
        tasks: Tasks,
        parts,
        summaries: Sequence[PartitionSummary],
        seed: int,
    ):
        """Return parts to train on, their features, and the non-zeros of each."""
        return (
            parts,
            self.n_features_in_,
            [summary.nonzeros for summary in summaries],
        )

    def _partition_options(self) -> LinearOptions:
        """Return what drivers of partitions are told; seed and threads are theirs."""
        return self._driver_options(seed=0)

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
