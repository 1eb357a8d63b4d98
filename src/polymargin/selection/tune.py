"""The best C, and the best width of a kernel, by cross-validation."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..base.annotations import CrossValidation, Labels, Rows, Weights
from ..base.one_thread import blas_on_one_thread
from ..base.threads import on_all_workers, thread_count
from ..driver.loop import Clock
from .folds import Folds
from .grid_walk import GridWalk
from .path import check_grid, find_estimator
from .tuning import Tuning, best_of

_CS = 2.0 ** np.arange(-5, 4)  # the grid of 003
_CS_WITH_KERNEL = 4.0 ** np.arange(-1, 4)
_GAMMAS = 4.0 ** np.arange(-1, 2)  # times that of the estimator


def tune(
    X: Rows,
    y: Labels,
    machine: Any = "cs",
    *,
    Cs: Any = None,
    gammas: Any = None,
    cv: CrossValidation = 5,
    scoring: Any = None,
    grow: bool = True,
    patience: int | None = 2,
    max_time: float | None = None,
    refit: bool = True,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    watch: Any = None,
    progress: Callable[..., object] | None = None,
    **parameters: Any,
) -> Tuning:
    """Choose C, and gamma of a kernel, by cross-validation.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Whatever the first step of a pipeline takes, if there is one.
    y : array-like of shape (n_samples,)
    machine : str or estimator, default="cs"
        As in `path`; or a `Pipeline` that ends with an estimator of this package. Its
        transformers are fitted in every fold, on the rows that are trained on.
    Cs : array-like of float or None, default=None
        The grid. None: 2^-5 to 2^3 by factors of 2; with a kernel, 1/4 to 64 by
        factors of 4.
    gammas : array-like of float, "keep" or None, default=None
        The grid of gamma, for kernels that have it. None: where gamma is a name, such
        as "scale", a quarter of its value, the value, and four times the value. "keep"
        leaves gamma as it is, and so does None where gamma is a number.
    cv : int, splitter or iterable, default=5
        Folds as in scikit-learn.
    scoring : str, callable or None, default=None
        As in scikit-learn; accuracy if None.
    grow : bool, default=True
        Whether a grid goes on beyond its edge while the best point is there and
        clearly better than its neighbour.
    patience : int or None, default=2
        After so many points in a row that are clearly worse than the best, no larger C
        is tried. None: all points are tried.
    max_time : float or None, default=None
        Most seconds of the search; the best point so far is then the answer. Training
        on all rows comes on top.
    refit : bool, default=True
        Whether to train on all rows with the best parameters.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of rows for the machine, not for transformers.
    n_jobs : int or None, default=None
        Threads. What is found does not depend on them, unless `max_time` ends the
        search. Joblib's backend "dask" trains the folds on a cluster instead.
    verbose : int, default=0
        Print a line for every point.
    watch : callable or None, default=None
        Called with every `TuningPoint` as soon as it is known.
    progress : callable or None, default=None
        Called before each `watch` with the share that is done, from 0 to 1, and the
        seconds that are probably left.
    **parameters
        Of the estimator.

    Returns
    -------
    tuning : Tuning

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import polymargin
    >>> X, y = load_iris(return_X_y=True)
    >>> tuning = polymargin.tune(X, y, "cs", random_state=0)
    >>> tuning.model.C == tuning.best.parameters["C"]
    True
    """
    estimator = find_estimator(machine, parameters)
    # Both are checked before anything is done with the rows.
    Cs = None if Cs is None else check_grid("Cs", Cs)
    if gammas is not None and not isinstance(gammas, str):
        gammas = check_grid("gammas", gammas)
    elif gammas not in (None, "keep"):
        raise ValueError(
            f"gammas={gammas!r} must be a list of numbers, 'keep' or None."
        )
    if max_time is not None and not max_time > 0:
        raise ValueError(
            f"max_time={max_time!r} must be a positive number of seconds, or None for "
            f"no limit."
        )
    clock = Clock(max_time)

    def tell(point: Any, seconds_left: Any) -> Any:
        if progress is not None:
            gone = clock.seconds()
            progress(gone / max(gone + seconds_left, 1e-9), seconds_left)
        if verbose:
            values = "  ".join(
                f"{name.rpartition('__')[2]} {value:9.4g}"
                for name, value in point.parameters.items()
            )
            print(f"[tune] {values}  score {point.mean:.4f}  {point.seconds:.2f} s")
        if watch is not None:
            watch(point)

    threads = thread_count(n_jobs)
    folds = Folds(estimator, X, y, sample_weight, cv, scoring, threads)
    Cs, gammas = _grids(folds, Cs, gammas)
    search = GridWalk(folds, Cs, gammas, grow, patience, clock, tell)
    with (
        on_all_workers(*folds.arrays()),
        blas_on_one_thread(),
        warnings.catch_warnings(),
    ):
        if max_time is not None:  # fits are meant to be cut short
            warnings.filterwarnings("ignore", ".* raise max_time", ConvergenceWarning)
        status = search.run()
    best, model = best_of(search.points), None
    if refit:
        model = clone(estimator).set_params(**best.parameters)
        weights = {}
        if sample_weight is not None:
            weights[f"{folds.prefix}sample_weight"] = sample_weight
        model.fit(X, y, **weights)
    return Tuning(best, search.points, model, status)


def _grids(folds: Folds, Cs: Any, gammas: Any) -> Any:
    """Return both grids, ascending, with what they are if they are not given."""
    if Cs is None:
        Cs = _CS_WITH_KERNEL if hasattr(folds.machine, "kernel") else _CS
    named = folds.has_gamma() and isinstance(folds.machine.gamma, str)
    if gammas is None and named:
        gammas = folds.gamma() * _GAMMAS
    if gammas is None or isinstance(gammas, str):
        return np.unique(Cs), None
    if not folds.has_gamma():
        raise ValueError(
            f"gammas={gammas.tolist()!r} means nothing for {folds.machine!r}, which "
            f"has no kernel with gamma; leave it out."
        )
    return np.unique(Cs), np.unique(gammas)
