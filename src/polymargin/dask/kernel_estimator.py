"""`DaskKernelSVM`: the machines with a kernel, on features of low rank."""

from typing import Any

from ..base.annotations import ClassWeight, FilePath, Kernel, Seed
from ..driver.options import LinearOptions
from ..estimators.kernel_prediction import KernelPrediction
from ..estimators.kernel_svm import KernelSVM
from ..estimators.training import Training
from ..machine.docstrings import lists_machines
from ..machine.registry import Machine, find_machine
from ..prediction.expansion import Expansion
from .kernel_features import choose_features, features_of
from .tasks import Tasks
from .training import DaskTraining


@lists_machines(lambda row: row.partitions and row.kernels)
class DaskKernelSVM(DaskTraining, KernelPrediction, Training):
    """`KernelSVM` with ``approximation="nystroem"`` on partitions.

    Landmarks are chosen once, from a sample of the rows of all partitions; the features
    of the rows, whose products approximate the kernel, are computed where the rows are
    and stay there. The linear machine on these features is then trained as that of
    `DaskLinearSVM`. The gap is that of the problem with the approximated kernel.
    There is no intercept.

    Parameters
    ----------
    machine : <machines>, default="ww"
        The formulation, as in `KernelSVM`.

    C, kernel, gamma, degree, coef0, loss, class_weight, rank, n_jobs, verbose
        As in `KernelSVM`, with the same defaults; "scale" is computed from all
        partitions, and there is no "precomputed". A callable must be one that workers
        can import, or that can be sent to them.

    tol, violation_tol, max_time, warm_start
        As in `KernelSVM`.

    max_iter : int, default=1000
        Most rounds.

    random_state : int, RandomState or None, default=None
        Seed of landmarks and of the order of visits; to be given with `checkpoint`.

    client, checkpoint, traffic
        As in `DaskLinearSVM`.

    Attributes
    ----------
    classes_, dual_coef_, gamma_, n_features_in_, feature_names_in_
        As in `KernelSVM` with "nystroem"; so are `solver_`, `n_kernel_evaluations_`,
        `objective_`, `dual_objective_`, `dual_gap_`, `violation_` and `status_`.

    n_iter_ : int
        Rounds run.

    history_ : dict of ndarrays
        By round, as in `DaskLinearSVM`.

    See Also
    --------
    polymargin.KernelSVM : The local twin, into which `to_local` turns the model.

    Examples
    --------
    >>> import dask.array as da
    >>> from polymargin.dask import DaskKernelSVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = (da.from_array(part, chunks=75) for part in load_iris(return_X_y=True))
    >>> model = DaskKernelSVM(rank=20, tol=0.1, random_state=0).fit(X, y)
    >>> bool(model.dual_gap_ <= 0.1)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        **{
            name: KernelSVM._parameter_constraints[name]
            for name in (
                "machine",
                "C",
                "kernel",
                "gamma",
                "degree",
                "coef0",
                "loss",
                "tol",
                "violation_tol",
                "max_iter",
                "max_time",
                "class_weight",
                "rank",
                "warm_start",
                "n_jobs",
                "random_state",
                "verbose",
            )
        },
        **DaskTraining._own_constraints,
    }
    _twin = KernelSVM
    _model_attributes = KernelSVM._model_attributes

    def __init__(
        self,
        machine: str = "ww",
        *,
        client: Any = None,
        checkpoint: FilePath | None = None,
        traffic: str = "same",
        C: float = 1.0,
        kernel: Kernel = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: str = "hinge",
        tol: float = 1e-3,
        violation_tol: float | str | None = "auto",
        max_iter: int = 1000,
        max_time: float | None = None,
        class_weight: ClassWeight = None,
        rank: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.machine = machine
        self.client = client
        self.checkpoint = checkpoint
        self.traffic = traffic
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.tol = tol
        self.violation_tol = violation_tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.class_weight = class_weight
        self.rank = rank
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_possible(self, machine: str) -> None:
        super()._check_possible(machine)
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' is not possible on partitions; give rows and "
                "another kernel."
            )
        if self.checkpoint is not None and self.random_state is None:
            raise ValueError(
                "random_state=None chooses other landmarks in every run, and "
                "checkpoint could not go on; give random_state a number."
            )

    def _twin_parameters(self) -> dict[str, Any]:
        fixed = {"approximation": "nystroem", "fit_intercept": False}
        return super()._twin_parameters() | fixed

    def _machine(self) -> Machine:
        return find_machine(self.machine, self.loss)

    def _violation_tol(self) -> float | None:
        return None if isinstance(self.violation_tol, str) else self.violation_tol

    def _partition_options(self) -> LinearOptions:
        return LinearOptions(bias=0.0)

    def _features(self, tasks: Tasks, parts: Any, summaries: Any, seed: int) -> Any:
        kernel = self.kernel, self.gamma, self.degree, self.coef0
        self._nystroem = features = choose_features(
            tasks, parts, summaries, kernel, self.rank, seed
        )
        self.gamma_ = features.kernel.gamma_
        n_rows, n_landmarks = [s.n_rows for s in summaries], len(features.landmarks_)
        self.n_kernel_evaluations_ = n_landmarks * (n_landmarks + sum(n_rows))
        sent = tasks.one(lambda found: found, features)
        parts = tasks.each(features_of, parts, features=sent, n_jobs=self.n_jobs)
        tasks.finish(parts, parts)
        return parts, features.rank_, [rows * features.rank_ for rows in n_rows]

    def _model(self, weights: Any) -> dict[str, Any]:
        expansion = Expansion.on_landmarks(self._nystroem, weights)
        return {"_expansion": expansion, "dual_coef_": expansion.coefficients}
