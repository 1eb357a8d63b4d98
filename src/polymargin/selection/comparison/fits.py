"""One fit: split, search, train, test."""

import warnings
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler

from ...estimators.kernel_svm import KernelSVM
from ...estimators.linear_training import LinearTraining
from ..protocols import Protocol
from .convergence import follow
from .datasets import Dataset
from .parameter_search import choose_parameters
from .scores import SCORES, Score
from .splits import make_split, stratified_parts
from .tasks import Task, class_counts

PREPARATIONS = ("none", "standard", "maxabs", "unit")
_SHORT = 0.5  # seconds; shorter fits are timed more often
_OF_THE_MODEL = ("objective_", "dual_gap_", "n_iter_", "status_", "solver_")


class Fitter:
    """Carries out the tasks of a comparison.

    Parameters
    ----------
    datasets : dict of str to Dataset
    machines : dict of str to estimator
    protocol : Protocol
    prepare : {"none", "standard", "maxabs", "unit"}
        What is done to the rows, learned from those to train with.
    seed : int
    score : Score
        What parameters are chosen by.
    """

    def __init__(
        self,
        datasets: dict[str, Dataset],
        machines: dict[str, BaseEstimator],
        protocol: Protocol,
        prepare: str,
        seed: int,
        score: Score = SCORES["accuracy"],
    ):
        self.score = score
        self.datasets, self.machines = datasets, machines
        self.protocol, self.prepare, self.seed = protocol, prepare, seed
        if protocol.passes:
            for name, machine in machines.items():
                limit_passes(clone(machine), 1, name)

    def run(
        self, task: Task, rows: Sequence[dict], tell: Callable[[str], None]
    ) -> dict:
        """Carry out a task.

        Parameters
        ----------
        task : Task
        rows : sequence of dict
            What is known already: the parameters that earlier fits chose.
        tell : callable
            Is told what is being done.

        Returns
        -------
        row : dict
            The task, and what was found; "error" if the fit failed.
        """
        work = {
            "fit": self._fit,
            "convergence": self._convergence,
            "scaling": self._scaling,
        }
        start = perf_counter()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                found = work[task.kind](task, rows, tell)
        except Exception as error:
            # One machine that cannot train must not end a night of others.
            found = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
        else:
            wanted = not task.passes and task.kind == "fit"
            texts = [str(w.message) for w in caught if w.category is ConvergenceWarning]
            if texts and wanted:
                found["warning"] = " ".join(texts[-1].split())
        return task.as_dict() | found | {"seconds": perf_counter() - start}

    def _estimator(self, task: Task) -> BaseEstimator:
        estimator = clone(self.machines[task.machine])
        for name, value in estimator.get_params().items():
            if name.rpartition("__")[2] == "random_state" and value is None:
                estimator.set_params(**{name: self.seed + task.split})
        if task.passes is not None:
            limit_passes(estimator, task.passes, task.machine)
        return estimator

    def _rows(self, task: Task):
        """The split of a task and its rows: X, y, X_test, y_test."""
        data = self.datasets[task.dataset]
        split = make_split(data, self.protocol, task.split, self.seed)
        X, X_test = prepare_rows(self.prepare, data.X[split.train], data.X[split.test])
        return split, X, data.y[split.train], X_test, data.y[split.test]

    def _fit(self, task: Task, rows, tell) -> dict:
        split, X, y, X_test, y_test = self._rows(task)
        estimator = self._estimator(task)
        start = perf_counter()
        choice = choose_parameters(
            estimator,
            X,
            y,
            split.parts,
            self.protocol.grid,
            self.protocol.refinements,
            lambda point, number: tell(f"{_in_words(point)} (point {number})"),
            self._scorer(task),
        )
        searched = perf_counter()
        tell(_in_words(choice.parameters) or "training")
        model = estimator.set_params(**choice.parameters).fit(X, y)
        trained = perf_counter()
        predicted = model.predict(X_test)
        tested = perf_counter()
        n_classes = self.datasets[task.dataset].n_classes
        kinds = {"accuracy": SCORES["accuracy"], self.score.key: self.score}
        validated = choice.score
        return (
            {
                key: score.of(y_test, predicted, n_classes)
                for key, score in kinds.items()
            }
            | {
                "parameters": choice.parameters,
                f"validation_{self.score.key}": (
                    validated if validated is None else self.score.sign * validated
                ),
                "points": choice.n_points,
                "search_seconds": searched - start,
                "train_seconds": trained - searched,
                "test_seconds": tested - trained,
                "train_rows": len(y),
                "test_rows": len(y_test),
            }
            | _facts_of(model)
        )

    def _scorer(self, task: Task):
        """What parameters are chosen by; None is the estimator's own, accuracy."""
        if self.score.key == "accuracy":
            return None
        return self.score.scorer(self.datasets[task.dataset].n_classes)

    def _chosen(self, task: Task, rows) -> tuple[dict, float]:
        """The parameters of the first split, and how long the training took then."""
        for row in rows:
            if (
                row.get("kind") == "fit"
                and (row["dataset"], row["machine"], row["split"])
                == (task.dataset, task.machine, 0)
                and "error" not in row
            ):
                return row["parameters"], row["train_seconds"]
        return {}, 1.0

    def _convergence(self, task: Task, rows, tell) -> dict:
        _, X, y, X_test, y_test = self._rows(task)
        parameters, seconds = self._chosen(task, rows)
        tell(_in_words(parameters) or "training")
        model = self._estimator(task).set_params(**parameters)
        return {"parameters": parameters} | follow(model, X, y, X_test, y_test, seconds)

    def _scaling(self, task: Task, rows, tell) -> dict:
        data = self.datasets[task.dataset]
        X, y = some_classes(data, task.classes, self.seed)
        X, _ = prepare_rows(self.prepare, X, X[:1])
        parameters, _ = self._chosen(task, rows)
        tell(_in_words(parameters) or "training")
        model = self._estimator(task).set_params(**parameters)
        times: list[float] = []
        while not times or (len(times) < 3 and times[-1] < _SHORT):
            start = perf_counter()
            clone(model).fit(X, y)
            times.append(perf_counter() - start)
        return {"train_seconds": min(times), "train_rows": len(y)}


