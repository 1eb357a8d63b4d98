"""A classifier that chooses its machine when it is fitted."""

from numbers import Integral, Real
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..access.csr import check_compressed
from ..base.annotations import Array, ClassWeight, CrossValidation, Labels, Rows
from ..estimators.label_checks import check_one_label
from ..estimators.unchanged_on_error import unchanged_on_error
from .choice import choose
from .many_rows import telling_rows, weighted_as_all, with_room


def _has_probabilities(self: Any) -> bool:
    if not hasattr(self.best_estimator_, "predict_proba"):
        raise AttributeError(
            "the machine that was taken has no probabilities; name one that has: "
            "tabular('maxent'), or tabular('ovr', kernel='rbf', probability=True)."
        )
    return True


class AutoMachine(ClassifierMixin, BaseEstimator):
    """The machine that suits the data, found by cross-validation.

    A few linear and kernel machines are compared (see `choose`), and the one taken is
    trained on all rows.

    Parameters
    ----------
    budget : float, default=30.0
        Seconds after which the search tries no more.

    cv : int, default=5
        Folds.

    class_weight : dict, "balanced" or None, default=None

    random_state : int or None, default=None

    n_jobs : int or None, default=None
        Threads; the model does not depend on them.

    Attributes
    ----------
    best_estimator_ : LinearSVM, MaxEnt or KernelSVM
        Trained on all rows; a kernel of more than 30,000 on those that are support
        vectors of a part of them.

    best_score_ : float
        Its accuracy on the rows that were held out.

    choice_ : Choice
        What was compared, and why one was taken.

    classes_ : ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polymargin.selection.auto_machine import AutoMachine
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AutoMachine(random_state=0).fit(X, y)
    >>> bool(model.best_score_ > model.choice_.baseline)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        "budget": [Interval(Real, 0, None, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        budget: float = 30.0,
        cv: CrossValidation = 5,
        class_weight: ClassWeight = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.budget = budget
        self.cv = cv
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Rows, y: Labels) -> Self:
        """Compare machines, and train the one taken on all rows."""
        self._validate_params()
        with unchanged_on_error(self):
            return self._fit(check_compressed(X), y)

    def _fit(self, X: Rows, y: Labels) -> Self:
        check_one_label(y)
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.choice_ = choose(
            X,
            y,
            budget=self.budget,
            cv=self.cv,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            class_weight=self.class_weight,
        )
        best = self.choice_.best
        self.best_score_ = best.accuracy
        machine = best.candidate.estimator(
            random_state=self.random_state, n_jobs=self.n_jobs
        )
        rows = telling_rows(machine, X, y)
        if rows is not None:
            machine, X, y = weighted_as_all(machine, y), X[rows], y[rows]
        machine, X = with_room(machine, X)
        self.best_estimator_ = machine.fit(X, y)
        return self

    @property
    def classes_(self) -> Array:
        """The labels."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.classes_

    def predict(self, X: Rows) -> Array:
        """Return the label of each row."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    def decision_function(self, X: Rows) -> Array:
        """Return the scores of each row."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Rows) -> Array:
        """Return probabilities, if the machine that was taken has them."""
        return self.best_estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
