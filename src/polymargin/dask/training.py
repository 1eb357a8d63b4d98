"""What the Dask estimators share: from a collection to a certified model."""

import os

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ..driver import Stopping
from ..machine import block_shape
from ..problem import weights_by_class
from ..progress import warn_unless_converged
from .checkpoint import Checkpoint
from .collections import delayed_blocks, feature_names
from .partition import Summary, make_partition, summarise
from .prediction import is_lazy, map_rows
from .rounds import Round, Rounds, Size
from .tasks import Tasks, client_for

# What an estimator here has and its local twin has not.
OWN_PARAMETERS = ("client", "checkpoint", "traffic")
# What does not change the run, only its end and its looks.
_FREE_PARAMETERS = {"tol", "violation_tol", "max_iter", "max_time", "n_jobs", "verbose"}
_FREE_PARAMETERS |= {"history", "warm_start", "random_state"}
_MACHINES = ("cs", "ww", "llw", "ovr", "maxent")
_ONLY = {"solver": ("auto", "dual"), "features": ("full",), "warm_start": (False,)}


class DaskTraining:
    """What is in front of a local estimator's class: `fit` and lazy predictions."""

    _own_constraints: dict = {
        "client": "no_validation",
        "checkpoint": [str, os.PathLike, None],
        "traffic": [StrOptions({"same", "float32"})],
    }
    _twin: type

    @classmethod
    def _get_param_names(cls):
        return sorted([*cls._twin._get_param_names(), *OWN_PARAMETERS])

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
        """
        machine = self._machine()
        self._check_possible(machine)
        blocks = delayed_blocks(X, y, sample_weight)
        with client_for(self.client) as client:
            tasks = Tasks(client)
            try:
                self._fit(tasks, machine, blocks, feature_names(X))
            finally:
                tasks.release()
        warn_unless_converged(self, "rounds", stacklevel=4)
        return self

    def _check_possible(self, machine) -> None:
        if machine.name not in _MACHINES:
            raise ValueError(
                f"machine={machine.name!r} is not trained on partitions; choose one of "
                f"{', '.join(_MACHINES[:-1])}."
            )
        for name, possible in _ONLY.items():
            if getattr(self, name) not in possible:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is not possible on partitions; "
                    f"choose {possible[-1]!r}."
                )

    def _fit(self, tasks: Tasks, machine, blocks, names) -> None:
        blocks = tasks.compute(blocks)
        summaries = tasks.gather(tasks.each(summarise, blocks), blocks)
        self.classes_, counts = _join_labels(summaries)
        n_features = _only_width(summaries)
        self._know_features(n_features, names)
        by_class = self._weights_by_class(counts)
        dtype = np.result_type(*[s.dtype for s in summaries if s.n_rows])
        settings = self._twin(**self._twin_parameters())
        partitions = tasks.each(
            make_partition,
            blocks,
            settings=settings,
            machine=machine,
            classes=self.classes_,
            by_class=by_class,
            dtype=dtype,
        )
        tasks.gather([tasks.one(len, partitions)], partitions)
        n_columns, _ = block_shape(machine.name, np.zeros(0), len(self.classes_))
        size = Size(
            n_features + self.fit_intercept,
            n_columns,
            max(s.nonzeros + s.n_rows * self.fit_intercept for s in summaries),
            sum(s.n_rows > 0 for s in summaries),
            dtype,
            np.dtype(np.float32) if self.traffic == "float32" else dtype,
        )
        seed = int(check_random_state(self.random_state).randint(2**31))
        rounds = Rounds(
            tasks,
            partitions,
            size,
            seed,
            Stopping(self.tol, self.violation_tol, self.max_iter, self.max_time),
            self._report,
            self._checkpoint(summaries, seed),
        )
        status, certificate, weights = rounds.run()
        self._keep_run(status, certificate, rounds.progress.history)
        self.__dict__.update(self._model(weights.astype(dtype)))

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

    def _weights_by_class(self, counts) -> dict | None:
        """The class weights by label; "balanced" from the counts of all partitions."""
        weights = self.class_weight
        if weights == "balanced":
            each = counts.sum() / (len(counts) * np.maximum(counts, 1e-300))
            return dict(zip(self.classes_.tolist(), each.tolist(), strict=True))
        if weights is not None:
            weights_by_class(weights, self.classes_)  # raises here, not on a worker
        return weights

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

    def _report(self, done: Round) -> None:
        if self.verbose and done.round % int(self.verbose) == 0:
            print(f"[{type(self).__name__}] {done}", flush=True)

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

    def to_local(self):
        """Return the fitted local twin, which needs neither Dask nor a cluster.

        Returns
        -------
        model : LinearSVM or MaxEnt
        """
        check_is_fitted(self)
        model = self._twin(**self._twin_parameters())
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_") and name != "history_":
                setattr(model, name, value)
        model.history_ = None
        return model

    def decision_function(self, X):
        """Return the confidence in every class; lazily if X is a Dask collection."""
        return self._answer("decision_function", X)

    def predict(self, X):
        """Return the predicted labels; lazily if X is a Dask collection."""
        return self._answer("predict", X)

    def _answer(self, method: str, X):
        model = self.to_local()
        return map_rows(model, method, X) if is_lazy(X) else getattr(model, method)(X)


def _join_labels(summaries: list[Summary]) -> tuple[np.ndarray, np.ndarray]:
    """All labels and the sums of the weights of their rows."""
    filled = [summary for summary in summaries if summary.n_rows]
    if not filled:
        raise ValueError("no partition has rows; give at least one that has.")
    labels = np.concatenate([summary.labels for summary in filled])
    classes, places = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only in all partitions, {classes.tolist()[0]!r}; give at "
            f"least two."
        )
    counts = np.concatenate([summary.label_weights for summary in filled])
    return classes, np.bincount(places, counts, len(classes))


def _only_width(summaries: list[Summary]) -> int:
    """The number of features, which all partitions must agree on."""
    first = summaries[0].n_features
    for number, summary in enumerate(summaries):
        if summary.n_features != first:
            raise ValueError(
                f"partition {number} has {summary.n_features} features, partition 0 "
                f"has {first}; give all partitions the same."
            )
    return first