def prepare_rows(how: str, X, X_test):
    """Scale rows: features to unit variance or to at most 1, or rows to unit length."""
    if how == "none":
        return X, X_test
    if how == "standard":
        scaler = StandardScaler(with_mean=not sp.issparse(X))
    elif how == "maxabs":
        scaler = MaxAbsScaler()
    else:
        scaler = Normalizer()
    return scaler.fit_transform(X), scaler.transform(X_test)


def limit_passes(estimator: BaseEstimator, passes: int, name: str) -> None:
    """Have an estimator train with a number of passes over the rows, neither fewer."""
    parameters = estimator.get_params(deep=False)
    if isinstance(estimator, KernelSVM) or not {"epochs", "max_iter"} & set(parameters):
        raise ValueError(
            f"machine {name!r} does not train in passes over the rows; leave it out or "
            f"choose another protocol."
        )
    if "epochs" in parameters:
        estimator.set_params(epochs=passes)
        return
    estimator.set_params(max_iter=passes)
    if isinstance(estimator, LinearTraining):
        estimator.set_params(tol=0.0)


def some_classes(data: Dataset, n_classes: int, seed: int):
    """Return rows of some classes, as many as the fewest classes have together.

    So the number of classes grows and the number of rows does not (Blondel et al.,
    2014, figure 2).
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(data.n_classes)
    n_rows = int(np.isin(data.y, order[: class_counts(data.n_classes)[0]]).sum())
    rows = np.flatnonzero(np.isin(data.y, order[:n_classes]))
    if len(rows) > n_rows:
        share = n_rows / len(rows)
        chosen, _ = stratified_parts(data.y[rows], [share, 1 - share], rng)
        rows = rows[chosen]
    return data.X[rows], data.y[rows]


def _facts_of(model) -> dict:
    """What the model says about its training, if it is one of ours."""
    facts = {}
    for name in _OF_THE_MODEL:
        value = getattr(model, name, None)
        if isinstance(value, (str, int, float, np.number)):
            value = value.item() if isinstance(value, np.number) else value
            # JSON has no infinities.
            if not isinstance(value, float) or np.isfinite(value):
                facts[name.rstrip("_")] = value
    return facts


def _in_words(parameters: dict) -> str:
    return ", ".join(f"{name} = {value:.4g}" for name, value in parameters.items())
