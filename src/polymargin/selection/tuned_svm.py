"""An estimator that chooses its parameters itself."""

from numbers import Integral, Real
from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..base.annotations import Array, CrossValidation, Estimator, Labels, Rows
from ..estimators.label_checks import is_indicator
from ..estimators.linear_svm import LinearSVM
from ..estimators.unchanged_on_error import unchanged_on_error
from .pipelines import take_apart
from .tune import tune


def _can(method: str) -> Any:
    """Whether the best estimator, or the one to be tuned, has a method."""

    def check(tuned: Any) -> bool:
        fitted = getattr(tuned, "best_estimator_", None)
        getattr(tuned._estimator() if fitted is None else fitted, method)
        return True

    return check


class TunedSVM(ClassifierMixin, BaseEstimator):
    """A machine that chooses C, and gamma of its kernel, by cross-validation.

    It is to `tune` what scikit-learn's `GridSearchCV` is to a loop over a grid, and has
    the same attributes. It can stand at the end of a pipeline, or have one inside: then
    transformers are fitted in every fold, and what they learn does not leak.

    Parameters
    ----------
    estimator : estimator or None, default=None
        `LinearSVM`, `KernelSVM` or `MaxEnt`, or a `Pipeline` that ends with one of
        them; ``LinearSVM()`` if None.

    Cs, gammas, cv, scoring, grow, patience, max_time, n_jobs, verbose
        As in `tune`.

    refit : bool, default=True
        Whether to train on all rows with the best parameters, without which there are
        no predictions.

    Attributes
    ----------
    best_estimator_ : estimator
        Trained on all rows. Only if `refit`.

    best_params_ : dict
        The best parameters, by the names that ``estimator.set_params`` knows.

    best_score_ : float
        Their mean score on the rows that were held out.

    best_index_ : int
        Their place in `cv_results_`.

    cv_results_ : dict of arrays
        All points that were tried, under the names that `GridSearchCV` uses.

    tuning_ : Tuning
        The same as an object that can be printed and drawn: ``tuning_.plot()``.

    n_splits_ : int
        Number of folds.

    scorer_ : callable
        What points were measured by.

    refit_time_ : float
        Seconds to train on all rows. Only if `refit`.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features, if the first step says so. Only if `refit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had any. Only if `refit`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from polymargin import KernelSVM, TunedSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), KernelSVM(random_state=0))
    >>> model = TunedSVM(machine).fit(X, y)
    >>> sorted(model.best_params_)
    ['kernelsvm__C', 'kernelsvm__gamma']
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: dict[str, Any] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "Cs": ["array-like", None],
        "gammas": ["array-like", StrOptions({"keep"}), None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "grow": ["boolean"],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        Cs: Any = None,
        gammas: Any = None,
        cv: CrossValidation = 5,
        scoring: Any = None,
        grow: bool = True,
        patience: int | None = 2,
        max_time: float | None = None,
        refit: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.grow = grow
        self.patience = patience
        self.max_time = max_time
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _estimator(self) -> Any:
        return LinearSVM() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._estimator())
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.classifier_tags = inner.classifier_tags
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Rows, y: Labels, **fit_params: Any) -> Self:
        """Choose the parameters, and train with them on all rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Whatever the first step of a pipeline takes.

        y : array-like of shape (n_samples,)
            Labels of at least two classes, or an indicator matrix if the estimator
            takes several labels a row.

        **fit_params
            ``sample_weight``: weights of rows in training.

        Returns
        -------
        self : TunedSVM
        """
        unknown = set(fit_params) - {"sample_weight"}
        if unknown:
            raise TypeError(
                f"fit got {sorted(unknown)[0]!r}, which it does not know; it takes "
                f"sample_weight."
            )
        with unchanged_on_error(self):
            return self._fit(X, y, fit_params)

    def _fit(self, X: Rows, y: Labels, fit_params: dict[str, Any]) -> Self:
        several = is_indicator(y)
        if not several:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        estimator = clone(self._estimator())
        tuning = tune(
            X,
            y,
            estimator,
            Cs=self.Cs,
            gammas=self.gammas,
            cv=self.cv,
            scoring=self.scoring,
            grow=self.grow,
            patience=self.patience,
            max_time=self.max_time,
            refit=False,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            **fit_params,
        )
        self.tuning_ = tuning
        self.cv_results_ = tuning.cv_results()
        self.best_index_ = tuning.points.index(tuning.best)
        self.best_params_ = dict(tuning.best.parameters)
        self.best_score_ = tuning.best.mean
        self.n_splits_ = len(tuning.best.scores)
        self.scorer_ = check_scoring(estimator, self.scoring)
        self.classes_ = np.arange(np.shape(y)[1]) if several else np.unique(y)
        if self.refit:
            start = perf_counter()
            _, _, prefix = take_apart(estimator)
            self.best_estimator_ = estimator.set_params(**self.best_params_).fit(
                X, y, **{f"{prefix}{name}": v for name, v in fit_params.items()}
            )
            self.refit_time_ = perf_counter() - start
            for name in ("n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
                if hasattr(self.best_estimator_, name):
                    setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def _best(self) -> Any:
        check_is_fitted(self)
        if not self.refit:
            raise AttributeError(
                "There is no model to predict with, because of refit=False; choose "
                "refit=True, or fit an estimator with best_params_."
            )
        return self.best_estimator_

    def predict(self, X: Rows) -> Array:
        """Return the labels that the best estimator predicts.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._best().predict(X)

    @available_if(_can("decision_function"))
    def decision_function(self, X: Rows) -> Array:
        """Return the best estimator's confidence in every class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        confidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
        """
        return self._best().decision_function(X)

    @available_if(_can("predict_proba"))
    def predict_proba(self, X: Rows) -> Array:
        """Return the best estimator's probabilities of every class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        return self._best().predict_proba(X)

    def score(self, X: Rows, y: Labels) -> float:
        """Return the score of the best estimator, by `scoring`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        y : array-like of shape (n_samples,)

        Returns
        -------
        score : float
        """
        return self.scorer_(self._best(), X, y)
