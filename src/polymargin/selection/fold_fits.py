"""The fits of a search, one for each fold at a time, and their scores.

Where a scorer asks for predictions only, machines are trained without their estimators
(`trainers`), and kernel values are computed once for all fits with the same kernel.
Otherwise, and on the workers of a cluster, estimators are trained with warm starts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin

from ..base.threads import for_each, on_cluster, on_threads
from .fold_kernel import ChosenKernel, ComputedKernel, FoldKernel, kernel_of_all
from .folds import Fold, Folds
from .path import go_on
from .pipelines import put_together
from .stopping import StopReporter, Watch
from .trainers import KernelTrainer, LinearTrainer, Trainer, trains_alone


@dataclass(frozen=True)
class Outcome:
    """The score of a machine that was trained on a fold, and how long both took."""

    score: float
    fit_seconds: float
    score_seconds: float


class Fits(Protocol):
    """Machines of all folds."""

    def fit(self, C: float, left: Callable[[], float]) -> list[Outcome]:
        """Train with a larger C, each in ``left()`` seconds at most, and measure."""


def begin_fits(folds: Folds, gamma: float | None) -> Fits:
    """Return the machines of all folds with one kernel, or without any.

    Parameters
    ----------
    folds : Folds
    gamma : float or None
        Of the kernel; None: as the machine has it.
    """
    machines = folds.machines(gamma)
    if _asks_little(folds) and trains_alone(machines[0]) and not on_cluster():
        if not hasattr(machines[0], "kernel"):
            return TrainerFits(folds, _linear_trainers(folds, machines))
        trainers = _kernel_trainers(folds, machines)
        if trainers is not None:
            return TrainerFits(folds, trainers)
    return EstimatorFits(folds, machines)


def _asks_little(folds: Folds) -> bool:
    """Whether labels, or confidence in them, are all that the scorer asks for."""
    if folds.by_accuracy:
        return True
    asked = getattr(folds.scorer, "_response_method", None)
    asked = (asked,) if isinstance(asked, str) else asked or ("predict_proba",)
    return (
        folds.asks_predictions
        and np.ndim(folds.folds[0].y) == 1
        and asked[0] in ("predict", "decision_function")
    )


def _linear_trainers(folds: Folds, machines: list) -> list[Trainer]:
    return [
        LinearTrainer(
            *_checked(machine, fold.y, fold.weights), fold.rows(), fold.rows_held_out()
        )
        for machine, fold in zip(machines, folds, strict=True)
    ]


def _checked(machine: Any, y, weights) -> tuple:
    """Return what a trainer takes, after a look at it as `fit` does."""
    machine._validate_params()
    return machine, y, machine._row_weights(y, weights), machine._draw_seed()


def _kernel_trainers(folds: Folds, machines: list) -> list[Trainer] | None:
    """Return trainers that look up their kernels; None if there is no room for them."""
    kernels = _kernels(folds, machines[0])
    if kernels is None:
        return None
    trainers: list[Trainer] = []
    for machine, fold, (order, kernel) in zip(machines, folds, kernels, strict=True):
        y, weights = fold.y[order], fold.weights[order]
        trainers.append(KernelTrainer(*_checked(machine, y, weights), kernel))
    return trainers


def _kernels(folds: Folds, machine: Any) -> list[tuple[np.ndarray, FoldKernel]] | None:
    """Return the kernel of each fold, and the order of its rows: class after class."""
    room, itemsize = 1e6 * machine.cache_size, folds.folds[0].X.dtype.itemsize
    copies = sum(
        ComputedKernel.bytes_for(len(fold.y), len(fold.y_test), itemsize)
        for fold in folds
    )
    orders = [np.argsort(fold.y, kind="stable") for fold in folds]
    first = folds.folds[0]
    if first.train is None:
        if copies > room:
            return None
        return [
            (order, ComputedKernel(machine, fold.X[order], fold.X_test, folds.threads))
            for order, fold in zip(orders, folds, strict=True)
        ]
    needed = float(itemsize) * first.X.shape[0] ** 2
    if needed > room:
        return None
    matrix, kept = (
        kernel_of_all(machine, first.X, folds.threads),
        needed + copies <= room,
    )
    return [
        (order, ChosenKernel(matrix, fold.train[order], fold.test, kept))
        for order, fold in zip(orders, folds, strict=True)
    ]


class TrainerFits:
    """Machines that are trained without their estimators."""

    def __init__(self, folds: Folds, trainers: list[Trainer]):
        self.folds, self.trainers = folds, trainers
        self.stop = Event()

    def fit(self, C: float, left: Callable[[], float]) -> list[Outcome]:
        """Train with a larger C, each in ``left()`` seconds at most, and measure."""
        reporter = StopReporter(self.stop)

        def of_fold(each) -> Outcome:
            trainer, fold = each
            start = perf_counter()
            trainer.train(C, left(), reporter)
            fitted = perf_counter()
            score = self._score(trainer, fold.y_test)
            return Outcome(score, fitted - start, perf_counter() - fitted)

        pairs = zip(self.trainers, self.folds, strict=True)
        return on_threads(of_fold, pairs, self.folds.threads, self.stop.set)

    def _score(self, trainer: Trainer, y: np.ndarray) -> float:
        confidence = trainer.confidence()
        if self.folds.by_accuracy:
            return float(np.mean(trainer.labels_of(confidence) == y))
        model = _Predicted(trainer, confidence)
        return self.folds.scorer(model, np.zeros((len(y), 1)), y)


class _Predicted(ClassifierMixin, BaseEstimator):
    """Predictions that were made already, as a model that scorers can ask."""

    def __init__(self, trainer: Trainer, confidence: np.ndarray):
        self.trainer, self.confidence = trainer, confidence
        self.classes_ = trainer.machine.classes_

    def predict(self, X: Any) -> np.ndarray:
        return self.trainer.labels_of(self.confidence)

    def decision_function(self, X: Any) -> np.ndarray:
        return self.confidence


class EstimatorFits:
    """Machines that are trained as users would, with warm starts."""

    def __init__(self, folds: Folds, machines: list):
        self.folds, self.machines, self.watch = folds, machines, Watch()
        if not on_cluster() and not getattr(machines[0], "_skl_callbacks", None):
            for machine in machines:
                machine.set_callbacks(self.watch)

    def fit(self, C: float, left: Callable[[], float]) -> list[Outcome]:
        """Train with a larger C, each in ``left()`` seconds at most, and measure."""
        folds = self.folds
        own = folds.machine.get_params().get("max_time")
        most = float("inf") if own is None else own
        for machine in self.machines:
            go_on(machine, C)
        # Arrays are arguments of their own: the workers of a cluster have them.
        every = [
            (machine, folds.scorer, folds.estimator, most, left, *vars(fold).values())
            for machine, fold in zip(self.machines, folds, strict=True)
        ]
        found = for_each(_fit_and_score, every, folds.threads, self.watch.stop.set)
        self.machines = [machine for machine, _ in found]
        return [outcome for _, outcome in found]


def _fit_and_score(machine, scorer, estimator, most, left, *of_fold) -> tuple:
    """Train on the rows of a fold, and measure on those held out."""
    fold = Fold(*of_fold)
    seconds = min(most, left())
    if np.isfinite(seconds):
        machine.max_time = max(seconds, 1e-9)
    start = perf_counter()
    # What was checked once is not checked again for every C.
    again = hasattr(machine, "classes_")
    with config_context(skip_parameter_validation=again, assume_finite=again):
        machine.fit(fold.rows(), fold.y, fold.weights)
    fitted = perf_counter()
    model = machine
    if fold.before is not None:
        model = put_together(estimator, fold.before, machine)
    score = scorer(model, fold.rows_held_out(), fold.y_test)
    return machine, Outcome(score, fitted - start, perf_counter() - fitted)
