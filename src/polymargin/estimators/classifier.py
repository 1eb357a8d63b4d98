"""What all estimators share: from rows, labels and weights to a problem."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin
from sklearn.utils.multiclass import (
    _check_partial_fit_first_call,
    check_classification_targets,
)
from sklearn.utils.validation import _check_sample_weight, validate_data

from ..access.csr import check_compressed
from ..access.row_store.store import check_in_memory
from ..machine.costs import cost_table
from ..machine.problem import Problem, check_weights_fit, state_problem
from ..machine.registry import Machine


class MarginClassifier(CallbackSupportMixin, BaseEstimator):
    """Base of the estimators, which have C and class_weight."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _state_arrays(self, machine: Machine, X, y, sample_weight):
        """Return X and y, checked, and the problem they state; know classes."""
        X, y = self._validate(X, y)
        labels = self._find_classes(y)
        return X, y, self._problem(machine, X, labels, sample_weight)

    def _validate(self, X, y, reset=True):
        check_in_memory(X)
        X = check_compressed(X)
        if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
            raise ValueError(
                f"X has the type {X.dtype}; give dates and durations as numbers, or a "
                f"table to polymargin.tabular."
            )
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            reset=reset,
        )
        check_classification_targets(y)
        return X, y

    def _find_classes(self, y) -> np.ndarray:
        """Set `classes_` and return the position of each label in it."""
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes in y, got one class "
                f"only: {self.classes_.tolist()[0]!r}."
            )
        return labels

    def _check_stream(self, classes, first: bool) -> None:
        """Check what `partial_fit` is given apart from the chunk."""
        _check_partial_fit_first_call(self, classes)
        if first and len(self.classes_) < 2:
            raise ValueError(
                f"classes must name at least two classes, got {list(self.classes_)!r}."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once; give partial_fit a "
                "dict of weights, e.g. computed on a sample."
            )

    def _known_labels(self, y) -> np.ndarray:
        """Return the position of each label in `classes_`, given before."""
        known = np.isin(y, self.classes_)
        if not known.all():
            raise ValueError(
                f"y contains the label {np.asarray(y)[~known][0]!r}, which is not in "
                f"the classes given at the first call of partial_fit."
            )
        return np.searchsorted(self.classes_, y)

    def _with_costs(self, machine: Machine) -> Machine:
        """Return the machine with costs of the classes, which are known."""
        self.__dict__.pop("costs_", None)
        if getattr(self, "costs", None) is None:  # not all estimators have them
            return machine
        self.costs_ = cost_table(self.costs, self.classes_)
        return machine.with_costs(self.costs_)

    def _problem(
        self, machine: Machine, X, labels, sample_weight, all_may_be_zero=False
    ) -> Problem:
        weights = _check_sample_weight(
            sample_weight,
            X,
            dtype=np.float64,
            ensure_non_negative=True,
            allow_all_zero_weights=all_may_be_zero,
        )
        machine = self._with_costs(machine)
        problem = state_problem(
            machine, labels, self.classes_, self.C, weights, self.class_weight
        )
        check_weights_fit(problem.loss_weights, X.dtype, self.C)
        return problem
