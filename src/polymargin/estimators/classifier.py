"""What all estimators share: from rows, labels and weights to a problem."""

from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import (
    _check_partial_fit_first_call,
    check_classification_targets,
)
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from ..access.csr import check_compressed
from ..access.row_store.store import check_in_memory
from ..base.annotations import Labels, Rows, Weights
from ..base.finite import all_finite
from ..machine.costs import cost_table
from ..machine.problem import (
    Problem,
    check_weights_fit,
    state_problem,
    state_problem_of_sets,
)
from ..machine.registry import Machine
from .callback_support import CallbackSupportMixin
from .label_checks import (
    check_one_label,
    check_ones,
    check_several,
    is_indicator,
    kind_of,
)

# Newer versions of scikit-learn refuse weights that are all zero unless told otherwise.
_ZEROS_PASS = {
    name: True
    for name in signature(_check_sample_weight).parameters
    if name == "allow_all_zero_weights"
}


# What a stream may do with labels that it has not named before.
NEW_CLASSES = {"new_classes": [StrOptions({"error", "add"})]}


class MarginClassifier(CallbackSupportMixin, BaseEstimator):
    """Base of the estimators, which have C and class_weight."""

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Read the signature of a class once: it takes a tenth of a small fit."""
        return list(super()._get_param_names())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _state_arrays(
        self, machine: Machine, X: Rows, y: Labels, sample_weight: Weights
    ) -> Any:
        """Return X and y, checked, and the problem they state; know classes."""
        if is_indicator(y):
            return self._state_sets(machine, X, y, sample_weight)
        self.__dict__.pop("multilabel_", None)
        X, y = self._validate(X, y)
        labels = self._find_classes(y)
        return X, y, self._problem(machine, X, labels, sample_weight)

    def _state_sets(
        self, machine: Machine, X: Rows, y: Labels, sample_weight: Weights
    ) -> Any:
        """The same for rows with any number of labels: y has a column for each."""
        check_several(self, machine)
        X, y = self._validate(X, y, multi_output=True)
        check_ones(y)
        sets = sp.csr_array(y, dtype=bool)
        sets.sum_duplicates()
        sets.eliminate_zeros()
        self.classes_, self.multilabel_ = np.arange(sets.shape[1]), True
        self.__dict__.pop("costs_", None)
        weights = self._row_weights(X, sample_weight)
        problem = state_problem_of_sets(machine, sets, self.C, weights)
        check_weights_fit(problem.loss_weights, X.dtype, self.C)
        return X, y, problem

    def _validate(
        self, X: Rows, y: Labels, reset: bool = True, multi_output: bool = False
    ) -> Any:
        if reset and not multi_output and _is_plain(X, y):
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            return X, y
        check_in_memory(X)
        X = check_compressed(X)
        if not multi_output:
            check_one_label(y)
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
            multi_output=multi_output,
            reset=reset,
        )
        check_classification_targets(y)
        return X, y

    def _find_classes(self, y: Labels) -> np.ndarray:
        """Set `classes_` and return the position of each label in it."""
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes in y, got one class "
                f"only: {self.classes_.tolist()[0]!r}; add rows of another class."
            )
        return labels

    def _check_stream(self, y: Labels, classes: Labels, first: bool) -> None:
        """Check what `partial_fit` is given apart from the rows; know classes."""
        if self.new_classes == "add":
            self._meet_classes(y, classes, first)
        else:
            _check_partial_fit_first_call(self, classes)
        if first and len(self.classes_) < 2:
            first_rows = ", or begin with rows of two" * (self.new_classes == "add")
            raise ValueError(
                f"classes must name at least two classes{first_rows}, got "
                f"{self.classes_.tolist()!r}; name all that will come."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once; give partial_fit a "
                "dict of weights, e.g. computed on a sample."
            )

    def _meet_classes(self, y: Labels, classes: Labels, first: bool) -> None:
        """Know the classes of these labels, too."""
        found = np.unique(y)
        if classes is not None:
            found = np.union1d(found, np.asarray(classes))
        if first:
            self.classes_ = found
            return
        come = np.setdiff1d(found, self.classes_)
        if not len(come):
            return
        if kind_of(come) != kind_of(self.classes_):
            raise ValueError(
                f"y contains the label {come.tolist()[0]!r}, which is of another type "
                f"than the classes so far, such as {self.classes_.tolist()[0]!r}; give "
                f"all labels as one type."
            )
        if self.classes_.dtype.kind == "U":  # else strings become objects
            come = come.astype(str)
        merged = np.union1d(self.classes_, come)
        if merged.dtype.kind == "f" != self.classes_.dtype.kind:  # as int64 and uint64
            merged = merged.astype(np.int64)
        self._change_classes(merged)

    def _change_classes(self, classes: np.ndarray) -> None:
        """Let these be the classes: some have come, or one has gone."""
        raise NotImplementedError

    def _without_class(self, label: Any) -> np.ndarray:
        """Return the classes but one, or say why it must stay."""
        check_is_fitted(self, "classes_")
        if getattr(self, "multilabel_", False):
            raise ValueError(
                "forget_class is for one label a row, and this model was fitted to "
                "several; leave out the column of its predictions instead."
            )
        if label not in self.classes_.tolist():
            raise ValueError(
                f"forget_class: {label!r} is not one of the classes; they are "
                f"{', '.join(map(repr, self.classes_.tolist()[:10]))}."
            )
        if len(self.classes_) == 2:
            raise ValueError(
                f"forget_class: without {label!r} there is one class only; fit another "
                f"model instead."
            )
        return self.classes_[self.classes_ != label]

    def _known_labels(self, y: Labels) -> np.ndarray:
        """Return the position of each label in `classes_`, given before."""
        known = np.isin(y, self.classes_)
        if not known.all():
            raise ValueError(
                f"y contains the label {np.asarray(y)[~known].tolist()[0]!r}, which is "
                f"not in the classes given at the first call of partial_fit; name it "
                f"there, or set new_classes='add'."
            )
        return np.asarray(np.searchsorted(self.classes_, y))

    def _waits_for_classes(self) -> bool:
        """Whether weights may be of classes that are still to come."""
        return getattr(self, "new_classes", "error") == "add"

    def _with_costs(self, machine: Machine) -> Machine:
        """Return the machine with costs of the classes, which are known."""
        self.__dict__.pop("costs_", None)
        if getattr(self, "costs", None) is None:  # not all estimators have them
            return machine
        others = self._waits_for_classes()
        self.costs_ = cost_table(self.costs, self.classes_, others)
        return machine.with_costs(self.costs_)

    def _row_weights(
        self, X: Rows, sample_weight: Weights, all_may_be_zero: bool = False
    ) -> np.ndarray:
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True, **_ZEROS_PASS
        )
        if not (all_may_be_zero or weights.any()):
            raise ValueError(
                "Sample weights must contain at least one non-zero number: every row "
                "has a sample_weight of 0; give some row a weight above it."
            )
        return weights

    def _problem(
        self,
        machine: Machine,
        X: Rows,
        labels: Any,
        sample_weight: Weights,
        all_may_be_zero: bool = False,
    ) -> Problem:
        weights = self._row_weights(X, sample_weight, all_may_be_zero)
        machine = self._with_costs(machine)
        class_weight = self.class_weight
        if isinstance(class_weight, dict) and self._waits_for_classes():
            known = set(self.classes_.tolist())
            class_weight = {m: w for m, w in class_weight.items() if m in known}
        problem = state_problem(
            machine, labels, self.classes_, self.C, weights, class_weight
        )
        check_weights_fit(problem.loss_weights, X.dtype, self.C)
        return problem


def _is_plain(X: Rows, y: Labels) -> bool:
    """Whether there is nothing to convert, and nothing that validation could refuse: it
    takes longer than to train on some hundred rows.
    """
    return (
        type(X) is type(y) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and y.dtype.kind in "iub"
        and X.ndim == 2
        and y.shape == X.shape[:1]
        and X.size > 0
        and all_finite(X)
    )
