"""The estimators of `polymargin.dask`."""

from typing import Any

from sklearn.utils.metaestimators import available_if

from ..base.annotations import Array, FilePath, Rows
from ..estimators.linear_svm import LinearSVM, _is_logistic
from ..estimators.maxent import MaxEnt
from ..machine.docstrings import lists_machines
from .training import DaskTraining


@lists_machines(lambda row: row.partitions and row.estimator == "LinearSVM")
class DaskLinearSVM(DaskTraining, LinearSVM):
    """`LinearSVM` on the partitions of a Dask collection.

    The same objective and the same certificate: rows and dual variables stay on the
    workers, each partition runs the sequential dual method on its own rows, and the
    changes of the weights are added up after every round (CoCoA+). The duality gap is
    computed from all partitions in every round.

    Parameters
    ----------
    machine : <machines>, default="cs"
        The formulation, as in `LinearSVM`.

    client : distributed.Client or None, default=None
        Where to train: None is the current client or, if there is none, that of a
        `LocalCluster` of threads, made for the fit and closed after it.

    checkpoint : str, PathLike or None, default=None
        A folder for restartable state, written every few rounds: the same call goes on
        from there after its process was killed. All is in a folder of its own inside
        it, ``polymargin-checkpoint``, which stays; nothing else is touched. If all
        workers see it, they read it after a fault too.

    traffic : {"same", "float32"}, default="same"
        Number format in which weights and their changes travel: that of the rows, or
        float32, which halves the bytes of float64.

    **parameters
        All others of `LinearSVM`, with the same defaults. `max_iter` counts rounds;
        `n_jobs` are threads of a partition. Possible are ``solver="auto"`` or "dual"
        and ``features="full"``; `history` is always kept. `warm_start` keeps the dual
        variables of all rows in this process, and starts from them if the partitions
        are the same.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_parameters_
        As in `LinearSVM`; so are `solver_`, `objective_`, `dual_objective_`,
        `dual_gap_`, `violation_` and `status_`.

    n_iter_ : int
        Rounds run.

    history_ : dict of ndarrays
        By round: seconds since the beginning; objective, dual objective, gap and
        violation when it began; sigma and momentum; epochs of a partition; visits and
        moves; and bytes sent, as if every partition were on a machine of its own.

    See Also
    --------
    polymargin.LinearSVM : The local twin, into which `to_local` turns the model.

    Examples
    --------
    >>> import dask.array as da
    >>> from polymargin.dask import DaskLinearSVM
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = da.from_array(X / 16, chunks=(600, 64)), da.from_array(y, chunks=600)
    >>> model = DaskLinearSVM(C=0.1, tol=0.01, random_state=0).fit(X, y)
    >>> bool(model.dual_gap_ <= 0.01)
    True
    >>> model.predict(X)[:3].compute()
    array([0, 1, 2])
    """

    _parameter_constraints: dict[str, Any] = {
        **LinearSVM._parameter_constraints,
        **DaskTraining._own_constraints,
    }
    _twin = LinearSVM

    def __init__(
        self,
        machine: str = "cs",
        *,
        client: Any = None,
        checkpoint: FilePath | None = None,
        traffic: str = "same",
        **parameters: Any,
    ) -> None:
        super().__init__(machine, **parameters)
        self.client = client
        self.checkpoint = checkpoint
        self.traffic = traffic

    @available_if(_is_logistic)
    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of every class; for ``loss="logistic"`` only."""
        return self._predict_by("predict_proba", X)

    @available_if(_is_logistic)
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of `predict_proba`."""
        return self._predict_by("predict_log_proba", X)


class DaskMaxEnt(DaskTraining, MaxEnt):
    """`MaxEnt` on the partitions of a Dask collection.

    Parameters
    ----------
    client, checkpoint, traffic
        As in `DaskLinearSVM`.

    **parameters
        Those of `MaxEnt`, with the same defaults. `max_iter` counts rounds.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_parameters_
        As in `MaxEnt`; so are `solver_`, `objective_`, `dual_objective_`, `dual_gap_`,
        `violation_` and `status_`.

    n_iter_ : int
        Rounds run.

    history_ : dict of ndarrays
        By round, as in `DaskLinearSVM`.

    See Also
    --------
    polymargin.MaxEnt : The local twin, into which `to_local` turns the model.

    Examples
    --------
    >>> import dask.array as da
    >>> from polymargin.dask import DaskMaxEnt
    >>> from sklearn.datasets import load_iris
    >>> X, y = (da.from_array(part, chunks=75) for part in load_iris(return_X_y=True))
    >>> model = DaskMaxEnt(C=0.01, tol=0.1, random_state=0).fit(X, y)
    >>> model.predict_proba(X).shape
    (150, 3)
    """

    _parameter_constraints: dict[str, Any] = {
        **MaxEnt._parameter_constraints,
        **DaskTraining._own_constraints,
    }
    _twin = MaxEnt

    def __init__(
        self,
        *,
        client: Any = None,
        checkpoint: FilePath | None = None,
        traffic: str = "same",
        **parameters: Any,
    ) -> None:
        super().__init__(**parameters)
        self.client = client
        self.checkpoint = checkpoint
        self.traffic = traffic

    def predict_proba(self, X: Rows) -> Array:
        """Return the probability of every class; lazily if X is a Dask collection."""
        return self._predict_by("predict_proba", X)

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the probability of every class, in the same way."""
        return self._predict_by("predict_log_proba", X)
