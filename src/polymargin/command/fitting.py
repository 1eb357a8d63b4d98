"""Fits with progress on standard error: one, those of folds, those of a search."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from .estimator_choice import Choice
from .exit_status import UsageError
from .fit_watch import EpochWatch, FoldWatch, stopping_on_ctrl_c
from .progress_display import Progress
from .standard_streams import note

_FOLDS = 5


@dataclass(frozen=True)
class Fit:
    """A trained model, the seconds it took, and whether it was stopped by Ctrl-C.

    `rows` is how many of all rows it was trained on, if not on all.
    """

    model: object
    seconds: float
    interrupted: bool
    rows: int | None = None

    @property
    def converged(self) -> bool:
        return self.model.status_ == "converged"

    def as_dict(self) -> dict:
        """Return what is known of it, for JSON."""
        model = self.model
        names = ("solver_", "status_", "objective_", "dual_objective_", "dual_gap_")
        found = {name.rstrip("_"): getattr(model, name, None) for name in names}
        if hasattr(model, "gamma_"):
            found["gamma"] = model.gamma_
        if self.rows is not None:
            found["rows_trained_on"] = self.rows
        return found | {"epochs": model.n_iter_, "seconds": self.seconds}


def fit_model(choice: Choice, X, y, progress: Progress, all_rows: bool = True) -> Fit:
    """Train the machine on features; after Ctrl-C, return it as far as it is.

    Unless it is to be `all_rows`, a kernel is trained on the rows that tell, if there
    are very many.
    """
    from ..selection.many_rows import telling_rows, weighted_as_all, with_room

    model, rows, interrupted = choice.estimator, None, False
    start = perf_counter()
    if not all_rows:
        rows = telling_rows(model, X, y, progress.show)
        progress.clear()
        if rows is not None:
            model, X, y = weighted_as_all(model, y), X[rows], y[rows]
        model, X = with_room(model, X)
    model.set_callbacks(EpochWatch(progress))
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        if not hasattr(model, "status_"):
            raise
        interrupted = True
    finally:
        progress.clear()
        model.set_callbacks()
    count = None if rows is None else len(rows)
    return Fit(model, perf_counter() - start, interrupted, count)


def folds_of(y, wanted: int | None, seed: int):
    """Return a splitter with as many folds as classes allow, or None for none.

    Parameters
    ----------
    y : ndarray
    wanted : int or None
        0 for none; 5 if None, or the size of the largest class if that is smaller.
    seed : int
    """
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    if y.ndim == 2:  # several labels a row
        folds = min(_FOLDS, y.shape[0]) if wanted is None else wanted
        return KFold(folds, shuffle=True, random_state=seed) if folds > 1 else None
    largest = int(np.unique(y, return_counts=True)[1].max())
    if wanted == 0 or (wanted is None and largest < 2):
        return None
    folds = min(_FOLDS, largest) if wanted is None else wanted
    if not 2 <= folds <= largest:
        raise UsageError(
            f"-v {folds} must be 0, or at least 2 and at most {largest}, the number of "
            f"rows of the largest class."
        )
    return StratifiedKFold(folds, shuffle=True, random_state=seed)


def cross_validate(choice: Choice, features, data, folds, n_jobs, progress: Progress):
    """Predict each fold by what is trained on the others.

    Returns
    -------
    scores : ndarray
        Accuracy on each fold.
    evaluation : Evaluation
        Of all folds together.
    """
    import numpy as np
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing

    from ..base.threads import on_threads, thread_count
    from ..files.models.evaluation import evaluation_of, predict_with_confidence

    watch = FoldWatch(progress, folds.get_n_splits())
    pipeline = features.pipeline(choice.estimator)

    def predict(split):
        train, test = split
        model = clone(pipeline)
        machine = model if features.transformer is None else model[-1]
        machine.set_params(n_jobs=1).set_callbacks(watch)
        model.fit(_safe_indexing(data.X, train), data.y[train])
        return predict_with_confidence(model, _safe_indexing(data.X, test))

    with stopping_on_ctrl_c(watch), _on_folds(progress):
        with warnings.catch_warnings():
            # folds of classes with few rows
            warnings.filterwarnings("ignore", message="The least populated class")
            splits = list(folds.split(np.zeros(data.y.shape[0]), data.y))
        found = on_threads(predict, splits, thread_count(n_jobs), watch.stop.set)
    y = [data.y[test] for _, test in splits]
    predicted, confidence = zip(*found, strict=True)
    if data.label_names is not None:
        return _sets_of_folds(predicted, y, data.label_names)
    scores = [float((a == b).mean()) for a, b in zip(predicted, y, strict=True)]
    evaluation = evaluation_of(
        np.concatenate(predicted),
        np.concatenate(y),
        np.unique(data.y),
        confidence=None if confidence[0] is None else np.concatenate(confidence),
    )
    return np.array(scores), evaluation


def _sets_of_folds(predicted, y, label_names):
    """What `cross_validate` returns, of several labels a row."""
    import numpy as np
    import scipy.sparse as sp

    from ..files.models.set_evaluation import set_evaluation

    folds = [
        set_evaluation(*both, label_names) for both in zip(predicted, y, strict=True)
    ]
    together = set_evaluation(np.vstack(predicted), sp.vstack(y), label_names)
    return np.array([fold.accuracy for fold in folds]), together


def measured(comparison, classes):
    """Return what `cross_validate` does, of the machine that was found best."""
    from ..files.models.evaluation import evaluation_of

    evaluation = evaluation_of(
        comparison.predicted,
        comparison.labels,
        classes,
        confidence=comparison.confidence,
    )
    return comparison.scores, evaluation


def compare_machines(arguments, features, data, given: dict, progress: Progress):
    """Choose a machine by cross-validation; see `choose`."""
    from ..selection.choice import choose

    def show(share, trial) -> None:
        words = f"{trial.candidate}: {100 * trial.accuracy:.2f} %"
        progress.show(share, words)

    try:
        return choose(
            data.X,
            data.y,
            features.transformer,
            budget=arguments.budget,
            cv=arguments.cross_validate or _FOLDS,
            random_state=arguments.seed,
            n_jobs=arguments.n_jobs,
            watch=show,
            **given,
        )
    finally:
        progress.clear()


def search(
    choice: Choice,
    features,
    data,
    folds,
    n_jobs,
    progress: Progress,
    Cs=None,
    gammas=None,
    grow=True,
    budget: float | None = None,
):
    """Try a grid of C, and of gamma; return what `tune` found, without a model.

    Grids that are None are those of `tune`. Features are made within the folds. The
    search ends after `budget` seconds, if
    that is a number, with what it has found.
    """
    from ..selection.tune import tune

    tried, share = [], 0.0

    def foresee(done: float, seconds_left: float) -> None:
        nonlocal share
        share = done

    def show(point) -> None:
        tried.append(point)
        best = max(tried, key=lambda point: point.mean)
        values = ", ".join(
            f"{name} {v:.4g}" for name, v in _short(point).parameters.items()
        )
        words = f"{values}: {100 * point.mean:.2f} %, best {100 * best.mean:.2f} %"
        progress.show(share, words)

    with _on_folds(progress):
        tuning = tune(
            data.X,
            data.y,
            features.pipeline(choice.estimator),
            Cs=Cs,
            gammas=gammas,
            cv=folds,
            grow=grow,
            max_time=budget,
            refit=False,
            n_jobs=n_jobs,
            watch=show,
            progress=foresee,
        )
    points = [_short(point) for point in tuning.points]
    places = [place for place, p in enumerate(tuning.points) if p is tuning.best]
    return replace(tuning, best=points[places[0]], points=points)


def _short(point):
    """Return a point with parameters of the machine, whatever stands before it."""
    parameters = {
        name.rpartition("__")[2]: value for name, value in point.parameters.items()
    }
    return replace(point, parameters=parameters)


@contextmanager
def _on_folds(progress: Progress):
    """Fits on folds: one note if some have not converged."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
    finally:
        progress.clear()
    _tell([warning.message for warning in caught])


def _tell(messages: list[Warning]) -> None:
    from sklearn.exceptions import ConvergenceWarning

    early = sum(isinstance(message, ConvergenceWarning) for message in messages)
    others = [m for m in messages if not isinstance(m, ConvergenceWarning)]
    for text in dict.fromkeys(map(str, others)):
        note(text)
    if early:
        note(f"{early} fits on folds ended before --tol; their accuracy may be lower.")
